/* base.h - what every folder stands on: sentences of failures, arrays, numbers, files, options, statistics */
#ifndef BASE_BASE_H
#define BASE_BASE_H

/* The part of the C library that most files use: they need not list it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* array - arrays that grow by doubling; cap, used and n count elements */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b))) /* evaluates both twice */

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size);
/* The room is the power of two from *n on, so it is kept nowhere: such an array grows in no other way. */
void *array_add(void *array, size_t *n, size_t size);

/*
 * caller - the person who called this program by sudo (sudo(8), "ENVIRONMENT"), and owns what it writes in directories
 * that are this person's; elsewhere, what root writes stays root's. False: nobody did. parent_fd may be AT_FDCWD
 */
bool caller_find(uid_t *uid, gid_t *gid);
bool caller_owns(int parent_fd, uid_t *uid, gid_t *gid);
void caller_give(int parent_fd, int fd);

/* child - a process of our own, which ends with this one, by the signal `orphaned`. No signal ends a wait */
pid_t child_fork(int orphaned);
int child_wait(pid_t pid);
int child_kill(pid_t pid); /* and waits for its end */

/* diag - one sentence about what went wrong. Libraries print nothing; a function that returns < 0 has set one */
struct diag {
	char text[768];
};

/* Sets the sentence, unless there is one, and returns err: "return diag_set(d, -EINVAL, ...)". d may be NULL. */
int diag_set(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Replaces a sentence that was set before: for a caller that knows the cause of the first failure. */
#define diag_replace(d, err, ...) diag_set(diag_clear(d), err, __VA_ARGS__)

static inline struct diag *diag_clear(struct diag *d)
{
	if (d)
		d->text[0] = '\0';
	return d;
}

/* Tests and scripts rely on these numbers. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_GATE = 3,   /* the result failed a quality gate */
	EXIT_OPEN = 4,   /* nothing failed, and something could not be told */
	EXIT_LACKS = 77, /* this machine lacks something that the command needs; to test harnesses: skipped */
};

/* complain - the one way in which a program reports a failure: a sentence on stderr that cannot control the terminal */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int complain_of(const struct diag *d, int err); /* the diag's sentence, else strerror(-err); returns the exit status */

/*
 * foreign_file - opens a file that a stranger may have made. That takes no time: a FIFO, a device, and a file beyond
 * max_bytes are refused. inside: the last part of the path must be no link, which could lead anywhere
 */
#define FOREIGN_MAX_BYTES (1LL << 30)

int foreign_file_open(FILE **file, int dir_fd, const char *path, bool inside, long long max_bytes, struct diag *d);
/* From now on, this function opens what paths name below files, as in "runs.db/last/run.json". */
typedef int foreign_below_fn(FILE **file, const char *path, struct diag *d);
void foreign_file_below(foreign_below_fn *open);
/* The same checks for a descriptor; closes it when it is refused. */
int foreign_file_check(int fd, const char *path, long long max_bytes, struct diag *d);

/* hash - bytes to 64 bits, the same within one process */

