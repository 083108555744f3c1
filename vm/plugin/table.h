/*
 * table - memory and hash tables of the counting plugin
 *
 * error: a plugin cannot return an error to QEMU: without memory, the emulator ends with one sentence
 */
#ifndef VM_PLUGIN_TABLE_H
#define VM_PLUGIN_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *must(void *p)
{
	if (!p) {
		fputs("count: no memory\n", stderr);
		exit(1);
	}
	return p;
}

/* The slot of a key in a table of n slots; n is a power of two. */
static inline size_t slot(uint64_t key, size_t n)
{
	return (size_t)((key * 0x9E3779B97F4A7C15ULL) >> 32) & (n - 1);
}

#endif
