// SPDX-License-Identifier: GPL-2.0-or-later
/* The plots of a sweep: their data, and their part of the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/page/palette.h"
#include "reports/page/plot_parts.h"
#include "reports/render/render_sweep.h"

#define LOGARITHMIC 16 /* a parameter whose largest value is so many times its smallest */

static const struct {
	const char *title, *y;
} words[PLOT_KINDS] = {
	[PLOT_NS] = {"What a packet costs", "ns/packet"},
	[PLOT_MPPS] = {"Packets per second", "Mpps"},
	[PLOT_BUSY] = {"How busy the receiving CPUs are", "busy CPUs"},
	[PLOT_CORES] = {"Busy CPUs against packets per second", "busy CPUs"},
};

/* The parameter on the x axis; those of the other ones make series. Offered load is the rate. */
static size_t axis_of(const struct plot *p, enum plot_kind kind)
{
	return kind == PLOT_BUSY ? sweep_parameter(&p->sweep->rows[0].point, SWEEP_RATE) : sweep_axis(p->sweep);
}

static double y_of(const struct sweep_row *row, enum plot_kind kind)
{
	return kind == PLOT_NS ? row->base_ns : kind == PLOT_MPPS ? row->pps / 1e6 : row->busy_cpus;
}

static double x_of(const struct sweep_row *row, enum plot_kind kind, size_t axis)
{
	return kind == PLOT_CORES ? row->pps / 1e6 : row->point.values[axis];
}

static bool is_point(const struct sweep_row *row, enum plot_kind kind, size_t axis)
{
	return !isnan(x_of(row, kind, axis)) && !isnan(y_of(row, kind));
}

/* Is row i the first of its series that is drawn? */
static bool begins_series(const struct sweep *s, size_t i, enum plot_kind kind, size_t axis)
{
	for (size_t k = 0; k < i; k++)
		if (sweep_same_line(&s->rows[k], &s->rows[i], axis) && is_point(&s->rows[k], kind, axis))
			return false;
	return is_point(&s->rows[i], kind, axis);
}

/* ---- data -------------------------------------------------------------------------------------------- */

static void series_data(FILE *out, const struct sweep *s, size_t first, enum plot_kind kind, size_t axis)
{
	char others[SWEEP_NAME], name[RUN_ID_BYTES + SWEEP_NAME + 4];

	render_sweep_others(&s->rows[first], axis, others);
	snprintf(name, sizeof(name), "%s%s%s", s->rows[first].variant, *others ? ", " : "", others);
	plot_text(out, name);
	fprintf(out, "\n# %s\t%s\thalf\n", kind == PLOT_CORES ? "mpps" : s->rows[first].point.names[axis],
		plot_kind_names[kind]);
	for (size_t i = first; i < s->nrows; i++) {
		const struct sweep_row *row = &s->rows[i];

		if (sweep_same_line(row, &s->rows[first], axis) && is_point(row, kind, axis))
			fprintf(out, "%.10g\t%.10g\t%.10g\n", x_of(row, kind, axis), y_of(row, kind),
				kind == PLOT_NS && !isnan(row->half_ns) ? row->half_ns : 0);
	}
	fputs("\n\n", out);
}

static double facility_ns(const struct sweep_row *row, const char *name)
{
	for (size_t i = 0; i < row->nfacilities; i++)
		if (!strcmp(row->facilities[i].name, name))
			return row->facilities[i].self_ns;
	return 0;
}

static bool begins_variant(const struct sweep *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->rows[k].variant, s->rows[i].variant))
			return false;
	return true;
}

/* "64 1 16": the values alone, as the axis names the parameters. */
static void write_values(FILE *out, const struct sweep_point *p)
{
	fputc('"', out);
	for (size_t i = 0; i < p->n; i++)
		fprintf(out, "%s%.10g", i ? " " : "", p->values[i]);
	fputc('"', out);
}

/* A data set for each variant; the first one has the head. */
static void facilities_data(FILE *out, const struct sweep *s)
{
	const char *names[SWEEP_FACILITIES];
	size_t n = sweep_facilities(s, NULL, names);

	fputs("point", out);
	for (size_t k = 0; k < n; k++) {
		fputc('\t', out);
		plot_text(out, names[k]);
	}
	fputc('\n', out);
	for (size_t first = 0; first < s->nrows; first++) {
		for (size_t i = first; i < s->nrows && begins_variant(s, first); i++) {
			if (strcmp(s->rows[i].variant, s->rows[first].variant))
				continue;
			write_values(out, &s->rows[i].point);
			for (size_t k = 0; k < n; k++)
				fprintf(out, "\t%.10g", facility_ns(&s->rows[i], names[k]));
			fputc('\n', out);
		}
		fputs(begins_variant(s, first) ? "\n\n" : "", out);
	}
}

