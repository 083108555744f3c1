// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file for https://www.speedscope.app: one profile per variant and one per second stage, weights in ns per packet.
 * src: https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts
 */
#include <math.h>
#include "base/sheet/json_out.h"
#include "reports/format/format.h"

static void format_speedscope_add_frame(struct json_out *w, json_t *frames, const char *name, const char *file)
{
	json_t *o = json_object();

	json_out_text(w, o, "name", name);
	if (*file)
		json_out_text(w, o, "file", file);
	json_out_add(w, frames, o);
}

/* Frames are shared by all profiles; first: how many there are of other variants. */
static json_t *sample_json(struct json_out *w, const struct stacks_row *row, size_t first)
{
	json_t *sample = json_array();

	for (unsigned int i = 0; i < row->depth; i++)
		json_out_add(w, sample, json_integer((json_int_t)first + row->frames[i]));
	return sample;
}

static json_t *profile_json(struct json_out *w, const struct analysis_variant *v, json_t *frames)
{
	json_t *o = json_object(), *samples = json_array(), *weights = json_array();
	size_t first = json_array_size(frames);
	char name[RUN_ID_BYTES + 20];

	for (size_t i = 0; i < v->stacks.nsymbols; i++)
		format_speedscope_add_frame(w, frames, v->stacks.symbols[i].name, v->stacks.symbols[i].dso);
	for (size_t i = 0; i < v->stacks.nrows; i++) {
		json_out_add(w, samples, sample_json(w, &v->stacks.rows[i], first));
		json_out_add(w, weights, json_out_value(v->stacks.rows[i].cost));
	}
	if (v->unattributed_ns > 0) {
		json_out_add(w, samples, json_pack("[i]", (int)json_array_size(frames)));
		json_out_add(w, weights, json_out_value(v->unattributed_ns));
		format_speedscope_add_frame(w, frames, "[unattributed]", "");
	}
	json_out_text(w, o, "type", "sampled");
	snprintf(name, sizeof(name), "%s%s", v->variant->id, v->is_task ? ", second stage" : "");
	json_out_text(w, o, "name", name);
	json_out_text(w, o, "unit", "nanoseconds");
	json_out_count(w, o, "startValue", 0);
	json_out_number(w, o, "endValue", v->base_ns - fmin(0, v->unattributed_ns)); /* the sum of the weights */
	json_out_put(w, o, "samples", samples);
	json_out_put(w, o, "weights", weights);
	return o;
}

int format_speedscope(FILE *out, const struct document *d, const struct render_options *o)
{
	json_t *file = json_object(), *profiles = json_array(), *frames = json_array();
	struct json_out w = {false};
	char name[128];

	(void)o;
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *v = d->sections[i].measured;

		if (!v->nused)
			continue;
		json_out_add(&w, profiles, profile_json(&w, v, frames));
		if (v->stage.task)
			json_out_add(&w, profiles, profile_json(&w, v->stage.task, frames));
	}
	snprintf(name, sizeof(name), "xdpzoom %s, ns per packet", d->analysis->run->started);
	json_out_text(&w, file, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_out_text(&w, file, "name", name);
	json_out_text(&w, file, "exporter", "xdpzoom " XDPZOOM_VERSION);
	json_out_put(&w, file, "shared", json_pack("{s:o}", "frames", frames));
	json_out_put(&w, file, "profiles", profiles);
	return json_out_write(&w, file, out, JSON_COMPACT);
}
