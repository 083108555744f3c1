/*
 * render - what perfparse prints of a result: rows for JSON and CSV, text, folded stacks
 *
 * in:    a result with what it was made from, all borrowed
 * out:   rows (base/sheet), released by the caller: one row, whose cells are the members of JSON. Text into a FILE of
 *        the caller
 * units: ns per packet, percent, events per packet; "msec" of a clock are shown as ns per packet; folded counts are
 *        whole picoseconds per packet, or millionths of an event
 * law:   every format shows the same numbers. Every format of a difference has the closure: sum of the differences +
 *        residual == difference of the bases. What is not known is null in JSON and an empty field in CSV
 * error: of rows: rows_error(); else -ENOMEM, and the caller checks the stream
 * src:   text rows begin like the awk lines of "Eval Generic netstack XDP patch", 2017: " 34.33% => 42.0 ns"; of
 *        instructions there: 12.7 ns of __build_skb * 75.65 % on "rep stos" = 9.6 ns
 */
#ifndef PERFPARSE_RENDER_H
#define PERFPARSE_RENDER_H

#include <stdbool.h>
#include <stdio.h>
#include "base/sheet/rows.h"
#include "perfparse/annotate.h"
#include "perfparse/diff.h"
#include "perfparse/perfstat.h"

/* ---- a profile ---- */
struct cost_render {
	const struct cost_table *table;
	const struct profile *profile;
	const struct facilities *facilities;
	double pps;     /* the rate from which base_ns was computed; 0: base_ns was given in ns */
	bool children;  /* text: the cost of a symbol includes all that it calls; largest such cost first */
	bool symbols;   /* text: false prints facilities only */
	bool events;    /* costs are events per packet: the event is no time */
	double packets; /* of events: how many there were */
};
void cost_render_rows(struct rows *r, const struct cost_render *c);
int cost_render_text(const struct cost_render *given, FILE *out);
int cost_render_folded(const struct cost_render *c, FILE *out);

/* ---- two profiles side by side ---- */
struct diff_render {
	const struct diff *diff;
	const struct facilities *facilities;
	bool symbols; /* text: false prints facilities only */
};
void diff_render_rows(struct rows *r, const struct diff_render *d);
int diff_render_text(const struct diff_render *d, FILE *out);

/* ---- counts of perf stat ---- */
struct perfstat_render {
	const struct perfstat *stat;
	double packets;    /* packets in one run */
	double window_s;   /* NaN: not known */
	int cpu;           /* -1: any */
	const char *event; /* NULL: any */
};
/* True if the count is of the wanted CPU and the wanted event. */
bool perfstat_render_shows(const struct perfstat_render *s, const struct perfstat_count *c);
/* An event that was not counted is shown as such. One that shared its counter has the share of the time it had it. */
void perfstat_render_rows(struct rows *r, const struct perfstat_render *s);
int perfstat_render_text(const struct perfstat_render *s, FILE *out);

/* ---- instructions and source lines of symbols ---- */
struct annotate_render {
	const struct annotate *symbol;
	double symbol_ns; /* the cost that 100 % in the text stands for */
	double base_ns;
};
void annotate_render_rows(struct rows *r, const struct annotate_render *a, size_t n);
int annotate_render_text(const struct annotate_render *a, size_t n, FILE *out);

/* ---- pieces of the texts ---- */
/* The line above a difference. */
void render_bases(double base_ns, double new_ns, double delta_ns, FILE *out);
void render_half(double half_ns, FILE *out); /* "  ± 0.33 "; blanks where it is not known */
/* A column that was that wide, and has this name in it, too. */
int render_width(int width, const char *name);

#endif
