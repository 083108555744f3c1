/*
 * places - what the memory of this kernel holds: slab caches, per-CPU memory, pages of page pools, vmalloc
 *
 * in:    /proc/kcore, /proc/kpageflags, /proc/vmallocinfo, the kernel's BTF, as root
 * out:   a file for the counting plugin (vm/plugin/plugin.h): a line for each range of addresses with one name
 * law:   a page of a slab has the name of its cache: of several caches that the kernel has merged, that of the first. A
 *        page of the page allocator that is of no slab and of no page pool is "page": packets, buffers and rings of
 *        drivers, free pages too. What this kernel does not tell has no line
 * error: -errno: the file cannot be written
 * src:   Linux, Documentation/admin-guide/mm/pagemap.rst (kpageflags); include/linux/poison.h (PP_SIGNATURE)
 */
#ifndef USER_EXACT_PLACES_H
#define USER_EXACT_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct segment { /* of /proc/kcore */
	uint64_t start, bytes, offset;
};

enum place_symbol { DIRECT_MAP, PAGE_STRUCTS, CPU_OFFSETS, CPU_BYTES, PLACE_SYMBOLS };

struct places {
	/* private */
	uint64_t symbols[PLACE_SYMBOLS]; /* addresses; 0: this kernel has none */
	struct segment segments[64];
	size_t nsegments;
	int kcore, flags; /* -1: not open */
	/* offsets of members; struct_page: the size; order: of a free block, 0: not known */
	uint32_t struct_page, slab_cache, cache_name, pp_magic, order;
	uint16_t *of_page; /* by number: index of names, + 1 */
	size_t npages;
	char (*names)[64];
	uint64_t *caches; /* by index of names; 0: no slab cache */
	size_t nnames;
};

void places_init(struct places *p);
/* A line of /proc/kallsyms, before places_open(), which needs what is noted here. */
void places_symbol(struct places *p, const char *line);
void places_open(struct places *p); /* what this kernel does not tell stays unknown */
int places_write(struct places *p, const char *path, struct diag *d);
void places_release(struct places *p); /* may be called twice */

#endif
