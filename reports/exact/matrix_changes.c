// SPDX-License-Identifier: GPL-2.0-or-later
/* What changed from one kernel of a matrix to the next, how much of it is sure, where it comes from, and its words. */
#include <fnmatch.h>
#include "reports/exact/exact.h"

/*
 * Groups of functions of which one may take the place of another one. A component is a part of a packet's way; these
 * are the means. Patterns of names, which end with NULL.
 */
static const struct means {
	const char *name;
	const char *patterns[20];
} means[] = {
	{"the page pool", {"page_pool_*", "__page_pool_*"}},
	{"the page allocator",
	 {"*alloc_pages*", "get_page_from_freelist", "*alloc_frozen_pages*", "*free_unref_page*", "*free_frozen_page*",
	  "__free_pages*", "free_tail_page_prepare", "prep_new_page", "post_alloc_hook", "prep_compound_page",
	  "*rmqueue*", "clear_page*", "clear_highpages*", "skb_page_frag_refill", "free_page_is_bad", "*page_frag_*"}},
	{"the slab allocator", {"kmem_cache_*", "*kmalloc*", "kfree", "*_slab_*", "__slab_*"}},
	{"a bulk of skbs", {"napi_skb_cache_get_bulk"}},
	{"DMA mapping", {"dma_*", "swiotlb_*"}},
};
#define NMEANS (sizeof(means) / sizeof(*means))

#define LEAST     5.0 /* instructions per packet of a means that came or went */
#define PART      0.1 /* of a change that a function has to carry to be named */
#define FUNCTIONS 3   /* that are named */
#define ALIKE     0.5 /* of two changes that has to be in functions that changed alike, to be one */
/* What another compiler may change: gcc 12 and 14 differ by 2.0 % at most, in 8 counts of 6.12.117 on four drivers. */
#define COMPILER 0.02

static bool uses(const struct means *m, const char *function)
{
	for (size_t i = 0; m->patterns[i]; i++)
		if (!fnmatch(m->patterns[i], function, 0))
			return true;
	return false;
}

/* A row of components or functions, as one of the parts. Returns whether it was put. */
static bool put_part(const struct exact_diff_row *r, double change, char *words, size_t size)
{
	double base = r->base.instructions[EXACT_PACKET], new = r->new.instructions[EXACT_PACKET];

	return fabs(r->change) >= fmax(1, PART * fabs(change)) && fabs(r->change) > exact_check_bound(r) &&
	       listed_add(words, size, ", ", "%s %+.1f%s", r->name, r->change,
			  base == 0  ? " (new)"
			  : new == 0 ? " (gone)"
				     : "");
}

/* "6.12.117" of "6.12.117+deb13-amd64", and "6.1.0-56" of "6.1.0-56-amd64": a version of Debian's numbers, too. */
static size_t version_length(const char *release)
{
	size_t n = strspn(release, "0123456789.");

	return n + (release[n] == '-' ? 1 + strspn(release + n + 1, "0123456789") : 0);
}

const char *matrix_cause_words(const struct matrix_change *c)
{
	static const char *const words[MATRIX_CAUSES] = {
		[MATRIX_SOURCE] = "source",
		[MATRIX_COMPILER] = "compiler",
		[MATRIX_SOURCE | MATRIX_COMPILER] = "source or compiler",
		[MATRIX_CONFIG] = "configuration",
		[MATRIX_SOURCE | MATRIX_CONFIG] = "source or configuration",
		[MATRIX_COMPILER | MATRIX_CONFIG] = "compiler or configuration",
		[MATRIX_SOURCE | MATRIX_COMPILER | MATRIX_CONFIG] = "source, compiler or configuration"};

	return words[c->causes];
}

const char *matrix_variant_words(const struct matrix *m, const char *variant, char *buf, size_t size)
{
	size_t length = strcspn(variant, "@");
	bool alone = variant[length] != '\0';

	for (size_t i = 0; i < m->nvariants; i++)
		alone &= strcspn(m->variants[i], "@") == length && !strncmp(m->variants[i], variant, length);
	snprintf(buf, size, "%s", alone ? variant + length + 1 : variant);
	return buf;
}

static const char *kernel_name(const struct matrix *m, const struct matrix_cell *c)
{
	return m->names[(size_t)(c - m->cells) / (m->ndrivers * m->nvariants)];
}

