// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts as text, for people. */
#include <math.h>
#include <string.h>
#include "reports/render/render.h"
#include "reports/render/text.h"
#include "reports/rows/digits.h"

#define NAME_WIDTH 40

/* "82.000", or "72.19 ± 0.11" where the counts depend on state; 17 columns. */
static void put_count(const struct text *t, const struct exact_cost *cost)
{
	if (cost->exact)
		fprintf(t->out, "%10.3f%8s", cost->instructions[EXACT_PACKET], "");
	else
		fprintf(t->out, "%9.2f  ±%6.2f", cost->instructions[EXACT_PACKET], cost->residual);
}

static void put_rows(const struct text *t, const struct exact_row *rows, size_t n, size_t shown, const char *what)
{
	struct exact_cost others = {.exact = true};

	fprintf(t->out,
		"\n  instructions       calls    per      per\n   per packet   per packet   poll   wakeup  %s\n", what);
	for (size_t i = 0; i < n; i++) {
		const struct exact_cost *c = &rows[i].cost;

		if (i >= shown) {
			for (int k = 0; k < EXACT_TERMS; k++)
				others.instructions[k] += c->instructions[k];
			others.calls += c->calls;
			others.residual += c->residual;
			others.exact &= c->exact;
			continue;
		}
		put_count(t, c);
		fprintf(t->out, "%9.3f%7.0f%9.0f  ", c->calls, c->instructions[EXACT_POLL],
			c->instructions[EXACT_WAKEUP]);
		text_last(t, rows[i].name, t->columns ? NAME_WIDTH : 0);
		fputc('\n', t->out);
	}
	if (n > shown) {
		put_count(t, &others);
		fprintf(t->out, "%9.3f%7.0f%9.0f  %zu others\n", others.calls, others.instructions[EXACT_POLL],
			others.instructions[EXACT_WAKEUP], n - shown);
	}
}

static void put_closure(const struct text *t, const struct exact_variant *v)
{
	char line[512], a[32], b[32];
	uint64_t outside = 0;
	int64_t residual = (int64_t)(v->summed - v->between);

	snprintf(line, sizeof(line),
		 "functions sum to %s instructions; between entry and exit of the polls were %s: residual %lld",
		 digits_count((double)v->summed, a, sizeof(a)), digits_count((double)v->between, b, sizeof(b)),
		 (long long)residual);
	text_labelled(t, residual ? TEXT_BAD : TEXT_PLAIN, "closure:", line);
	if (!isnan(v->halves[0]) && !isnan(v->halves[1])) {
		snprintf(line, sizeof(line), "%.3f and %.3f instructions per packet", v->halves[0], v->halves[1]);
		text_labelled(t, TEXT_PLAIN, "odd and even windows:", line);
	}
	for (int i = 0; i < EXACT_OUTSIDES; i++)
		outside += v->outside[i];
	snprintf(line, sizeof(line),
		 "%s instructions ran outside of polls (%.0f %% interrupts, %.0f %% system calls of the sender)",
		 digits_count((double)outside, a, sizeof(a)),
		 outside ? 100.0 * v->outside[EXACT_INTERRUPTS] / outside : 0.0,
		 outside ? 100.0 * v->outside[EXACT_SYSTEM_CALLS] / outside : 0.0);
	text_labelled(t, TEXT_PLAIN, "taken out:", line);
}

static void put_variant(const struct text *t, const struct exact_variant *v, size_t shown)
{
	char packets[32], polls[32];

	text_styled(t, TEXT_TITLE, "\n%s: %.3f instructions per packet\n", v->id, v->total.instructions[EXACT_PACKET]);
	fprintf(t->out, "  and %.0f per poll, %.0f per wakeup; %s packets in %s polls, %zu windows\n",
		v->total.instructions[EXACT_POLL], v->total.instructions[EXACT_WAKEUP],
		digits_count((double)v->packets, packets, sizeof(packets)),
		digits_count((double)v->polls, polls, sizeof(polls)), v->nwindows);
	put_rows(t, v->facilities, v->nfacilities, v->nfacilities, "facility");
	put_rows(t, v->rows, v->nrows, shown, "function");
	text_labelled(t, TEXT_FAINT, "±", "depends on state (page pool, slab); the largest deviation of a window");
	put_closure(t, v);
}