/* XOR of both halves of the product: every bit of v changes low bits as well as high bits. */
static inline uint64_t hash_mix(uint64_t v, uint64_t k)
{
	unsigned __int128 product = (unsigned __int128)v * k;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_load(const void *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

/* Mixes two words: together 16 bytes, loaded independently of each other. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b, uint64_t h)
{
	return hash_mix(a ^ 0xff51afd7ed558ccdull, b ^ h);
}

/* Most names have 8 to 32 bytes. For these there is no loop: the words from both ends may overlap. */
static inline uint64_t hash_bytes(const void *data, size_t len, uint64_t h)
{
	const char *s = data, *end = s + len;
	uint64_t w = 0;

	h ^= (len + 1) * 0x9e3779b97f4a7c15ull;
	if (len < 8) {
		for (; s < end; s++)
			w = w << 8 | (unsigned char)*s;
		return hash_pair(w, 0xc4ceb9fe1a85ec53ull, h);
	}
	for (; end - s > 32; s += 16)
		h = hash_pair(hash_load(s), hash_load(s + 8), h);
	if (end - s > 16)
		h = hash_pair(hash_load(s), hash_load(s + 8), h) ^
		    hash_mix(hash_load(end - 16) ^ 0xc4ceb9fe1a85ec53ull, hash_load(end - 8) ^ h);
	else
		h = hash_pair(hash_load(s), hash_load(end - 8), h);
	return hash_mix(h, 0x9fb21c651e98df25ull);
}

/* hash_table - finds the elements of a growing array by their hash: open addressing, less than two thirds full */
struct hash_table {
	uint32_t *slots;  /* the number of an element + 1; 0: none */
	uint32_t *hashes; /* indexed by element: the table grows without reading these */
	size_t nslots, nhashes;
};

int hash_table_reserve(struct hash_table *t, size_t n); /* for element number n, before it is looked for */
void hash_table_put(struct hash_table *t, size_t slot, uint32_t hash, size_t element);
void hash_table_release(struct hash_table *t);

/*
 * for (size_t s = hash_table_first(t, h, &i); t->slots[s]; s = hash_table_next(t, s, h, &i)): i is an element with this
 * hash. Behind the loop, s is the slot of a new element with this hash.
 */
static inline size_t hash_table_at(const struct hash_table *t, size_t s, uint32_t hash, size_t *i)
{
	while (t->slots[s] && t->hashes[t->slots[s] - 1] != hash)
		s = (s + 1) & (t->nslots - 1);
	*i = (size_t)t->slots[s] - 1;
	return s;
}

static inline size_t hash_table_first(const struct hash_table *t, uint32_t hash, size_t *i)
{
	return hash_table_at(t, hash & (t->nslots - 1), hash, i);
}

static inline size_t hash_table_next(const struct hash_table *t, size_t s, uint32_t hash, size_t *i)
{
	return hash_table_at(t, (s + 1) & (t->nslots - 1), hash, i);
}

/*
 * jail - takes from this process, for good, what a reader of a stranger's file does not need; what it starts has it no
 * more either. A kernel that lacks seccomp or Landlock gives what it has. capabilities(7), landlock(7), seccomp(2)
 */
#define JAIL_CAP(number) (UINT64_C(1) << (number))

enum {
	JAIL_STARTS = 1,  /* starts programs, which are in the jail, too, and have the same capabilities */
	JAIL_AS_ROOT = 2, /* root stays root: perf looks at the user, not at its capabilities */
	JAIL_BELOW = 4,   /* openat2(2), of which no filter sees the flags: opens files below a directory */
	JAIL_WRITES = 8,  /* of jail_enter() alone: makes files */
};

/* dir_fd: where new files may be made or replaced; -1: nowhere. keep: a JAIL_CAP() for each capability that stays. */
int jail_enter(unsigned how, int dir_fd, uint64_t keep, struct diag *d);
bool jail_user(uid_t *uid, gid_t *gid); /* who root becomes there; false: this process is not root, or stays root */
void jail_drop_capabilities(uint64_t keep);
/* inherited: the programs that it starts have them, too; otherwise those that root starts have them all again. */
void jail_lower_capabilities(uint64_t keep, bool inherited);

/*
 * json_text - JSON of any text. A text that is not UTF-8 has "?" for every byte from 0x80 on. What is written cannot
 * control a terminal: "\u001b" for the characters of U+007F to U+009F, too
 */
json_t *json_text_string(const char *s);
void json_text_in_place(char *s);                            /* the same for the name of a member */
const char *json_text_of(const json_t *o, const char *name); /* of a member; "": it is none, or no text */
double json_text_number(const json_t *o, const char *name);  /* of a member; NaN: it is none, or no number */

/*
 * Calls each() for each member that two objects have otherwise, with NULL for what one of them lacks, which is as null.
 * of: what both are, for each(). A value that is not 0 ends it, and is returned.
 */
typedef int json_differs(void *arg, const char *of, const char *name, json_t *was, json_t *is);
int json_differences(json_t *was, json_t *is, const char *of, json_differs *each, void *arg);
/* The same for the objects in two objects; `of` is the name of each. */
int json_differences_of_each(json_t *was, json_t *is, json_differs *each, void *arg);

/* Writes a part of a JSON text, characters in `also` as "\u00XX", too. 0 or -1, as jansson asks. */
int json_text_put(const char *text, size_t len, FILE *out, const char *also);
int json_text_write(const json_t *o, FILE *out, size_t flags, const char *also); /* flags: as json_dumpf() has them */

/*
 * keeper - a process that keeps the rights which its jailed child gives up. It reads numbers from the child and nothing
 * else: a child that obeys a stranger gets no more than what the function does for one of them. The child ends with it
 *
 * In the keeper: does what the child asks for, a number from 0 on, and returns the answer, 0 or -errno. KEEPER_END,
 * once: the child has ended, with the exit status `detail` (-1: by a signal), and the answer is the exit status.
 */
typedef int keeper_fn(void *arg, int what, int detail);
enum { KEEPER_END = -1 };

/* Returns 0 in the child, which enters its jail then. Before, nothing may wait in the buffers of streams. */
int keeper_begin(int *channel, keeper_fn *serve, void *arg, struct diag *d);
int keeper_ask(int channel, int what);

/*
 * known - how "not known" is written; 0 and "unknown" never mean it
 * structs: NaN, -1 in whole numbers that are never negative, NULL, or "" in an array of char
 * JSON, CSV, SQLite: null, an empty field, NULL
 * text, HTML: NOT_KNOWN in a sentence, "-" in a column of numbers; exports that have text alone: ""
 */
#define NOT_KNOWN "not known"

static inline const char *or_empty(const char *text)
{
	return text ? text : "";
}

static inline const char *known(const char *text)
{
	return text && *text ? text : NOT_KNOWN;
}

/* listed - a list in words, in a buffer of fixed size. A part is there whole or not at all, which is false */
bool listed_add(char *list, size_t size, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * nearest - "did you mean": a word at most two edits away (a letter inserted, left out, replaced, or two swapped) and
 * by fewer than half of its letters; of several as near, the first
 */
struct nearest {
	const char *word; /* NULL: none so far */
	size_t edits;
};

void nearest_try(struct nearest *near, const char *typed, const char *word); /* keeps the nearer word */

/*
 * new_file - writes a file that is complete or absent: under a name of its own beside the one that it gets, flushed and
 * synced before it takes that name, the place of an older file, and its mode and owner. Where a path is a link, what it
 * leads to is replaced; a device, a FIFO or a socket is written to. What a stranger has put in the place is replaced
 * itself, is not written to or followed, and passes on neither mode nor owner. A stranger is who is not this user, root
 * or the caller of sudo, and can write into the directory
 */
struct new_file {
	FILE *stream;
	int dir_fd; /* of the directory, or AT_FDCWD; ours to close when >= 0 and own_dir */
	int own_dir, direct;
	int keeper, number; /* keeper > 0: the channel to whom puts the file in place, and its number there */
	char name[256];     /* in that directory */
	char tmp[300];      /* its name until it is complete; "": there is none */
	char path[4096];    /* for sentences */
};

/* mode: the permissions of a new file, less those of the umask, e.g. 0666. */
int new_file_open(struct new_file *nf, const char *path, mode_t mode, struct diag *d);
/* -EINVAL: path, of an option --output, is the file input, or one that input goes on below. Both may be NULL. */
int new_file_spares(const char *path, const char *input, struct diag *d);
/* err: what went wrong while the content was made; then the file is not put in place. Returns the first failure. */
int new_file_close(struct new_file *nf, int err, struct diag *d);
/*
 * Leaves it to a keeper to put these open files in place, so that this process can enter a jail in which nothing can be
 * written. Returns 0 in another process, the child. A file that this one does not close is not put in place.
 */
int new_file_keep(struct new_file *const files[], size_t n, struct diag *d);

/*
 * number - reads numbers. Of perf's texts, without sign and exponent: "DIGITS[.DIGITS]", grouped also with "," between
 * groups of three ("1,003,009"). Returns the end of the number, or NULL where s does not begin with one.
 */
const char *number_read(const char *s, const char *end, bool grouped, double *value);
#define number_read_decimal(s, end, value) number_read(s, end, false, value)
#define number_read_grouped(s, end, value) number_read(s, end, true, value)
/* What a person typed, neither "0x40" nor "nan". -EINVAL: it begins with no number; -ERANGE: no double can hold it. */
int number_typed(const char *text, double *value, const char **rest); /* *rest: the text behind the number */
/* The whole text as one number, or -EINVAL ("64abc"); -ERANGE: it is outside [min, max]. */
int number_parse(const char *text, double min, double max, double *value);

/*
 * opts - one table per command line: parsing, checks, usage, help, man page and shell completion come from it. A number
 * is read whole; seconds may be "250ms" and "2min", others may end in k, M or G. The value behind a pointer before
 * parsing is the default. Rows without a group are those that people use: --help shows them, --help=all shows all
 */
enum opt_type {
	OPT_FLAG,    /* bool */
	OPT_INT,     /* int */
	OPT_NUMBER,  /* double */
	OPT_SECONDS, /* double */
	OPT_MAC,     /* unsigned char[6]; all zero: none */
	OPT_STRING,  /* const char *; so are all the following types before the lists */
	OPT_WORD,    /* one of opt.words */
	OPT_FILE,
	OPT_DIR,
	OPT_RUN,    /* DIR:VARIANT, or a part of it */
	OPT_DEVICE, /* a name that a network device can have, or one of opt.words */
	OPT_NETNS,  /* a name that a network namespace can have */
	OPT_LIST,   /* struct opt_list: comma-separated items; may be given several times; items are from opt.words */
	OPT_EVENTS, /* OPT_LIST; commas between slashes belong to the item: "cpu/event=0xc0,umask=1/,cycles" */
	OPT_EACH,   /* struct opt_list; may be given several times, each time with one item, which may have commas */
	OPT_PARTS,  /* a list of opt.parts, which have the values: "ring=512,steer"; an OPT_ARGUMENT first, no name */
};

/* What a row is about; the headings of --help=all. */
enum opt_group { GROUP_USUAL, GROUP_LOAD, GROUP_DEVICE, GROUP_PROGRAM, GROUP_STATISTICS, GROUP_OUTPUT, GROUPS };

enum opt_flags {
	OPT_ARGUMENT = 1, /* stands on the command line without an option's name, in the order of the table */
	OPT_REQUIRED = 2,
	OPT_OPEN = 4, /* help and completion offer opt.words, but other values are accepted too */
};

struct opt {
	const char *name; /* the long option; of an OPT_ARGUMENT: its name in the usage line */
	char letter;      /* 0: none */
	enum opt_type type;
	void *value;
	const char *arg; /* the value's name in the help */
	const char *help;
	double min, max;          /* OPT_INT, OPT_NUMBER, OPT_SECONDS; both 0: any number that is not negative */
	const char *const *words; /* OPT_WORDS(...); ends with NULL */
	const char *const *uses;  /* OPT_WORD: the use of each word; the value "list" prints them; NULL: no "list" */
	const struct opt *parts;  /* OPT_PARTS; ends with a row without a name */
	const char *otherwise;    /* the default as the help shows it; NULL: the help shows *value */
	unsigned int flags;
	enum opt_group group;
};

#define OPT_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define OPT_LIST_MAX 64

struct opt_list {
	const char *items[OPT_LIST_MAX];
	size_t n;
};

struct command {
	const char *name; /* NULL: the program has one command, which has no name of its own */
	const char *help; /* one line */
	int needs_root;
	int (*run)(const struct command *c, int argc, char **argv);
	const char *examples; /* of its use, lines for a shell, each with its end; NULL: none */
	/* May be NULL. Called when the command line is complete and right; what it returns, opts_parse() returns. */
	int (*ready)(const struct command *c);
};

#define OPTS_OK    0 /* everything required was given */
#define OPTS_DONE  (-1)
#define OPTS_USAGE (-2)
#define OPTS_LACKS (-3) /* this machine lacks what the command needs; one sentence was printed */

int opts_parse(const struct command *c, const struct opt *table, int argc, char **argv);
int opts_exit(int parsed); /* the exit status where opts_parse() did not return OPTS_OK; complains of standard output */
/* Sets a value as if it stood on the command line; text: NULL for an OPT_FLAG. -1: a sentence was printed. */
int opts_value_set(const struct opt *o, char *text);

/* printable - text that is safe to show: UTF-8 that XML 1.0 allows, and that cannot control the terminal */
#define PRINTABLE_BYTES 5 /* one character, and the end of the string */

size_t printable_length(const char *s); /* of the character at s, in bytes; 0: it is to be shown as "?" */
/* Copies the next character to show, moves *s, which is not at its end, and returns how many bytes were copied. */
size_t printable_next(const char **s, char shown[PRINTABLE_BYTES]);
void printable_in_place(char *s); /* one "?" for each byte that is not to be shown; the string keeps its length */
void printable_put(FILE *out, const char *s);
/* Ends of lines and tabs are kept. s[len] must be there: another line, or the end of a string. */
void printable_lines(FILE *out, const char *s, size_t len);
/* A format, and what its strings hold. lines: the ends of lines are kept. */
void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));
void printable_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* keeps lines */

/* random - numbers that are the same on every machine: xorshift64 (Marsaglia, J. Stat. Software 8/14, 2003) */

static inline size_t random_below(uint64_t *random, size_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random % n;
}

static inline void random_shuffle(uint64_t *random, size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(random, i), swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

/* shell_word - quotes a word of a command line for the shell */
size_t shell_word(char *out, size_t size, const char *word);
/* The name of a device or a namespace in a command that is shown; it lives as long as the caller's block. */
#define SHELL_NAME(name) shell_name((char[SHELL_NAME_BYTES]){}, name)
#define SHELL_NAME_BYTES 80
const char *shell_name(char to[SHELL_NAME_BYTES], const char *name);
char *shell_line(const json_t *words); /* a JSON array of words as a line, which the caller frees */

/* span - a part of a text that is read where it stands. Blanks are spaces and tabs */
struct span {
	const char *s;
	size_t len;
};

static inline struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static inline bool span_is(const struct span *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->s, text, w->len);
}

static inline bool span_begins(const char *s, size_t len, const char *head)
{
	size_t n = strlen(head);

	return len >= n && !memcmp(s, head, n);
}

static inline bool span_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline const char *span_skip_blanks(const char *s, const char *end)
{
	while (s < end && span_is_blank(*s))
		s++;
	return s;
}

static inline const char *span_skip_word(const char *s, const char *end)
{
	while (s < end && !span_is_blank(*s))
		s++;
	return s;
}

/* The end of what stands before the blanks at the end of a text. */
static inline const char *span_trim_end(const char *s, const char *end)
{
	while (end > s && span_is_blank(end[-1]))
		end--;
	return end;
}

/* The next word from *s on; false: there is none. */
static inline bool span_next_word(const char **s, const char *end, struct span *w)
{
	w->s = span_skip_blanks(*s, end);
	*s = span_skip_word(w->s, end);
	w->len = (size_t)(*s - w->s);
	return w->len > 0;
}

/* As much as there is room for, and a NUL behind it. */
static inline void span_copy(char *to, size_t size, const char *s, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, s, len);
	to[len] = '\0';
}

