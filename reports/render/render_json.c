// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of report and diff: all rows, with a schema. */
#include <math.h>
#include "base/sheet/json_rows.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/report_rows.h"

static json_t *run_json(struct json_out *w, const struct run *r)
{
	json_t *o = json_object();

	json_out_text(w, o, "version", r->version);
	json_out_text(w, o, "started", r->started);
	json_out_text(w, o, "ended", r->ended);
	json_out_put(w, o, "event", *r->event ? json_string(r->event) : json_null());
	json_out_number(w, o, "sample_hz", r->sample_hz);
	json_out_put(w, o, "device", r->device ? json_incref(r->device) : json_null());
	json_out_put(w, o, "load", r->load ? json_incref(r->load) : json_null());
	json_out_put(w, o, "environment", r->environment ? json_incref(r->environment) : json_null());
	return o;
}

json_t *report_json(struct json_out *w, const struct analysis *a, const struct analysis_variant *only)
{
	json_t *o = json_object();
	struct rows variants = {}, run = {};

	if (report_rows(&variants, a, only) || report_quality_rows(&run, a))
		w->failed = true;
	json_out_text(w, o, "schema", "xdpzoom.report/1");
	json_out_put(w, o, "run", run_json(w, a->run));
	json_out_put(w, o, "variants", json_rows(w, &variants));
	json_rows_put(w, o, &run, 0);
	rows_release(&run);
	rows_release(&variants);
	return o;
}

int render_report_json(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *options)
{
	struct json_out w = {false};
	json_t *o = report_json(&w, a, only);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

json_t *diff_json(struct json_out *w, const struct compare *c)
{
	json_t *o = json_object();
	struct rows r;

	if (diff_rows(&r, c, "base", "new"))
		w->failed = true;
	json_out_text(w, o, "schema", "xdpzoom.diff/1");
	json_rows_put(w, o, &r, 0);
	rows_release(&r);
	return o;
}

int render_diff_json(FILE *out, const struct compare *c, const struct render_options *options)
{
	struct json_out w = {false};
	json_t *o = diff_json(&w, c);

	(void)options;
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
