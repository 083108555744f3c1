/* page.h - HTML pages, flame graphs, plots */
#ifndef REPORTS_PAGE_PAGE_H
#define REPORTS_PAGE_PAGE_H

#include "base/base.h"
#include "base/sheet/sheet.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "reports/exact/exact.h"
#include "reports/format/format.h"
#include "reports/sweep/sweep.h"

/*
 * flame - call paths of one variant, or of two laid over each other, as a tree of frames
 *
 * units: ns or instructions per packet, never shares, because a share of one variant cannot be compared with a share
 *        of another
 * law:   a frame's cost is its self plus the costs of the frames that it called. The root's cost is the variant's base,
 *        or all instructions of a packet; the frames on it hold rest_ns less. With two sides, the width of a frame is
 *        the larger of its two selfs plus the widths of the frames that it called, so a frame that one side lacks is
 *        visible too. A fitted count below 0 has no width. Frames are matched by symkey(), under matched callers. x +
 *        width of a frame never passes its caller's
 * src:   Brendan Gregg, "The Flame Graph", Communications of the ACM 59/6, 2016. The joined width of both sides
 *        is this project's idea
 */

struct flame_frame {
	/* of the side where the frame costs more; the root's is "all", or "consumer" of its task (analysis.h) */
	const char *name;
	const char *names[2];  /* as perf prints it on each side; NULL: the side lacks the frame */
	const char *component; /* the one that at least half of the cost belongs to; "": there is none */
	size_t parent;         /* the root's parent is the root */
	unsigned int depth;
	uint64_t samples[2];              /* or instructions counted; 0: the side lacks the frame */
	double cost[2], self[2], half[2]; /* half: the wider side of the interval of cost; 0: counts have none */
	double share_pct[2];              /* cost of all functions of its side */
	double x, width;
	double delta, delta_half; /* of two sides: the two intervals in quadrature */
	enum compare_class class; /* changed: delta beyond its interval */
};

struct flame {
	enum flame_unit { FLAME_NS, FLAME_INSTRUCTIONS } unit;
	const char *names[2];                    /* of base and new, short; or of one variant and NULL */
	const struct analysis_variant *sides[2]; /* of samples: base and new, or one variant and NULL */
	struct flame_frame *frames;
	size_t nframes;    /* 0 where nothing was sampled */
	size_t rest;       /* the frame of what is unattributed; 0: there is none */
	double rest_ns[2]; /* below 0: functions add up to more than was measured */
	unsigned int depth;
};

int flame_build(struct flame *f, const struct analysis_variant *v);
int flame_build_difference(struct flame *f, const struct compare *c, const char *const *names);
int flame_build_exact(struct flame *f, const struct exact_variant *v);
int flame_build_exact_difference(struct flame *f, const struct exact_diff *d, const char *const *names);
void flame_release(struct flame *f); /* may be called twice */

/*
 * html_parts - the parts of a page; nobody outside of reports/ includes this
 *
 * units: as the headings say
 * law:   nothing here computes a fact. Every value goes through markup(). Words and tables are whole without scripts:
 *        a figure says in words what its chart shows
 */

/* ---- the page around ---- */
#define HTML_COSTS "Costs are ns/packet; ± is a 95 % interval."
#define HTML_COUNTS                                                                                                    \
	"Instructions and calls per packet, counted under emulation. ± is how far a window is off the model at most, " \
	"or moves it; a count without ± is exact."

/* Section and content are open; they end here. */
void html_page_command(FILE *out, const struct render_options *o);

/* The style sheet and the script, built in, without escaping: neither holds "</" of its own element, nor "]]>". */
struct html_asset {
	const char *text, *digest; /* digest: "sha256-...", with which a page runs these and nothing else */
};

extern const struct html_asset html_page_css, html_page_js;

/* ---- tables: "-" where a number is not known; the whole number goes along for scripts ---- */
struct html_table {
	const char *class;
	const char *const *names; /* of the columns "base_..." and "new_..."; NULL: their heads */
	const char *const *sides; /* what the column "side" calls rows of the classes "base" and "new" */
	const char *chart;        /* what the script draws in the table */
	const char *link;         /* the column whose cells lead to the id in the row's column "to" */
	const struct rows *foot;  /* of the same columns, below the table */
};
/* Writes nothing if the rows hold nothing for people. */
void html_table(FILE *out, const struct rows *r, const struct html_table *how);
/* The tables in the cells of a row, with their heads: those of the keys, which end with NULL; keys NULL: all. */
void html_tables(FILE *out, const struct rows *r, size_t row, const char *const *keys, const char *const *names);
int html_changes_table(FILE *out, const struct rows *diff, const char *const *names);
void html_facts(FILE *out, const struct rows *r, size_t row, unsigned int in);