static void put_id(char *id, size_t size, const struct matrix_change *c)
{
	snprintf(id, size, "%s-%s-%s-%s", c->from->kernel, c->to->kernel, c->to->driver, c->to->variant);
	for (char *s = id; *s; s++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.", *s))
			*s = '-';
}

static int add_change(struct matrix *m, struct matrix_cell *from, struct matrix_cell *to)
{
	struct matrix_change *c = array_add(&m->changes, &m->nchanges, sizeof(*m->changes));
	char variant[RUN_ID_BYTES];
	bool same_kernel = !strcmp(from->run->kernel, to->run->kernel);
	int err;

	if (!c)
		return -ENOMEM;
	c->from = from;
	c->to = to;
	err = exact_diff_build(&c->diff, (struct exact_side){from->run, from->counted},
			       (struct exact_side){to->run, to->counted}, same_kernel ? NULL : m->keys);
	if (err)
		return err;
	c->change = to->change = c->diff.change;
	to->other_compiler = made_other_compiler(from->run->compiler, to->run->compiler);
	double sure = 0;
	for (size_t i = 0; i < c->diff.nrows; i++) {
		double over = fabs(c->diff.rows[i].change) - exact_check_bound(&c->diff.rows[i]);

		sure += over > 0 ? copysign(over, c->diff.rows[i].change) : 0;
	}
	c->sure = sure;
	/* Two kernels of one version have one source, unless git calls them otherwise. */
	const struct exact *a = c->from->run, *b = c->to->run;
	size_t n = version_length(a->kernel);
	bool one_version =
		n == version_length(b->kernel) && !strncmp(a->kernel, b->kernel, n) && !strcmp(a->source, b->source);
	c->causes = c->to->other_compiler ? MATRIX_COMPILER : 0;
	if (made_config_differs(a->config, b->config, c->config, sizeof(c->config)) ||
	    made_config_differs(a->mitigations, b->mitigations, c->config, sizeof(c->config)))
		c->causes |= MATRIX_CONFIG;
	if (!one_version || !c->causes)
		c->causes |= MATRIX_SOURCE;
	double least = fabs(c->change) - c->from->counted->total.residual - c->to->counted->total.residual;
	c->size = least / c->from->instructions -
		  (c->causes & MATRIX_SOURCE && c->causes & MATRIX_COMPILER ? COMPILER : 0);
	put_id(c->id, sizeof(c->id), c);
	snprintf(c->title, sizeof(c->title), "%s to %s, %s %s", kernel_name(m, from), kernel_name(m, to), to->driver,
		 matrix_variant_words(m, to->variant, variant, sizeof(variant)));
	/* "the page pool instead of the page allocator; clear_page_rep -590.7 (gone)" */
	char instead[120], components[160] = "", functions[220] = "";
	const struct exact_diff *d = &c->diff;
	/* " the page pool instead of the page allocator"; "" where nothing took the place of something else. */
	size_t size = sizeof(instead);
	const char *came = NULL, *went = NULL;
	double most_came = LEAST, most_went = LEAST;
	instead[0] = '\0';
	for (size_t i = 0; i < NMEANS; i++) {
		double base = 0, new = 0;

		for (size_t k = 0; k < d->nrows; k++)
			if (uses(&means[i], d->rows[k].name)) {
				base += d->rows[k].base.instructions[EXACT_PACKET];
				new += d->rows[k].new.instructions[EXACT_PACKET];
			}
		if (base < PART * new && new - base > most_came) {
			came = means[i].name;
			most_came = new - base;
		}
		if (new < PART * base &&base - new > most_went) {
			went = means[i].name;
			most_went = base - new;
		}
	}
	if (came && went)
		snprintf(instead, size, "%s instead of %s", came, went);
	for (size_t i = 0, n = 0; i < d->ncomponents && n < FUNCTIONS && !*instead; i++)
		n += put_part(&d->components[i], c->change, components, sizeof(components));
	for (size_t i = 0, n = 0; i < d->nrows && n < FUNCTIONS; i++)
		n += put_part(&d->rows[i], c->change, functions, sizeof(functions));
	snprintf(c->parts, sizeof(c->parts), "%s%s%s%s", instead, components,
		 (*instead || *components) && *functions ? "; " : "", functions);
	return 0;
}

/* What a compiler alone made stands last. */
static int by_size(const void *a, const void *b)
{
	const struct matrix_change *x = a, *y = b;

	return (x->causes == MATRIX_COMPILER) - (y->causes == MATRIX_COMPILER) ?: ORDER(y->size, x->size)
									       ?: ORDER(x->to, y->to);
}

static double all_of(const struct exact_diff *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->nrows; i++)
		sum += fabs(d->rows[i].change);
	return sum;
}

/* Are both from one kernel to another one, and at least half of each in functions that changed alike? */
static bool is_same(const struct matrix_change *a, const struct matrix_change *b)
{
	double alike = 0;

	if (strcmp(a->from->kernel, b->from->kernel) != 0 || strcmp(a->to->kernel, b->to->kernel) != 0)
		return false;
	for (size_t i = 0; i < a->diff.nrows; i++)
		for (size_t k = 0; k < b->diff.nrows; k++) {
			double x = a->diff.rows[i].change, y = b->diff.rows[k].change;

			if (x * y > 0 && !strcmp(a->diff.rows[i].name, b->diff.rows[k].name))
				alike += fmin(fabs(x), fabs(y));
		}
	return alike >= ALIKE * fmax(all_of(&a->diff), all_of(&b->diff));
}

int matrix_compare(struct matrix *m)
{
	int err = 0;

	for (size_t d = 0; d < m->ndrivers; d++)
		for (size_t v = 0; v < m->nvariants; v++) {
			struct matrix_cell *before = NULL;

			for (size_t k = 0; k < m->nkernels && !err; k++) {
				struct matrix_cell *c = matrix_at(m, k, d, v);

				if (!c->run)
					continue;
				err = before ? add_change(m, before, c) : 0;
				before = c;
			}
		}
	if (m->nchanges)
		qsort(m->changes, m->nchanges, sizeof(*m->changes), by_size);
	/*
	 * Each change follows the first one before it that is the same, and stands behind it. One that may be none
	 * leads none.
	 */
	if (err)
		return err;
	struct matrix_change *joined = calloc(m->nchanges + 1, sizeof(*joined));
	bool *taken = calloc(m->nchanges + 1, sizeof(*taken));
	size_t n = 0;
	for (size_t i = 0; joined && taken && i < m->nchanges; i++) {
		size_t leader = n;

		for (size_t k = taken[i] ? m->nchanges : i; k < m->nchanges; k++) {
			if (taken[k] ||
			    (k > i && (m->changes[i].size <= 0 || !is_same(&m->changes[i], &m->changes[k]))))
				continue;
			taken[k] = true;
			joined[n] = m->changes[k];
			joined[n++].leader = leader;
		}
	}
	free(taken);
	if (n < m->nchanges) {
		free(joined);
		return -ENOMEM;
	}
	free(m->changes);
	m->changes = joined;
	return 0;
}
