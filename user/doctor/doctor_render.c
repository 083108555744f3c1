// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of an examination as text and as JSON. doctor.h has the contract. */
#include <jansson.h>
#include "base/printable.h"
#include "base/sheet/sheet.h"
#include "user/doctor/doctor.h"

static const struct {
	const char *word, *colour;
} levels[DOCTOR_LEVELS] = {
	[DOCTOR_OK] = {"ok", "32"},
	[DOCTOR_WARNING] = {"warning", "33"},
	[DOCTOR_FATAL] = {"fatal", "31"},
	[DOCTOR_UNKNOWN] = {"unknown", "2"},
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
		if (row->fix[0])
			printable_printf(out, "%21s fix: %s\n", "", row->fix);
	}
	fprintf(out, "\n%zu fatal, %zu warnings, %zu ok, %zu not checked\n", dr->levels[DOCTOR_FATAL],
		dr->levels[DOCTOR_WARNING], dr->levels[DOCTOR_OK], dr->levels[DOCTOR_UNKNOWN]);
}

int doctor_render_json(FILE *out, const struct doctor *dr)
{
	json_t *rows = json_array(), *o;
	struct json_out w = {};

	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];
		json_t *item = json_object();

		json_out_text(&w, item, "check", row->name);
		json_out_text(&w, item, "what", row->what);
		json_out_text(&w, item, "level", levels[row->level].word);
		json_out_text(&w, item, "finding", row->finding);
		json_out_put(&w, item, "fixable", json_boolean(row->nfixes > 0));
		if (row->fix[0])
			json_out_text(&w, item, "fix", row->fix);
		json_out_add(&w, rows, item);
	}
	o = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "schema", "xdpzoom.doctor/1", "rx_cpu", dr->rx_cpu,
		      "fatal", (int)dr->levels[DOCTOR_FATAL], "warnings", (int)dr->levels[DOCTOR_WARNING], "ok",
		      (int)dr->levels[DOCTOR_OK], "unknown", (int)dr->levels[DOCTOR_UNKNOWN], "rows", rows);
	if (dr->nd.name[0])
		json_out_text(&w, o, "device", dr->nd.name);
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
