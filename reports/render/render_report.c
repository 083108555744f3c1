// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of `report`: the run, native beside skb, then variant by variant. */
#include <math.h>
#include <string.h>
#include "reports/render/render.h"
#include "reports/rows/report_words.h"
#include "reports/render/text.h"

static const char *text_member(const json_t *o, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : otherwise;
}

static void render_run(const struct text *t, const struct analysis *a)
{
	const struct run *r = a->run;
	char line[640];

	snprintf(line, sizeof(line), "%s (%s), Linux %s, %s at %.0f Hz, %zu blocks, %s",
		 text_member(r->device, "name", "?"), text_member(r->device, "driver", "?"),
		 text_member(r->environment, "kernel", "?"), r->event, fmax(0, r->sample_hz), r->nblocks, r->started);
	text_wrapped(t, 0, line);
	snprintf(line, sizeof(line), "%s", text_member(r->environment, "cpu_model", ""));
	if (*line)
		text_wrapped(t, 0, line);
}

/* "12.500      80.0 ±  0.4": 25 columns; when there is no such variant, blank up to a last "-". */
static void overview_side(const struct text *t, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		fprintf(t->out, "%25s", "-");
		return;
	}
	fprintf(t->out, "%8.3f ", v->pps / 1e6);
	text_column(t, v->base_ns, v->half_ns, 9, text_decimals(v->half_ns), false);
}

/* Of the first column: as wide as the longest name, as far as there is room. */
static int name_width(const struct overview *v, const struct text *t)
{
	size_t width = 16;

	for (size_t i = 0; i < v->nrows; i++)
		width = fmax(width, text_width(v->rows[i].name));
	if (t->columns && width + 64 > t->columns)
		width = t->columns - 64;
	return (int)width;
}

int render_overview_table(FILE *out, const struct overview *v, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	int width = name_width(v, &t);

	text_styled(&t, TEXT_TITLE, "%-*s%25s%25s%14s\n", width, "", "native       ", "skb       ", "skb - native");
	text_styled(&t, TEXT_TITLE, "%-*s%8s %9s%15s %9s%16s\n", width, "", "Mpps", "ns/packet", "Mpps", "ns/packet",
		    "ns/packet");
	for (size_t i = 0; i < v->nrows; i++) {
		const struct overview_row *row = &v->rows[i];

		text_name(&t, row->name, (size_t)width);
		overview_side(&t, row->native);
		overview_side(&t, row->skb);
		if (row->have_difference)
			text_column(&t, row->difference.delta_ns, row->difference.half_ns, 7,
				    text_decimals(row->difference.half_ns), true);
		fputc('\n', out);
	}
	return text_finish(&t);
}

int render_overview_text(FILE *out, const struct overview *v, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};

	render_run(&t, v->of);
	fputc('\n', out);
	return render_overview_table(out, v, o);
}

static void render_head(const struct text *t, const struct analysis_variant *v)
{
	char pps[32], base[48], samples[32], line[320];

	text_styled(t, TEXT_TITLE, "%s\n", v->variant->id);
	if (!v->nused) {
		text_wrapped(t, 2, "no block with packets");
		return;
	}
	snprintf(line, sizeof(line), "%s pps, %s ns/packet (95 %%), %zu of %zu blocks, %s samples",
		 text_count(v->pps, pps, sizeof(pps)), text_interval(v->base_ns, v->half_ns, base, sizeof(base)),
		 v->nused, v->nblocks, text_count((double)v->samples, samples, sizeof(samples)));
	text_wrapped(t, 2, line);
	if (isnan(v->busy_pct))
		snprintf(line, sizeof(line), "how busy the CPU was is not known: base by rate");
	else
		snprintf(line, sizeof(line), "CPU %.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			 v->base_by_busy_ns, v->base_by_rate_ns);
	if (!isnan(v->packets_per_poll))
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "; %.1f packets per poll",
			 v->packets_per_poll);
	text_wrapped(t, 2, line);
	snprintf(line, sizeof(line), "taken out, as not this variant's: %.1f ns", v->taken_out_ns);
	if (!isnan(v->waits_ns))
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			 "; waits for the CPU, not in the base: %.1f ns", v->waits_ns);
	if (!isnan(v->overhead_pct))
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			 isnan(v->overhead_half_pct) ? "; profiling slows it by %.1f %%"
						     : "; profiling slows it by %.1f ± %.1f %%",
			 v->overhead_pct, v->overhead_half_pct);
	text_wrapped(t, 2, line);
}

