// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

static const char *const plot_kind_names[PLOT_KINDS] = {"waterfall", "components", "ns", "mpps", "busy", "cores"};

#define WIDTH_PX        1000
#define PX_MM           (25.4 / 96)
#define POINTS          11 /* of the letters, for which rows have their height */
#define PAPER_POINTS    8
#define MOST_COMPONENTS 256 /* of a run; nobody could tell so many colours apart */
_Static_assert(MOST_COMPONENTS >= SWEEP_COMPONENTS, "sweep_components() fills the same array");

int plot_want(struct plot *p, const char *kind, struct diag *d)
{
	for (int i = 0; i < PLOT_KINDS; i++)
		if (!strcmp(kind, plot_kind_names[i])) {
			p->wanted[i] = true;
			return 0;
		}
	return diag_set(
		d, -EINVAL,
		"\"%.32s\" is not a plot; plots are waterfall, components; of sweeps ns, components, mpps, busy, cores",
		kind);
}

/*
 * A column of data, in double quotes, or a text of the script, in single quotes: no character in them ends the column,
 * the line or the quotes. instead: of the quote.
 */
static void put_quoted(FILE *out, const char *text, char quote, const char *instead)
{
	char c[PRINTABLE_BYTES];

	fputc(quote, out);
	while (*text) {
		printable_next(&text, c);
		fputs(*c == quote ? instead : c, out);
	}
	fputc(quote, out);
}

/* ---- what is drawn: sets of points, each with a name; columns of components -------------------------- */

static bool shown(const struct plot *p, const struct analysis_variant *v)
{
	return v->nused && (!p->only || p->only == v);
}

/* The parameter on the x axis; those of the other ones make series. Offered load is the rate. */
static size_t axis_of(const struct plot *p, enum plot_kind kind)
{
	return kind == PLOT_BUSY ? sweep_parameter(&p->sweep->rows[0].point, SWEEP_RATE) : sweep_axis(p->sweep);
}

static double y_of(const struct sweep_row *row, enum plot_kind kind)
{
	return kind == PLOT_NS ? row->base_ns : kind == PLOT_MPPS ? row->pps / 1e6 : row->busy_cpus;
}

static bool is_point(const struct sweep_row *row, enum plot_kind kind, size_t axis)
{
	return !isnan((kind == PLOT_CORES ? row->pps / 1e6 : row->point.values[axis])) && !isnan(y_of(row, kind));
}

/* Is row i of a sweep the first of its series that is drawn? */
static bool begins_set(const struct plot *p, enum plot_kind kind, size_t i)
{
	size_t axis = axis_of(p, kind);

	if (axis == p->sweep->rows[0].point.n)
		return false;
	for (size_t k = 0; k < i; k++)
		if (sweep_same_line(&p->sweep->rows[k], &p->sweep->rows[i], axis) &&
		    is_point(&p->sweep->rows[k], kind, axis))
			return false;
	return is_point(&p->sweep->rows[i], kind, axis);
}

/* At place i: of a variant or of a row. */
static double component_ns(const struct plot *p, size_t i, const char *name)
{
	const struct analysis_variant *v = p->sweep ? NULL : &p->a->variants[i];
	const struct sweep_row *row = p->sweep ? &p->sweep->rows[i] : NULL;

	for (size_t k = 0; v && k < v->ncomponents; k++)
		if (!strcmp(v->components[k].name, name))
			return v->components[k].self_ns;
	for (size_t k = 0; row && k < row->ncomponents; k++)
		if (!strcmp(row->components[k].name, name))
			return row->components[k].self_ns;
	return 0;
}

/* The components of a run, in the order of the variant that costs most; all variants have the same ones. */
static size_t component_names(const struct plot *p, const char *names[MOST_COMPONENTS])
{
	const struct analysis_variant *most = NULL;
	size_t n = 0;

	if (p->sweep)
		return sweep_components(p->sweep, NULL, names);
	for (size_t i = 0; i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]) && (!most || p->a->variants[i].base_ns > most->base_ns))
			most = &p->a->variants[i];
	for (size_t k = 0; most && k < most->ncomponents && n < MOST_COMPONENTS; k++) {
		bool costs = false;

		for (size_t i = 0; i < p->a->nvariants; i++)
			costs |= shown(p, &p->a->variants[i]) && component_ns(p, i, most->components[k].name) > 0;
		if (costs)
			names[n++] = most->components[k].name;
	}
	return n;
}