/*
 * spill - a file that grows piece by piece, and takes from memory what is in it. A piece that cannot be written whole
 * is not in the file, unless the process or the machine dies meanwhile. All zero: a spill without a file
 */
struct spill {
	bool is_open;
	int fd;
	off_t size;
};

int spill_open(struct spill *s, const char *path); /* an empty file of this name; one that is there is removed */
FILE *spill_begin(const struct spill *s); /* at the end of the file; NULL: no memory, or no descriptor is left */
int spill_end(struct spill *s, FILE *piece, int err); /* err: of the piece. Closes it, returns the first error */
void spill_release(struct spill *s);                  /* the file stays; may be called twice */

/*
 * stats - intervals and tests for numbers that come in blocks: two-sided, 95 %; probabilities and shares are 0..1; a
 * difference is second minus first
 * src:   t interval: Student, "The Probable Error of a Mean", Biometrika 6, 1908
 *        unequal variances: Welch, Biometrika 34, 1947; degrees of freedom: Satterthwaite, 1946
 *        shares: Wilson, JASA 22, 1927
 *        unseen: Hanley and Lippman-Hand, JAMA 249, 1983 ("rule of three")
 *        false discoveries: Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995
 *        design effect: Kish, "Survey Sampling", 1965, section 8.2
 *        successive differences: von Neumann, Ann. Math. Stat. 12, 1941; for samples in order: Wolter, JASA 79, 1984
 *        trimmed means: Tukey and McLaughlin, Sankhya A 25, 1963; Yuen, Biometrika 61, 1974
 *        a count against none: Przyborowski and Wilenski, Biometrika 31, 1940
 *        modified z: Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993
 */
