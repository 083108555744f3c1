/*
 * progress - prints how far a recording is: one line that redraws itself on a terminal, plain lines elsewhere
 *
 * out:   stderr. On a terminal, a line that is never wider than the terminal. Elsewhere, as in a log, one line for each
 *        of the first two blocks, for each tenth of all blocks, once, and after each minute without a line
 */
#ifndef USER_PROGRESS_H
#define USER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool terminal, quiet;
	int columns; /* of the terminal */
	int done, total;
	int tenth;                   /* of all blocks: the last one that a log was told of */
	uint64_t start_ns, told_ns;  /* told_ns: when the last line of a block was printed */
	uint64_t block_ns, shown_ns; /* when the last block ended; when the line was drawn last */
	double limit_s;              /* 0: no limit */
	char what[64], result[128];  /* the present step; the last variant and its cost */
};

void progress_begin(struct progress *p, int total, double limit_s, bool quiet);
void progress_now(struct progress *p, const char *what); /* what: the present step, in words */
/* Draws the line again on a terminal, once a second at most, so that the time left moves while a block is measured. */
void progress_tick(struct progress *p);
/* half: of the interval of the blocks so far; NaN: not known yet */
void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet, double half);
void progress_end(struct progress *p); /* clears the line; p prints nothing more */

#endif