/* Rows, columns or sets of a kind's data; 0: there is none. */
static size_t plot_count(const struct plot *p, enum plot_kind kind)
{
	const char *names[MOST_COMPONENTS];
	size_t n = 0;

	if (kind == PLOT_WATERFALL)
		return p->c && p->c->base->nused && p->c->new->nused ? p->c->ncomponents + 4 : 0;
	if (kind == PLOT_COMPONENTS && p->sweep)
		return component_names(p, names);
	if (kind == PLOT_COMPONENTS) /* nobody knows the components of a run that was not profiled */
		for (size_t i = 0; i < p->a->nvariants; i++)
			if (shown(p, &p->a->variants[i]) && p->a->variants[i].samples)
				return component_names(p, names);
	for (size_t i = 0; p->sweep && i < p->sweep->nrows; i++)
		n += begins_set(p, kind, i);
	return n;
}

/* ---- data -------------------------------------------------------------------------------------------- */

/* Each step begins where the one before it ended. */
static int waterfall_data(FILE *out, const struct plot *p)
{
	struct rows r;
	double at_ns = 0;
	int err = diff_step_rows(&r, p->c, p->c->base->variant->id, p->c->new->variant->id);

	fputs("step\tfrom_ns\tto_ns\thalf_ns\tcolour\n", out);
	for (size_t i = 0; i < r.nrows && !err; i++) {
		const struct cell *step = rows_cell(&r, i, "delta_ns");
		bool whole = !i || i == r.nrows - 1;
		double from_ns = whole ? 0 : at_ns;

		at_ns = from_ns + step->value;
		put_quoted(out, rows_cell(&r, i, "name")->text, '"', "?");
		fprintf(out, "\t%.10g\t%.10g\t%.10g\t%s\n", from_ns, at_ns,
			isnan(step->half) || r.rows[i].aside ? 0 : step->half,
			whole             ? "0x56616d"
			: step->value < 0 ? "0x2f73b7"
					  : "0xc8602a");
	}
	rows_release(&r);
	return err;
}

/* The name is that of a variant, or "64 1 16": a point's values alone, as the axis names the parameters. */
static void component_row(FILE *out, const struct plot *p, size_t i, const char *const *names, size_t n)
{
	const struct sweep_point *point = p->sweep ? &p->sweep->rows[i].point : NULL;

	if (point)
		fputc('"', out);
	else
		put_quoted(out, p->a->variants[i].variant->id, '"', "?");
	for (size_t k = 0; point && k < point->n; k++)
		fprintf(out, "%s%.10g", k ? " " : "", point->values[k]);
	fputs(point ? "\"" : "", out);
	for (size_t k = 0; k < n; k++)
		fprintf(out, "\t%.10g", component_ns(p, i, names[k]));
	fputc('\n', out);
}

/* A row for each variant of a run; of a sweep a data set for each, the first of which has the head. */
static void components_data(FILE *out, const struct plot *p)
{
	const char *names[MOST_COMPONENTS];
	size_t n = component_names(p, names);

	fputs(p->sweep ? "point" : "variant", out);
	for (size_t k = 0; k < n; k++) {
		fputc('\t', out);
		put_quoted(out, names[k], '"', "?");
	}
	fputc('\n', out);
	for (size_t i = 0; !p->sweep && i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]))
			component_row(out, p, i, names, n);
	for (size_t first = 0; p->sweep && first < p->sweep->nrows; first++) {
		if (!sweep_is_first(p->sweep, first))
			continue;
		for (size_t i = first; i < p->sweep->nrows; i++)
			if (!strcmp(p->sweep->rows[i].variant, p->sweep->rows[first].variant))
				component_row(out, p, i, names, n);
		fputs("\n\n", out);
	}
}

/* gnuplot's "index" finds a set by its number; its name is its first line. */
static void sets_data(FILE *out, const struct plot *p, enum plot_kind kind)
{
	char others[SWEEP_NAME], name[RUN_ID_BYTES + SWEEP_NAME + 4];
	const struct sweep *s = p->sweep;
	size_t axis = axis_of(p, kind);

	for (size_t first = 0; first < s->nrows; first++) {
		if (!begins_set(p, kind, first))
			continue;
		sweep_others(&s->rows[first], axis, others);
		snprintf(name, sizeof(name), "%s%s%s", s->rows[first].variant, *others ? ", " : "", others);
		put_quoted(out, name, '"', "?");
		fprintf(out, "\n# %s\t%s\thalf\n", kind == PLOT_CORES ? "mpps" : s->rows[first].point.names[axis],
			plot_kind_names[kind]);
		for (size_t i = first; i < s->nrows; i++) {
			const struct sweep_row *row = &s->rows[i];

			if (sweep_same_line(row, &s->rows[first], axis) && is_point(row, kind, axis))
				fprintf(out, "%.10g\t%.10g\t%.10g\n",
					(kind == PLOT_CORES ? row->pps / 1e6 : row->point.values[axis]),
					y_of(row, kind), kind == PLOT_NS && !isnan(row->half_ns) ? row->half_ns : 0);
		}
		fputs("\n\n", out);
	}
}