#define STATS_Z95 1.959963984540054 /* two-sided 95 % of the normal distribution */

double stats_t95(double df); /* 95 % of Student's distribution with df degrees of freedom lie within -t .. t */
double stats_t(double df, double alpha); /* the same for all but the part alpha */

struct stats_mean {
	size_t n;
	double mean, sd, half; /* mean -+ half, with half = t(n-1)·sd/sqrt(n); NaN for n < 2 */
};
struct stats_mean stats_mean(const double *x, size_t n);

/*
 * p: of a difference at least as large if there is none; of two constant samples 1 when they are equal, else 0
 *     se² = sa²/na + sb²/nb      df = se⁴ / ((sa²/na)²/(na-1) + (sb²/nb)²/(nb-1))
 */
struct stats_difference {
	double delta, se, df, t, p, half;
};
struct stats_difference stats_welch(const double *a, size_t na, const double *b, size_t nb);
struct stats_difference stats_paired(const double *a, const double *b, size_t n); /* mean of b[i] - a[i]; df = n - 1 */
struct stats_difference stats_test(struct stats_difference d); /* t, p and half from delta, se and df */
/* With se, a known standard error of counting, as a lower bound: the wider interval, the larger p of t and z. */
struct stats_difference stats_widen(struct stats_difference d, double se);

