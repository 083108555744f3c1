// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/exact_against.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/complain.h"
#include "base/stop.h"
#include "reports/format/render_history.h"
#include "user/cli/loaded_run.h"
#include "user/cli/output.h"
#include "user/commands/compared.h"

/* "drop/no-touch@skb<=1400"; or words without a comparison, which are for --fail-if. */
static int take_bisect(struct exact_against *a, bool guest, struct diag *d)
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

int exact_against_take(struct exact_against *a, const char *out_dir, bool guest, struct diag *d)
{
	int err = 0;

	if (a->bisect && a->fail_words)
		return diag_set(d, -EINVAL, "--bisect takes the words of --fail-if; leave --fail-if out");
	if (!a->bisect && !out_dir)
		return diag_set(d, -EINVAL, "exact: --output DIR is missing");
	if (a->bisect)
		err = take_bisect(a, guest, d);
	a->ktap = a->format_name && !strcmp(a->format_name, "ktap");
	if (!err && !a->with && (a->fail_words || (a->format_name && !a->ktap)) && !a->variant[0])
		err = diag_set(d, -EINVAL, "--%s is for a difference; name the other side: --against TREE|KERNEL|RUN",
			       a->fail_words ? "fail-if" : "format");
	if (err || !a->with)
		return err;
	if (exact_is(a->with))
		snprintf(a->base_dir, sizeof(a->base_dir), "%s", a->with);
	else
		snprintf(a->base_dir, sizeof(a->base_dir), "%s.base", out_dir);
	err = format_find(&a->format, a->format_name ?: "text", DOCUMENT_DIFF, d);
	if (!err && a->ktap && a->fail_words)
		err = diag_set(d, -EINVAL,
			       "--format ktap fails a variant with a function that takes more, as history "
			       "check --exact does; leave --fail-if out");
	if (!err && a->fail_words)
		err = fail_if_parse(&a->fail_if, a->fail_words, d);
	return err ? err : fail_if_fits(&a->fail_if, true, d);
}

static bool is_tree(const char *with)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/Makefile", with);
	return !access(path, F_OK);
}

bool exact_against_counts(const struct exact_against *a, struct host_options *o)
{
	if (!a->with || exact_is(a->with))
		return false;
	o->out_dir = a->base_dir;
	o->modules = NULL;
	o->tree = is_tree(a->with) ? a->with : NULL;
	o->kernel = a->with;
	return true;
}

/* Prints the difference of one variant; failed: the limit is passed. */
static int show_one(struct exact_against *a, const struct loaded_run *base, const struct loaded_run *new,
		    const char *id, bool *failed, struct diag *d)
{
	struct loaded_variant from, to;
	struct compared c = {};
	struct document doc;
	struct output out;
	int err = loaded_run_find(base, id, &from, d) ?: loaded_run_find(new, id, &to, d);

	if (!err)
		err = compared_build(&c, &from, &to, NULL, d) ?: output_open(&out, NULL, d);
	if (!err) {
		const struct render_options o = {.colour = out.colour, .columns = (size_t)out.columns};

		err = format_write(a->format, out.stream, &doc, compared_document(&doc, &c), &o);
		err = output_close(&out, err, d);
	}
	if (!err)
		*failed |= compared_fails(&c, &a->fail_if);
	compared_release(&c);
	return err;
}

/* All variants as one list of results; without a run to compare with, whether each one closes. */
static int show_ktap(const struct exact *base, const struct exact *new, bool *failed, struct diag *d)
{
	static const struct format ktap = {.write = format_ktap};
	struct exact_check c = {};
	struct symkeys *keys = NULL;
	struct document doc;
	struct output out;
	int err = base ? exact_diff_renames(&keys, NULL, base, new, d) : 0;

	if (!err && base)
		err = exact_check_build(&c, base, new, keys, d);
	if (!err)
		err = output_open(&out, NULL, d);
	if (!err) {
		err = base ? render_exact_check_ktap(out.stream, &c)
			   : format_write(&ktap, out.stream, &doc, document_of_exact(&doc, new, NULL), NULL);
		err = output_close(&out, err, d);
	}
	*failed |= exact_check_count(&c, EXACT_MORE) > 0;
	exact_check_release(&c);
	symkeys_free(keys);
	return err;
}

int exact_against_show(struct exact_against *a, const char *dir, const char *const *variants, size_t n)
{
	struct loaded_run base = {}, new = {};
	bool failed = false;
	struct diag d = {};
	int err;

	if (!a->with && !a->ktap)
		return EXIT_OK;
	err = loaded_run_open_exact(a->with ? &base : &new, a->with ? a->base_dir : dir, NULL, &d);
	if (!err && a->with)
		err = loaded_run_open_beside(&new, dir, true, &base, NULL, &d);
	if (!err && a->ktap)
		err = show_ktap(a->with ? &base.counted : NULL, &new.counted, &failed, &d);
	for (size_t i = 0; i < n && !err && !a->ktap; i++) {
		if (i)
			putchar('\n');
		err = show_one(a, &base, &new, variants[i], &failed, &d);
	}
	if (!err && a->with && loaded_run_complain(&base, NULL) + loaded_run_complain(&new, NULL) && !a->bisect)
		failed = true;
	loaded_run_release(&new);
	loaded_run_release(&base);
	return err ? fail(&d, err) : failed ? EXIT_GATE : EXIT_OK;
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

	if (!loaded_run_open_exact(&l, dir, NULL, d))
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
			fail(&d, -EIO);
		return status;
	}
	status = exact_against_show(a, dir, variants, n);
	return status == EXIT_OK ? BISECT_GOOD : status == EXIT_GATE ? BISECT_BAD : BISECT_SKIP;
}
