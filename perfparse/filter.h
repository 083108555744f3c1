/*
 * filter - the work of the perfparse program: reads one text, prints one result
 *
 * in:    options; perf's text from a file or stdin
 * out:   filter_read() reads the whole text, filter_render() prints the result
 * law:   nothing is printed before the whole text was read, so a cut text never prints a result that looks complete
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
	const char *reading; /* the file that a sentence in d is about; NULL: standard input, or no file */
	bool misuse;         /* the error is one of the command line */
	enum text_kind kind;
	struct undress worn; /* what was taken away from the text, and from that of --diff */
	struct facilities *facilities;
	/* for report and script; profile2 and table2 are of the --diff file */
	struct profile profile, profile2;
	struct cost_table table, table2;
	struct symkeys *keys;
	struct diff diff;
	/* for stat */
	struct perfstat stat;
	double packets, window_s;
	/* for annotate */
	struct annotate_list annotated;
	struct annotate_render *parts;
	size_t nparts;
};

void filter_init(struct filter *f, const struct options *o, struct diag *d);
void filter_release(struct filter *f); /* may be called twice */
int filter_read(struct filter *f);
int filter_render(const struct filter *f, FILE *out);

/* Functions that the filter_*.c files share. */
int filter_misuse(struct filter *f, const char *sentence); /* -EINVAL: these options do not fit, or not this text */
double filter_base_ns(const struct options *o);            /* 0: not given */
int filter_print_json(json_t *json, FILE *out);            /* releases json; NULL: returns -ENOMEM */
int filter_read_profile(struct filter *f, struct linescan *lines);
int filter_read_difference(struct filter *f, struct linescan *lines); /* the text of perf diff */
int filter_render_profile(const struct filter *f, FILE *out);
int filter_read_stat(struct filter *f, struct linescan *lines);
int filter_render_stat(const struct filter *f, FILE *out);
int filter_read_annotate(struct filter *f, struct linescan *lines);
int filter_render_annotate(const struct filter *f, FILE *out);
int filter_need_base(struct filter *f, double base_ns); /* -EINVAL: it is 0 */
/* -EINVAL: --tid is given, and this text, the first or that of --diff, is none of perf script. */
int filter_refuse_tid(struct filter *f, enum text_kind kind);
/* Reads the file path, a report or a script, into p and t. */
int filter_read_table(struct filter *f, const char *path, double base_ns, struct profile *p, struct cost_table *t);

#endif
