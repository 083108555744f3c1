// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured ns beside exact counts, as text. */
#include "reports/render/render.h"
#include "reports/document/sentence.h"
#include "base/sheet/text_rows.h"
#include "reports/rows/explain_rows.h"

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
