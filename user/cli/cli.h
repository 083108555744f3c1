/* cli.h - what several commands share: options, output files, loading of runs, the jail */
#ifndef USER_CLI_CLI_H
#define USER_CLI_CLI_H

#include "base/base.h"
#include "perfparse/perfparse.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/document/document.h"
#include "reports/exact/exact.h"
#include "reports/format/format.h"
#include "reports/page/page.h"
#include "reports/run/run.h"
#include "user/record/record.h"
#include "user/session/session.h"

/* The words that a command was called with, for run.json; and for pages as a line for a shell, cut off at size. */
json_t *command_line(int argc, char **argv);

/* Standard output, or a file, which is complete or unchanged where it is a regular one. */
struct output {
	FILE *stream;
	struct new_file file;  /* not used when the stream is standard output */
	bool terminal, colour; /* colour: a terminal, and NO_COLOR is empty or not set */
	int columns;           /* of the terminal, at least TEXT_LEAST; 0: no terminal */
};

/* Before anything is read. -EINVAL: the path is a part of a recorded run. For inputs there is new_file_spares(). */
int output_check(const char *path, struct diag *d);
int output_open(struct output *o, const char *path, struct diag *d);
/* err: the result of writing, 0 or -errno. With an error, a regular file stays as it was. */
int output_close(struct output *o, int err, struct diag *d);

/* Open what a command writes, and enter the jail of a reader. What is not closed is not put in place. */
int jailed_output(struct output *o, const char *path, struct diag *d);
/* path NULL: nothing is written. The run gets its name if the process ends with the exit status 0. */
int jailed_run(struct run_dir *dir, const char *path, bool force, struct diag *d);
/* o: the file of the history, anew; whoever adds waits until nobody else does in its directory. */
int jailed_history(struct output *o, const char *db, struct diag *d);

/* A run directory, read and analysed. A run of the other kind is refused. */
struct loaded_run {
	bool exact; /* counted is set; else run and analysis */
	struct run run;
	struct components *components;
	bool shared; /* the components are those of another run */
	struct analysis analysis;
	struct exact counted;
	char dir[4096];
};

/* A variant of a run; of measured and counted, the one of the run's kind is set. */
struct loaded_variant {
	const struct loaded_run *run;
	const struct analysis_variant *measured;
	const struct exact_variant *counted;
};

/* The rules in the file; NULL: those of the entry of a history, or the built-in ones. */
int loaded_run_components(struct components **f, const char *dir, const char *path, struct diag *d);
/* o NULL: an exact run. */
int loaded_run_open(struct loaded_run *l, const char *dir, const char *components, const struct analysis_options *o,
		    struct diag *d);
/* One more run, by the components of the first one, which has to outlive it: a file of rules is read once. */
int loaded_run_open_beside(struct loaded_run *l, const char *dir, bool exact, const struct loaded_run *first,
			   const struct analysis_options *o, struct diag *d);
/* The run RUN_CROSSING in the directory of l, beside l. -ENOENT: there is none. */
int loaded_run_open_crossing(struct loaded_run *crossing, const struct loaded_run *l, const struct analysis_options *o,
			     struct diag *d);
void loaded_run_release(struct loaded_run *l); /* may be called twice */

size_t loaded_run_count(const struct loaded_run *l); /* of its variants */
const char *loaded_run_id(const struct loaded_run *l, size_t i);
/*
 * id: what people type, also "drop", "drop@native", "@generic", "drop/no-touch@drv"; NULL: the only variant. -ENOENT;
 * -EDESTADDRREQ: a name is wanted, as it has several.
 */
int loaded_run_find(const struct loaded_run *l, const char *id, struct loaded_variant *v, struct diag *d);
const char *loaded_variant_id(const struct loaded_variant *v);
/* Prints a sentence for each variant, or for this one alone (NULL: all), whose counts do not all close; how many. */
size_t loaded_run_complain(const struct loaded_run *l, const struct exact_variant *only);

/* Copies DIR and returns the variant in "DIR:VARIANT", or NULL. An existing path with a colon is a DIR. */
const char *loaded_run_split(const char *arg, char *dir, size_t size);

