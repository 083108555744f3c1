// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"
#include "base/printable.h"

static const char *const plot_kind_names[PLOT_KINDS] = {"waterfall", "components", "pps",  "polls",
							"ns",        "mpps",       "busy", "cores"};

static const struct {
	const char *end, *terminal, *unit;
	double px, mm; /* pixels of a plot, and millimetres of a paper, in a unit of the terminal */
	int points;
} terminals[] = {
	{".svg", "svg noenhanced dynamic background 'white'", "", 1, 25.4 / 96, 13},
	{".png", "pngcairo noenhanced", "", 1, 0, 11},
	{".pdf", "pdfcairo noenhanced", "cm", 40, 10, 11},
};

#define FONT_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -"
#define WIDTH_PX     1000
#define PAPER_POINTS 8

#define NTERMINALS (sizeof(terminals) / sizeof(terminals[0]))

int plot_init(struct plot *p, const char *file, struct diag *d)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
	size_t i = 0, shown = 0, len;

	p->folder_fd = -1;
	while (i < NTERMINALS && (!dot || strcmp(dot, terminals[i].end)))
		i++;
	if (i == NTERMINALS || dot == name)
		return diag_set(d, -EINVAL, "%.200s: name a file that ends in .svg, .png or .pdf", file);
	while (name[shown] && (len = printable_length(name + shown)))
		shown += len;
	if (strlen(name) >= sizeof(p->name) - 16 || strlen(file) >= sizeof(p->folder) || name[shown])
		return diag_set(d, -EINVAL, "%.200s: too long, or with characters that cannot be printed", name);
	if (p->width_mm > 0 && !(terminals[i].mm > 0))
		return diag_set(d, -EINVAL, "%.200s: --size is for .svg and .pdf", file);
	if (p->font && (!*p->font || p->font[strspn(p->font, FONT_LETTERS)]))
		return diag_set(d, -EINVAL, "--font: the name of a font has letters, digits and blanks");
	p->file = file;
	snprintf(p->folder, sizeof(p->folder), "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
	if (slash == file)
		strcpy(p->folder, "/");
	strcpy(p->name, name);
	snprintf(p->base, sizeof(p->base), "%.*s", (int)(dot - name), name);
	return 0;
}

int plot_want(struct plot *p, const char *kind, struct diag *d)
{
	for (int i = 0; i < PLOT_KINDS; i++)
		if (!strcmp(kind, plot_kind_names[i])) {
			p->wanted[i] = true;
			return 0;
		}
	return diag_set(d, -EINVAL,
			"\"%.32s\" is not a plot; plots are waterfall, components, pps, polls; of sweeps ns, "
			"components, mpps, busy, cores",
			kind);
}

#define MOST_COMPONENTS 256 /* of a run; nobody could tell so many colours apart */
_Static_assert(MOST_COMPONENTS >= SWEEP_COMPONENTS, "sweep_components() fills the same array");

/* ---- files ------------------------------------------------------------------------------------------- */

static void plot_name_of(const struct plot *p, int which, char *name, size_t size)
{
	if (which == PLOT_PICTURE)
		snprintf(name, size, "%s", p->name);
	else if (which == PLOT_SCRIPT)
		snprintf(name, size, "%s.gp", p->base);
	else
		snprintf(name, size, "%s.%s.tsv", p->base, plot_kind_names[which]);
}

int plot_open(struct plot *p, struct diag *d)
{
	char name[300];

	p->folder_fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->folder_fd < 0)
		return diag_set(d, -errno, "cannot write to %s: %s", p->folder, strerror(errno));
	for (int i = 0; i < PLOT_FILES; i++) {
		plot_name_of(p, i, name, sizeof(name));
		if (i >= PLOT_KINDS || p->wanted[i])
			p->errs[i] = new_file_open_at(&p->files[i], p->folder_fd, name, 0666, NULL);
	}
	return 0;
}

struct new_file *plot_file(struct plot *p, int which, struct diag *d)
{
	char name[300];