/* ---- the script: people should be able to read and change it ----------------------------------------- */

#define ROW_PX      24
#define AROUND_PX   90
#define LOGARITHMIC 16 /* a parameter whose largest value is so many times its smallest */

static const char style[] = "set border 3 lc rgb '#8b949e'\n"
			    "set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'\n"
			    "set grid xtics ytics lc rgb '#e2e5e9' lt 1\n"
			    "set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'\n"
			    "set title offset 0,-0.3 font ',13'\n"
			    "# colours for readers with colour vision deficiency: Okabe and Ito\n"
			    "hues = \"#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555\"\n"
			    "hue(n) = word(hues, 1 + (n % words(hues)))\n";

/* Kinds that draw sets: title and label of the y axis. */
static const struct {
	const char *title, *label;
} words[PLOT_KINDS] = {
	[PLOT_NS] = {"What a packet costs", "ns/packet"},
	[PLOT_MPPS] = {"Packets per second", "Mpps"},
	[PLOT_BUSY] = {"How busy the receiving CPUs are", "busy CPUs"},
	[PLOT_CORES] = {"Busy CPUs against packets per second", "busy CPUs"},
};

static int height_px(const struct plot *p, enum plot_kind kind)
{
	if (!p->wanted[kind])
		return 0;
	if (kind == PLOT_WATERFALL)
		return AROUND_PX + ROW_PX * (int)plot_count(p, kind);
	if (kind == PLOT_COMPONENTS) {
		int variants = 0;

		for (size_t i = 0; !p->sweep && i < p->a->nvariants; i++)
			variants += shown(p, &p->a->variants[i]);
		return (p->sweep ? 460 : 320 + 10 * variants) + (p->width_mm > 0 ? 200 : 0);
	}
	return 280 + 18 * (int)((plot_count(p, kind) + 1) / 2);
}

static void components_script(FILE *out, const struct plot *p)
{
	const char *names[MOST_COMPONENTS], *pattern = p->width_mm > 0 ? "fs pattern 1 + i % 7 " : "";
	const struct sweep_point *point = p->sweep ? &p->sweep->rows[0].point : NULL;
	size_t n = component_names(p, names), set = 0;

	fputs("colours = \"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", palette_of_component(names[i])->fill);
	fputs("\"\nset key invert", out); /* in the order of the stack */
	if (p->width_mm > 0)
		fputs("\nset key outside below left horizontal Left reverse maxcols 2", out);
	if (!p->width_mm) {
		fputs("\nset title 'What a packet is made of", out);
		for (size_t i = 0; point && i < point->n; i++)
			fprintf(out, "%s%s", i ? ", " : ", over ", point->names[i]);
		fputs("'", out);
	}
	fprintf(out,
		"\nset ylabel 'ns/packet'\nset yrange [0:*]\nset style data histograms\nset style histogram "
		"rowstacked%s\nset style fill solid 1 border rgb '#ffffff'\nset boxwidth 0.72\nset xtics rotate by "
		"%s\nunset grid\nset grid ytics lc rgb '#e2e5e9' lt 1\nplot ",
		point ? " title offset 0,-0.7" : "",
		point ? "-90 font ',9'\nset bmargin 8" : "-20\nset xrange [-0.6:*]");
	if (!point)
		fprintf(out,
			"for [i=2:%zu] $components using i:xtic(1) title columnheader(i) %slc rgb word(colours, i - 1)",
			n + 1, pattern);
	/* The bars of one variant of a sweep, under its name. */
	for (size_t i = 0; point && i < p->sweep->nrows; i++) {
		if (!sweep_is_first(p->sweep, i))
			continue;
		fputs(set ? ", \\\n     newhistogram " : "newhistogram ", out);
		put_quoted(out, p->sweep->rows[i].variant, '\'', "''");
		fprintf(out, ", for [i=2:%zu] $components index %zu using i:xtic(1) %s %slc rgb word(colours, i - 1)",
			n + 1, set, set ? "notitle" : "title columnheader(i)", pattern);
		set++;
	}
	fputc('\n', out);
}

