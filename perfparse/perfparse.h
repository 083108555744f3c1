/* perfparse.h - perf's texts -> profile -> ns/packet; components */
#ifndef PERFPARSE_PERFPARSE_H
#define PERFPARSE_PERFPARSE_H

#include "base/base.h"
#include "base/sheet/sheet.h"

/*
 * undress - takes away what mails and terminals put around a text, in place: colours, quoted-printable (RFC 2045, 6.7;
 * where a header names it, "=3D" stands, "=20" ends a line or "=" one of shares), backquotes of Markdown, a byte order
 * mark, marks of a quote ("> ", "| "), blanks of Unicode. A row whose name was wrapped becomes one line; between rows
 * behind different numbers of ">" there is a blank line. Lines without any of these are left as they are
 */
struct undress {
	size_t quoted, joined, blanks, colours, backquotes; /* lines; joined: soft line breaks */
	size_t wrapped;                                     /* rows that went on in the next line */
	size_t depth;   /* marks of a quote before the line above, and 1; 0: it holds no share */
	bool begun;     /* the text has begun: what stands at its beginning is known */
	bool printable; /* the text is quoted-printable */
};

/* Where the lines of a text end, at "\n", and what it may hold: ">" or "|"; or "=", "`", an escape, or beyond ASCII. */
struct text_lines {
	uint32_t *ends;
	size_t n, cap;
	bool marks, others;
};

/* Adds the lines that end in text[from .. to), and what is there. False: no memory. */
bool text_lines_add(struct text_lines *l, const char *text, size_t from, size_t to);

/* True if the text, whole lines, holds any of it but for rows that were wrapped: a quick look. */
bool undress_wanted(const struct undress *u, const char *text, size_t len, const struct text_lines *l);
/* All but the wrapped rows; *len and l are set anew. A "=" that ends the text is left. False: no memory. */
bool undress_lines(struct undress *u, char *text, size_t *len, struct text_lines *l);
/* Joins rows whose end is in the next line: "10.36%  [kernel]  [k]", "build_skb". Likewise. */
bool undress_join(struct undress *u, char *text, size_t *len, struct text_lines *l);
/* "read behind marks of a quote on 12 lines, joined 3 quoted-printable line breaks"; false: there was nothing. */
bool undress_words(const struct undress *u, char *to, size_t size);

/*
 * linescan - lines of a stream, without "\n" and "\r" at their end. A line stays until the next call; numbers count
 * from 1. -EINVAL: a NUL byte, or a line beyond LINESCAN_LINE_MAX_BYTES
 */
#define LINESCAN_BLOCK_BYTES    (256u * 1024)
#define LINESCAN_LINE_MAX_BYTES (1024u * 1024)

struct linescan {
	FILE *in;
	char *buf;
	size_t cap, pos, len;    /* buf[pos .. len) is not handed out yet */
	size_t ready;            /* buf[pos .. ready) is undressed */
	struct text_lines lines; /* of buf[0 .. ready) */
	size_t next;             /* the first of these that is not handed out yet */
	uint64_t line;           /* number of the line handed out last */
	bool eof;
	const char *path;     /* for sentences; NULL: the caller names the file */
	struct undress *worn; /* for text that people paste: what was taken away; NULL: none is */
};

void linescan_release(struct linescan *s); /* may be called twice; the FILE stays the caller's */

/* Sets *text and *len to the text that comes next, a first block or the whole text, and does not consume it. */
int linescan_peek(struct linescan *s, const char **text, size_t *len, struct diag *d);
/* 1: *line and *len are set, line[len] is NUL, and may be written to; 0: end of input; < 0: error. */
int linescan_next(struct linescan *s, char **line, size_t *len, struct diag *d);

/* annotate - the text of `perf annotate --stdio`: shares of instructions, 100 % a symbol (-ERANGE: above 100.5 %) */
struct annotate_row {
	double pct;
	uint64_t address;
	bool has_address; /* that of a BPF program's first instruction is 0 */
	char *instruction;
	char *source; /* "cpu.c:142", or "142 the line's text"; NULL where perf printed none */
};

struct annotate {
	char symbol[128], dso[128], event[64];
	uint64_t samples; /* 0: not printed */
	bool global;      /* shares are percent of all samples, not of the symbol's */
	struct annotate_row *rows;
	size_t nrows;
};

struct annotate_list {
	struct annotate *symbols;
	size_t n;
};

void annotate_list_release(struct annotate_list *l); /* may be called twice */
int annotate_read(struct annotate_list *l, struct linescan *lines, struct diag *d);

void annotate_release(struct annotate *a); /* for the result of annotate_by_source(); may be called twice */
/* Adds up the rows of each source line, largest first; out is empty where perf printed no source. */
int annotate_by_source(const struct annotate *a, struct annotate *out);