	if (p->files[which].stream)
		return &p->files[which];
	plot_name_of(p, which, name, sizeof(name));
	diag_set(d, p->errs[which], "%s: cannot write %s: %s", p->folder, name, strerror(-p->errs[which]));
	return NULL;
}

int plot_close(struct plot *p, int which, int err, struct diag *d)
{
	struct diag why = {""};

	err = new_file_close(&p->files[which], err, &why);
	return err ? diag_set(d, err, "%s: %s", p->folder, why.text) : 0;
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

static double x_of(const struct sweep_row *row, enum plot_kind kind, size_t axis)
{
	return kind == PLOT_CORES ? row->pps / 1e6 : row->point.values[axis];
}

static bool is_point(const struct sweep_row *row, enum plot_kind kind, size_t axis)
{
	return !isnan(x_of(row, kind, axis)) && !isnan(y_of(row, kind));
}

/* Rows of a sweep, variants of a run: each may begin a set. */
static size_t nplaces(const struct plot *p)
{
	return p->sweep ? p->sweep->nrows : p->a->nvariants;
}

/* Is row i of a sweep the first of its series that is drawn; does variant i have what is drawn? */
static bool begins_set(const struct plot *p, enum plot_kind kind, size_t i)
{
	const struct analysis_variant *v;
	size_t axis;

	if (!p->sweep) {
		v = &p->a->variants[i];
		return (kind == PLOT_PPS || (kind == PLOT_POLLS && v->polls > 0)) && shown(p, v);
	}
	axis = kind < PLOT_NS ? p->sweep->rows[0].point.n : axis_of(p, kind);
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

static bool costs(const struct plot *p, const char *component)
{
	for (size_t i = 0; i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]) && component_ns(p, i, component) > 0)
			return true;
	return false;
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
	for (size_t k = 0; most && k < most->ncomponents && n < MOST_COMPONENTS; k++)
		if (costs(p, most->components[k].name))
			names[n++] = most->components[k].name;
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
	for (size_t i = 0; i < nplaces(p); i++)
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

/* "64 1 16": the values alone, as the axis names the parameters. */
static void put_values(FILE *out, const struct sweep_point *p)
{
	fputc('"', out);
	for (size_t i = 0; i < p->n; i++)
		fprintf(out, "%s%.10g", i ? " " : "", p->values[i]);
	fputc('"', out);
}

static void component_row(FILE *out, const struct plot *p, size_t i, const char *const *names, size_t n)
{
	if (p->sweep)
		put_values(out, &p->sweep->rows[i].point);
	else
		put_quoted(out, p->a->variants[i].variant->id, '"', "?");
	for (size_t k = 0; k < n; k++)
		fprintf(out, "\t%.10g", component_ns(p, i, names[k]));
	fputc('\n', out);
}

static int pps_set(FILE *out, const struct plot *p, const struct analysis_variant *v)
{
	struct timeline t;
	int err = timeline_build(&t, p->a);

	fputs("\n# from_s\tto_s\tmpps\tblock\tused\n", out);
	for (size_t b = 0; b < t.nblocks && !err; b++)
		for (size_t k = 0; k < t.blocks[b].nwindows && t.blocks[b].variant == v; k++) {
			const struct timeline_window *w = &t.windows[t.blocks[b].first + k];

			if (!w->profiled)
				fprintf(out, "%.6f\t%.6f\t%.10g\t%d\t%d\n", w->from_s, w->to_s, w->pps / 1e6,
					t.blocks[b].block->block->index, t.blocks[b].block->fate == FATE_USED);
		}
	timeline_release(&t);
	return err;
}

static void sweep_set(FILE *out, const struct sweep *s, size_t first, enum plot_kind kind, size_t axis)
{
	fprintf(out, "\n# %s\t%s\thalf\n", kind == PLOT_CORES ? "mpps" : s->rows[first].point.names[axis],
		plot_kind_names[kind]);
	for (size_t i = first; i < s->nrows; i++) {
		const struct sweep_row *row = &s->rows[i];

		if (sweep_same_line(row, &s->rows[first], axis) && is_point(row, kind, axis))
			fprintf(out, "%.10g\t%.10g\t%.10g\n", x_of(row, kind, axis), y_of(row, kind),
				kind == PLOT_NS && !isnan(row->half_ns) ? row->half_ns : 0);
	}
}

/* gnuplot's "index" finds a set by its number; its name is its first line. */
static int sets_data(FILE *out, const struct plot *p, enum plot_kind kind)
{
	char others[SWEEP_NAME] = "", name[RUN_ID_BYTES + SWEEP_NAME + 4];
	int err = 0;

	for (size_t i = 0; i < nplaces(p) && !err; i++) {
		if (!begins_set(p, kind, i))
			continue;
		if (p->sweep)
			sweep_others(&p->sweep->rows[i], axis_of(p, kind), others);
		snprintf(name, sizeof(name), "%s%s%s",
			 p->sweep ? p->sweep->rows[i].variant : p->a->variants[i].variant->id, *others ? ", " : "",
			 others);
		put_quoted(out, name, '"', "?");
		if (p->sweep)
			sweep_set(out, p->sweep, i, kind, axis_of(p, kind));
		else if (kind == PLOT_PPS)
			err = pps_set(out, p, &p->a->variants[i]);
		else
			fputs("\n# packets\tpct_of_polls\n", out);
		for (int k = 0; kind == PLOT_POLLS && k < RUN_POLL_HIST; k++)
			fprintf(out, "%d\t%.10g\n", k, p->a->variants[i].poll_pct[k]);
		fputs("\n\n", out);
	}
	return err;
}

static int write_data(struct plot *p, enum plot_kind kind, struct diag *d)
{
	struct new_file *file = plot_file(p, kind, d);
	int err = 0;

	if (!file)
		return p->errs[kind];
	if (kind == PLOT_COMPONENTS) {
		/* A row for each variant of a run; of a sweep a data set for each, the first of which has the head. */
		FILE *out = file->stream;
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
	} else
		err = kind == PLOT_WATERFALL ? waterfall_data(file->stream, p) : sets_data(file->stream, p, kind);
	return plot_close(p, kind, err, d);
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

/* Kinds that draw sets: what stands before the sets, and how they are drawn. */
static const struct {
	const char *set, *draw;
} words[PLOT_KINDS] = {
	[PLOT_PPS] = {"set title 'The run as it went, window by window'\nset ylabel 'Mpps'\nset xlabel 'seconds'\n"
		      "set yrange [0:*]\n",
		      "(($1 + $2) / 2):3 with points"},
	[PLOT_POLLS] = {"set title 'Packets per poll'\nset ylabel '% of polls'\nset xlabel 'packets (the last: more "
			"than 64)'\nset logscale y\nset yrange [0.001:130]\nset xrange [-1:66]\n",
			"1:2 with linespoints"},
	[PLOT_NS] = {"set title 'What a packet costs'\nset ylabel 'ns/packet'\n", "1:2:3 with yerrorlines"},
	[PLOT_MPPS] = {"set title 'Packets per second'\nset ylabel 'Mpps'\n", "1:2 with linespoints"},
	[PLOT_BUSY] = {"set title 'How busy the receiving CPUs are'\nset ylabel 'busy CPUs'\n", "1:2 with linespoints"},
	[PLOT_CORES] = {"set title 'Busy CPUs against packets per second'\nset ylabel 'busy CPUs'\n",
			"1:2 with linespoints"},
};

static int height_px(const struct plot *p, enum plot_kind kind)
{
	if (!p->wanted[kind])
		return 0;
	if (kind == PLOT_WATERFALL)
		return AROUND_PX + ROW_PX * (int)plot_count(p, kind);
	if (kind == PLOT_COMPONENTS)
		return (p->sweep ? 460 : 320 + 10 * (int)plot_count(p, PLOT_PPS)) + (p->width_mm > 0 ? 200 : 0);
	return p->sweep ? 280 + 18 * (int)((plot_count(p, kind) + 1) / 2) : 280;
}

static void put_data_name(FILE *out, const struct plot *p, enum plot_kind kind)
{
	char name[300];

	/* gnuplot runs a name that begins with "<" or "|" as a command */
	snprintf(name, sizeof(name), "./%s.%s.tsv", p->base, plot_kind_names[kind]);
	put_quoted(out, name, '\'', "''");
}

static void waterfall_script(FILE *out, const struct plot *p)
{
	char title[2 * RUN_ID_BYTES + 8];

	snprintf(title, sizeof(title), "%s to %s", p->c->base->variant->id, p->c->new->variant->id);
	if (p->width_mm > 0) {
		double most = fmax(p->c->overall.base_ns, p->c->overall.new_ns) / 3, ten = pow(10, floor(log10(most)));

		fprintf(out, "set xtics %g", ten * (most > 5 * ten ? 10 : most > 2 * ten ? 5 : 2));
	} else {
		fputs("set lmargin 34\nset title ", out);
		put_quoted(out, title, '\'', "''");
	}
	fprintf(out,
		"\nset yrange [%zu.6:-0.6]\nset xrange [0:*]\nset xlabel 'ns/packet'\nset rmargin 4\nunset key\nunset "
		"grid\n"
		"set grid xtics lc rgb '#e2e5e9' lt 1\n"
		"set style fill solid 1 noborder\nplot ",
		plot_count(p, PLOT_WATERFALL) - 1);
	put_data_name(out, p, PLOT_WATERFALL);
	fputs(" skip 1 using 2:0:2:3:($0 - 0.36):($0 + 0.36):5:ytic(1) with boxxyerror lc rgb variable, \\\n     '' "
	      "skip 1 using 3:0:4 with xerrorbars pt -1 lw 1.2 lc rgb '#1a1f25'\n",
	      out);
}

static void components_script(FILE *out, const struct plot *p)
{
	const char *names[MOST_COMPONENTS];
	const struct sweep_point *point = p->sweep ? &p->sweep->rows[0].point : NULL;
	size_t n = component_names(p, names);

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
	if (point) {
		/* The bars of one variant of a sweep, under its name. */
		size_t set = 0;

		for (size_t i = 0; i < p->sweep->nrows; i++) {
			if (!sweep_is_first(p->sweep, i))
				continue;
			fputs(set ? ", \\\n     newhistogram " : "newhistogram ", out);
			put_quoted(out, p->sweep->rows[i].variant, '\'', "''");
			fprintf(out, ", for [i=2:%zu] ", n + 1);
			put_data_name(out, p, PLOT_COMPONENTS);
			fprintf(out, " index %zu using i:xtic(1) %s %slc rgb word(colours, i - 1)", set,
				set ? "notitle" : "title columnheader(i)",
				p->width_mm > 0 ? "fs pattern 1 + i % 7 " : "");
			set++;
		}
	} else {
		fprintf(out, "for [i=2:%zu] ", n + 1);
		put_data_name(out, p, PLOT_COMPONENTS);
		fprintf(out, " using i:xtic(1) title columnheader(i) %slc rgb word(colours, i - 1)",
			p->width_mm > 0 ? "fs pattern 1 + i % 7 " : "");
	}
	fputc('\n', out);
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

static void sets_script(FILE *out, const struct plot *p, enum plot_kind kind)
{
	size_t axis = p->sweep ? axis_of(p, kind) : 0;

	if (p->sweep)
		fputs("set key outside below left horizontal Left reverse maxcols 2\n", out);
	fputs(p->width_mm > 0 ? strchr(words[kind].set, '\n') + 1 : words[kind].set,
	      out); /* the title is the first line */
	if (p->sweep) {
		fputs("set yrange [0:*]\nset xlabel ", out);
		put_quoted(out, kind == PLOT_CORES ? "Mpps" : p->sweep->rows[0].point.names[axis], '\'', "''");
		if (kind != PLOT_CORES && is_wide(p->sweep, axis))
			fputs("\nset logscale x 2\nset format x '%g'", out);
		fputs("\nset offsets graph 0.03, graph 0.05, graph 0.08\nset rmargin 6\n", out);
	}
	fprintf(out, "plot for [i=0:%zu] ", plot_count(p, kind) - 1);
	put_data_name(out, p, kind);
	fprintf(out, " index i using %s %s lc rgb hue(i) title columnheader(1)\n", words[kind].draw,
		p->width_mm > 0 ? "pt i + 4 dt i + 1 ps 0.4" : "pt 7 ps 0.6");
}

/* picture: what it writes to; NULL: its standard output. */
static void put_script(FILE *out, const struct plot *p, const char *picture)
{
	int whole_px = 0, below_px;
	double width, height;
	size_t end = 0;
	char name[300];

	for (int i = 0; i < PLOT_KINDS; i++)
		whole_px += height_px(p, i);
	while (strcmp(p->name + strlen(p->base), terminals[end].end))
		end++;
	/* the rows of a paper's figure are as low as its letters are small */
	width = p->width_mm > 0 ? p->width_mm / terminals[end].mm : WIDTH_PX / terminals[end].px;
	height = whole_px / terminals[end].px * (p->width_mm > 0 ? (double)PAPER_POINTS / terminals[2].points : 1);
	fprintf(out, "set terminal %s size %.5g%s,%.5g%s font '%s,%d'", terminals[end].terminal, width,
		terminals[end].unit, height, terminals[end].unit, p->font ?: "sans-serif",
		p->width_mm > 0 ? PAPER_POINTS * (end ? 1 : 4) / (end ? 1 : 3) : terminals[end].points);
	if (picture) {
		snprintf(name, sizeof(name), "./%s", picture);
		fputs("\nset output ", out);
		put_quoted(out, name, '\'', "''");
	}
	fprintf(out, "\nset encoding utf8\nset datafile separator tab\n%sset multiplot\n", style);
	below_px = whole_px;
	for (int i = 0; i < PLOT_KINDS; i++) {
		if (!p->wanted[i])
			continue;
		below_px -= height_px(p, i);
		fprintf(out, "\nset origin 0,%.5f\nset size 1,%.5f\n", (double)below_px / whole_px,
			(double)height_px(p, i) / whole_px);
		if (i == PLOT_WATERFALL)
			waterfall_script(out, p);
		else if (i == PLOT_COMPONENTS)
			components_script(out, p);
		else
			sets_script(out, p, i);
		fprintf(out, "reset\n%s", style);
	}
	fputs("unset multiplot\n", out);
}

void plot_draw(FILE *out, const struct plot *p)
{
	put_script(out, p, NULL);
}

int plot_write(struct plot *p, struct diag *d)
{
	struct new_file *script;
	int err = 0, plots = 0;

	for (size_t i = 0; !p->sweep && i < p->a->nvariants; i++)
		if (p->a->variants[i].ncomponents > MOST_COMPONENTS)
			return diag_set(d, -E2BIG, "%s has %zu components; %d can be drawn",
					p->a->variants[i].variant->id, p->a->variants[i].ncomponents, MOST_COMPONENTS);
	for (int i = 0; i < PLOT_KINDS && !err; i++) {
		p->wanted[i] = p->wanted[i] && plot_count(p, i);
		plots += p->wanted[i];
		if (p->wanted[i])
			err = write_data(p, i, d);
	}
	if (err)
		return err;
	if (!plots)
		return diag_set(d, -ENODATA, "there is nothing of this to plot in this %s, which may have %s",
				p->sweep ? "sweep" : "run",
				p->sweep ? "components, ns, mpps, busy and cores"
					 : "waterfall, components, pps and polls");
	script = plot_file(p, PLOT_SCRIPT, d);
	if (!script)
		return p->errs[PLOT_SCRIPT];
	fprintf(script->stream, "# made by xdpzoom report; to draw it again: gnuplot ./%s.gp\n", p->base);
	put_script(script->stream, p, p->name);
	return plot_close(p, PLOT_SCRIPT, 0, d);
}

void plot_release(struct plot *p)
{
	for (int i = 0; i < PLOT_FILES; i++)
		new_file_close(&p->files[i], -ECANCELED, NULL);
	if (p->folder_fd >= 0)
		close(p->folder_fd);
	p->folder_fd = -1;
}
