/*
 * ksyms - names of the kernel's functions by address, those of BPF programs that are gone by now among them
 *
 * in:    /proc/kallsyms; the kernel's list of BPF programs
 * out:   the function that an address is in, or NULL; names live until ksyms_release()
 * units: CLOCK_MONOTONIC ns
 * law:   a BPF program that was there at a ksyms_refresh() keeps its name for addresses of that time, also when it went
 *        and another program has its memory. One that comes and goes between two of them has no name
 * error: -EPERM addresses are hidden, or all of the file is; -ENOENT a kernel without kallsyms; -ENOMEM
 * src:   kallsyms_show_value() of the kernel: who sees addresses
 */
#ifndef USER_WATCH_KSYMS_H
#define USER_WATCH_KSYMS_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct ksym {
	uint64_t start;
	uint64_t from_ns, to_ns;   /* of BPF programs; to_ns 0: it is there */
	const char *name, *module; /* module "": the kernel itself; "bpf": a BPF program */
};

struct ksyms {
	struct ksym *list; /* sorted by start; those of one start by from_ns */
	size_t n, cap;
	char **texts; /* all names, each list of kallsyms in one piece */
	size_t ntexts;
	uint32_t *programs; /* IDs of the BPF programs at the last refresh */
	size_t nprograms;
	uint64_t read_ns; /* when kallsyms was read last */
};

int ksyms_open(struct ksyms *k, struct diag *d);
/* Reads the BPF programs again if there are others than before, at most every KSYMS_PAUSE_S. */
#define KSYMS_PAUSE_S 5
int ksyms_refresh(struct ksyms *k, struct diag *d);
const struct ksym *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t at_ns);
void ksyms_release(struct ksyms *k); /* may be called twice */

#endif
