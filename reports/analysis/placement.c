// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

#include <gsl/gsl_sort.h>

static size_t stratum_of_value(const struct placement *p, double ns)
{
	size_t i = 0;

	while (i < p->nstrata && (ns < p->strata[i].lo_ns || ns > p->strata[i].hi_ns))
		i++;
	return i;
}

size_t placement_of(const struct placement *p, const struct run_block *b)
{
	double before = b->placement_ns[0], after = b->placement_ns[1];
	size_t stratum;

	if (!p->probed)
		return 0;
	if (isnan(before) && isnan(after))
		return PLACEMENT_UNPROBED;
	if (isnan(before))
		before = after;
	if (isnan(after))
		after = before;
	stratum = stratum_of_value(p, before);
	return stratum == stratum_of_value(p, after) ? stratum : PLACEMENT_MOVED;
}

const char *placement_name(const struct placement *p, size_t place)
{
	if (place == PLACEMENT_MOVED)
		return "moved";
	return place == PLACEMENT_UNPROBED ? "not probed" : p->strata[place].name;
}

bool placement_takes(const struct placement *p, const struct run_block *b)
{
	return p->choice == PLACEMENT_ALL || placement_of(p, b) == p->reference;
}

/* Makes the stratum that like_ns, a time of another run, lies within PLACEMENT_CUT of the reference. */
static void follow(struct placement *p, double like_ns)
{
	for (size_t i = 0; i < p->nstrata; i++)
		if (like_ns <= p->strata[i].hi_ns * PLACEMENT_CUT && like_ns * PLACEMENT_CUT >= p->strata[i].lo_ns &&
		    p->strata[i].blocks) {
			p->reference = i;
			return;
		}
}

int placement_build(struct placement *p, const struct run *r, enum placement_choice choice, double like_ns,
		    struct diag *d)
{
	double *values = calloc(2 * r->nblocks + 1, sizeof(*values));
	size_t n = 0;
	int err;

	*p = (struct placement){.choice = choice};
	if (!values)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < r->nblocks; i++)
		for (int k = 0; k < 2; k++)
			if (!isnan(r->blocks[i].placement_ns[k]))
				values[n++] = r->blocks[i].placement_ns[k];
	gsl_sort(values, 1, n);
	for (size_t i = 0; i < n; i++) {
		bool cut = !i || values[i] > PLACEMENT_CUT * values[i - 1];

		if (cut && p->nstrata < PLACEMENT_STRATA)
			p->strata[p->nstrata++].lo_ns = values[i];
		p->strata[p->nstrata - 1].hi_ns = values[i];
	}
	free(values);
	for (size_t i = 0; i < p->nstrata; i++) {
		const char *name = "mid";

		if (p->nstrata == 1)
			name = "only";
		else if (i == 0)
			name = "near";
		else if (i == p->nstrata - 1)
			name = "far";
		else if (i == 2)
			name = "mid2";
		snprintf(p->strata[i].name, sizeof(p->strata[i].name), "%s", name);
	}
	p->probed = n > 0;
	if (!p->probed)
		p->nstrata = 1;
	/* The stratum in which most variants have enough blocks, and of these the one with most blocks. */
	size_t best_served = 0, best_blocks = 0, *count = calloc(r->nvariants + 1, sizeof(*count));
	for (size_t i = 0; i < p->nstrata && count; i++) {
		size_t served = 0, blocks = 0;

		memset(count, 0, r->nvariants * sizeof(*count));
		for (size_t k = 0; k < r->nblocks; k++)
			if (placement_of(p, &r->blocks[k]) == i) {
				blocks++;
				served += ++count[r->blocks[k].variant] == PLACEMENT_BLOCKS;
			}
		p->strata[i].blocks = blocks;
		if (served < best_served || (served == best_served && blocks <= best_blocks))
			continue;
		best_served = served;
		best_blocks = blocks;
		p->reference = i;
	}
	free(count);
	err = count ? 0 : -ENOMEM;
	if (err)
		return diag_set(d, err, "out of memory");
	if (choice == PLACEMENT_NEAR)
		p->reference = 0;
	else if (choice == PLACEMENT_FAR)
		p->reference = p->nstrata - 1;
	else if (like_ns > 0 && p->probed)
		follow(p, like_ns);
	return 0;
}

int placement_choice_parse(enum placement_choice *c, const char *text, struct diag *d)
{
	static const char *const words[] = {"auto", "near", "far", "all"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			*c = (enum placement_choice)i;
			return 0;
		}
	return diag_set(d, -EINVAL, "unknown placement \"%.32s\"; known: auto near far all", text);
}
