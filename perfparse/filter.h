/*
 * filter - what the perfparse program does with one text
 *
 * in:    options; perf's text from a file or stdin
 * out:   everything read (filter_read), then printed (filter_render)
 * law:   nothing is printed before all was read: a part of a table never looks like the whole
 * error: 0 / -errno with one sentence in diag
 */
#ifndef PERFPARSE_FILTER_H
#define PERFPARSE_FILTER_H

#include "perfparse/annotate_render.h"
#include "perfparse/cost.h"
#include "perfparse/diff.h"
#include "perfparse/options.h"
#include "perfparse/perfstat.h"
#include "perfparse/text_kind.h"

struct filter {
	const struct options *o;
	struct diag *d;
	enum text_kind kind;
	struct facilities *facilities;
	/* report and script; the second of each is --diff's */
	struct profile profile, profile2;
	struct cost_table table, table2;
	struct symkeys *keys;
	struct diff diff;
	/* stat */
	struct perfstat stat;
	double packets, window_s;
	/* annotate */
	struct annotate_list annotated;
	struct annotate_render *parts;
	size_t nparts;
};

void filter_init(struct filter *f, const struct options *o, struct diag *d);
void filter_release(struct filter *f); /* may be called twice */
int filter_read(struct filter *f);
int filter_render(const struct filter *f, FILE *out);

/* For the parts. */
double filter_base_ns(const struct options *o); /* 0: not given */
int filter_print_json(json_t *json, FILE *out); /* takes json, NULL is -ENOMEM */
int filter_read_profile(struct filter *f, struct linescan *lines);
int filter_render_profile(const struct filter *f, FILE *out);
int filter_read_stat(struct filter *f, struct linescan *lines);
int filter_render_stat(const struct filter *f, FILE *out);
int filter_read_annotate(struct filter *f, struct linescan *lines);
int filter_render_annotate(const struct filter *f, FILE *out);
/* A report or a script in path, as the first text is one. */
int filter_read_table(struct filter *f, const char *path, double base_ns, struct profile *p, struct cost_table *t);

#endif
