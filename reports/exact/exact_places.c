// SPDX-License-Identifier: GPL-2.0-or-later
/* What a packet's functions did to each data structure. */
#include "reports/exact/exact.h"

#define MAX_SPOTS 4096

int exact_spot_add(struct exact_tree *t, uint32_t symbol, const char *place, size_t w,
		   const uint64_t memory[EXACT_MEMORY])
{
	uint32_t number, h;
	size_t s, i;

	if (profile_add_symbol(t->names, span_of(place), span_of(EXACT_PLACES), SPACE_KERNEL, &number))
		return -ENOMEM;
	if (hash_table_reserve(&t->spot_table, t->nspots))
		return -ENOMEM;
	h = (uint32_t)hash_pair(symbol, number, 0);
	s = hash_table_first(&t->spot_table, h, &i);
	while (t->spot_table.slots[s] && (t->spots[i].symbol != symbol || t->spots[i].place != number))
		s = hash_table_next(&t->spot_table, s, h, &i);
	if (!t->spot_table.slots[s]) {
		i = t->nspots;
		if (i == MAX_SPOTS)
			return -E2BIG;
		if (!array_grow(&t->spots, &t->spots_cap, t->nspots, 1, sizeof(*t->spots)))
			return -ENOMEM;
		t->spots[t->nspots++] = (struct exact_spot){.symbol = symbol, .place = number};
		hash_table_put(&t->spot_table, s, h, i);
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
	int order = ORDER(lines(y), lines(x)) ?: ORDER(accesses(y), accesses(x)) ?: strcmp(x->name, y->name);

	return order || !x->function ? order : strcmp(x->function, y->function);
}

static void sort(struct exact_variant *v)
{
	qsort(v->places, v->nplaces, sizeof(*v->places), by_lines);
	qsort(v->spots, v->nspots, sizeof(*v->spots), by_lines);
}

static int exact_places_by_place(const void *a, const void *b)
{
	const struct exact_spot *const *x = a, *const *y = b;

	return ORDER((*x)->place, (*y)->place) ?: ORDER(*x, *y);
}

int exact_build_places(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit)
{
	if (v->apart[EXACT_OF_PLACES])
		return 0;
	v->spots = calloc(t->nspots + 1, sizeof(*v->spots));
	v->places = calloc(t->nspots + 1, sizeof(*v->places));
	const struct exact_spot **sorted = calloc(t->nspots + 1, sizeof(*sorted));
	struct exact_spot *sum = malloc(sizeof(*sum));
	int err = v->spots && v->places && sorted && sum ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < t->nspots; i++)
		sorted[i] = &t->spots[i];
	if (!err)
		qsort(sorted, t->nspots, sizeof(*sorted), exact_places_by_place);
	for (size_t i = 0, k; !err && i < t->nspots; i = k) {
		struct exact_place *p = &v->places[v->nplaces++];

		*sum = (struct exact_spot){};
		for (k = i; k < t->nspots && sorted[k]->place == sorted[i]->place; k++)
			for (int m = 0; m < EXACT_MEMORY; m++)
				for (size_t w = 0; w < v->nwindows + v->nfootprints; w++)
					sum->memory[m][w] += sorted[k]->memory[m][w];
		p->name = v->names.symbols[sorted[i]->place].name;
		exact_apply_memory(fit, v, sum->memory, p->memory, p->memory_residual);
	}
	free(sorted);
	free(sum);
	if (err)
		return err;
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

static void exact_places_take(struct exact_place *to, const struct exact_place *from)
{
	to->memory[EXACT_LINES_TRANSFERRED] = from ? from->memory[EXACT_LINES_TRANSFERRED] : 0;
	to->memory_residual[EXACT_LINES_TRANSFERRED] = from ? from->memory_residual[EXACT_LINES_TRANSFERRED] : 0;
}

static int exact_places_by_name(const void *a, const void *b)
{
	const struct exact_place *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	if (!order && (*x)->function)
		order = strcmp((*x)->function, (*y)->function);
	return order || !(*x)->function ? order : strcmp((*x)->module, (*y)->module);
}

/* Elements in the order of their names. */
struct sorted {
	const struct exact_place **by_name;
	size_t n;
};

static int sort_by_name(struct sorted *s, const struct exact_place *all, size_t n)
{
	s->by_name = calloc(n + 1, sizeof(*s->by_name));
	s->n = n;
	if (!s->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->by_name[i] = &all[i];
	qsort(s->by_name, n, sizeof(*s->by_name), exact_places_by_name);
	return 0;
}

static const struct exact_place *exact_places_find(const struct sorted *s, const struct exact_place *p)
{
	const struct exact_place *const *found =
		bsearch(&p, s->by_name, s->n, sizeof(*s->by_name), exact_places_by_name);

	return found ? *found : NULL;
}

/* A name of the other machine, kept with those of v. */
static int exact_places_keep(struct exact_variant *v, const char **name, const char **module)
{
	const char *dso = module ? *module : EXACT_PLACES;
	uint32_t symbol;

	if (profile_add_symbol(&v->names, span_of(*name), span_of(dso), SPACE_KERNEL, &symbol))
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
	struct sorted ours = {}, theirs = {};
	int err = all ? sort_by_name(&theirs, from, nfrom) : -ENOMEM;

	if (all)
		*to = all;
	if (!err)
		err = sort_by_name(&ours, all, *n);
	for (size_t i = 0; !err && i < ours.n; i++)
		exact_places_take(&all[i], exact_places_find(&theirs, &all[i]));
	for (size_t i = 0; !err && i < theirs.n; i++) {
		struct exact_place *p = &all[*n];

		if (exact_places_find(&ours, &from[i]) || !(from[i].memory[EXACT_LINES_TRANSFERRED] > 0))
			continue;
		*p = (struct exact_place){from[i].name, from[i].function, from[i].module, {}, {}};
		for (int m = 0; m < EXACT_MEMORY; m++)
			p->memory[m] = p->memory_residual[m] = v->memory[m] ? 0 : NAN;
		exact_places_take(p, &from[i]);
		if (exact_places_keep(v, &p->name, NULL) ||
		    (p->function && exact_places_keep(v, &p->function, &p->module)))
			err = -ENOMEM;
		else
			(*n)++;
	}

	free(theirs.by_name);
	free(ours.by_name);
	return err;
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