/* runs/DATE-TIME-WHAT, in local time, or that with -2, ...; new_run_end() removes it if no run was kept in it. */
struct new_run {
	char dir[128];
	bool reserves, made_folder, reserved;
};

int new_run_choose(struct new_run *n, const char *what, const char **out_dir, struct diag *d);
void new_run_end(const struct new_run *n, bool kept);

/* What sends a load, as the options name it. */
struct generator_args {
	const char *where, *tool, *dst; /* NULL: not given */
	int threads;                    /* 0: not given */
	int cpu;                        /* < 0: not given */
};

/* clang-format off */
#define BATCH_PART(load)                                                                                               \
	{"batch", 0, OPT_INT, &(load)->batch, "N", "frames that a generator on this machine hands over at once",       \
	 1, 256, .otherwise = "the kernel's 64, less under a rate"}

/* Rows of an option table. */
#define GENERATOR_OPTION(a, load)                                                                                      \
	{"generator", 'g', OPT_PARTS, NULL, "WHERE", "what sends, such as local:eth1 or ssh:HOST/eth1,threads=4",      \
	 .parts = (const struct opt[]){                                                                                \
		{"WHERE", 0, OPT_STRING, &(a)->where, "local:DEV[@NETNS] or ssh:HOST/DEV",                             \
		 "a device of this machine, in a network namespace, or one of a machine that ssh reaches",             \
		 .otherwise = "the lab's own; else nothing", .flags = OPT_ARGUMENT},                                   \
		{"cpu", 0, OPT_INT, &(a)->cpu, "CPU", "of the lab's generator and of local:", 0, 4095,                 \
		 .otherwise = "another core"},                                                                         \
		BATCH_PART(load),                                                                                     \
		{"tool", 0, OPT_WORD, &(a)->tool, "TOOL", "of ssh: what sends there; gen means xdpzoom gen",           \
		 .words = OPT_WORDS("pktgen", "gen"), .otherwise = "pktgen"},                                          \
		{"threads", 0, OPT_INT, &(a)->threads, "N", "of ssh: threads of pktgen", 1, 4096, .otherwise = "1"},   \
		{"dst", 0, OPT_STRING, &(a)->dst, "ADDR", "of ssh: what pktgen sends to, or /N for a network",         \
		 .otherwise = "198.18.0.42"},                                                                          \
		{}}}

/* What is changed on the device, and put back at the end. */
#define TUNE_OPTION(session)                                                                                           \
	{"tune", 0, OPT_PARTS, NULL, "LIST", "change the device while it is measured",                                 \
	 .parts = (const struct opt[]){RX_OPTIONS(&(session)->rx), STEER_OPTIONS(&(session)->steer), {}},\
	 .group = GROUP_DEVICE}

/* Where the device is, and whether it may be one that this machine's own connection goes over (uplink.h). */
#define DEVICE_OPTIONS(netns, cut_off)                                                                                 \
	{"netns", 'N', OPT_NETNS, netns, "NAME", "the network namespace of the device", .group = GROUP_DEVICE},        \
	{"allow-management-interface", 0, OPT_FLAG, cut_off, NULL,                                                     \
	 "take a device with the default route or this ssh session behind it", .group = GROUP_DEVICE}

/* The rows of what frames look like. */
#define SHAPE_OPTIONS(o)                                                                                               \
	{"size", 's', OPT_INT, &(o)->bytes, "BYTES", "frame size without FCS", GEN_MIN_BYTES, GEN_LONGEST},            \
	{"flows", 0, OPT_INT, &(o)->flows, "N", "number of UDP source ports", 1, 50000, .group = GROUP_LOAD}

/* The rows that all our generators share. */
#define LOAD_OPTIONS(o)                                                                                                \
	{"rate", 'r', OPT_NUMBER, &(o)->rate_pps, "PPS", "limit of the generator", 100, 1e9, .otherwise = "none"},     \
	SHAPE_OPTIONS(o)
/* clang-format on */

/* Fills the load of o, and whether it is our own. */
int generator_apply(const struct generator_args *a, bool lab, struct session_options *o, struct diag *d);

/* Prints a warning for each setting of an open session's devices that would spoil its numbers. */
void remote_warn(const struct session *s);