/*
 * profile - perf's samples: symbols, distinct stacks, and their weights: sums of event periods (ns for cpu-clock,
 * cycles for cycles), those of the stacks add up to the whole. All zero is an empty one; names live as long as the
 * profile
 */
enum profile_space { SPACE_UNKNOWN, SPACE_KERNEL, SPACE_USER, SPACE_GUEST_KERNEL, SPACE_GUEST_USER, SPACE_HYPERVISOR };

struct profile_symbol {
	const char *name; /* as perf prints it; "[unknown]" or hex where unresolved */
	const char *dso;  /* "" where perf printed none */
	enum profile_space space;
};

/* One distinct call stack; frames are indices into symbols[], leaf (innermost) first. */
struct profile_stack {
	size_t first; /* frames[first .. first + depth) */
	unsigned int depth;
	uint64_t samples;
	double weight;
	bool irqs_off; /* taken when interrupts came back on; the leaf is the function that had them off */
};

/* One row of a table that perf report has summed up; shares in percent of the whole. */
struct profile_row {
	uint32_t symbol;
	double self_pct;     /* < 0: not in the table */
	double children_pct; /* < 0: not in the table */
	uint64_t samples;    /* 0: not in the table */
	double weight;       /* period; 0: not in the table */
};

/* What the samples of one symbol say of the line of its source. */
struct profile_line {
	uint32_t symbol;   /* the innermost frame */
	const char *words; /* "NUMBER FILE\tTEXT" */
	uint64_t samples;
	double weight;
};

struct profile {
	char event[64];   /* "cpu-clock", "cycles:k", ... ; "" where the text names none */
	uint64_t samples; /* 0 where the text has no number of samples */
	double weight;    /* 0 where the text has no number of events */
	bool by_weight;   /* shares are of weights that perf mem counted, and of no time */
	bool weightless;  /* there are samples whose period the text does not print; each counts as 1 */
	struct profile_symbol *symbols;
	size_t nsymbols;
	struct profile_stack *stacks; /* profiles read from perf script */
	size_t nstacks;
	uint32_t *frames;
	size_t nframes;
	struct profile_row *rows; /* profiles read from perf report */
	size_t nrows;
	struct profile_line *lines; /* profiles read from perf script; most samples have none */
	size_t nlines;
	uint32_t last_stack, last_line; /* indices of what was added last */
	double absent_pct;              /* share that a symbol without a row has at most; 0: nothing is hidden */
	struct profile_index *index;    /* private: the hash tables behind interning */
};

void profile_release(struct profile *p); /* may be called twice */

/*
 * For readers. Equal (name, dso, space) get the same index, equal frames, at least one, the same stack. A stack adds to
 * the profile's samples and weight, a row does not. 0 or -ENOMEM.
 */
int profile_add_symbol(struct profile *p, struct span name, struct span dso, enum profile_space space,
		       uint32_t *symbol);
int profile_add_stack(struct profile *p, const uint32_t *frames, unsigned int depth, uint64_t samples, double weight);
/* The stack of the same sample is added by itself. */
int profile_add_line(struct profile *p, uint32_t symbol, const char *words, size_t len, double weight);
int profile_add_row(struct profile *p, const struct profile_row *row);

/* Whose cache last stored results per symbol of this profile; stamp: of this one at its address. NULL: no symbols. */
struct profile_mark {
	const void *owner;
	uint64_t stamp;
};
struct profile_mark *profile_mark_of(const struct profile *p);

/* The space that a DSO's name implies. Used where perf printed neither an address nor a mark such as [k]. */
enum profile_space profile_space_of_dso(const char *dso, size_t len);

/* components - the one part of the receive path that a sample belongs to, by symbol and call path (components.conf) */
#define COMPONENT_REST      0 /* a leaf that no rule names */
#define COMPONENTS_TAGS_MAX 32

enum component_kind {
	COMPONENT_COST,     /* work of the variant: counts as cost */
	COMPONENT_IDLE,     /* the CPU had nothing to do: counts for utilisation, never as cost */
	COMPONENT_EXCLUDED, /* work on the CPU that is not the variant's (a sink): not in busy time and shares */
};

#define COMPONENT_NAME_BYTES 64

struct component {
	char name[COMPONENT_NAME_BYTES];
	enum component_kind kind;
};

/* A group of functions across components: copies, mitigations. Tags overlap. A bit each. */
struct component_tag {
	char name[COMPONENT_NAME_BYTES];
	uint32_t first, n; /* private: its globs */
};

struct components {
	struct component *list;
	struct component_tag *tags; /* at most COMPONENTS_TAGS_MAX */
	size_t n, ntags;
	struct component_rules *rules; /* private, with the results per symbol of the profile that was asked for last */
};

int components_read(struct components **f, const char *path, struct diag *d); /* path NULL: the built-in rules */
void components_free(struct components *f);                                   /* NULL is fine */

