/*
 * import - a text of perf, or rates, that somebody else measured, as a run directory with one variant
 *
 * in:    struct import_from, borrowed: a file (NULL: a rate alone), what was measured, and which part counts
 * out:   import_read(): the text, undressed, with the places of its tables and rates; import_list() prints them.
 *        import_write(): one of them as a run directory, which the caller has begun
 * units: pps in packets per second; ns per packet; text at most 64 MiB
 *        A profile of an event that is no time becomes a count of it, of all functions together
 * law:   nothing is written that report would refuse. A document with several tables or measurements is refused until
 *        `table` picks one
 * error: -errno with one sentence, which names the file
 */
#ifndef REPORTS_IMPORT_H
#define REPORTS_IMPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"
#include "perfparse/perf_data.h"
#include "perfparse/perfstat.h"
#include "perfparse/text_kind.h"
#include "reports/import/rates.h"
#include "reports/run/run.h"

struct import_from {
	const char *file, *variant;
	const struct perf_data *data; /* the file's text, where it is a perf.data; or NULL */
	const char *event;            /* NULL: the only one */
	double pps, ns;               /* one of them, or none: <= 0 */
	int table;                    /* by import_list(); 0: the only one */
	int samples;                  /* that a table rests on; 0: the text says */
	bool as_time;                 /* take shares of an event that is no time as such */
	double window_s; /* between two outputs of ethtool -S, or of perf with an event that is no time; 0: not known */
	double payload_bytes; /* data in a packet of the streams that were counted; 0: not known */
	const char *kernel, *driver, *nic, *cpu_model, *source, *date; /* NULL: not known */
};

/* What was read: a document, the part of it that is the profile, and rates. */
struct import {
	const struct import_from *from;
	char *text;
	size_t len;
	char left_out[128];  /* of the rates, for people; "" for nothing */
	char undressed[512]; /* what the text was read without, for people; "" for nothing */
	struct report_tables tables;
	struct report_text kept; /* the lines of the table that was read */
	const char *part;        /* text, or kept.text; NULL: there is no profile */
	size_t part_len;
	int table; /* of tables, from 1; 0: the only one */
	enum text_kind kind;
	char event[64];
	struct rates found;              /* in the document */
	const struct rates_group *rates; /* the one of them that counts; NULL: a rate was given */
	double *pps;                     /* of the variant's packets, one reading or more; owned */
	size_t npps;
	struct perfstat stat;
};

int import_read(struct import *m, const struct import_from *from, struct diag *d);
void import_list(FILE *out, const struct import *m);
/* command: the command line, or NULL. */
int import_write(struct import *m, const struct run_dir *dir, json_t *command, struct diag *d);
void import_release(struct import *m); /* may be called twice */

#endif