/*
 * Mean of a series in the order of time, whose level may move slowly: that is in the mean, and no error of it. The
 * error comes from successive differences: var = sum (x[i+1] - x[i])² / 2(n-1), with 2(n-1)²/(3n-4) degrees of freedom.
 * sd is that of all values.
 */
struct stats_mean stats_series(const double *x, size_t n);

/*
 * Values that were taken in rotations: x[i] in rotation[i], which do not fall. All values of one become alike, and so
 * far from the mean of all, which stays, that its error is that of the rotations' means. Returns the degrees of freedom
 * that are lost: n less the number of rotations; 0: fewer than STATS_ROTATIONS, or each has one value: nothing is
 * changed.
 */
#define STATS_ROTATIONS 4
double stats_rotate(double *x, const size_t *rotation, size_t n);

/*
 * Is any modified z beyond STATS_HEAVY? False for fewer than STATS_TAIL values. At STATS_OUTLIER, one normal sample of
 * 12 in ten would be heavy, and trimming those costs a percent of coverage.
 */
#define STATS_TAIL  6
#define STATS_HEAVY 5
int stats_heavy(const double *x, size_t n, bool *heavy);

/* keep[i]: x[i] is not among the STATS_TRIM·n smallest, nor among the STATS_TRIM·n largest. */
#define STATS_TRIM 0.2
int stats_trim(const double *x, size_t n, bool *keep);
/* The trimmed mean as delta; its error from the winsorized values, df = kept - 1. */
int stats_trimmed(const double *x, size_t n, struct stats_difference *out);