/* The results per symbol are kept for the profile of the last call: only one thread at a time may ask. */
unsigned int components_of_stack(const struct components *f, const struct profile *p, const struct profile_stack *s);
/* Marks stacks of samples that a timer took when interrupts came back on, and takes off who let them in. 0, -ENOMEM. */
int components_strip_enablers(const struct components *f, struct profile *p);

uint32_t components_tags_of_symbol(const struct components *f, const struct profile *p, uint32_t symbol);

/* The component of a symbol alone, for tables that carry no call path. */
unsigned int components_of_symbol(const struct components *f, const struct profile *p, uint32_t symbol);

/*
 * cost - a profile and the cost of one packet on its CPU, base_ns -> ns per packet of each (symbol, component), largest
 * first; shares are of the busy weight, without idle and excluded stacks. sum of self_ns + unattributed_ns == base_ns
 * error: -EINVAL no base or no busy samples, -ERANGE shares above 100.5 %, of all or of the busy weight
 * src: "Eval Generic netstack XDP patch", 2017: ns = base * share; interval: Wilson (1927), of the share times the base
 */
struct cost_row {
	const char *name, *dso;
	enum profile_space space;
	unsigned int component;
	uint64_t samples;                 /* self */
	uint64_t irqs_off;                /* of these, taken when interrupts came back on */
	double self_pct, self_ns;         /* self_pct < 0: perf's table has no self share */
	double children_pct, children_ns; /* of the symbol in all its components; children_pct < 0: not known */
	double ci95_ns[2];                /* of self_ns, sampling error only; NaN: no sample count */
	uint32_t tags;                    /* a bit for each tag of components.h */
};

struct cost_table {
	double base_ns;
	uint64_t samples;                         /* busy samples behind the shares */
	double busy_weight;                       /* weight of the variant's own work: base_ns is its cost */
	double idle_weight;                       /* weight of the time when the CPU had nothing to do */
	double excluded_weight;                   /* weight of work on the CPU that is not the variant's */
	double unattributed_pct, unattributed_ns; /* share that no row of a table lists; NaN: no self shares */
	double absent_ns; /* a symbol without a row costs at most this; 0: nothing is hidden; NaN: no self shares */
	struct cost_row *rows;
	size_t nrows;
};

void cost_table_release(struct cost_table *t);
int cost_table_build(struct cost_table *t, const struct profile *p, const struct components *f, double base_ns,
		     struct diag *d);

/* True if a symbol without a row may cost more than 0.05 % of the base: the text was not the whole table. */
bool cost_table_cut_short(const struct cost_table *t);

/* The cost of a component, or of the tag with this number; the interval is that of the summed share. */
struct cost_component {
	unsigned int component;
	const char *name;
	uint64_t samples;
	double self_pct, self_ns;
	double ci95_ns[2];
};
/* The sums of each component or tag that has a row, largest first, for the caller to free; NULL: no memory. */
struct cost_component *cost_table_groups(const struct cost_table *t, const struct components *f, bool tags, size_t *n);

/*
 * symkey - the key under which symbols of different kernels are compared: without the suffixes of compilers and the tag
 * of a BPF program, the kernel's renamed by renames.conf; a user program's followed by " " and the program's path
 */
#define SYMKEY_BYTES 256

struct symkeys;

int symkeys_read(struct symkeys **k, const char *path, struct diag *d); /* path NULL: the built-in renames */
void symkeys_free(struct symkeys *k);                                   /* NULL is fine */

/* True for "bpf_prog_662b9cae761bf6ab_drop", with the tag in full or the first digits of it. */
bool symkey_has_tag(const char *name);

/* Writes the key of a symbol; a key that does not fit is cut. k NULL: nothing is renamed; dso "": not known. */
void symkey(const struct symkeys *k, const char *name, const char *dso, char key[SYMKEY_BYTES]);

/*
 * diff - two cost tables of the same components: a row for each (key, component) and for each component, largest
 * difference first. sum of delta_ns over symbols + residual_ns == delta_ns of the bases (-ERANGE: not so). A side that
 * does not list the symbol counts as 0; what it costs there at most is part of the interval: half widths of both sides,
 * added in quadrature
 */
enum diff_class { DIFF_SAME, DIFF_CHANGED, DIFF_GONE, DIFF_NEW, DIFF_UNLISTED };

struct diff_row {
	const char *name; /* as in the new table, or in the base where the symbol is gone; NULL: a component's row */
	unsigned int component;
	bool in_base, in_new; /* that side lists it */
	double base_ns, new_ns, delta_ns;
	double half_ns;        /* delta +- half_ns (95 %); NaN where a sample count is missing */
	double absent_ns;      /* one side was cut short and does not list it: it costs at most this there; 0: not so */
	enum diff_class class; /* DIFF_SAME: the interval contains zero; DIFF_UNLISTED: with absent_ns it does */
};