/* The options of a recording, for record, demo and selftest. */
struct record_args {
	struct record_options o;
	struct opt_list variants;    /* empty: record_default_variants */
	struct opt_list injected;    /* costs to inject into each variant, in ns */
	int umem_frames;             /* > 0: of each variant's AF_XDP socket, for --sweep */
	double injected_ns;          /* >= 0: each variant is measured with this cost alone, for --sweep */
	struct opt_list stat_events; /* for perf stat */
	struct opt_list sweep;       /* of record: parameters and their values, such as size=64,256 */
	struct generator_args generator;
	/* "auto" or a word of run_view_words: with auto, variants take turns in the lab, and those of one mode on a
	 * device */
	const char *view;
	const char *order, *netns;
	const char *ladder; /* NULL: none */
	bool unwritten;
	double seed; /* 0: from the clock */
	bool kept;   /* set by record_with(): there is a run directory, complete or partial */
};

/* The variants that are recorded when the command line names none; ends with NULL. */
extern const char *const record_default_variants[];

void record_args_init(struct record_args *a);
/* Returns a seed from the clock. A double can hold the seed exactly, so the seed can be passed as an option later. */
uint64_t record_args_seed(void);
/* Takes ownership of command. */
int record_with(struct record_args *a, const char *dev, json_t *command);
/* Prints what was measured: the summary, checks and the next commands; of a ladder its table. */
int record_show(const char *dir, bool ladder, struct diag *d);

/* report_args - what report, diff and why share: their options and their output */

enum reads { READS_REPORT = 1, READS_DIFF = 2, READS_WHY = 4 };

struct report_args {
	const char *run; /* a path, perhaps with a variant */
	const char *new_run,
		*new_last;     /* diff: the other side, or both variants of run; report: new_run is a variant */
	struct opt_list exact; /* report: exact runs to lay below the measured one */
	struct opt_list plots; /* report: what pictures show */
	const char *size, *font;
	double width_mm; /* of size; 0: none was given */
	const char *format_name, *output, *components, *renames;
	int max_symbols, columns; /* columns: -1: option not given, 0: no limit */
	double run_sd_pct;        /* < 0: not given */
	bool strict, verbose, full;
	struct opt_list limits;
	const char *fail_words;
	struct fail_if fail_if; /* of diff */
	struct analysis_options analysis;
	const struct format *format;
	struct output out;  /* open from report_args_parse() on; report_args_write() ends it */
	char command[2048]; /* the command line as typed, for pages that show how they were made */
};

#define GATES_BYTES 2048 /* room for names of checks that failed; more of them are cut off */

/* Rows of an option table that readers of run directories share. */
/* clang-format off */
#define COMPONENTS_OPTION(value)                                                                                       \
	{"components", 'F', OPT_FILE, value, "FILE", "rules instead of the built-in components.conf"}
#define RENAMES_OPTION(value)                                                                                          \
	{"renames", 0, OPT_FILE, value, "FILE",                                                                        \
	 "names that functions have in different kernels, instead of the built-in renames.conf"}
#define FAIL_OPTION(value)                                                                                             \
	{"fail-if", 0, OPT_STRING, value, "WORDS",                                                                     \
	 "exit status 3 when the difference is surely so large: slower=2%, different=3ns", .otherwise = "never"}
/* clang-format on */

/* -1: the command can go on, else the exit status. enter opens the output and the jail; NULL: those of a reader. */
int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum reads reader,
		      int (*enter)(struct report_args *a, struct diag *d));

/* Does the format fit what was found, such as "a sweep"? -EINVAL */
int report_args_format(const struct report_args *a, unsigned int of, const char *what, struct diag *d);
/* The same, and do the options that are of measured runs alone? */
int report_args_fit(const struct report_args *a, enum document_kind kind, struct diag *d);

/* Writes and releases a document. err: what building it came to. o: what only the caller knows (dir, crossing). */
int report_args_put(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		    struct diag *d);
/* Completes the output. err: what writing came to. */
/* Both. */
int report_args_write(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		      struct diag *d);

/* The exit status of a result that could be made. failed: names of checks that failed, "" for none. */
int report_args_judge(const struct report_args *a, const char *failed);

#endif