static void put_about(const struct text *t, const struct exact *e)
{
	fprintf(t->out, "%s, Linux %s, counted by QEMU %s, %s\n", e->nic, e->kernel, e->emulator, e->time);
}

int render_exact_text(FILE *out, const struct exact *e, const struct exact_variant *only,
		      const struct render_options *o)
{
	struct text t = {out, o->colour, o->columns};
	size_t shown = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;

	put_about(&t, e);
	for (size_t i = 0; i < e->nvariants; i++)
		if (!only || only == &e->variants[i])
			put_variant(&t, &e->variants[i], shown);
	return text_finish(&t);
}

static void put_change(const struct text *t, const struct exact_diff_row *r)
{
	fprintf(t->out, "%10.3f%10.3f%+11.3f%s%+9.3f  ", r->base.instructions[EXACT_PACKET],
		r->new.instructions[EXACT_PACKET], r->change, r->exact ? "  " : " ~", r->new.calls - r->base.calls);
	text_last(t, r->name, t->columns ? NAME_WIDTH - 4 : 0);
	fputc('\n', t->out);
}

static void put_changes(const struct text *t, const struct exact_diff_row *rows, size_t n, size_t shown,
			const char *what)
{
	struct exact_diff_row others = {.name = "others", .exact = true};
	size_t alike = 0, more = 0;

	fprintf(t->out, "\n      base       new     change    calls  %s\n", what);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].change == 0 && rows[i].exact) {
			alike++;
			continue;
		}
		if (more++ < shown) {
			put_change(t, &rows[i]);
			continue;
		}
		others.base.instructions[EXACT_PACKET] += rows[i].base.instructions[EXACT_PACKET];
		others.new.instructions[EXACT_PACKET] += rows[i].new.instructions[EXACT_PACKET];
		others.base.calls += rows[i].base.calls;
		others.new.calls += rows[i].new.calls;
		others.change += rows[i].change;
		others.exact &= rows[i].exact;
	}
	if (more > shown)
		put_change(t, &others);
	if (alike)
		fprintf(t->out, "%42s  %zu exactly alike\n", "", alike);
}

int render_exact_diff_text(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct text t = {out, o->colour, o->columns};
	size_t shown = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
	double sum = 0;
	char line[256];

	if (d->change == 0)
		text_styled(&t, TEXT_TITLE, "%s and %s cost the same instructions per packet\n", d->base->id,
			    d->new->id);
	else
		text_styled(&t, TEXT_TITLE, "%s costs %.3f instructions per packet %s than %s\n", d->new->id,
			    fabs(d->change), d->change < 0 ? "less" : "more", d->base->id);
	fprintf(out, "  %.3f against %.3f per packet, %.0f against %.0f per poll, %.0f against %.0f per wakeup\n",
		d->new->total.instructions[EXACT_PACKET], d->base->total.instructions[EXACT_PACKET],
		d->new->total.instructions[EXACT_POLL], d->base->total.instructions[EXACT_POLL],
		d->new->total.instructions[EXACT_WAKEUP], d->base->total.instructions[EXACT_WAKEUP]);
	fputs("  base: ", out);
	put_about(&t, d->base_run);
	if (d->new_run != d->base_run) {
		fputs("  new:  ", out);
		put_about(&t, d->new_run);
	}
	put_changes(&t, d->facilities, d->nfacilities, d->nfacilities, "facility");
	put_changes(&t, d->rows, d->nrows, shown, "function");
	for (size_t i = 0; i < d->nrows; i++)
		sum += d->rows[i].change;
	snprintf(line, sizeof(line), "changes of all functions sum to %+.3f, the totals differ by %+.3f", sum,
		 d->change);
	text_labelled(&t, TEXT_PLAIN, "closure:", line);
	text_labelled(&t, TEXT_FAINT, "~", "depends on state (page pool, slab)");
	return text_finish(&t);
}