struct diff {
	double base_ns, new_ns, delta_ns;
	double sum_delta_ns, residual_ns;
	const struct cost_table *base, *new; /* borrowed */
	struct diff_row *symbols, *components;
	size_t nsymbols, ncomponents;
};

void diff_release(struct diff *f); /* may be called twice */
int diff_build(struct diff *f, const struct cost_table *base, const struct cost_table *new, const struct symkeys *keys,
	       struct diag *d);

/*
 * difftext - the text of `perf diff --stdio` -> two profiles of shares: base, and new = base + delta. A blank Delta
 * below "Delta Abs" is a symbol that is gone; older perfs leave it blank for a small difference, too: there, new may
 * have as much as base, which profile.absent_pct of new holds (tools/perf/builtin-diff.c of Linux 3.19, 4.11 and 6.12)
 * error: -EINVAL no rows, several events and none picked, another column than Delta, more than two files; -ERANGE
 */
int difftext_read(struct profile *base, struct profile *new, struct linescan *lines, const char *event, int table,
		  struct diag *d);

/* True for the header of a difference, and for a row with a share and a signed share. */
bool difftext_is_line(const char *s, size_t len);

/* events - the set of names of the events in a text; a wanted "cycles" matches "cycles:k", but not "cycles-x" */
#define EVENTS_MAX 16

struct events {
	char names[EVENTS_MAX][64];
	int n;
};

void events_add(struct events *e, const char *name, size_t len);       /* does nothing if the name is in the set */
int events_find(const struct events *e, const char *name, size_t len); /* its index; -1: it is not there */
void events_list(const struct events *e, char *list, size_t size);     /* "cycles, instructions" */
/* Clocks and cycles, whose samples are shares of time, and "", a text without a name. */
bool event_is_time(const char *event);
/* Why shares of such samples are no shares of a packet's time, behind "the event 'X' "; NULL: they are. */
const char *event_no_time(const char *event, bool by_weight);
bool event_matches(const char *want, const char *event, size_t len);

/*
 * perf_data - a perf.data as the text of `perf script`, which this machine's perf prints in a jail of its own, without
 * the user's configuration: before the caller's jail. -EOPNOTSUPP no perf; -ECHILD with perf's last words
 */
struct perf_data_from {
	const char *path; /* NULL: standard input, if it is a file */
	int cpu;          /* < 0: all */
	const char *time; /* as perf script --time takes it; NULL: all of it */
};

struct perf_data {
	FILE *text;        /* NULL: the file is no perf.data */
	char version[64];  /* "perf version 6.1.192" */
	char release[128]; /* of the kernel that was recorded; "": not told */
	uint64_t samples, unnamed;
};

int perf_data_open(struct perf_data *p, const struct perf_data_from *from, struct diag *d);
/* What people should know of it, for "%s: %s"; false: nothing. */
bool perf_data_words(const struct perf_data *p, char *words, size_t size);
void perf_data_release(struct perf_data *p); /* may be called twice */
/* The last line that a program printed on its standard error, or "". */
void program_last_words(FILE *words, char *last, size_t size);

/*
 * perfstat - the text of `perf stat` -> counts by (place, event): that for people, with -x, with -j; intervals of -I
 * are added up. Or that of bpftool prog profile, also with -j, whose counts are not scaled: they are here. An event
 * that perf could not count is NaN. Counts of different PMUs (cpu_core, cpu_atom), modifiers or places are never added
 * error: -EINVAL no counts, several outputs in one text, or numbers not as LC_ALL=C prints them
 */
enum perfstat_state { PERFSTAT_COUNTED, PERFSTAT_NOT_COUNTED, PERFSTAT_NOT_SUPPORTED };

struct perfstat_count {
	char event[96];     /* as printed: "cpu_core/cycles/k" */
	char pmu[24];       /* "cpu_core"; "" where none is named */
	char name[64];      /* "cycles" */
	char modifiers[16]; /* "k" */
	char place[32];     /* "CPU0", "S0-D0-C0"; "" for a count over all CPUs */
	char unit[16];
	enum perfstat_state state;
	double value;        /* NaN unless counted */
	double variance_pct; /* "+-" of the mean of -r; NaN: not printed */
	double running_pct;  /* share of the time in which the event was counted; 100 where not printed */
	double runtime_ns;   /* time in which the event was counted, summed over CPUs; NaN: not printed */
	size_t intervals;    /* of -I, that it is the sum of; 0: no -I */
	size_t cycles;       /* private: for instructions, the number of their cycles + 1; 0: none */
};

struct perfstat {
	struct perfstat_count *counts;
	size_t ncounts, cap;
	double elapsed_s;  /* NaN: not printed, or an interval of -I is missing */
	unsigned int runs; /* runs of -r; each count is the mean of one run */
};

