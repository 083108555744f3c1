// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

/* "drop/no-touch@skb<=1400"; or words without a comparison, which are for --fail-if. */
static int take_bisect(struct exact_against *a, const char *guest, struct diag *d)
{
	size_t n = strcspn(a->bisect, "<>");
	const char *number = a->bisect + n;
	struct run_variant v;
	char *end;

	if (!*number) {
		a->fail_words = a->bisect;
		if (!a->with || (!guest && !exact_is(a->with)))
			return diag_set(d, -EINVAL,
					"--bisect %.40s: this limit needs a run to compare with, --against RUN; or "
					"write VARIANT<=INSTRUCTIONS",
					a->bisect);
		return 0;
	}
	a->above = *number++ == '>';
	a->or_equal = *number == '=';
	number += a->or_equal;
	a->limit = strtod(number, &end);
	if (n >= sizeof(a->variant) || *number < '0' || *number > '9' || *end || !isfinite(a->limit))
		return diag_set(d, -EINVAL,
				"--bisect %.80s: write VARIANT<=INSTRUCTIONS, such as drop/no-touch@skb<=1400",
				a->bisect);
	snprintf(a->variant, sizeof(a->variant), "%.*s", (int)n, a->bisect);
	if (a->with)
		return diag_set(d, -EINVAL, "--bisect %.80s has its limit; leave --against out", a->bisect);
	return run_variant_parse(&v, a->variant, d);
}

int exact_against_pmu(const struct exact_against *a, json_t **pmu, struct diag *d)
{
	const struct analysis_options plain = {};
	json_t *variants = json_object();
	struct loaded_run l;
	int err = loaded_run_open(&l, a->with, NULL, &plain, d);

	for (size_t i = 0; !err && i < l.analysis.nvariants; i++) {
		const struct analysis_variant *v = &l.analysis.variants[i];
		const struct analysis_event *e = NULL;

		/* Instructions of the kernel alone: "instructions:k", "cpu_core/instructions/k". */
		for (const struct analysis_event *o = v->events; o < v->events + v->nevents && !e; o++) {
			size_t n = strlen(o->name);

			if (strstr(o->name, "instructions") && strchr(":/", o->name[n - 2]) && o->name[n - 1] == 'k' &&
			    o->per_packet > 0)
				e = o;
		}
		if (e)
			json_object_set_new(variants, v->variant->id,
					    json_pack("{s:f, s:f, s:f}", "pmu_instructions", e->per_packet, "pmu_half",
						      isfinite(e->half) ? e->half : 0, "pmu_packets_per_poll",
						      isfinite(v->packets_per_poll) ? v->packets_per_poll : 0));
	}
	if (!err && !json_object_size(variants))
		err = diag_set(d, -EINVAL,
			       "%s: no PMU counted instructions:k there; record with --stat-events instructions:k on a "
			       "machine with a PMU",
			       a->with);
	if (!err) {
		*pmu = json_pack("{s:s, s:s?, s:s, s:O}", "pmu_kernel", l.run.facts.kernel ?: "", "pmu_cpu",
				 l.run.facts.cpu_model, "pmu_started", l.run.started, "variants", variants);
		if (!*pmu)
			err = diag_set(d, -ENOMEM, "no memory");
	}
	json_decref(variants);
	loaded_run_release(&l);
	return err;
}

int exact_against_take(struct exact_against *a, bool matrix, const char *guest, struct diag *d)
{
	char recorded[4200];
	int err = 0;

	if (a->bisect && a->fail_words)
		return diag_set(d, -EINVAL, "--bisect takes the value of --fail-if; leave --fail-if out");
	if (a->bisect)
		err = take_bisect(a, guest, d);
	snprintf(recorded, sizeof(recorded), "%s/" EXACT_FILE, a->with ?: "");
	a->pmu = a->with && !guest && !exact_is(a->with) && !access(recorded, F_OK);
	if (!err && a->pmu && a->fail_words)
		err = diag_set(d, -EINVAL, "--fail-if and --bisect compare exact counts, and %s was recorded", a->with);
	if (!err && !a->with && a->fail_words)
		err = diag_set(d, -EINVAL,
			       "--fail-if is for a difference; name the other side: --against TREE|KERNEL|RUN");
	if (!err && !matrix)
		err = format_of(&a->format, a->format_name ?: "text", a->with && !a->pmu ? OF_DIFFS : OF_REPORTS, d);
	if (err || !a->with || a->pmu)
		return err;
	a->ktap = !strcmp(a->format->name, "ktap");
	if (a->ktap && a->fail_words)
		return diag_set(d, -EINVAL,
				"--format ktap fails a variant with a function that takes more, as history "
				"check of exact runs does; leave --fail-if out");
	err = a->fail_words ? fail_if_parse(&a->fail_if, a->fail_words, d) : 0;
	return err ? err : fail_if_fits(&a->fail_if, true, d);
}

