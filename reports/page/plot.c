// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/new_file.h"
#include "base/printable.h"
#include "reports/page/palette.h"
#include "reports/page/plot_parts.h"
#include "reports/document/sentence.h"
#include "reports/page/timeline.h"
#include "reports/rows/document_rows.h"

const char *const plot_kind_names[PLOT_KINDS] = {"waterfall", "facilities", "pps",  "polls",
						 "ns",        "mpps",       "busy", "cores"};

static const struct {
	const char *end, *terminal; /* %d: its height, of which px_per_unit make one */
	int px_per_unit;
} terminals[] = {
	{".svg", "svg noenhanced dynamic size 1000,%d font 'sans-serif,13' background 'white'", 1},
	{".png", "pngcairo noenhanced size 1000,%d font 'sans-serif,11'", 1},
	{".pdf", "pdfcairo noenhanced size 25cm,%dcm font 'sans-serif,11'", 40},
};

#define NTERMINALS (sizeof(terminals) / sizeof(terminals[0]))

int plot_init(struct plot *p, const char *file, struct diag *d)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
	size_t i = 0, shown = 0, len;

	memset(p, 0, sizeof(*p));
	p->folder_fd = -1;
	while (i < NTERMINALS && (!dot || strcmp(dot, terminals[i].end)))
		i++;
	if (i == NTERMINALS || dot == name)
		return diag_set(d, -EINVAL, "%.200s: name a file that ends in .svg, .png or .pdf", file);
	while (name[shown] && (len = printable_length(name + shown)))
		shown += len;
	if (strlen(name) >= sizeof(p->name) - 16 || strlen(file) >= sizeof(p->folder) || name[shown])
		return diag_set(d, -EINVAL, "%.200s: too long, or with characters that cannot be printed", name);
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
			"\"%.32s\" is not a plot; plots are waterfall, facilities, pps, polls; of sweeps ns, "
			"facilities, mpps, busy, cores",
			kind);
}

/* Writes a column of text in quotes, without characters that would end the column or the line. */
void plot_text(FILE *out, const char *text)
{
	char c[PRINTABLE_BYTES];

	fputc('"', out);
	while (*text) {
		printable_next(&text, c);
		fputs(*c == '"' ? "?" : c, out);
	}
	fputc('"', out);
}

/* Writes a text of the script in single quotes. Inside them only a single quote is special. */
void plot_quote(FILE *out, const char *text)
{
	char c[PRINTABLE_BYTES];

	fputc('\'', out);
	while (*text) {
		printable_next(&text, c);
		fputs(*c == '\'' ? "''" : c, out);
	}
	fputc('\'', out);
}

/* ---- data -------------------------------------------------------------------------------------------- */

static bool shown(const struct plot *p, const struct analysis_variant *v)
{
	return v->nused && (!p->only || p->only == v);
}

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
		plot_text(out, rows_cell(&r, i, "name")->text);
		fprintf(out, "\t%.10g\t%.10g\t%.10g\t%s\n", from_ns, at_ns,
			isnan(step->half) || r.rows[i].aside ? 0 : step->half,
			whole             ? "0x56616d"
			: step->value < 0 ? "0x2f73b7"
					  : "0xc8602a");
	}
	rows_release(&r);
	return err;
}

static double facility_ns(const struct analysis_variant *v, const char *name)
{
	for (size_t i = 0; i < v->nfacilities; i++)
		if (!strcmp(v->facilities[i].name, name))
			return v->facilities[i].self_ns;
	return 0;
}

static bool costs(const struct plot *p, const char *facility)
{
	for (size_t i = 0; i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]) && facility_ns(&p->a->variants[i], facility) > 0)
			return true;
	return false;
}

/* Facilities in the order of the variant that costs most; all variants have the same ones. */
static const struct analysis_variant *dearest(const struct plot *p)
{
	const struct analysis_variant *most = NULL;

	for (size_t i = 0; i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]) && (!most || p->a->variants[i].base_ns > most->base_ns))
			most = &p->a->variants[i];
	return most;
}

static int facilities_data(FILE *out, const struct plot *p)
{
	const struct analysis_variant *most = dearest(p);

	fputs("variant", out);
	for (size_t k = 0; k < most->nfacilities; k++)
		if (costs(p, most->facilities[k].name)) {
			fputc('\t', out);
			plot_text(out, most->facilities[k].name);
		}
	fputc('\n', out);
	for (size_t i = 0; i < p->a->nvariants; i++) {
		const struct analysis_variant *v = &p->a->variants[i];

		if (!shown(p, v))
			continue;
		plot_text(out, v->variant->id);
		for (size_t k = 0; k < most->nfacilities; k++)
			if (costs(p, most->facilities[k].name))
				fprintf(out, "\t%.10g", facility_ns(v, most->facilities[k].name));
		fputc('\n', out);
	}
	return 0;
}

/* One data set per variant: gnuplot's "index". */
static int pps_data(FILE *out, const struct plot *p)
{
	struct timeline t;
	int err = timeline_build(&t, p->a);

	for (size_t i = 0; i < p->a->nvariants && !err; i++) {
		if (!shown(p, &p->a->variants[i]))
			continue;
		plot_text(out, p->a->variants[i].variant->id);
		fputs("\n# from_s\tto_s\tmpps\tblock\tused\n", out);
		for (size_t b = 0; b < t.nblocks; b++)
			for (size_t k = 0; k < t.blocks[b].nwindows && t.blocks[b].variant == &p->a->variants[i]; k++) {
				const struct timeline_window *w = &t.windows[t.blocks[b].first + k];

				if (!w->profiled)
					fprintf(out, "%.6f\t%.6f\t%.10g\t%d\t%d\n", w->from_s, w->to_s, w->pps / 1e6,
						t.blocks[b].block->block->index, t.blocks[b].block->fate == FATE_USED);
			}
		fputs("\n\n", out);
	}
	timeline_release(&t);
	return err;
}

