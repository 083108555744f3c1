// SPDX-License-Identifier: GPL-2.0-or-later
/* What a packet's functions did to each data structure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "reports/exact/exact_parts.h"

#define MAX_SPOTS 4096

int exact_spot_add(struct exact_tree *t, uint32_t symbol, const char *place, size_t w,
		   const uint64_t memory[EXACT_MEMORY])
{
	uint32_t number;
	size_t i = 0;

	if (profile_add_symbol(t->names, place, strlen(place), EXACT_PLACES, strlen(EXACT_PLACES), SPACE_KERNEL,
			       &number))
		return -ENOMEM;
	while (i < t->nspots && (t->spots[i].symbol != symbol || t->spots[i].place != number))
		i++;
	if (i == t->nspots) {
		if (i == MAX_SPOTS)
			return -E2BIG;
		if (!array_grow(&t->spots, &t->spots_cap, t->nspots, 1, sizeof(*t->spots)))
			return -ENOMEM;
		t->spots[t->nspots++] = (struct exact_spot){.symbol = symbol, .place = number};
	}
	for (int m = 0; m < EXACT_MEMORY; m++)
		t->spots[i].memory[m][w] += (double)memory[m];
	return 0;
}

static double accesses(const struct exact_place *p)
{
	return p->memory[EXACT_LOADS] + p->memory[EXACT_STORES];
}

/* Lines that are not known count as none. */
static double lines(const struct exact_place *p)
{
	return fmax(0, p->memory[EXACT_LINES_TOUCHED]) + fmax(0, p->memory[EXACT_LINES_TRANSFERRED]) +
	       fmax(0, p->memory[EXACT_LINES_DEVICE]);
}

static int by_lines(const void *a, const void *b)
{
	const struct exact_place *x = a, *y = b;
	double d = lines(y) - lines(x), e = accesses(y) - accesses(x);
	int order = strcmp(x->name, y->name);

	if (d != 0 || e != 0)
		return d > 0 || (d == 0 && e > 0) ? 1 : -1;
	return order || !x->function ? order : strcmp(x->function, y->function);
}

static void sort(struct exact_variant *v)
{
	qsort(v->places, v->nplaces, sizeof(*v->places), by_lines);
	qsort(v->spots, v->nspots, sizeof(*v->spots), by_lines);
}

static int build_totals(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit)
{
	struct exact_spot *sum = malloc(sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	for (size_t i = 0; i < t->nspots; i++) {
		struct exact_place *p = &v->places[v->nplaces];
		bool first = true;

		for (size_t k = 0; k < i && first; k++)
			first = t->spots[k].place != t->spots[i].place;
		if (!first)
			continue;
		*sum = (struct exact_spot){};
		for (size_t k = i; k < t->nspots; k++)
			for (int m = 0; m < EXACT_MEMORY && t->spots[k].place == t->spots[i].place; m++)
				for (size_t w = 0; w < v->nwindows; w++)
					sum->memory[m][w] += t->spots[k].memory[m][w];
		p->name = v->names.symbols[t->spots[i].place].name;
		exact_apply_memory(fit, v, sum->memory, p->memory, p->memory_residual);
		v->nplaces++;
	}
	free(sum);
	return 0;
}

int exact_build_places(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit)
{
	if (v->apart[EXACT_OF_PLACES])
		return 0;
	v->spots = calloc(t->nspots + 1, sizeof(*v->spots));
	v->places = calloc(t->nspots + 1, sizeof(*v->places));
	if (!v->spots || !v->places || build_totals(v, t, fit))
		return -ENOMEM;
	for (size_t i = 0; i < t->nspots; i++) {
		const struct profile_symbol *function = &v->names.symbols[t->spots[i].symbol];
		struct exact_place *p = &v->spots[v->nspots++];

		p->name = v->names.symbols[t->spots[i].place].name;
		p->function = function->name;
		p->module = function->dso;
		exact_apply_memory(fit, v, t->spots[i].memory, p->memory, p->memory_residual);
	}
	sort(v);
	return 0;
}

/* ---- the machine with two CPUs ------------------------------------------------------------------------ */

static void take(struct exact_place *to, const struct exact_place *from)
{
	to->memory[EXACT_LINES_TRANSFERRED] = from ? from->memory[EXACT_LINES_TRANSFERRED] : 0;
	to->memory_residual[EXACT_LINES_TRANSFERRED] = from ? from->memory_residual[EXACT_LINES_TRANSFERRED] : 0;
}

static const struct exact_place *find(const struct exact_place *all, size_t n, const struct exact_place *p)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, p->name) &&
		    (!p->function || (!strcmp(all[i].function, p->function) && !strcmp(all[i].module, p->module))))
			return &all[i];
	return NULL;
}

/* A name of the other machine, kept with those of v. */
static int keep(struct exact_variant *v, const char **name, const char **module)
{
	const char *dso = module ? *module : EXACT_PLACES;
	uint32_t symbol;

	if (profile_add_symbol(&v->names, *name, strlen(*name), dso, strlen(dso), SPACE_KERNEL, &symbol))
		return -ENOMEM;
	*name = v->names.symbols[symbol].name;
	if (module)
		*module = v->names.symbols[symbol].dso;
	return 0;
}

static int take_all(struct exact_variant *v, struct exact_place **to, size_t *n, const struct exact_place *from,
		    size_t nfrom)
{
	struct exact_place *all = realloc(*to, (*n + nfrom + 1) * sizeof(*all));
	size_t nold = *n;

	if (!all)
		return -ENOMEM;
	*to = all;
	for (size_t i = 0; i < nold; i++)
		take(&all[i], find(from, nfrom, &all[i]));
	for (size_t i = 0; i < nfrom; i++) {
		struct exact_place *p = &all[*n];

		if (find(all, nold, &from[i]) || !(from[i].memory[EXACT_LINES_TRANSFERRED] > 0))
			continue;
		*p = (struct exact_place){from[i].name, from[i].function, from[i].module, {}, {}};
		for (int m = 0; m < EXACT_MEMORY; m++)
			p->memory[m] = p->memory_residual[m] = v->memory[m] ? 0 : NAN;
		take(p, &from[i]);
		if (keep(v, &p->name, NULL) || (p->function && keep(v, &p->function, &p->module)))
			return -ENOMEM;
		(*n)++;
	}
	return 0;
}

int exact_take_places(struct exact_variant *v, const struct exact_variant *shared)
{
	int err;

	v->memory_placed[EXACT_LINES_TRANSFERRED] = shared->memory_placed[EXACT_LINES_TRANSFERRED];
	v->apart[EXACT_OF_PLACES] += shared->apart[EXACT_OF_PLACES];
	if (v->apart[EXACT_OF_PLACES])
		v->nplaces = v->nspots = 0;
	if (!v->nplaces)
		return 0;
	err = take_all(v, &v->places, &v->nplaces, shared->places, shared->nplaces);
	if (!err)
		err = take_all(v, &v->spots, &v->nspots, shared->spots, shared->nspots);
	sort(v);
	return err;
}
