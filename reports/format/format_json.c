// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of any result: all members of its rows, with a schema. */
#include "reports/format/format.h"

static json_t *run_json(struct json_out *w, const struct run *r)
{
	json_t *o = json_object();

	json_out_text(w, o, "version", r->version);
	json_out_text(w, o, "started", r->started);
	json_out_text(w, o, "ended", r->ended);
	json_out_put(w, o, "event", *r->event ? json_string(r->event) : json_null());
	json_out_put(w, o, "sample_hz", json_out_value(r->sample_hz));
	json_out_put(w, o, "device", r->device ? json_incref(r->device) : json_null());
	json_out_put(w, o, "load", r->load ? json_incref(r->load) : json_null());
	json_out_put(w, o, "environment", r->environment ? json_incref(r->environment) : json_null());
	return o;
}

json_t *document_json(struct json_out *w, const struct document *d)
{
	json_t *o = json_object();

	json_out_text(w, o, "schema", d->schema);
	if (d->analysis)
		json_out_put(w, o, "run", run_json(w, d->analysis->run));
	json_rows_put(w, o, &d->rows, 0);
	return o;
}

int format_json(FILE *out, const struct document *d, const struct render_options *o)
{
	struct json_out w = {};

	(void)o;
	return json_out_write(&w, document_json(&w, d), out, JSON_INDENT(2));
}
