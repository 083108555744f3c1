/*
 * replay - the same frames through one program or two, by BPF_PROG_TEST_RUN
 *
 * units: bytes; verdicts in the kernel's numbering (enum xdp_action), also numbers that are none
 * law:   each program gets each frame as it is in the list. What a program keeps in its maps it keeps from one frame to
 *        the next, and the other program has maps of its own
 */
#ifndef USER_REPLAY_H
#define USER_REPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/base.h"
#include "user/gen/gen.h"

#define REPLAY_SIDES 2

struct replay_result {
	uint32_t verdict;
	struct frame after; /* data NULL: not run */
};

struct replay_row {
	struct replay_result side[REPLAY_SIDES];
	bool verdicts_differ, bytes_differ;
	uint32_t first_byte; /* the first that differs, or the length of the shorter frame */
};

struct replay {
	const char *names[REPLAY_SIDES]; /* borrowed; NULL: there is no second program */
	const struct frames *frames;     /* borrowed */
	struct replay_row *rows;         /* one for each frame */
	size_t differ;                   /* rows that differ */
};

int replay_run(struct replay *r, const struct frames *frames, const char *const names[REPLAY_SIDES],
	       const int prog_fds[REPLAY_SIDES], struct diag *d);
void replay_release(struct replay *r); /* may be called twice */

/* Verdicts of each program, and the frames that differ: at most `most` of them. */
void replay_print_text(const struct replay *r, size_t most, FILE *out);
void replay_print_markdown(const struct replay *r, size_t most, FILE *out);

#endif
