// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of any result: all members of its rows, with a schema. */
#include "reports/format/format.h"

json_t *document_json(struct json_out *w, const struct document *d)
{
	const struct run *r = d->analysis ? d->analysis->run : NULL;
	json_t *o = json_object(), *run = r ? json_object() : NULL;

	json_out_text(w, o, "schema", d->schema);
	if (r) {
		json_out_text(w, run, "version", r->version);
		json_out_text(w, run, "started", r->started);
		json_out_text(w, run, "ended", r->ended);
		json_out_put(w, run, "event", *r->event ? json_string(r->event) : json_null());
		json_out_put(w, run, "sample_hz", json_out_value(r->sample_hz));
		json_out_put(w, run, "device", r->device ? json_incref(r->device) : json_null());
		json_out_put(w, run, "load", r->load ? json_incref(r->load) : json_null());
		json_out_put(w, run, "environment", r->environment ? json_incref(r->environment) : json_null());
		json_out_put(w, o, "run", run);
	}
	json_rows_put(w, o, &d->rows, 0);
	return o;
}

int format_json(FILE *out, const struct document *d, const struct render_options *o)
{
	struct json_out w = {};

	(void)o;
	return json_out_write(&w, document_json(&w, d), out, JSON_INDENT(2));
}
