// SPDX-License-Identifier: GPL-2.0-or-later
/* What the lines of a program's source execute for a packet. */
#include "reports/exact/exact.h"

#define MAX_LINES 4096

static int exact_lines_add_name(struct exact_tree *t, const char *name, size_t len, uint32_t *number)
{
	return profile_add_symbol(t->names, (struct span){name, len}, span_of(EXACT_SOURCE), SPACE_KERNEL, number);
}

int exact_line_add(struct exact_tree *t, const char *words, size_t w)
{
	struct exact_source line = {};
	uint64_t instructions;
	char function[512];
	const char *tab;
	size_t i;
	int file = 0;

	if (sscanf(words, "%" SCNu64 " %511s %u %n", &instructions, function, &line.number, &file) != 3 || !file ||
	    instructions > EXACT_MOST - t->lines)
		return -EINVAL;
	tab = strchr(words + file, '\t');
	if (!tab || tab == words + file)
		return -EINVAL;
	if (profile_add_symbol(t->names, span_of(function), span_of("bpf"), SPACE_KERNEL, &line.symbol) ||
	    exact_lines_add_name(t, words + file, (size_t)(tab - words) - (size_t)file, &line.file) ||
	    exact_lines_add_name(t, tab + 1, strlen(tab + 1), &line.text))
		return -ENOMEM;
	/* the element of this line, added if it is new */
	uint32_t h = (uint32_t)hash_pair(line.symbol, line.file, hash_pair(line.number, line.text, 0));
	size_t slot;
	if (hash_table_reserve(&t->source_table, t->nsources))
		return -ENOMEM;
	for (slot = hash_table_first(&t->source_table, h, &i); t->source_table.slots[slot];
	     slot = hash_table_next(&t->source_table, slot, h, &i)) {
		const struct exact_source *s = &t->sources[i];

		if (s->symbol == line.symbol && s->file == line.file && s->number == line.number &&
		    s->text == line.text)
			break;
	}
	if (!t->source_table.slots[slot]) {
		i = t->nsources;
		if (i == MAX_LINES)
			return -E2BIG;
		if (!array_grow(&t->sources, &t->sources_cap, t->nsources, 1, sizeof(*t->sources)))
			return -ENOMEM;
		t->sources[t->nsources++] = line;
		hash_table_put(&t->source_table, slot, h, i);
	}
	t->sources[i].instructions[w] += (double)instructions;
	t->lines += instructions;
	return 0;
}

static int exact_lines_by_cost(const void *a, const void *b)
{
	const struct exact_line *x = a, *y = b;

	return ORDER(y->cost.instructions[EXACT_PACKET], x->cost.instructions[EXACT_PACKET])
		       ?: strcmp(x->file, y->file)
		       ?: ORDER(x->number, y->number);
}

static double all_windows(const double *counts)
{
	double sum = 0;

	for (size_t w = 0; w < EXACT_MAX_WINDOWS; w++)
		sum += counts[w];
	return sum;
}

int exact_build_lines(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit)
{
	struct exact_counts counts = {};

	v->lines = calloc(t->nsources + 1, sizeof(*v->lines));
	/* Adds up the lines of each function that has lines, and holds them against what its paths executed. */
	struct {
		double lines, paths;
	} *sums = calloc(v->names.nsymbols + 1, sizeof(*sums)), *sum;
	if (!v->lines || !sums)
		return -ENOMEM;
	for (size_t i = 0; i < t->nsources; i++)
		sums[t->sources[i].symbol].lines += all_windows(t->sources[i].instructions);
	for (size_t i = 0; i < t->n; i++)
		sums[t->nodes[i].symbol].paths += all_windows(t->nodes[i].counts.instructions);
	for (size_t i = 0; i < t->nsources; i++) {
		sum = &sums[t->sources[i].symbol];
		v->line_summed += (uint64_t)sum->lines;
		v->line_counted += (uint64_t)sum->paths;
		v->line_apart +=
			(uint64_t)(sum->lines > sum->paths ? sum->lines - sum->paths : sum->paths - sum->lines);
		sum->lines = sum->paths = 0; /* once for each function */
	}
	free(sums);

	for (size_t i = 0; i < t->nsources; i++) {
		const struct exact_source *s = &t->sources[i];
		const struct profile_symbol *names = v->names.symbols;
		struct exact_line *line = &v->lines[v->nlines++];

		*line = (struct exact_line){.file = names[s->file].name,
					    .text = names[s->text].name,
					    .number = s->number,
					    .function = names[s->symbol].name,
					    .module = names[s->symbol].dso};
		memcpy(counts.instructions, s->instructions, sizeof(counts.instructions));
		exact_apply(fit, v, &counts, &line->cost);
	}
	qsort(v->lines, v->nlines, sizeof(*v->lines), exact_lines_by_cost);
	v->apart[EXACT_OF_SOURCE] = v->line_apart;
	if (v->line_apart)
		v->nlines = 0;
	return 0;
}
