// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of an examination as text and as JSON. doctor.h has the contract. */
#include <jansson.h>
#include <string.h>
#include "base/json_text.h"
#include "base/printable.h"
#include "user/doctor/doctor.h"

static const struct {
	const char *word, *colour;
} levels[DOCTOR_LEVELS] = {
	[DOCTOR_OK] = {"ok", "32"},
	[DOCTOR_WARNING] = {"warning", "33"},
	[DOCTOR_FATAL] = {"fatal", "31"},
	[DOCTOR_UNSEEN] = {"unseen", "2"},
};

void doctor_render_text(FILE *out, const struct doctor *dr, bool colour)
{
	printable_printf(out, "%s%sRX CPU %d\n\n", dr->nd.name, dr->nd.name[0] ? ", " : "", dr->rx_cpu);
	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];

		if (colour)
			fprintf(out, "\033[%sm%-8s\033[0m", levels[row->level].colour, levels[row->level].word);
		else
			fprintf(out, "%-8s", levels[row->level].word);
		printable_printf(out, "%-13s %s\n", row->name, row->finding);
		if (row->mend[0])
			printable_printf(out, "%21s mend: %s\n", "", row->mend);
	}
	fprintf(out, "\n%zu fatal, %zu warnings, %zu ok, %zu not seen\n", dr->levels[DOCTOR_FATAL],
		dr->levels[DOCTOR_WARNING], dr->levels[DOCTOR_OK], dr->levels[DOCTOR_UNSEEN]);
}

static json_t *json_row(const struct doctor_row *row)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:b}", "check", row->name, "what", row->what, "level",
			      levels[row->level].word, "finding", json_text_string(row->finding), "fixable",
			      row->nfixes > 0);

	if (o && row->mend[0])
		json_object_set_new(o, "mend", json_text_string(row->mend));
	return o;
}

void doctor_render_json(FILE *out, const struct doctor *dr)
{
	json_t *rows = json_array(), *o;

	for (size_t i = 0; i < dr->nrows; i++)
		json_array_append_new(rows, json_row(&dr->rows[i]));
	o = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "schema", "xdpzoom.doctor/1", "rx_cpu", dr->rx_cpu,
		      "fatal", (int)dr->levels[DOCTOR_FATAL], "warnings", (int)dr->levels[DOCTOR_WARNING], "ok",
		      (int)dr->levels[DOCTOR_OK], "unseen", (int)dr->levels[DOCTOR_UNSEEN], "rows", rows);
	if (dr->nd.name[0])
		json_object_set_new(o, "device", json_string(dr->nd.name));
	json_text_write(o, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(o);
}
