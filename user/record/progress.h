/*
 * progress - how far a recording is: one line that redraws itself on a terminal, a plain line per block elsewhere
 *
 * out:   stderr
 */
#ifndef USER_PROGRESS_H
#define USER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool terminal, quiet;
	int done, total;
	uint64_t start_ns;
	double limit_s; /* 0: none */
};

void progress_begin(struct progress *p, int total, double limit_s, bool quiet);
void progress_now(struct progress *p, const char *what); /* what is being done now */
void progress_block(struct progress *p, const char *variant, double pps, double ns_per_packet);
void progress_end(struct progress *p); /* the line is the terminal's again */

#endif