bool exact_against_counts(struct exact_against *a, struct host_options *o)
{
	snprintf(a->base_dir, sizeof(a->base_dir), "%s", a->with ?: "");
	if (!a->with || a->pmu || exact_is(a->with))
		return false;
	snprintf(a->base_dir, sizeof(a->base_dir), "%s.base", o->out_dir);
	o->out_dir = a->base_dir;
	o->kernel = a->with;
	return true;
}

/* All variants as one list of results. */
static int show_ktap(const struct format *ktap, const struct exact *base, const struct exact *new, bool *failed,
		     struct diag *d)
{
	struct exact_check c = {};
	struct symkeys *keys = NULL;
	struct document doc;
	struct output out;
	int err = exact_diff_renames(&keys, NULL, base, new, d);

	if (!err)
		err = exact_check_build(&c, base, new, keys, d) ?: output_open(&out, NULL, d);
	if (!err)
		err = output_close(&out,
				   format_write(ktap, out.stream, &doc,
						document_of_exact_check(&doc, &c, &(struct history_list){}, 0),
						&(struct render_options){}),
				   d);
	*failed |= exact_check_count(&c, EXACT_MORE) > 0;
	exact_check_release(&c);
	symkeys_free(keys);
	return err;
}

/* The difference to the other run. */
static int show_difference(struct exact_against *a, const char *dir, const char *const *variants, size_t n,
			   bool *failed, struct diag *d)
{
	struct loaded_run base = {}, new = {};
	int err = loaded_run_open(&base, a->base_dir, NULL, NULL, d);

	if (!err)
		err = loaded_run_open_beside(&new, dir, true, &base, NULL, d);
	if (!err && a->ktap)
		err = show_ktap(a->format, &base.counted, &new.counted, failed, d);
	for (size_t i = 0; i < n && !err && !a->ktap; i++) {
		struct loaded_variant from, to;
		struct compared c = {};
		struct document doc;
		struct output out;

		if (i)
			putchar('\n');
		err = loaded_run_find(&base, variants[i], &from, d) ?: loaded_run_find(&new, variants[i], &to, d);
		if (!err)
			err = compared_build(&c, &from, &to, NULL, d) ?: output_open(&out, NULL, d);
		if (!err) {
			const struct render_options o = {.colour = out.colour, .columns = (size_t)out.columns};

			err = format_write(a->format, out.stream, &doc, compared_document(&doc, &c), &o);
			err = output_close(&out, err, d);
		}
		if (!err) /* the limit is passed */
			*failed |= compared_fails(&c, &a->fail_if);
		compared_release(&c);
	}
	if (!err && loaded_run_complain(&base, NULL) + loaded_run_complain(&new, NULL) && !a->bisect)
		*failed = true;
	loaded_run_release(&new);
	loaded_run_release(&base);
	return err;
}

/* The totals of each variant, how far each is from the first one, the checks, and what to do next. */
static int put_answer(FILE *out, const struct exact *e, const char *dir)
{
	const struct exact_variant *first = &e->variants[0];
	bool memory = first->memory[EXACT_LOADS];
	char word[4 * 4096], pmu[300];
	double counted;

	printable_printf(out, "%s, Linux %s; per packet:\n\n%13s%10s", e->nic, e->kernel, "instructions", "calls");
	fprintf(out, "%s%s\n", memory ? "     loads    stores     lines footprint   pages" : "",
		e->nvariants > 1 ? "   difference" : "");
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_cost *c = &e->variants[i].total;
		double change = c->instructions[EXACT_PACKET] - first->total.instructions[EXACT_PACKET];

		fprintf(out, "%13.3f%10.3f", c->instructions[EXACT_PACKET], c->calls);
		if (memory)
			fprintf(out, "%10.2f%10.2f%10.2f%10.0f%8.0f", c->memory[EXACT_LOADS], c->memory[EXACT_STORES],
				c->memory[EXACT_LINES_TOUCHED], c->memory[EXACT_FOOT_LINES],
				c->memory[EXACT_FOOT_PAGES]);
		if (e->nvariants > 1)
			i ? fprintf(out, "%+13.3f", change) : fprintf(out, "%13s", "");
		printable_printf(out, "  %s\n", e->variants[i].id);
	}
	if (memory)
		fprintf(out, "footprint, pages: different lines of 64 bytes and pages of 4 KiB of %u frames\n",
			e->footprint_frames);
	for (size_t i = 0; i < e->nvariants; i++) {
		exact_pmu_words(e, &e->variants[i], &counted, pmu, sizeof(pmu));
		if (pmu[0])
			printable_printf(out, "%s%s: %s\n", i ? "" : "\n", e->variants[i].id, pmu);
	}
	/*
	 * What closes: the sum over functions of each kind of count is that of an independent count, to the
	 * instruction.
	 */
	size_t passed = 0, failed = 0;
	char open[512] = "", words[512];
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *v = &e->variants[i];

		passed += 1 + (v->nplaces > 0) + (v->nlines > 0);
		for (int m = 0; m < EXACT_MEMORY; m++)
			passed += v->memory[m];
		failed += exact_open_words(v, words, sizeof(words));
		if (words[0])
			listed_add(open, sizeof(open), "; ", "%s %s", v->id, words);
	}
	printable_printf(out, "\nchecks: %zu passed", passed);
	if (failed)
		printable_printf(out, ", %zu failed: %s\n", failed, open);
	else
		fputs(": functions sum to an independent count, residual 0\n", out);
	shell_word(word, sizeof(word), dir);
	fprintf(out, "\nnext:\n  xdpzoom report %s\n", word);
	if (e->nvariants > 1) {
		fprintf(out, "  xdpzoom diff %s:", word);
		shell_word(word, sizeof(word), first->id);
		fprintf(out, "%s", word);
		shell_word(word, sizeof(word), e->variants[1].id);
		fprintf(out, " %s\n", word);
	} else {
		fprintf(out, "  xdpzoom report %s -f folded\n", word);
	}
	shell_word(word, sizeof(word), dir);
	fprintf(out, "  xdpzoom exact --against %s -k 6.1 -n ", word);
	shell_word(word, sizeof(word), e->nic);
	fprintf(out, "%s\n", word);
	return render_finish(out);
}