void perfstat_init(struct perfstat *s);
void perfstat_release(struct perfstat *s); /* may be called twice */
/* separator: the one given to -x; 0: found from the text. */
int perfstat_read(struct perfstat *s, struct linescan *lines, char separator, struct diag *d);

/* How often the program of bpftool prog profile ran: once for each packet. 0: this is another text. */
double perfstat_program_runs(const struct perfstat *s);

/* Instructions per cycle. The cycles have the same place, PMU and modifiers; NaN: there are no such cycles. */
double perfstat_ipc(const struct perfstat *s, const struct perfstat_count *instructions);

/*
 * render - what perfparse prints of a result: rows for JSON and CSV, whose one row holds the members of JSON; text; and
 * folded stacks, in picoseconds or millionths of an event. Every format of a difference has the closure. Text rows
 * begin like the awk lines of "Eval Generic netstack XDP patch", 2017: " 34.33% => 42.0 ns"
 */
/* ---- a profile ---- */
struct cost_render {
	const struct cost_table *table;
	const struct profile *profile;
	const struct components *components;
	double pps;     /* the rate from which base_ns was computed; 0: base_ns was given in ns */
	bool children;  /* text: the cost of a symbol includes all that it calls; largest such cost first */
	bool symbols;   /* text: false prints components only */
	bool events;    /* costs are events per packet: the event is no time */
	double packets; /* of events: how many there were */
};
void cost_render_rows(struct rows *r, const struct cost_render *c);
int cost_render_text(const struct cost_render *given, FILE *out);
int cost_render_folded(const struct cost_render *c, FILE *out);