static void sets_script(FILE *out, const struct plot *p, enum plot_kind kind)
{
	size_t axis = axis_of(p, kind);

	fputs("set key outside below left horizontal Left reverse maxcols 2\n", out);
	if (!p->width_mm)
		fprintf(out, "set title '%s'\n", words[kind].title);
	fprintf(out, "set ylabel '%s'\nset yrange [0:*]\nset xlabel ", words[kind].label);
	put_quoted(out, kind == PLOT_CORES ? "Mpps" : p->sweep->rows[0].point.names[axis], '\'', "''");
	double low = kind == PLOT_CORES ? NAN : p->sweep->rows[0].point.values[axis], high = low;
	for (size_t i = 1; kind != PLOT_CORES && i < p->sweep->nrows; i++) {
		low = fmin(low, p->sweep->rows[i].point.values[axis]);
		high = fmax(high, p->sweep->rows[i].point.values[axis]);
	}
	if (low > 0 && high >= LOGARITHMIC * low)
		fputs("\nset logscale x 2\nset format x '%g'", out);
	fprintf(out,
		"\nset offsets graph 0.03, graph 0.05, graph 0.08\nset rmargin 6\nplot for [i=0:%zu] $%s index i using "
		"%s %s lc rgb hue(i) title columnheader(1)\n",
		plot_count(p, kind) - 1, plot_kind_names[kind],
		kind == PLOT_NS ? "1:2:3 with yerrorlines" : "1:2 with linespoints",
		p->width_mm > 0 ? "pt i + 4 dt i + 1 ps 0.4" : "pt 7 ps 0.6");
}

int plot_write(FILE *out, struct plot *p, struct diag *d)
{
	bool paper = p->width_mm > 0;
	char title[2 * RUN_ID_BYTES + 8];
	int err = 0, whole_px = 0, below_px;

	for (size_t i = 0; !p->sweep && i < p->a->nvariants; i++)
		if (p->a->variants[i].ncomponents > MOST_COMPONENTS)
			return diag_set(d, -E2BIG, "%s has %zu components; %d can be drawn",
					p->a->variants[i].variant->id, p->a->variants[i].ncomponents, MOST_COMPONENTS);
	for (int i = 0; i < PLOT_KINDS; i++) {
		p->wanted[i] = p->wanted[i] && plot_count(p, i);
		whole_px += height_px(p, i);
	}
	if (!whole_px)
		return diag_set(d, -ENODATA, "there is nothing of this to plot in this %s, which may have %s",
				p->sweep ? "sweep" : "run",
				p->sweep ? "components, ns, mpps, busy and cores" : "waterfall and components");
	/* the rows of a paper's figure are as low as its letters are small */
	fprintf(out,
		"# made by xdpzoom report; gnuplot writes the picture to its standard output\n"
		"set terminal svg noenhanced dynamic background 'white' size %.5g,%.5g font '%s,%d'\n"
		"set encoding utf8\nset datafile separator tab\n%sset multiplot\n",
		paper ? p->width_mm / PX_MM : WIDTH_PX, whole_px * (paper ? (double)PAPER_POINTS / POINTS : 1),
		p->font ?: "sans-serif", paper ? PAPER_POINTS * 4 / 3 : 13, style);
	below_px = whole_px;
	for (int i = 0; i < PLOT_KINDS && !err; i++) {
		if (!p->wanted[i])
			continue;
		fprintf(out, "\n$%s << EOD\n", plot_kind_names[i]);
		if (i == PLOT_WATERFALL)
			err = waterfall_data(out, p);
		else if (i == PLOT_COMPONENTS)
			components_data(out, p);
		else
			sets_data(out, p, i);
		below_px -= height_px(p, i);
		fprintf(out, "EOD\nset origin 0,%.5f\nset size 1,%.5f\n", (double)below_px / whole_px,
			(double)height_px(p, i) / whole_px);
		if (i == PLOT_WATERFALL) {
			double most = fmax(p->c->overall.base_ns, p->c->overall.new_ns) / 3;
			double ten = pow(10, floor(log10(most)));

			snprintf(title, sizeof(title), "%s to %s", p->c->base->variant->id, p->c->new->variant->id);
			fputs(paper ? "" : "set lmargin 34\nset title ", out);
			if (paper)
				fprintf(out, "set xtics %g", ten * (most > 5 * ten ? 10 : most > 2 * ten ? 5 : 2));
			else
				put_quoted(out, title, '\'', "''");
			fprintf(out,
				"\nset yrange [%zu.6:-0.6]\nset xrange [0:*]\nset xlabel 'ns/packet'\nset rmargin "
				"4\nunset key\nunset grid\nset grid xtics lc rgb '#e2e5e9' lt 1\nset style fill solid "
				"1 noborder\nplot $waterfall skip 1 using 2:0:2:3:($0 - 0.36):($0 + 0.36):5:ytic(1) "
				"with boxxyerror lc rgb variable, \\\n     $waterfall skip 1 using 3:0:4 with "
				"xerrorbars pt -1 lw 1.2 lc rgb '#1a1f25'\n",
				plot_count(p, PLOT_WATERFALL) - 1);
		} else if (i == PLOT_COMPONENTS) {
			components_script(out, p);
		} else {
			sets_script(out, p, i);
		}
		fprintf(out, "reset\n%s", style);
	}
	fputs("unset multiplot\n", out);
	return err;
}
