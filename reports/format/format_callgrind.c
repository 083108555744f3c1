// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact counts in callgrind's format.
 * src: Valgrind manual, "Callgrind Format Specification"
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/array.h"
#include "base/printable.h"
#include "perfparse/folded.h"
#include "reports/format/format.h"
#include "base/sheet/text.h"

/* Calls from one function to another: instructions of the callee and of all that it calls, and the number of calls. */
struct edge {
	uint32_t caller, callee;
	uint64_t instructions, calls;
};

static int by_caller(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return ORDER(x->caller, y->caller) ?: ORDER(x->callee, y->callee);
}

/* One edge for each path below a poll; edges between the same two functions stand beside each other. */
static struct edge *edges_of(const struct exact_variant *v, size_t *n)
{
	struct edge *edges = calloc(v->npaths + 1, sizeof(*edges));
	uint64_t *inclusive = calloc(v->npaths + 1, sizeof(*inclusive));

	*n = 0;
	for (size_t i = v->npaths; edges && inclusive && i-- > 0;) { /* a path stands behind its parent */
		const struct exact_path *p = &v->paths[i];

		inclusive[i] += p->counted;
		if (p->parent == SIZE_MAX)
			continue;
		inclusive[p->parent] += inclusive[i];
		edges[(*n)++] = (struct edge){v->paths[p->parent].frames[0], p->frames[0], inclusive[i], p->called};
	}
	if (edges && inclusive) {
		qsort(edges, *n, sizeof(*edges), by_caller);
	} else {
		free(edges);
		edges = NULL;
	}
	free(inclusive);
	return edges;
}

/* An object and a function of it; prefix: "" or "c", of a function that is called. */
static void put_name(FILE *out, const char *prefix, const struct profile_symbol *symbol)
{
	fprintf(out, "%sob=", prefix);
	printable_put(out, symbol->dso[0] ? symbol->dso : "vmlinux");
	fprintf(out, "\n%sfl=\n%sfn=", prefix, prefix);
	folded_name(out, symbol->name);
}

/* edges: those of this caller. */
static void put_function(FILE *out, const struct exact_variant *v, uint32_t symbol, uint64_t self,
			 const struct edge *edges, size_t n)
{
	fputc('\n', out);
	put_name(out, "", &v->names.symbols[symbol]);
	fprintf(out, "\n0 %" PRIu64 "\n", self);
	for (size_t i = 0; i < n;) {
		struct edge sum = edges[i++];

		while (i < n && !by_caller(&edges[i], &sum)) {
			sum.instructions += edges[i].instructions;
			sum.calls += edges[i++].calls;
		}
		if (sum.callee == symbol)
			continue;
		put_name(out, "c", &v->names.symbols[sum.callee]);
		fprintf(out, "\ncalls=%" PRIu64 " 0\n0 %" PRIu64 "\n", sum.calls ? sum.calls : 1, sum.instructions);
	}
}

static int format_callgrind_put_part(FILE *out, const struct exact *e, const struct exact_variant *v, unsigned int part)
{
	uint64_t *self = calloc(v->names.nsymbols + 1, sizeof(*self));
	size_t n, first = 0, end = 0;
	struct edge *edges = edges_of(v, &n);

	if (!edges || !self) {
		free(edges);
		free(self);
		return -ENOMEM;
	}
	for (size_t i = 0; i < v->npaths; i++)
		self[v->paths[i].frames[0]] += v->paths[i].counted;
	fprintf(out, "part: %u\ndesc: Trigger: ", part);
	printable_put(out, v->id);
	fputs(", Linux ", out);
	printable_put(out, e->kernel);
	fprintf(out, ", %" PRIu64 " packets\npositions: line\nevents: Ir\n", v->packets);
	for (uint32_t s = 0; s < v->names.nsymbols; s++, first = end) {
		while (end < n && edges[end].caller == s)
			end++;
		put_function(out, v, s, self[s], edges + first, end - first);
	}
	fprintf(out, "\ntotals: %" PRIu64 "\n\n", v->summed);
	free(edges);
	free(self);
	return 0;
}

int format_callgrind(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct exact *e = d->exact;
	int err = 0;

	(void)o;
	fputs("# callgrind format\nversion: 1\ncreator: ", out);
	printable_put(out, e->made_by);
	fputs("\ncmd: ", out);
	printable_put(out, e->nic);
	fputs(" on Linux ", out);
	printable_put(out, e->kernel);
	fputs("\n\n", out);
	for (size_t i = 1; i < d->nsections && !err; i++)
		err = format_callgrind_put_part(out, e, d->sections[i].counted, (unsigned int)i);
	return err ? err : render_finish(out);
}