/* Beside the base, never in it. */
static void render_stage(const struct text *t, const struct analysis_variant *v)
{
	char words[400], line[480];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	stage_words(v, words, sizeof(words));
	snprintf(line, sizeof(line), "second stage%s: %s", isnan(v->stage.ns) ? "" : ", not in the base", words);
	text_wrapped(t, 2, line);
}

/* Several receivers, one by one. */
static void render_cpus(const struct text *t, const struct analysis_variant *v)
{
	char pps[32];

	if (v->ncpus < 2)
		return;
	text_styled(t, TEXT_TITLE, "\n  %14s%11s%8s  %s\n", "pps", "ns/packet", "busy %", "CPU (all of them above)");
	for (size_t i = 0; i < v->ncpus; i++) {
		fprintf(t->out, "  %14s", text_count(v->cpus[i].pps, pps, sizeof(pps)));
		text_number(t, v->cpus[i].base_ns, 11, 1, false);
		text_number(t, v->cpus[i].busy_pct, 8, 1, false);
		fprintf(t->out, "  %d\n", v->cpus[i].cpu);
	}
}

/* How wide a table of rows gets. */
struct widths {
	int digits; /* of the widest interval */
	size_t name, facility;
};

static struct widths measure(const struct analysis_row *rows, size_t n)
{
	struct widths w = {TEXT_DIGITS, strlen("symbol"), 0};

	for (size_t i = 0; i < n; i++) {
		w.digits = text_digits(w.digits, rows[i].half_ns);
		w.name = fmax(w.name, text_width(rows[i].name));
		w.facility = fmax(w.facility, text_width(rows[i].facility));
	}
	return w;
}

static void render_facilities(const struct text *t, const struct analysis_variant *v)
{
	struct widths w = measure(v->facilities, v->nfacilities);

	text_styled(t, TEXT_TITLE, "\n  %8s%*s%8s  %s\n", "self ns", w.digits + 5, "", "share %", "facility");
	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];

		if (!row->samples)
			continue;
		fputs("  ", t->out);
		text_cell(t, row->self_ns, row->half_ns, 8, w.digits, false);
		text_cell_alone(t, row->self_pct, 100 * row->half_ns / v->base_ns, 8);
		fputs("  ", t->out);
		text_last(t, row->name, 0);
		fputc('\n', t->out);
	}
}

static void render_symbols(const struct text *t, const struct analysis_variant *v, size_t max)
{
	size_t shown = v->nsymbols < max ? v->nsymbols : max;
	struct text_split split;
	struct widths w;

	while (shown && !v->symbols[shown - 1].samples)
		shown--;
	w = measure(v->symbols, shown);
	split = text_split(t, 26 + (size_t)w.digits, w.name, w.facility);
	text_styled(t, TEXT_TITLE, "\n  %8s%*s%9s  %-*s %s\n", "self ns", w.digits + 5, "", "children", (int)split.name,
		    "symbol", "facility");
	for (size_t i = 0; i < shown; i++) {
		const struct analysis_row *row = &v->symbols[i];

		fputs("  ", t->out);
		text_cell(t, row->self_ns, row->half_ns, 8, w.digits, false);
		text_cell_alone(t, row->children_ns, row->half_ns, 9);
		fputs("  ", t->out);
		text_name(t, row->name, split.name);
		fputc(' ', t->out);
		text_last(t, row->facility, split.rest);
		fputc('\n', t->out);
	}
	if (shown < v->nsymbols)
		fprintf(t->out, "  %8.1f%*s%zu other%s\n", analysis_sum_rows(v->symbols, v->nsymbols, shown),
			w.digits + 16, "", v->nsymbols - shown, v->nsymbols - shown == 1 ? "" : "s");
}

/* A driver may count hundreds of things: as many rows as symbols get, losses and recycling first. */
static void render_counters(const struct text *t, const struct analysis_variant *v, size_t max)
{
	char per_second[32], line[320];

	if (!v->ncounters)
		return;
	text_styled(t, TEXT_TITLE, "\n  %14s%12s  %s\n", "per second", "per packet", "device's counter");
	for (size_t i = 0; i < v->ncounters && i < max; i++) {
		const struct analysis_counter *c = &v->counters[i];

		fprintf(t->out, "  %14s",
			isnan(c->per_second) ? "-" : text_count(c->per_second, per_second, sizeof(per_second)));
		text_number(t, c->per_packet, 12, 3, false);
		snprintf(line, sizeof(line), "%s%s%s%s%s",
			 c->source == COUNTER_ETHTOOL ? "" : counter_source_names[c->source],
			 c->source == COUNTER_ETHTOOL ? "" : " ", c->name, *c->meaning ? ": " : "", c->meaning);
		fputs("  ", t->out);
		text_last(t, line, t->columns ? t->columns - 30 : 0);
		fputc('\n', t->out);
	}
	if (v->ncounters > max)
		fprintf(t->out, "%28s  %zu others; --format json has them\n", "", v->ncounters - max);
}

