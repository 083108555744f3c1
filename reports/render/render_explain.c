// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured ns beside exact counts, as text and JSON. */
#include "base/sheet/json_rows.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"
#include "reports/render/sentence.h"
#include "base/sheet/text_rows.h"
#include "reports/rows/explain_rows.h"

#define SCHEMA "xdpzoom.explain/1"

int render_explain_text(FILE *out, const struct explain *e, const struct render_options *o)
{
	struct text t = {out, o->colour, o->columns};
	size_t most = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
	const struct rows *variants;
	struct rows r;
	char line[RUN_ID_BYTES + 200];
	int err = explain_rows(&r, e);

	sentence_of_explanation(line, sizeof(line), e);
	text_wrapped(&t, 0, line);
	if (!err) {
		text_facts(&t, &r, 0, IN_FACTS);
		text_tables(&t, &r, 0, 8 * most);
	}
	variants = err ? NULL : rows_in(&r, 0, "variants");
	for (size_t i = 0; variants && i < variants->nrows; i++) {
		text_styled(&t, TEXT_TITLE, "\n%s\n", rows_cell(variants, i, "variant")->text);
		text_tables(&t, variants, i, most);
	}
	rows_release(&r);
	return err ? err : text_finish(&t);
}

json_t *explain_json(struct json_out *w, const struct explain *e)
{
	json_t *o = json_object();
	struct rows r;

	if (explain_rows(&r, e))
		w->failed = true;
	json_out_text(w, o, "schema", SCHEMA);
	json_out_text(w, o, "started", e->measured->run->started);
	json_out_text(w, o, "time", e->counted->time);
	json_rows_put(w, o, &r, 0);
	rows_release(&r);
	return o;
}

int render_explain_json(FILE *out, const struct explain *e, const struct render_options *options)
{
	struct json_out w = {};
	json_t *o = explain_json(&w, e);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
