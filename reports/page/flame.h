/*
 * flame - call paths of one variant, or of two laid over each other, as a tree of frames
 *
 * in:    variants that were analysed with analysis_options.stacks, or exact counts; borrowed, they must outlive the
 *        flame
 * out:   frames in the order of a walk from the root down, owned by the caller
 * units: ns or instructions per packet, never shares, because a share of one variant cannot be compared with a share
 *        of another
 * law:   a frame's cost is its self plus the costs of the frames that it called. The root's cost is the variant's base
 *        less its unattributed_ns, or all instructions of a packet. With two sides, the width of a frame is the larger
 *        of its two selfs plus the widths of the frames that it called, so a frame that one side lacks is visible too.
 *        A fitted count below 0 has no width. Frames are matched by symkey(), under matched callers. x + width of a
 *        frame never passes its caller's
 * error: -ENOMEM; left empty
 * src:   Brendan Gregg, "The Flame Graph", Communications of the ACM 59/6, 2016. The joined width of both sides
 *        is this project's idea
 */
#ifndef REPORTS_FLAME_H
#define REPORTS_FLAME_H

#include <stddef.h>
#include <stdint.h>
#include "reports/compare/compare.h"
#include "reports/exact/exact_diff.h"

struct flame_frame {
	/* of the side where the frame costs more; the root's is "all", or "second stage" of its task (analysis.h) */
	const char *name;
	const char *names[2]; /* as perf prints it on each side; NULL: the side lacks the frame */
	const char *facility; /* the one that at least half of the cost belongs to; "": there is none */
	size_t parent;        /* the root's parent is the root */
	unsigned int depth;
	uint64_t samples[2];              /* or instructions counted; 0: the side lacks the frame */
	double cost[2], self[2], half[2]; /* half: the wider side of the interval of cost; 0: counts have none */
	double share_pct[2];              /* cost of its side's base */
	double x, width;
	double delta, delta_half; /* of two sides: the two intervals in quadrature */
	enum compare_class class; /* changed: delta beyond its interval */
};

struct flame {
	enum flame_unit { FLAME_NS, FLAME_INSTRUCTIONS } unit;
	const char *names[2];                    /* of base and new, short; or of one variant and NULL */
	const struct analysis_variant *sides[2]; /* of samples: base and new, or one variant and NULL */
	struct flame_frame *frames;
	size_t nframes; /* 0 where nothing was sampled */
	unsigned int depth;
};

int flame_build(struct flame *f, const struct analysis_variant *v);
int flame_build_difference(struct flame *f, const struct compare *c);
int flame_build_exact(struct flame *f, const struct exact_variant *v);
int flame_build_exact_difference(struct flame *f, const struct exact_diff *d);
void flame_release(struct flame *f); /* may be called twice */

#endif
