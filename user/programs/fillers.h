/*
 * fillers - programs that nobody uses, loaded so that the next program lies at a place in memory that is drawn
 *
 * What a native packet costs depends by up to 10 % on where its program lies. The kernel puts a program at the first
 * place that is free, which is the same one again and again, until something else on the machine changes: then all
 * costs jump.
 *
 * in:    a seed: the same places follow from the same seed, if nothing else was loaded meanwhile
 * out:   struct fillers, which take places until fillers_release()
 * law:   programs that are loaded already stay where they are. Where the kernel takes no fillers, nothing is drawn
 * error: none
 * src:   costs at 150 addresses (docs/figures.rst); Curtsinger and Berger, Stabilizer, ASPLOS 2013
 */
#ifndef USER_FILLERS_H
#define USER_FILLERS_H

#include <stddef.h>
#include <stdint.h>

#define FILLERS_MOST 256

struct fillers {
	int fds[FILLERS_MOST];
	size_t n;
};

/* f: all zero, or as the last call left it; more are added. */
void fillers_load(struct fillers *f, uint64_t seed);
void fillers_release(struct fillers *f); /* may be called twice */

#endif