/* p of "both have the same rate", for count events in an exposure and none in another: 2·(all fall into one). */
double stats_none_by_chance(double count, double exposure, double other);

/* p[] -> q[]: the lowest false discovery rate at which each test counts as a discovery. A NaN in p is not a test. */
int stats_benjamini_hochberg(const double *p, double *q, size_t n);

/* Share p in n samples (may be fractional): (p + z²/2n -+ z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), within 0..1. */
void stats_wilson(double p, double n, double ci[2]);

/* The largest share that has a chance of 1 in 20 to be in none of n samples: 3/n, at most 1. */
double stats_unseen(double n);

/*
 * The variance of the shares between blocks, divided by the variance p(1-p)·mean(1/n_b) that independent samples would
 * have, both summed over all rows (symbols), because the few blocks of one row are not enough; at least 1. The samples
 * are worth n_eff = n / design effect independent ones. share[row * nblocks + block]; samples[block].
 */
double stats_design_effect(const double *share, size_t nrows, const double *samples, size_t nblocks);

/*
 * Standard error of a cost c = p·base, relative to c: sqrt((1-p)/(p·n_eff) + (se_base/base)²). For p = 0 it is
 * infinite: an unseen symbol has a bound, stats_unseen().
 */
double stats_cost_error(double p, double n_eff, double base_error);

