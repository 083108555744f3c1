// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics, for node_exporter's textfile collector: gauges alone, which its older parser reads as well, in base
 * units.
 * src: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/json_text.h"
#include "reports/render/render.h"
#include "reports/render/text.h"

/* Metrics of a variant: which member, and what makes it a base unit. */
static const struct family {
	const char *name, *unit, *help;
	size_t offset; /* of a double in struct analysis_variant */
	double scale;
} families[] = {
	{"xdpzoom_packet_cost_seconds", "seconds", "Busy time of the RX CPU per packet.",
	 offsetof(struct analysis_variant, base_ns), 1e-9},
	{"xdpzoom_packet_cost_interval_seconds", "seconds", "Half of the 95 % interval of xdpzoom_packet_cost_seconds.",
	 offsetof(struct analysis_variant, half_ns), 1e-9},
	{"xdpzoom_packets_per_second", NULL, "Packets that the program saw.", offsetof(struct analysis_variant, pps),
	 1},
	{"xdpzoom_cpu_busy_ratio", "ratio", "Part of the time that the RX CPU was busy.",
	 offsetof(struct analysis_variant, busy_pct), 0.01},
	{"xdpzoom_packets_per_poll", NULL, "Packets per NAPI poll that had any.",
	 offsetof(struct analysis_variant, packets_per_poll), 1},
	{"xdpzoom_profiling_overhead_ratio", "ratio", "How much slower packets were while profiled.",
	 offsetof(struct analysis_variant, overhead_pct), 0.01},
};

/* name="value"; a label's value may hold anything but what would end it. */
static void put_label(FILE *out, const char *name, const char *value)
{
	json_t *clean = json_text_string(value); /* UTF-8, whatever the bytes were */
	const char *s = json_string_value(clean);

	fprintf(out, "%s=\"", name);
	for (; s && *s; s++) {
		if (*s == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputc('"', out);
	json_decref(clean);
}

static void put_member(FILE *out, const char *name, const json_t *o, const char *member)
{
	const char *s = json_string_value(json_object_get(o, member));

	put_label(out, name, s ? s : "");
}

/* The labels every sample of a variant has, without the closing brace. */
static void put_variant(FILE *out, const char *metric, const struct analysis_variant *v)
{
	fprintf(out, "%s{", metric);
	put_member(out, "device", v->of->run->device, "name");
	fputc(',', out);
	put_label(out, "variant", v->variant->id);
	fprintf(out, ",action=\"%s\",operation=\"%s\",mode=\"%s\"", v->variant->action, v->variant->operation,
		v->variant->mode);
}

static void put_head(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}

static bool is_shown(const struct analysis_variant *v, const struct analysis_variant *only)
{
	return v->nused && (!only || only == v);
}

static void put_family(FILE *out, const struct family *f, const struct analysis *a, const struct analysis_variant *only)
{
	put_head(out, f->name, f->unit, f->help);
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];
		double value;

		memcpy(&value, (const char *)v + f->offset, sizeof(value));
		if (!is_shown(v, only) || isnan(value))
			continue;
		put_variant(out, f->name, v);
		fprintf(out, "} %.10g\n", value * f->scale);
	}
}

static void put_facilities(FILE *out, const struct analysis *a, const struct analysis_variant *only)
{
	static const char name[] = "xdpzoom_facility_cost_seconds";

	put_head(out, name, "seconds", "Cost of a part of the receive path per packet.");
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];

		for (size_t k = 0; k < v->nfacilities && is_shown(v, only); k++) {
			put_variant(out, name, v);
			fputc(',', out);
			put_label(out, "facility", v->facilities[k].name);
			fprintf(out, "} %.10g\n", v->facilities[k].self_ns * 1e-9);
		}
	}
}

static void put_gates(FILE *out, const struct analysis *a, const struct analysis_variant *only)
{
	static const char name[] = "xdpzoom_quality_gate_ok";

	put_head(out, name, NULL, "1: the number can be relied on as far as this gate knows.");
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];

		for (size_t k = 0; k < v->quality.nrows && is_shown(v, only); k++) {
			put_variant(out, name, v);
			fputc(',', out);
			put_label(out, "gate", v->quality.rows[k].gate);
			fprintf(out, "} %d\n", v->quality.rows[k].ok);
		}
	}
}

static void put_run(FILE *out, const struct run *r)
{
	static const char name[] = "xdpzoom_run_info";

	put_head(out, name, NULL, "What was measured, and on what.");
	fprintf(out, "%s{", name);
	put_member(out, "device", r->device, "name");
	fputc(',', out);
	put_member(out, "driver", r->device, "driver");
	fputc(',', out);
	put_member(out, "kernel", r->environment, "kernel");
	fputc(',', out);
	put_member(out, "cpu_model", r->environment, "cpu_model");
	fputc(',', out);
	put_label(out, "event", r->event);
	fputc(',', out);
	put_label(out, "started", r->started);
	fputc(',', out);
	put_label(out, "ended", r->ended);
	fputc(',', out);
	put_label(out, "version", r->version);
	fputs("} 1\n", out);
}

int render_report_openmetrics(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			      const struct render_options *o)
{
	(void)o;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		put_family(out, &families[i], a, only);
	put_facilities(out, a, only);
	put_gates(out, a, only);
	put_run(out, a->run);
	fputs("# EOF\n", out);
	return render_finish(out);
}