static int polls_data(FILE *out, const struct plot *p)
{
	for (size_t i = 0; i < p->a->nvariants; i++) {
		const struct analysis_variant *v = &p->a->variants[i];

		if (!shown(p, v) || !(v->polls > 0))
			continue;
		plot_text(out, v->variant->id);
		fputs("\n# packets\tpct_of_polls\n", out);
		for (int k = 0; k < RUN_POLL_HIST; k++)
			fprintf(out, "%d\t%.10g\n", k, v->poll_pct[k]);
		fputs("\n\n", out);
	}
	return 0;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static bool has_data(const struct plot *p, enum plot_kind kind)
{
	if (p->sweep)
		return plot_sweep_count(p, kind) > 0;
	if (kind > PLOT_POLLS)
		return false;
	if (kind == PLOT_WATERFALL)
		return p->c && p->c->base->nused && p->c->new->nused;
	for (size_t i = 0; i < p->a->nvariants; i++)
		if (shown(p, &p->a->variants[i]) && (kind != PLOT_POLLS || p->a->variants[i].polls > 0) &&
		    (kind != PLOT_FACILITIES || p->a->variants[i].samples))
			return true;
	return false;
}

static void name_of(const struct plot *p, int which, char *name, size_t size)
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
		name_of(p, i, name, sizeof(name));
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
	name_of(p, which, name, sizeof(name));
	diag_set(d, p->errs[which], "%s: cannot write %s: %s", p->folder, name, strerror(-p->errs[which]));
	return NULL;
}

int plot_close(struct plot *p, int which, int err, struct diag *d)
{
	struct diag why = {""};

	err = new_file_close(&p->files[which], err, &why);
	return err ? diag_set(d, err, "%s: %s", p->folder, why.text) : 0;
}

static int write_data(struct plot *p, enum plot_kind kind, struct diag *d)
{
	static int (*const writers[])(FILE *, const struct plot *) = {waterfall_data, facilities_data, pps_data,
								      polls_data};
	struct new_file *file = plot_file(p, kind, d);
	int err = 0;

	if (!file)
		return p->errs[kind];
	if (p->sweep)
		plot_sweep_data(file->stream, p, kind);
	else
		err = writers[kind](file->stream, p);
	return plot_close(p, kind, err, d);
}

size_t plot_count(const struct plot *p, enum plot_kind kind)
{
	const struct analysis_variant *most;
	size_t n = 0;

	if (p->sweep)
		return plot_sweep_count(p, kind);
	most = dearest(p);
	if (kind == PLOT_WATERFALL)
		return p->c->nfacilities + 4;
	if (kind == PLOT_FACILITIES) {
		for (size_t k = 0; k < most->nfacilities; k++)
			n += costs(p, most->facilities[k].name);
		return n;
	}
	for (size_t i = 0; i < p->a->nvariants; i++)
		n += shown(p, &p->a->variants[i]) && (kind != PLOT_POLLS || p->a->variants[i].polls > 0);
	return n;
}

void plot_facility_colours(FILE *out, const struct plot *p)
{
	const struct analysis_variant *most = dearest(p);

	fputs("colours = \"", out);
	for (size_t k = 0; k < most->nfacilities; k++)
		if (costs(p, most->facilities[k].name))
			fprintf(out, "%s ", palette_of_facility(most->facilities[k].name)->fill);
	fputs("\"\n", out);
}

static void set_terminal(FILE *out, const struct plot *p)
{
	int px = 0;
	size_t i = 0;

	while (strcmp(p->name + strlen(p->base), terminals[i].end))
		i++;
	for (int k = 0; k < PLOT_KINDS; k++)
		px += plot_height_px(p, k);
	fprintf(out, "set terminal ");
	fprintf(out, terminals[i].terminal, px / terminals[i].px_per_unit);
}

void plot_draw(FILE *out, const struct plot *p)
{
	set_terminal(out, p);
	plot_script(out, p, NULL);
}

static int write_script(struct plot *p, struct diag *d)
{
	struct new_file *file = plot_file(p, PLOT_SCRIPT, d);

	if (!file)
		return p->errs[PLOT_SCRIPT];
	fprintf(file->stream, "# made by xdpzoom plot; to draw it again: gnuplot ./%s.gp\n", p->base);
	set_terminal(file->stream, p);
	plot_script(file->stream, p, p->name);
	return plot_close(p, PLOT_SCRIPT, 0, d);
}

int plot_write(struct plot *p, struct diag *d)
{
	int err = 0, plots = 0;

	for (int i = 0; i < PLOT_KINDS && !err; i++) {
		p->wanted[i] = p->wanted[i] && has_data(p, i);
		plots += p->wanted[i];
		if (p->wanted[i])
			err = write_data(p, i, d);
	}
	if (err)
		return err;
	return plots ? write_script(p, d)
		     : diag_set(d, -ENODATA, "there is nothing of this to plot in %s",
				p->sweep ? "this sweep" : "this run");
}

void plot_release(struct plot *p)
{
	for (int i = 0; i < PLOT_FILES; i++)
		new_file_close(&p->files[i], -ECANCELED, NULL);
	if (p->folder_fd >= 0)
		close(p->folder_fd);
	p->folder_fd = -1;
}