/* What perf stat counted, and what that cost. */
static void render_events(const struct text *t, const struct analysis_variant *v)
{
	char line[160];

	if (!v->nevents)
		return;
	text_styled(t, TEXT_TITLE, "\n  %14s%11s  %s\n", "per packet", "", "perf stat");
	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i];

		text_event(t, 16, e->per_packet, e->half, false);
		fputs("  ", t->out);
		text_last(t, e->name, 0);
		fputs(*e->unit ? ", " : "", t->out);
		text_last(t, e->unit, 0);
		if (!isnan(e->per_cycle))
			fprintf(t->out, ", %.2f per cycle", e->per_cycle);
		if (isnan(e->per_packet))
			fputs(": not counted", t->out);
		else if (e->running_pct < 99.995)
			fprintf(t->out, ": scaled from %.1f %%", e->running_pct);
		fputc('\n', t->out);
	}
	if (isnan(v->counting_half_pct))
		return;
	snprintf(line, sizeof(line), "counted on the whole CPU, in windows of their own, slower by %+.1f ± %.1f %%",
		 v->counting_pct, v->counting_half_pct);
	text_wrapped(t, 2, line);
}

static void render_slab(const struct text *t, const struct analysis_variant *v)
{
	const struct analysis_slab *s = &v->slab;
	char line[320];

	if (!s->samples)
		return;
	if (s->slowest)
		snprintf(line, sizeof(line),
			 "slab memory: fast path %.1f ns, slow path %.1f ns (%.0f %% of both), most of it in %s",
			 s->fast_ns, s->slow_ns, s->slow_pct, s->slowest);
	else
		snprintf(line, sizeof(line), "slab memory: fast path %.1f ns; no symbol of the slow path was seen",
			 s->fast_ns);
	text_wrapped(t, 2, line);
}

/* Beside what samples say of the same functions; both hold what the function calls. */
static void render_calls(const struct text *t, const struct analysis_variant *v)
{
	text_styled(t, TEXT_TITLE, "\n  %12s %9s %10s %9s  %s\n", "calls/packet", "ns/call", "ns/packet", "sampled",
		    "function, call by call");
	for (size_t i = 0; i < v->ncalls; i++) {
		const struct analysis_calls *c = &v->calls[i];

		fprintf(t->out, "  %12.3f %9.1f %10.1f %9.1f  ", c->per_packet, c->ns_per_call, c->ns, c->sampled_ns);
		text_last(t, c->function, 0);
		fputc('\n', t->out);
	}
}

static void render_closure(const struct text *t, const struct analysis_variant *v)
{
	char line[320];

	snprintf(line, sizeof(line), "closure: symbols %.1f + unattributed %.1f = base %.1f ns, residual %.3f ns",
		 analysis_sum_rows(v->symbols, v->nsymbols, 0), v->unattributed_ns, v->base_ns, fabs(v->closure_ns));
	if (v->samples)
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			 "; a symbol that was not seen costs at most %.2f ns", v->unseen_max_ns);
	text_wrapped(t, 2, line);
}

static void render_variant(const struct text *t, const struct analysis_variant *v, size_t max_symbols)
{
	fputc('\n', t->out);
	render_head(t, v);
	render_cpus(t, v);
	if (v->nused)
		render_stage(t, v);
	if (v->nused) {
		if (v->samples) {
			render_facilities(t, v);
			render_symbols(t, v, max_symbols);
			if (v->ncalls)
				render_calls(t, v);
		}
		render_counters(t, v, max_symbols);
		render_events(t, v);
		if (v->samples || v->ncounters || v->nevents)
			fputc('\n', t->out);
		render_slab(t, v);
		render_closure(t, v);
	}
	text_quality(t, &v->quality);
}

static int render_overview_of(FILE *out, const struct analysis *a, const struct render_options *o)
{
	struct overview v;
	int err = overview_build(&v, a, NULL);

	if (err)
		return err;
	err = render_overview_text(out, &v, o);
	overview_release(&v);
	return err;
}

int render_report_text(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	int err = 0;

	if (only)
		render_run(&t, a);
	else
		err = render_overview_of(out, a, o);
	if (quality_failed(&a->quality))
		text_quality(&t, &a->quality);
	for (size_t i = 0; i < a->nvariants && !err; i++)
		if (!only || only == &a->variants[i])
			render_variant(&t, &a->variants[i], o->max_symbols ? o->max_symbols : RENDER_SYMBOLS);
	return err ? err : text_finish(&t);
}
