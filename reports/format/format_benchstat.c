// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of Go benchmarks: one per block, so that benchstat makes its own intervals and tests.
 * src: https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md; Unit lines: golang/go issue
 * 43744
 *
 * Of the configuration, only the lines that tell machines apart are written. benchstat puts results into separate
 * tables where these lines differ, and results of two kernels should stand in one table.
 */
#include "base/printable.h"
#include "reports/format/format.h"

/* Writes the rest of a line. A newline in the text must not end this line. */
static void format_benchstat_put_line(FILE *out, const char *key, const char *s)
{
	if (!s || !*s)
		return;
	fprintf(out, "%s: ", key);
	printable_put(out, s);
	fputc('\n', out);
}

int format_benchstat(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct run *r = d->analysis->run;

	(void)o;
	fputs("goos: linux\npkg: xdpzoom\n", out);
	format_benchstat_put_line(out, "cpu", r->facts.cpu_model);
	format_benchstat_put_line(out, "device", r->facts.device);
	fputs("Unit ns/pkt better=lower\nUnit pkt/s better=higher\n", out);
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *measured = d->sections[i].measured;
		const struct run_variant *v = measured->variant;

		for (size_t b = 0; b < measured->nused; b++) {
			printable_printf(out, "BenchmarkXDP/action=%s/op=%s/mode=%s", run_action_words[v->action],
					 run_operation_words[v->operation], run_mode_words[v->mode]);
			if (v->target[0])
				printable_printf(out, "/to=%s", v->target);
			if (v->inject)
				printable_printf(out, "/inject=%s%.9g", run_inject_words[v->inject],
						 v->inject_asked_ns);
			fprintf(out, " 1 %.5g ns/pkt %.8g pkt/s\n", measured->used[b]->base_ns, measured->used[b]->pps);
		}
	}
	return render_finish(out);
}
