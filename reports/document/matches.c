// SPDX-License-Identifier: GPL-2.0-or-later
/* Two variants of one run, held against each other: native and skb, before and after, a layer and the one below. */
#include "reports/document/document.h"

static int add_measured(struct matches *p, size_t number, const struct analysis_variant *base,
			const struct analysis_variant *new, bool all)
{
	struct match *pair = &p->list[p->n];
	int err;

	if (!base || !new || (!all && (!base->nused || !new->nused)))
		return 0;
	err = compare_build(&pair->compare, base, new, NULL, NULL);
	pair->number = number;
	p->n += !err;
	return err;
}

static int add_counted(struct matches *p, size_t number, const struct exact *e)
{
	const struct exact_variant *native = &e->variants[number], *skb = NULL;
	/* The skb variant of a native one, at the same place before the "@". */
	const char *mode = strrchr(native->id, '@');
	struct match *pair = &p->list[p->n];
	int err;

	for (size_t i = 0; i < e->nvariants && !skb && mode && !strcmp(mode, "@native"); i++)
		if (!strncmp(e->variants[i].id, native->id, (size_t)(mode - native->id)) &&
		    !strcmp(e->variants[i].id + (mode - native->id), "@skb"))
			skb = &e->variants[i];
	if (!skb)
		return 0;
	err = exact_diff_build(&pair->exact, (struct exact_side){e, native}, (struct exact_side){e, skb}, NULL);
	pair->number = number;
	p->n += !err;
	return err;
}

int matches_build(struct matches *p, const struct document *d, enum matches_of of)
{
	const struct overview *v = &d->overview;
	const struct analysis_variant *below = NULL;
	size_t n = of == MATCHES_LAYERS ? d->analysis->nvariants : d->exact ? d->exact->nvariants : v->nrows;
	int err = 0;

	*p = (struct matches){.list = calloc(n + 1, sizeof(*p->list))};
	if (!p->list)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err && !d->only && !d->exact_only; i++) {
		const struct analysis_variant *layer = of == MATCHES_LAYERS ? &d->analysis->variants[i] : NULL;

		if (layer)
			err = add_measured(p, i, below, layer, false);
		else if (d->exact)
			err = add_counted(p, i, d->exact);
		else
			err = add_measured(p, i, v->rows[i].native, v->rows[i].skb, of == MATCHES_ALL);
		if (layer && !run_layer_is_aside(layer->variant))
			below = layer;
	}
	return err;
}

const struct match *matches_find(const struct matches *p, size_t number)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].number == number)
			return &p->list[i];
	return NULL;
}

void matches_release(struct matches *p)
{
	for (size_t i = 0; i < p->n; i++) {
		compare_release(&p->list[i].compare);
		exact_diff_release(&p->list[i].exact);
	}
	free(p->list);
	*p = (struct matches){};
}
