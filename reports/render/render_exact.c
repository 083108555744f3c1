// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts as text and JSON. */
#include "base/json_text.h"
#include "base/sheet/json_rows.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"
#include "reports/render/sentence.h"
#include "base/sheet/text_rows.h"
#include "reports/rows/exact_rows.h"

#define REPORT_SCHEMA "xdpzoom.exact-report/1"
#define DIFF_SCHEMA   "xdpzoom.exact-diff/1"

/* ---- text -------------------------------------------------------------------------------------------- */

static size_t most(const struct render_options *o)
{
	return o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
}

int render_exact_text(FILE *out, const struct exact *e, const struct exact_variant *only,
		      const struct render_options *o)
{
	struct text t = {out, o->colour, o->columns};
	char line[400];
	struct rows r;
	int err = exact_rows(&r, e, only);

	exact_words(e, line, sizeof(line));
	text_wrapped(&t, 0, line);
	for (size_t i = 0; i < r.nrows && !err; i++) {
		text_styled(&t, TEXT_TITLE, "\n%s\n", rows_cell(&r, i, "variant")->text);
		text_facts(&t, &r, i, IN_FACTS);
		text_tables(&t, &r, i, most(o));
	}
	rows_release(&r);
	return err ? err : text_finish(&t);
}

int render_exact_diff_text(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct text t = {out, o->colour, o->columns};
	struct sentence s;
	struct rows r;
	char line[SENTENCE_BYTES];
	int err = exact_diff_rows(&r, d);

	sentence_of_exact(&s, d);
	snprintf(line, sizeof(line), "%s%s%s", s.before, s.number, s.after);
	text_wrapped(&t, 0, line);
	if (!err) {
		text_facts(&t, &r, 0, IN_FACTS);
		text_tables(&t, &r, 0, most(o));
		fputc('\n', out);
		text_facts(&t, &r, 0, IN_PLAIN);
	}
	rows_release(&r);
	return err ? err : text_finish(&t);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

json_t *exact_json(struct json_out *w, const struct exact *e, const struct exact_variant *only)
{
	json_t *o = json_object();
	struct rows r;

	if (exact_rows(&r, e, only))
		w->failed = true;
	json_out_text(w, o, "schema", REPORT_SCHEMA);
	json_out_text(w, o, "nic", e->nic);
	json_out_text(w, o, "kernel", e->kernel);
	json_out_put(w, o, "compiler", e->compiler[0] ? json_text_string(e->compiler) : json_null());
	json_out_text(w, o, "emulator", e->emulator);
	json_out_text(w, o, "time", e->time);
	json_out_put(w, o, "variants", json_rows(w, &r));
	rows_release(&r);
	return o;
}

int render_exact_json(FILE *out, const struct exact *e, const struct exact_variant *only,
		      const struct render_options *options)
{
	struct json_out w = {};
	json_t *o = exact_json(&w, e, only);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

json_t *exact_diff_json(struct json_out *w, const struct exact_diff *d)
{
	json_t *o = json_object();
	struct rows r;

	if (exact_diff_rows(&r, d))
		w->failed = true;
	json_out_text(w, o, "schema", DIFF_SCHEMA);
	json_rows_put(w, o, &r, 0);
	rows_release(&r);
	return o;
}

int render_exact_diff_json(FILE *out, const struct exact_diff *d, const struct render_options *options)
{
	struct json_out w = {};
	json_t *o = exact_diff_json(&w, d);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
