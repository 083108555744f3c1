// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts as text. */
#include "reports/render/render.h"
#include "reports/document/sentence.h"
#include "base/sheet/text_rows.h"
#include "reports/rows/exact_rows.h"

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
