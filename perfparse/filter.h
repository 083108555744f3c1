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

#include "perfparse/options.h"
#include "perfparse/perf_data.h"
#include "perfparse/render.h"
#include "perfparse/text_kind.h"

struct filter {
	const struct options *o;
	struct diag *d;
	const char *reading; /* the file that a sentence in d is about; NULL: standard input, or no file */
	bool misuse;         /* the error is one of the command line */
	enum text_kind kind;
	struct perf_data data, data2; /* filled before the jail; of --diff */
	struct undress worn;          /* what was taken away from the text, and from that of --diff */
	struct facilities *facilities;
	/* for report and script; profile2 and table2 are of the --diff file */
	struct profile profile, profile2;
	struct cost_table table, table2;
	struct symkeys *keys;
	struct diff diff;
	/* for stat */
	struct perfstat stat;
	double packets, window_s; /* for a profile whose event is no time: packets > 0 */
	/* for annotate */
	struct annotate_list annotated;
	struct annotate_render *parts;
	size_t nparts;
};

void filter_init(struct filter *f, const struct options *o, struct diag *d);
void filter_release(struct filter *f); /* may be called twice */
int filter_read(struct filter *f);
int filter_render(const struct filter *f, FILE *out);

#endif
