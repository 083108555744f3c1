// SPDX-License-Identifier: GPL-2.0-or-later
/* The sums over functions, data structures and source lines against the counts that are independent of them. */
#include "reports/exact/exact.h"

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Windows whose differences cancel do not close either. */
int exact_close(struct exact_variant *v, const struct exact_tree *t, bool transfers_alone, struct diag *d)
{
	uint64_t instructions = 0;

	for (size_t i = 0; i < v->nwindows + v->nfootprints; i++) {
		const struct exact_window *w = &v->windows[i];

		if (!transfers_alone)
			instructions += apart(w->summed, w->between);
		for (int m = 0; m < EXACT_MEMORY; m++) {
			if (!v->memory[m] || (transfers_alone && m != EXACT_LINES_TRANSFERRED))
				continue;
			v->apart[m] += apart(w->memory_summed[m], w->memory_between[m]);
			if (t->nspots)
				v->apart[EXACT_OF_PLACES] += apart(w->memory_placed[m], w->memory_between[m]);
		}
	}
	for (int m = 0; m < EXACT_MEMORY; m++)
		v->memory[m] &= !v->apart[m];
	if (instructions)
		return diag_set(d, -EINVAL,
				"%s: the functions do not sum to the instructions between entry and exit of the polls: "
				"residual %" PRIu64 "; no count of this run is good",
				v->id, instructions);
	return 0;
}

size_t exact_open_words(const struct exact_variant *v, char *text, size_t size)
{
	static const char *const names[EXACT_KINDS] = {[EXACT_LOADS] = "loads",
						       [EXACT_STORES] = "stores",
						       [EXACT_LINES_TOUCHED] = "lines touched",
						       [EXACT_LINES_TRANSFERRED] = "lines transferred",
						       [EXACT_LINES_DEVICE] = "lines of a device",
						       [EXACT_FOOT_LINES] = "lines of the footprint",
						       [EXACT_FOOT_PAGES] = "pages of the footprint",
						       [EXACT_OF_PLACES] = "data structures",
						       [EXACT_OF_SOURCE] = "source lines"};
	size_t n = 0, at = 0;

	text[0] = '\0';
	for (int k = 0; k < EXACT_KINDS; k++)
		if (v->apart[k] && at < size) {
			at += (size_t)snprintf(text + at, size - at, "%s%s (residual %" PRIu64 ")", n ? ", " : "",
					       names[k], v->apart[k]);
			n++;
		}
	return n;
}