/* ---- two profiles side by side ---- */
struct diff_render {
	const struct diff *diff;
	const struct components *components;
	bool symbols; /* text: false prints components only */
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

/* The line above a difference. */
void render_bases(double base_ns, double new_ns, double delta_ns, FILE *out);

/*
 * report - the text of `perf report --stdio` with any of its options, a pasted part of it, rows of its text user
 * interface, or the output of that awk line -> a row for each (symbol, DSO, space) of one event. Shares are added up
 * over CPUs and tasks; of a CPU that is picked, they are shares of its samples. A text that was kept reads as the same
 * rows
 * error: -EINVAL no table, no symbols, several tables or events and none picked, hierarchy or diff output, a decimal
 *        comma; -ERANGE a share above 100.5 %
 */
struct report_table {
	uint64_t first_line, last_line;
	size_t rows;
	double sum_pct; /* of the self shares */
	char first[64]; /* the name in the first row */
};

struct report_tables {
	struct report_table *list;
	size_t n;
};

/* The lines that were read: the header and the rows of one table. */
struct report_text {
	char *text;
	size_t len, cap;
};

/* Which part of a text counts; cpu = tid = -1 and zeros: all of it. */
struct text_pick {
	const char *event; /* NULL: the text has only one */
	int cpu, tid;      /* -1: any; of perf report, a CPU needs a table with a CPU column */
	char separator;    /* of perf report -t; 0: found from the header */
	int table;         /* of perf report: which of several (of a named event), from 1; 0: there is only one */
	struct report_text *kept;   /* NULL: the lines are not kept; text is the caller's to free */
	struct report_tables *list; /* not NULL: all tables are read, and listed here; list is the caller's to free */
};

/* With a list, p is empty, and a text without a table is no error. */
int report_read(struct profile *p, struct linescan *lines, const struct text_pick *f, struct diag *d);

/* text_kind - which of perf's commands a text comes from, by its first line that no other one prints */
enum text_kind { TEXT_UNKNOWN, TEXT_REPORT, TEXT_SCRIPT, TEXT_STAT, TEXT_ANNOTATE, TEXT_DIFF, TEXT_FOLDED };

enum text_kind text_kind_guess(const char *text, size_t len);
/* What a text of no kind is, for a sentence: one of another tool; NULL: nobody knows. */
const char *text_kind_foreign(const char *text, size_t len);

/* Reads a text of one of the kinds that hold a profile: report, script, folded. */
int text_read_profile(struct profile *p, enum text_kind kind, struct linescan *lines, const struct text_pick *pick,
		      struct diag *d);

/*
 * folded - stacks as flamegraph.pl and stackcollapse-perf.pl read and write them: frames divided by ";", a count behind
 * a blank. Counts that are written are whole thousandths of what came in; what is read has any unit: samples is 0. A
 * name never ends its frame or its line: ";" becomes ":", blanks "_", control characters "?". Rounding is carried on
 */
void folded_name(FILE *out, const char *s);
/* carry: 0 before the first. A cost that is not known, or no long long, counts as 0 and leaves carry as it was. */
long long folded_thousandths(double cost, double *carry);

/* A stack of two frames or more, and its count. */
bool folded_is_line(const char *s, size_t len);
int folded_read(struct profile *p, struct linescan *lines, struct diag *d);

/*
 * perf_file - the records of a perf.data (linux tools/perf/Documentation/perf.data-file-format.txt), of this order of
 * bytes, and neither compressed nor behind a trace of the hardware
 *
 * A kernel that tells several perfs at once of a BPF program (perf_event_ksymbol_output()) makes the record longer for
 * each: what it ends with stands behind where perf looks for it. perf refuses the file, or takes the time for 0, and
 * samples lose the name of their program. So *fd becomes a copy in which each record ends with its end. 0 or -errno.
 */
int perf_file_fix(int *fd);

/* Samples; -1: it cannot be read. From 6.1 on, perf tells of the kernel's losses again at its end: the larger sum. */
int64_t perf_file_lost(const char *path);

/* perfstat_line - one line of perf stat, in each of its forms. 1: it is a count; 0: it is none; < 0: it is refused. */
struct perfstat_line {
	struct perfstat_count count;
	double interval_s; /* NaN: none */
};
void perfstat_line_init(struct perfstat_line *l);
int perfstat_line_read_text(struct perfstat_line *l, const char *line, size_t len, struct diag *d);
int perfstat_line_read_fields(struct perfstat_line *l, const char *line, size_t len, char separator, struct diag *d);
/* Fills event, pmu, name and modifiers. */
void perfstat_count_set_event(struct perfstat_count *c, const char *s, size_t len);

/*
 * script - the text of `perf script`: samples and, with -g, their frames, leaf first -> distinct stacks and their
 * weights (event periods; 1 where none is printed). Times in ns on perf's clock. The memory grows with distinct stacks
 * and symbols, never with the length of the input; of script_keep(), by 40 bytes a sample
 * error: -EINVAL not such a text, none of its samples names a function, or several events and none picked
 */
struct script_span {
	uint64_t from_ns, to_ns; /* a sample at t is inside when from_ns <= t < to_ns */
	double part;             /* its weight is multiplied by this; 0 is 1 */
};

/* Which samples to keep. A struct of zeros with cpu = tid = -1 keeps all. */
struct script_filter {
	const struct script_span *spans; /* sorted, not overlapping; NULL keeps all times */
	size_t nspans;
	int cpu;           /* -1: any */
	int tid;           /* -1: any */
	int not_tid;       /* samples of this task are dropped; 0: no task is dropped */
	const char *event; /* NULL: the text has only one */
};

/* The same from a line scanner; the caller may have called linescan_peek() before. */
int script_read_lines(struct profile *p, struct linescan *lines, const struct script_filter *f, struct diag *d);
/* A sample of a text that was read once, to be asked often. */
struct script_sample {
	uint64_t time_ns;
	double period;
	int tid, cpu;         /* -1: not printed */
	uint32_t stack, line; /* of the profile; line UINT32_MAX: none */
	bool has_time, has_period;
	int event; /* its number; -1: not printed */
};

struct events;

struct script_samples {
	struct profile profile; /* of all of them; owns what they name */
	struct events *events;  /* private: their names */
	struct script_sample *list;
	size_t n, cap;
};

/* What the filter keeps, sample by sample, of all events if it names none. */
int script_keep(struct script_samples *s, struct linescan *lines, const struct script_filter *f, struct diag *d);
/* What another filter keeps of them, to the last bit as if the text was read with it. -EINVAL: of several events. */
int script_pick(struct profile *p, const struct script_samples *s, const struct script_filter *f, struct diag *d);
void script_samples_release(struct script_samples *s); /* may be called twice */

/* report_cell - cells of a line of `perf report`, as pointers into it */
struct span cell_trimmed(const char *from, const char *to);
/* The next cell from *s on. It ends at the separator, or at two blanks where separator is 0. */
bool cell_next(const char **s, const char *end, char separator, struct span *cell);
/* "34.33%", and "34,33%" of a locale: perf groups no digits. The end behind the sign; NULL: not a share. */
const char *cell_read_percent(const char *s, const char *end, double *pct);
/* Reads perf's mark in front of a name, "[k] name", as a space. The name begins at s + 4. */
bool cell_read_mark(const char *s, const char *end, enum profile_space *space);
/* A share or a mark among other cells: of a table beside, of what the share was before, of where a branch went. */
bool cell_holds_row(const char *s, const char *end);
/* perf 7.3 marks callers in the kernel "[.]", where it prints children: the DSO of a kernel overrules the mark. */
enum profile_space cell_space(enum profile_space mark, struct span dso);

/*
 * report_columns - the columns of a `perf report --stdio` table, found by name. A row that lines up with the dots is
 * cut at the dots; one that does not (pasted text) at two blanks or more; with -t, at the separator
 */
#define REPORT_COLUMNS_MAX 32

/* The order matters: first shares, then numbers, then text. */
enum report_column {
	COLUMN_SELF, /* "Self", or "Overhead" */
	COLUMN_CHILDREN,
	COLUMN_SHARE, /* another share: Latency, sys, usr, guest sys, guest usr */
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
	COLUMN_NUMBER, /* another number: Weight, ... */
	COLUMN_CPU,
	COLUMN_DSO,
	COLUMN_SYMBOL,
	COLUMN_TEXT, /* anything else: Command, Pid:Command, Source:Line, IPC, ... */
};

/* A column that is read, of a table with dots: its cells are line[from .. to), or end with the line before. */
struct report_field {
	enum report_column kind;
	uint32_t from, to;
};

struct report_columns {
	enum report_column kinds[REPORT_COLUMNS_MAX];
	uint32_t from[REPORT_COLUMNS_MAX]; /* offset in the line at which the column's dots begin */
	int n;
	bool dotted;
	char separator;             /* the one of -t; 0: blanks */
	int where[COLUMN_TEXT + 1]; /* the first column of a kind, -1: none */
	int group_size;             /* values per share column: events of a group */
	bool deltas;                /* the header has a column of perf diff, whose shares may be below 0 */
	int tail;                   /* from this column on all hold text, the names among them; 0: none */
	struct report_field fields[REPORT_COLUMNS_MAX];
	int nfields, nhead; /* nhead: those before the tail */
};

/* A missing cell is < 0 as a number, and has the length 0 as text. */
struct report_cells {
	double self_pct, children_pct, samples, period;
	int cpu;
	bool unnamed; /* two shares, and neither a header nor a form told which they are: taken for children and self */
	bool bare;    /* a row without a header, and nothing but shares, DSO and name in it */
	struct span name, dso;
	enum profile_space space;
	struct span tail; /* text with the names, not read yet (equal tails have equal names); NULL: names are set */
};

void report_columns_guess(struct report_columns *c, char separator); /* sets c for a table without a header */
/* 1: the line is a header, and c cuts rows at blanks until the dots are read; 0: it is none; < 0: refused. */
int report_columns_read_header(struct report_columns *c, const char *line, size_t len, char separator, struct diag *d);
/* Reads the dotted line below the header; cpu: that of the rows is wanted. False: it is none, c is unchanged. */
bool report_columns_read_dots(struct report_columns *c, const char *header, size_t header_len, const char *dots,
			      size_t dots_len, bool cpu);
/* Reads a row. member: the event of a group, counted from 0. */
bool report_columns_read_row(const struct report_columns *c, const char *line, size_t len, int member,
			     struct report_cells *cells);
/* The same, only of a row that lines up with the dots. Its columns of shares hold none below 0. */
bool report_columns_read_aligned(const struct report_columns *c, const char *line, size_t len, int member,
				 struct report_cells *cells);
/* True for a row in which one of the first two cells is a share with a minus. */
bool report_columns_is_negative(const struct report_columns *c, const char *line, size_t len);
/*
 * A row as older perf top prints it and people paste it: "11.8% name", "3114.00 11.8% name [kernel.kallsyms]", "11.8%
 * [kernel] name", and nothing else. A name alone has an underscore, or any form where strict is false.
 */
bool report_columns_read_unmarked(const char *line, size_t len, bool strict, struct report_cells *cells);
/* A line of a call graph of perf's text user interface, "      - 20.00% mlx5e_handle_rx_cqe". */
bool report_columns_is_graph(const char *line, size_t len);
/*
 * A line that is like a row, whether it can be read or not: a mark behind a share, "*  5.00%  [k] name", a DSO in
 * brackets behind a share that begins the line, or, below rows without marks, a name there.
 */
bool report_columns_is_like_row(const char *line, size_t len, bool unmarked);
/* Reads the names from the tail of a row; false if there is no symbol. */
bool report_columns_read_tail(const struct report_columns *c, const char *line, size_t len, struct report_cells *cells);

/*
 * script_hide - takes the addresses out of a text of perf script, in place: each becomes 0, 1 (user space) or
 * ffffffffffffffff (the kernel). From one address and its symbol follows where the kernel lies (KASLR), and run
 * directories are given to others. Before, module addresses that perf printed as unknown get the name of the last
 * symbol at or below, where the lists have addresses: perf may lose its map of a module when BPF programs come and go
 * (6.1)
 */
struct script_hide {
	const char *kallsyms, *modules; /* the lists */
	/* The source line of an address (NULL: none), which goes below the innermost frame, see SCRIPT_SOURCE. */
	const char *(*source)(const void *of, uint64_t address);
	const void *of;
};

int script_hide_addresses(const char *path, const struct script_hide *o);

/* script_line - a header is known by its time ("1143.997871745:") or CPU ("[001]"): a task's name holds anything */
struct script_header {
	int tid, cpu; /* -1: not printed */
	bool has_time, has_period;
	uint64_t time_ns;
	double period;
	struct span event; /* NULL: not printed */
	struct span rest;  /* text behind the event: the frame of a sample without a stack, or a tracepoint's text */
};

#define SCRIPT_TID_ENDED INT32_MAX /* perf prints -1 for a task that has ended; no filter can select this number */

struct script_frame {
	struct span name, dso; /* dso is "" where none is printed */
	enum profile_space space;
	bool is_bare; /* the line holds an address alone */
};

bool script_parse_header(struct script_header *h, const char *line, size_t len);
/* strict: it may be no frame; the address has perf's 16 columns or three digits, and a DSO ends the line. */
bool script_parse_frame(struct script_frame *f, const char *line, size_t len, bool strict);
/* A line below the innermost frame that names the line of the source: this, "NUMBER FILE\tTEXT". perf prints none. */
#define SCRIPT_SOURCE "  source: "

/*
 * symbol_cache - finds a symbol by the bytes that perf printed for it, which are compared, and a salt for all else that
 * decides which it is. The size is fixed; what comes first stays: symbols that come often are among the first
 */
#define SYMBOL_CACHE_SLOTS 16384u
#define SYMBOL_CACHE_BYTES (1u << 20)
#define SYMBOL_CACHE_NONE  UINT32_MAX

/* All zero is empty. Texts stand behind their symbol, length and salt: a usual profile fits into the CPU's cache. */
struct symbol_cache {
	uint16_t slots[SYMBOL_CACHE_SLOTS]; /* where in texts, in units of 16 bytes from 1 on; 0: empty */
	uint32_t n, used;                   /* texts, and their units */
	_Alignas(16) char texts[SYMBOL_CACHE_BYTES];
};

uint32_t symbol_cache_get(const struct symbol_cache *c, struct span bytes, uint8_t salt);
/* For bytes that symbol_cache_get() did not find. */
void symbol_cache_put(struct symbol_cache *c, struct span bytes, uint8_t salt, uint32_t symbol);

/*
 * symjoin - joins the symbols of two sides, rows that are the caller's, by their keys. After symjoin_sort(), entries
 * from .. symjoin_end(j, from) - 1 are a group: the base's rows first, each side as it was added; groups by key, then
 * apart. Where a side has a function under both its former and its new name, no rename joins them. A BPF program whose
 * tag was cut ("bpf_prog_662b9cae") belongs to the longer name that begins so
 */
struct symjoin_entry {
	const void *row;
	const char *name, *dso;
	size_t index; /* how many were added before it */
	bool is_new;
	char key[SYMKEY_BYTES];
};

struct symjoin {
	const struct symkeys *keys;                       /* the renames; NULL: none */
	int (*apart)(const void *row, const void *other); /* orders rows of a key that may not be joined; NULL: none */
	struct symjoin_entry *entries;
	const struct symjoin_entry **sorted, **longer; /* private: room for symjoin_sort() */
	size_t n;
};

/* Makes room for so many rows at most. The members keys and apart are the caller's, and stay. */
int symjoin_room(struct symjoin *j, size_t most);
void symjoin_release(struct symjoin *j); /* may be called twice */
void symjoin_add(struct symjoin *j, bool is_new, const void *row, const char *name, const char *dso);
void symjoin_sort(struct symjoin *j);
size_t symjoin_end(const struct symjoin *j, size_t from);

/* The length of a name without the suffixes of compilers: ".isra.0", ".constprop.1", ".cold", ".llvm.123". */
size_t symname_fold(const char *name, size_t len);

/* '*' matches any run of characters, '?' any one character; the whole of [s, s + len) has to match. */
bool symname_glob(const char *glob, const char *s, size_t len);

/*
 * weights - what the samples of a profile weigh, by symbol and component: cost without the cost of a packet. In the
 * unit of the profile's weight; of tables, percent of all samples. Self weights of stacks sum to busy, of tables to
 * less
 */
struct weight_row {
	uint32_t symbol; /* index into the profile's symbols */
	unsigned int component;
	uint64_t samples;  /* self */
	uint64_t irqs_off; /* of these, taken when interrupts came back on */
	double self;       /* NaN: no row of the table has a self share */
	double children;   /* of the symbol in all its components; NaN: not known */
};

struct weights {
	uint64_t samples; /* busy ones */
	double busy;      /* the variant's own work */
	double idle;      /* the CPU had nothing to do */
	double excluded;  /* work on the CPU that is not the variant's */
	double absent;    /* part of busy that a symbol without a row has at most; 0: nothing is hidden; NaN: as self */
	struct weight_row *rows;
	size_t nrows;
};

int weights_build(struct weights *w, const struct profile *p, const struct components *f, struct diag *d);
void weights_release(struct weights *w); /* may be called twice */

#endif