/* The run alone: the answer, or the whole run in a format that was asked for. */
static int show_run(const struct exact_against *a, const char *dir, bool quiet, struct diag *d)
{
	size_t beside = 0;
	struct document doc;
	struct loaded_run l;
	struct output out;
	int err = loaded_run_open(&l, dir, NULL, NULL, d);

	if (err)
		return err;
	for (size_t i = 0; i < l.counted.nvariants; i++)
		beside += l.counted.variants[i].pmu > 0;
	if (a->pmu && !beside)
		err = diag_set(d, -ENOENT, "%s has none of these variants with instructions:k", a->with);
	else if (a->pmu && strcmp(l.counted.kernel, l.counted.pmu_kernel) != 0)
		err = diag_set(
			d, -EINVAL,
			"%s was recorded on Linux %s, and these counts are of Linux %s: count the same kernel (-k)",
			a->with, l.counted.pmu_kernel, l.counted.kernel);
	if (!err && quiet)
		goto out;
	if (!err)
		err = output_open(&out, NULL, d);
	if (!err) {
		const struct render_options o = {.dir = dir, .columns = (size_t)out.columns};

		err = !strcmp(a->format->name, "text") ? put_answer(out.stream, &l.counted, dir)
						       : format_write(a->format, out.stream, &doc,
								      document_of_exact(&doc, &l.counted, NULL), &o);
		err = output_close(&out, err, d);
	}
out:
	loaded_run_release(&l);
	return err;
}

int exact_against_show(struct exact_against *a, const char *dir, const char *const *variants, size_t n, bool quiet)
{
	bool failed = false;
	struct diag d = {};
	int err = 0;

	if (a->with && !a->pmu)
		err = show_difference(a, dir, variants, n, &failed, &d);
	else if (!quiet || a->format_name || a->pmu)
		err = show_run(a, dir, quiet && !a->format_name, &d);
	return err ? complain_of(&d, err) : failed ? EXIT_GATE : EXIT_OK;
}

static bool is_good(const struct exact_against *a, double instructions)
{
	if (instructions == a->limit)
		return a->or_equal;
	return instructions > a->limit ? a->above : !a->above;
}

/* Holds the run against the limit. */
static int hold(const struct exact_against *a, const char *dir, struct diag *d)
{
	const struct exact_variant *v = NULL;
	int status = BISECT_SKIP;
	struct loaded_run l;
	double n = NAN;

	if (!loaded_run_open(&l, dir, NULL, NULL, d))
		v = exact_find(&l.counted, a->variant, d);
	if (v)
		n = v->total.instructions[EXACT_PACKET];
	if (v && is_good(a, v->halves[0]) == is_good(a, n) && is_good(a, v->halves[1]) == is_good(a, n))
		status = is_good(a, n) ? BISECT_GOOD : BISECT_BAD;
	else if (v)
		diag_set(d, -EIO,
			 "%.3f and %.3f instructions by the odd and by the even windows are on both sides of %g",
			 v->halves[0], v->halves[1], a->limit);
	if (status != BISECT_SKIP)
		printf("%s: %s takes %.3f instructions per packet, %s is good%s%s\n",
		       status == BISECT_GOOD ? "good" : "bad", a->variant, n, a->bisect + strlen(a->variant),
		       l.counted.source[0] ? ", in " : "", l.counted.source);
	loaded_run_release(&l);
	return status;
}

int exact_against_bisect(struct exact_against *a, const char *dir, const char *const *variants, size_t n, int counted)
{
	struct diag d = {};
	int status = BISECT_SKIP;

	if (counted == EXIT_USAGE || stop_requested)
		return BISECT_END;
	if (counted != EXIT_OK)
		return BISECT_SKIP;
	if (a->variant[0]) {
		status = hold(a, dir, &d);
		if (status == BISECT_SKIP)
			complain_of(&d, -EIO);
		return status;
	}
	status = exact_against_show(a, dir, variants, n, true);
	return status == EXIT_OK ? BISECT_GOOD : status == EXIT_GATE ? BISECT_BAD : BISECT_SKIP;
}
