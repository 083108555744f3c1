/* import.h - what somebody else measured, a text of perf or rates, as a run directory */
#ifndef REPORTS_IMPORT_IMPORT_H
#define REPORTS_IMPORT_IMPORT_H

#include "base/base.h"
#include "perfparse/perfparse.h"
#include "reports/run/run.h"

/*
 * rates - packet rates in what other tools wrote
 *
 * units: packets per second
 * law:   what was received and what was sent on are two rates, and neither stands for the other; NaN: not printed.
 *        Lines without packets are none: nothing ran, so nothing was measured
 * src:   xdp-tools, lib/util/xdp_sample.c, stats_print(), and lib/util/xdpsock.c, dump_stats(); Linux, samples/bpf,
 *        xdp1_user.c and xdp_redirect_user.c, poll_stats(), xdp_rxq_info_user.c, xdp_redirect_cpu_user.c and
 *        xdp_monitor_user.c, stats_print(), and net/core/pktgen.c, show_results(); network-testing,
 *        bin/ethtool_stats.pl, print_stats()
 */

struct rates_reading {
	double received, sent; /* sent: on to another device, or by a generator */
};

struct rates_group {
	struct rates_reading *readings; /* one or more */
	size_t n;
	size_t zeros; /* readings of no packets behind the first one; they are left out */
	double cut;   /* the first or the last reading, of a second that the traffic did not fill; left out; 0: none */
	size_t measurement; /* groups of one were measured together */
	bool part;          /* its packets are a part of those that the CPU had in these seconds */
	const char *tool;
	const char *why;             /* they are no rate of the packets of one CPU; NULL: they are */
	char stream[64];             /* "eth0->eth1", "CPU 1", "rx_xdp_drop"; "": there is one */
	char device[32], driver[32]; /* "": the text does not name them */
};

struct rates {
	struct rates_group *groups;
	size_t ngroups;
};

int rates_find(struct rates *r, const char *text, size_t len); /* 0 or -ENOMEM */
void rates_release(struct rates *r);                           /* may be called twice */

/*
 * import - a text of perf, or rates, that somebody else measured, as a run directory with one variant
 *
 * units: pps in packets per second; ns per packet; text at most 64 MiB
 *        A profile of an event that is no time becomes a count of it, of all functions together
 * law:   nothing is written that report would refuse. A document with several tables or measurements is refused until
 *        `table` picks one
 */

struct import_from {
	const char *file, *variant;
	const struct perf_data *data; /* the file's text, where it is a perf.data; or NULL */
	const char *event;            /* NULL: the only one */
	double pps, ns;               /* one of them, or none: <= 0 */
	int table;                    /* by import_list(); 0: the only one */
	int samples;                  /* that a table rests on; 0: the text says */
	bool as_time;                 /* take shares of an event that is no time as such */
	double window_s;              /* that perf recorded an event that is no time; 0: not known */
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