double stats_median(double *x, size_t n); /* moves the values of x about; NaN for n == 0 */

/* 0.6745·(x - median)/MAD of each value; 0 for all when more than half of the values are equal. */
#define STATS_OUTLIER 3.5 /* a value is an outlier when its |z| is larger */
int stats_modified_z(const double *x, size_t n, double *z);

/*
 * Is a series of windows steady? y[i] is the value at time x[i]. Each group (block), a run of equal numbers in group[],
 * has a level of its own, and all share one slope: least squares after the mean of each group is subtracted, df = n -
 * groups - 1. lag1: Box and Jenkins' autocorrelation of values in a group: sum of products over sum of squares.
 */
struct stats_trend {
	double slope, se, df, p; /* p of "slope is 0" */
	double lag1;
};
int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out);

/*
 * steps - where a series of values changed its level: the least sum of squared deviations, in units of sd, and of what
 * each change costs: 2 ln n for its place and 3 for its size. A series of normal values without a change has one in 5 %
 * of cases or less; in 12 % with the tails of Student's t of 3 degrees of freedom. Where successive values differ by
 * more than sd, above 0, tells, sd is as much larger. least: values of a level, 1 or more. Returns how many, or -ENOMEM
 * src: Rissanen, Automatica 14, 1978; Yao, Statistics and Probability Letters 6, 1988; Jackson and others, IEEE Signal
 *      Processing Letters 12, 2005
 */
int steps_find(const double *x, const double *sd, size_t n, size_t least, size_t *at);

/* stop - a signal asks for the end: the handler sets stop_requested, and nothing else. SIGPIPE is ignored: EPIPE */
extern volatile sig_atomic_t stop_requested;

void stop_on_signals(void);
int stopped(struct diag *d);

/* tree - what lies below an open directory, reached by handles, never by a path or a link, whoever renames above */
#define TREE_DEPTH 32

int tree_sync(int fd);                          /* the directory itself as well */
int tree_remove(int fd);                        /* all that is below it; the directory stays, empty */
int tree_chown(int fd, uid_t uid, gid_t gid);   /* everything below; the directory itself keeps its owner */
int tree_discard(const char *path);             /* the directory, too; 0: it is gone, or was not there; -errno */
int tree_empty(int fd);                         /* 1: it is, 0: it is not; -errno */
int tree_open(int parent_fd, const char *name); /* opens a directory by its name in another one; -errno */

#endif