void html_gates_verdict(FILE *out, const struct document *d);
void html_gates_section(FILE *out, const struct document *d);

void html_json(FILE *out, const json_t *value); /* objects as lists of facts */

/* ---- figures: tables and words; the script draws beside them ---- */
void html_sweep(FILE *out, const struct sweep *s);
bool html_has_polls(const struct document *d);
int html_run_sections(FILE *out, const struct document *d);

/* Nothing where a flame has no frames. */
void html_flame_figure(FILE *out, const struct flame *f);

/*
 * markup - HTML and SVG, with everything that is not markup escaped
 *
 * law:   %s is always escaped: there is no way to write a value as markup. Bytes that are not
 *        UTF-8 and characters that XML does not allow become U+FFFD. Numbers have a decimal point in every locale
 */

/* %s, %c, %d, %u, %zu, %f, %g, %%. */
void markup(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * palette - the colours of pages, flame graphs and plots
 *
 * law:   a component of the built-in file has a colour of its own, the same everywhere; the colour of another component
 *        follows from its name, and may be one of theirs. Whatever a colour shows is also written in words
 * src:   Paul Tol, "Colour Schemes", technical note SRON/EPS/TN/09-002, scheme "muted"
 */

struct palette_colour {
	const char *class, *fill, *text; /* text: colour of letters on the fill */
};

const struct palette_colour *palette_of_component(const char *component); /* "": no component, neutral */

/* part: change over the whole, -1 "all of it gone" to 1 "all of it new"; nine steps. */
const struct palette_colour *palette_of_change(double part);

/*
 * plot - a gnuplot script with its data: for papers, and to be changed by hand
 *
 * law:   nothing is computed: columns are those of the analysis and of diff_step_rows(). No name in the data ends its
 *        column or line, and none in the script ends its quotes
 */

/* A run has the first two; a sweep components, and costs and rates over a parameter, busy CPUs over rate and Mpps. */
enum plot_kind { PLOT_WATERFALL, PLOT_COMPONENTS, PLOT_NS, PLOT_MPPS, PLOT_BUSY, PLOT_CORES, PLOT_KINDS };

struct plot {
	const struct analysis *a;
	const struct sweep *sweep;           /* drawn instead of a; NULL: none */
	const struct analysis_variant *only; /* NULL: all variants */
	const struct compare *c;             /* the comparison in the waterfall; NULL: no waterfall */
	bool wanted[PLOT_KINDS];
	double width_mm;  /* of a figure for a paper: no title, patterns that survive grey, 8 points; 0: of no paper */
	const char *font; /* letters, digits and blanks; NULL: sans-serif */
};

int plot_want(struct plot *p, const char *kind, struct diag *d);
/* A kind for which there is no data is left out; -ENODATA: all are. */
int plot_write(FILE *out, struct plot *p, struct diag *d);

/*
 * timeline - packets per second over the time of a run, window by window
 *
 * units: seconds since the first window of the run
 * law:   a window lies within its block, and blocks do not overlap. Windows of other kinds are left out, because probes
 *        or counters change their rate
 */

struct timeline_window {
	double from_s, to_s, pps;
	bool profiled;
};

struct timeline_block {
	const struct analysis_variant *variant;
	const struct analysis_block *block;
	const char *place; /* "near" ...; "": the run was not probed */
	double from_s, to_s;
	size_t first, nwindows; /* windows[first .. first + nwindows) */
};

/* Time at another speed of the machine, which is set aside; short gaps between such times are in it. */
struct timeline_span {
	double from_s, to_s;
};

struct timeline {
	struct timeline_block *blocks;
	size_t nblocks;
	struct timeline_window *windows;
	size_t nwindows;
	struct timeline_span *spans;
	size_t nspans;
	double length_s, factor; /* factor: by which the spans are slower; NaN: not known, as of stalls */
};

int timeline_build(struct timeline *t, const struct analysis *a);
void timeline_release(struct timeline *t); /* may be called twice */

#endif
