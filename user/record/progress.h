/*
 * progress - how far a recording is: one line that redraws itself on a terminal, some plain lines elsewhere
 *
 * out:   stderr. On a terminal the line is never wider than it. Elsewhere, as in a log, there is a line for the first
 *        two blocks, for each tenth of all blocks, and after each minute without one
 */
#ifndef USER_PROGRESS_H
#define USER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool terminal, quiet;
	int columns; /* of the terminal */
	int done, total;
	uint64_t start_ns, told_ns; /* told: the last plain line */
	double limit_s;             /* 0: none */
};

void progress_begin(struct progress *p, int total, double limit_s, bool quiet);
void progress_now(struct progress *p, const char *what); /* what is being done now */
void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet);
void progress_end(struct progress *p); /* the line is the terminal's again */

#endif
