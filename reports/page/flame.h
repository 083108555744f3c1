/*
 * flame - call paths of one variant, or of two laid over each other, as a tree of frames
 *
 * in:    variants that were analysed with analysis_options.stacks; borrowed, they must outlive the flame
 * out:   frames in the order of a walk from the root down, owned by the caller
 * units: ns per packet, never shares, because a share of one variant cannot be compared with a share of another
 * law:   a frame's ns is its self_ns plus the ns of the frames that it called. The root's ns is the variant's base
 *        less its unattributed_ns. With two sides, the width of a frame is the larger of its two self_ns plus the
 *        widths of the frames that it called, so a frame that one side lacks is visible too. Frames are matched
 *        by symkey(), under matched callers. x_ns + width_ns of a frame never passes its caller's
 * error: -ENOMEM; left empty
 * src:   Brendan Gregg, "The Flame Graph", Communications of the ACM 59/6, 2016. The joined width of both sides
 *        is this project's idea
 */
#ifndef REPORTS_FLAME_H
#define REPORTS_FLAME_H

#include <stddef.h>
#include <stdint.h>
#include "reports/compare/compare.h"

struct flame_frame {
	const char *name;     /* of the side where the frame costs more; the root's is "all" */
	const char *names[2]; /* as perf prints it on each side; NULL: the side lacks the frame */
	const char *facility; /* the one that at least half of the cost belongs to; "": there is none */
	size_t parent;        /* the root's parent is the root */
	unsigned int depth;
	uint64_t samples[2];
	double ns[2], self_ns[2], half_ns[2]; /* half_ns: the wider side of the interval of ns */
	double share_pct[2];                  /* ns of its side's base */
	double x_ns, width_ns;
	double delta_ns, delta_half_ns; /* of two sides: the two intervals in quadrature */
	enum compare_class class;       /* changed: delta beyond its interval */
};

struct flame {
	const struct analysis_variant *sides[2]; /* base, new; or one variant and NULL */
	struct flame_frame *frames;
	size_t nframes; /* 0 where nothing was sampled */
	unsigned int depth;
};

int flame_build(struct flame *f, const struct analysis_variant *v);
int flame_build_difference(struct flame *f, const struct compare *c);
void flame_release(struct flame *f); /* may be called twice */

#endif