size_t plot_sweep_count(const struct plot *p, enum plot_kind kind)
{
	const char *names[SWEEP_FACILITIES];
	const struct sweep *s = p->sweep;
	size_t n = 0, axis;

	if (kind == PLOT_FACILITIES)
		return sweep_facilities(s, NULL, names);
	axis = axis_of(p, kind);
	if (!words[kind].title || axis == s->rows[0].point.n)
		return 0;
	for (size_t i = 0; i < s->nrows; i++)
		n += begins_series(s, i, kind, axis);
	return n;
}

void plot_sweep_data(FILE *out, const struct plot *p, enum plot_kind kind)
{
	const struct sweep *s = p->sweep;

	if (kind == PLOT_FACILITIES) {
		facilities_data(out, s);
		return;
	}
	for (size_t i = 0; i < s->nrows; i++)
		if (begins_series(s, i, kind, axis_of(p, kind)))
			series_data(out, s, i, kind, axis_of(p, kind));
}

int plot_sweep_height_px(const struct plot *p, enum plot_kind kind)
{
	return kind == PLOT_FACILITIES ? 460 : 280 + 18 * (int)((plot_sweep_count(p, kind) + 1) / 2);
}

/* ---- the script -------------------------------------------------------------------------------------- */

static void facilities_script(FILE *out, const struct plot *p)
{
	const char *names[SWEEP_FACILITIES];
	const struct sweep_point *point = &p->sweep->rows[0].point;
	size_t n = sweep_facilities(p->sweep, NULL, names), set = 0;

	fputs("colours = \"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", palette_of_facility(names[i])->fill);
	fputs("\"\nset title 'What a packet is made of, over ", out);
	for (size_t i = 0; i < point->n; i++)
		fprintf(out, "%s%s", i ? ", " : "", point->names[i]);
	fputs("'\nset ylabel 'ns/packet'\nset yrange [0:*]\nset style data histograms\nset style histogram rowstacked "
	      "title offset 0,-0.7\nset style fill solid 1 border rgb '#ffffff'\nset boxwidth 0.72\nset xtics rotate "
	      "by "
	      "-90 font ',9'\nset bmargin 10\nunset grid\nset grid ytics lc rgb '#e2e5e9' lt 1\nplot ",
	      out);
	for (size_t i = 0; i < p->sweep->nrows; i++) {
		if (!begins_variant(p->sweep, i))
			continue;
		fputs(set ? ", \\\n     newhistogram " : "newhistogram ", out);
		plot_quote(out, p->sweep->rows[i].variant);
		fprintf(out, ", for [i=2:%zu] ", n + 1);
		plot_data_name(out, p, PLOT_FACILITIES);
		fprintf(out, " index %zu using i:xtic(1) %s lc rgb word(colours, i - 1)", set,
			set ? "notitle" : "title columnheader(i)");
		set++;
	}
	fputs("\nreset\n", out);
}

static bool is_wide(const struct sweep *s, size_t axis)
{
	double low = s->rows[0].point.values[axis], high = low;

	for (size_t i = 1; i < s->nrows; i++) {
		low = fmin(low, s->rows[i].point.values[axis]);
		high = fmax(high, s->rows[i].point.values[axis]);
	}
	return low > 0 && high >= LOGARITHMIC * low;
}

void plot_sweep_script(FILE *out, const struct plot *p, enum plot_kind kind)
{
	size_t axis = axis_of(p, kind);

	if (kind == PLOT_FACILITIES) {
		facilities_script(out, p);
		return;
	}
	fputs("set key outside below left horizontal Left reverse maxcols 2\n", out);
	fprintf(out, "set title '%s'\nset ylabel '%s'\nset yrange [0:*]\nset xlabel ", words[kind].title,
		words[kind].y);
	plot_quote(out, kind == PLOT_CORES ? "Mpps" : p->sweep->rows[0].point.names[axis]);
	if (kind != PLOT_CORES && is_wide(p->sweep, axis))
		fputs("\nset logscale x 2\nset format x '%g'", out);
	fprintf(out, "\nset offsets graph 0.03, graph 0.03\nplot for [i=0:%zu] ", plot_sweep_count(p, kind) - 1);
	plot_data_name(out, p, kind);
	fprintf(out, " index i using %s pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)\nreset\n",
		kind == PLOT_NS ? "1:2:3 with yerrorlines" : "1:2 with linespoints");
}
