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

/*
 * array - arrays that grow by doubling, and the order of what is in them
 *
 * units: cap, used and n in elements
 * law:   the room of an array of array_add() is the power of two from *n on, so it is kept nowhere. Such an array
 *        grows in no other way
 */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b))) /* evaluates both twice */

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size);
void *array_add(void *array, size_t *n, size_t size);

/*
 * caller - the person who called this program by sudo, and owns what it writes
 *
 * law:   only root gives files away, and only in a directory that belongs to the caller: elsewhere, what root writes
 *        stays root's
 * src:   sudo(8), "ENVIRONMENT"
 */

bool caller_find(uid_t *uid, gid_t *gid); /* who called root by sudo; false: nobody did */
/* parent_fd may be AT_FDCWD. */
bool caller_owns(int parent_fd, uid_t *uid, gid_t *gid);
void caller_give(int parent_fd, int fd);

/*
 * child - a process of our own, which does not outlive this one
 *
 * law:   a child whose parent ends before the child has asked for that signal ends, too. A signal that comes meanwhile
 *        ends no wait
 */

pid_t child_fork(int orphaned);
int child_wait(pid_t pid);
int child_kill(pid_t pid); /* and waits for its end */

/*
 * diag - one sentence about what went wrong, handed up to the caller that prints it
 *
 * law:   libraries never print; a function that returns < 0 has set one sentence
 */

struct diag {
	char text[768];
};

/* Sets the sentence and returns err: "return diag_set(d, -EINVAL, ...)". d may be NULL. */
int diag_set(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, but replaces a sentence that was set before: for a caller that knows the cause of the first failure. */
int diag_replace(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * exit_status - the exit statuses of this project's programs
 *
 * law:   tests and scripts rely on these numbers; they never change
 * src:   77 is the status by which test harnesses know a skipped test (Automake, "Scripts-based Testsuites")
 */

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_GATE = 3,   /* the result failed a quality gate */
	EXIT_OPEN = 4,   /* nothing failed, and something could not be told */
	EXIT_LACKS = 77, /* this machine lacks something that the command needs */
};

/*
 * complain - the one way in which a program of this project reports a failure to a person
 *
 * law:   what names and files bring along cannot control the terminal (printable.h);
 *        data goes to stdout, everything else to stderr; one sentence per failure; libraries fill a diag instead
 */

void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int complain_of(const struct diag *d, int err); /* prints the diag's sentence, or strerror(-err) where it has none */

/*
 * foreign_file - opens a file that a stranger may have made
 *
 * law:   opening takes no time: a FIFO without a writer, a device that never ends and a file without end are refused.
 *        inside: the last part of the path must be a file itself, not a link, which could lead anywhere. A path that
 *        goes on below a file, as "runs.db/last/run.json" does, is left to the function of foreign_file_below()
 */

#define FOREIGN_MAX_BYTES (1LL << 30)

int foreign_file_open(FILE **file, int dir_fd, const char *path, bool inside, long long max_bytes, struct diag *d);
/* From now on, this function opens what paths name below files. One for the process, set before anything is read. */
typedef int foreign_below_fn(FILE **file, const char *path, struct diag *d);
void foreign_file_below(foreign_below_fn *open);
/* The same checks for a descriptor; closes it when it is refused. */
int foreign_file_check(int fd, const char *path, long long max_bytes, struct diag *d);

/*
 * hash - bytes to 64 bits, for hash tables
 *
 * law:   the same bytes and the same seed give the same value within one process
 */

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

/* memcmp() == 0, fast for names: it compares the same words that hash_bytes() loads. */
static inline bool hash_same_bytes(const void *a, const void *b, size_t len)
{
	const char *s = a, *t = b, *end = s + len, *t_end = t + len;
	uint64_t differ;

	if (len < 8)
		return !memcmp(s, t, len);
	for (; end - s > 32; s += 16, t += 16)
		if ((hash_load(s) ^ hash_load(t)) | (hash_load(s + 8) ^ hash_load(t + 8)))
			return false;
	differ = (hash_load(s) ^ hash_load(t)) | (hash_load(end - 8) ^ hash_load(t_end - 8));
	if (end - s > 16)
		differ |= (hash_load(s + 8) ^ hash_load(t + 8)) | (hash_load(end - 16) ^ hash_load(t_end - 16));
	return !differ;
}

/*
 * hash_table - finds the elements of a growing array by their hash
 *
 * law:   open addressing with linear probing; the table stays less than two thirds full. It keeps the hash of each
 *        element, so that it can grow without reading the elements. All bytes 0 is an empty table
 */

struct hash_table {
	uint32_t *slots;  /* the number of an element + 1; 0: none */
	uint32_t *hashes; /* indexed by element */
	size_t nslots, nhashes;
};

/* Makes room for element number n, before it is looked for. */
int hash_table_reserve(struct hash_table *t, size_t n);
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
 * jail - takes from this process, for good, what a reader of a stranger's file does not need
 *
 * law:   nothing of it can be undone, and what the process starts has it no more than the process, but for
 *        jail_lower_capabilities(). A kernel that lacks seccomp or Landlock gives what it has, and says nothing
 * src:   Linux Documentation/userspace-api/landlock.rst, seccomp_filter.rst; capabilities(7)
 */

#define JAIL_CAP(number) (UINT64_C(1) << (number))

enum {
	JAIL_STARTS = 1,  /* starts programs, which are in the jail, too, and have the same capabilities */
	JAIL_AS_ROOT = 2, /* root stays root: perf looks at the user, not at its capabilities */
	JAIL_BELOW = 4,   /* openat2(2), of which no filter sees the flags: opens files below a directory */
	JAIL_WRITES = 8,  /* of jail_enter() alone: makes files */
};

/*
 * dir_fd: where new files may be made, and may take the place of others; -1: nowhere. keep: a JAIL_CAP() for each
 * capability that stays besides the one to read everybody's files.
 */
int jail_enter(unsigned how, int dir_fd, uint64_t keep, struct diag *d);
bool jail_user(uid_t *uid, gid_t *gid); /* who root becomes there; false: this process is not root, or stays root */
bool jail_allow_calls(unsigned how);    /* the second half of jail_enter(); false: there is no list */
void jail_drop_capabilities(uint64_t keep);
void jail_lower_capabilities(uint64_t keep); /* programs that root starts have them all again */

/*
 * json_text - JSON strings of text that JSON itself cannot hold, and JSON written
 *
 * law:   JSON has no bytes that are not UTF-8: in a text that is not UTF-8 every byte from 0x80 on becomes "?".
 *        What is written cannot control a terminal (printable.h): JSON asks for "\u001b" itself, and U+007F to
 *        U+009F are written in the same way
 */

json_t *json_text_string(const char *s);
void json_text_in_place(char *s); /* what json_text_string() makes of it: for the name of a member */
const char *json_text_of(const json_t *o, const char *name); /* of a member; "": it is none, or no text */
double json_text_number(const json_t *o, const char *name);  /* of a member; NaN: it is none, or no number */

/*
 * Calls each() for each member that two objects have otherwise, with NULL for what one of them lacks; null and a member
 * that is not there are the same. of: what both are, for each(). A value that is not 0 ends it, and is returned.
 */
typedef int json_differs(void *arg, const char *of, const char *name, json_t *was, json_t *is);
int json_differences(json_t *was, json_t *is, const char *of, json_differs *each, void *arg);
/* The same for the objects in two objects; `of` is the name of each. */
int json_differences_of_each(json_t *was, json_t *is, json_differs *each, void *arg);

/* Writes a part of a JSON text. Characters in `also` are written as "\u00XX" too. Returns 0 or -1, as jansson asks. */
int json_text_put(const char *text, size_t len, FILE *out, const char *also);
int json_text_write(const json_t *o, FILE *out, size_t flags); /* flags: how json_dumpf() lays it out */

/*
 * keeper - a process that keeps the rights which its jailed child gives up, and does for it what was agreed on before
 *
 * law:   the keeper reads numbers from the child and nothing else. So a child that obeys a stranger can get no more
 *        than what the function does for one of its numbers. The child ends with its keeper
 */

/*
 * In the keeper: does what the child asks for, a number from 0 on, and returns the answer, 0 or -errno. KEEPER_END,
 * once: the child has ended, with the exit status `detail` (-1: by a signal), and the answer is the exit status.
 */
typedef int keeper_fn(void *arg, int what, int detail);
enum { KEEPER_END = -1 };

/* Returns 0 in the child, which enters its jail then. Before, nothing may wait in the buffers of streams. */
int keeper_begin(int *channel, keeper_fn *serve, void *arg, struct diag *d);
int keeper_ask(int channel, int what);

/*
 * known - how "not known" is written, in each layer
 *
 * in structs:       NaN; -1 in whole numbers that are never negative; NULL, or "" in an array of char
 * in JSON:          null
 * in CSV, SQLite:   an empty field, NULL
 * in text and HTML: NOT_KNOWN in a sentence, "-" in a column of numbers
 * exports of text:  "", where the format has neither null nor a missing member (JSON Lines)
 *
 * law:              0 and "unknown" never mean it
 */

#define NOT_KNOWN "not known"

/* For exports whose members are always text. */
static inline const char *or_empty(const char *text)
{
	return text ? text : "";
}

static inline const char *known(const char *text)
{
	return text && *text ? text : NOT_KNOWN;
}

/*
 * listed - a list in words, in a buffer of fixed size
 *
 * law:   a part is there whole or not at all, so that no number loses its last digits
 */

bool listed_add(char *list, size_t size, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * nearest - "did you mean": the known word that somebody most likely meant
 *
 * law:   a word is at most two edits away (a letter inserted, left out, replaced, or two swapped) and by fewer than
 *        half of its letters; of several as near, the first
 */

struct nearest {
	const char *word; /* NULL: none so far */
	size_t edits;
};

/* Keeps the word if it is nearer than the one before. */
void nearest_try(struct nearest *n, const char *typed, const char *word);
const char *nearest_word(const char *typed, const char *const *words); /* words: ends with NULL. NULL: none is near. */

/*
 * new_file - writes a file that is complete or absent
 *
 * law:   the file is written under a name of its own that did not exist, beside the one that it gets. It is flushed and
 *        synced before it takes that name, and takes the place of an older file at once, with its mode and owner. So
 *        nobody sees a part of it, and a full disk costs nothing that was there. Where a path is a link, what it leads
 *        to is replaced; where it is a device, a FIFO or a socket, that is written to directly. What a stranger has put
 *        in the place is replaced itself, is not written to or followed, and passes on neither mode nor owner. A
 *        stranger is who is not this user, root or the caller of sudo, and can write into the directory
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
int new_file_open_at(struct new_file *nf, int dir_fd, const char *name, mode_t mode, struct diag *d);
/*
 * -EINVAL: path, of an option --output, is the same regular file as input, or as one that input goes on below, under
 * whatever name. Either may be NULL.
 */
int new_file_spares(const char *path, const char *input, struct diag *d);
/* err: what went wrong while the content was made; then the file is not put in place. Returns the first failure. */
int new_file_close(struct new_file *nf, int err, struct diag *d);

/*
 * Leaves it to a keeper to put these open files in place, so that this process can enter a jail in which nothing can be
 * written. Returns 0 in another process, the child. A file that this one does not close is not put in place.
 */
int new_file_keep(struct new_file *const files[], size_t n, struct diag *d);
/* For the function of another keeper, in which the files have the numbers from 0 on: see keeper_fn. */
struct new_files {
	struct new_file *const *files;
	size_t n;
};
int new_file_serve(const struct new_files *f, int what, int detail);
void new_file_kept(const struct new_files *f, int channel); /* in the child */

/*
 * number - reads numbers from text
 *
 * law:   number_parse() reads the whole text or refuses it: "64abc", "1e999", "0x40" and "nan" are refused
 */

/*
 * Reads "DIGITS[.DIGITS]" at s, without sign, exponent and separators. Returns the end of the number, or NULL where s
 * does not begin with one.
 */
const char *number_read_decimal(const char *s, const char *end, double *value);

/* The same with "," between groups of three digits ("1,003,009"), as perf stat prints numbers. */
const char *number_read_grouped(const char *s, const char *end, double *value);

/*
 * Reads a decimal number that a person typed; sign and exponent are allowed. *rest: the text behind the number.
 * -EINVAL: the text does not begin with a number; -ERANGE: no double can hold the number.
 */
int number_typed(const char *text, double *value, const char **rest);

/* The whole text as one number. -EINVAL: the text is not one number; -ERANGE: it is outside [min, max]. */
int number_parse(const char *text, double min, double max, double *value);

/*
 * opts - one table per command line: parsing, checks, usage, help, man page and shell completion all come from
 * this table
 *
 * units: times in seconds; "250ms" and "2min" are accepted; numbers may end in k, M or G
 * law:   a number is read whole: "64abc" is refused. The value behind a pointer before parsing is the default, and
 *        the help shows it. OPTS_OK means that everything required was given
 *        Rows without a group are those that people use: --help shows them and the examples, --help=all shows all. In
 *        a table without groups both are the same. Man pages and completion have all rows
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
	/*
	 * A list of opt.parts: "ring=512,steer" sets what the pointers of these rows name, and not opt.value. A part
	 * that is an OPT_ARGUMENT has no name and stands first: "ssh:HOST/eth1,threads=4".
	 */
	OPT_PARTS,
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

#define OPTS_OK    0
#define OPTS_DONE  (-1)
#define OPTS_USAGE (-2)
#define OPTS_LACKS (-3) /* this machine lacks what the command needs; one sentence was printed */

int opts_parse(const struct command *c, const struct opt *table, int argc, char **argv);
/*
 * The exit status of a command for which opts_parse() did not return OPTS_OK. OPTS_DONE: after one sentence it is
 * EXIT_FAILED where standard output could not be written.
 */
int opts_exit(int parsed);

/*
 * Sets an option's value, as if it stood on the command line; text: NULL for an OPT_FLAG. -1: a sentence was printed.
 */
int opts_value_set(const struct opt *o, char *text);
/* The row's default in words; "" where there is no default to show. */
void opts_value_default(const struct opt *o, char *text, size_t size);
/* Writes the row's words: "text, json, csv". last stands before the last word: ", " or " or ". */
void opts_value_words(const struct opt *o, const char *last, char *text, size_t size);
void opts_argument_name(const struct opt *o, char *name, size_t size); /* "DEV|lab", or "up|down|status" */

/*
 * Prints the table. format: NULL: the help for people; "all": with every row; "head": title and synopsis of the man
 * page, "rst": its arguments and options; "table": lines for the scripts in base/completion. -EINVAL: another one
 */
int opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format);
/* "xdpzoom record [OPTIONS] -o DIR DEV|lab" */
void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size);

/*
 * random - numbers that look random and are the same on every machine: xorshift64
 *
 * law:   a state gives the same numbers everywhere. Of 2^64 - 1 states each comes once before the first comes again
 * src:   George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8/14, 2003, with the shifts 13, 7, 17
 */

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

/*
 * span - a part of a text that is read where it stands, and what readers of lines do with such parts
 *
 * law:   nothing behind the end is read. Blanks are spaces and tabs
 */

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
 * spill - a file that grows piece by piece, and takes from memory what is in it
 *
 * units: bytes
 * law:   a piece that cannot be written whole is not in the file; only where the process or the machine dies meanwhile
 *        the file may end with a part of one. All zero: a spill without a file
 */

struct spill {
	bool is_open;
	int fd;
	off_t size;
};

int spill_open(struct spill *s, const char *path); /* an empty file of this name; one that is there is removed */
/* A stream at the end of the file, for one piece; NULL: no memory, or no descriptor is left. */
FILE *spill_begin(const struct spill *s);
/* Closes the stream. err: what went wrong while the piece was made. Returns the first error. */
int spill_end(struct spill *s, FILE *piece, int err);
/* Over what is in the file from this offset on. */
int spill_put(const struct spill *s, off_t at, const char *text, size_t n);
/* Errors of the stream stay with the stream, as those of fwrite(). */
int spill_copy(const struct spill *s, FILE *to);
int spill_sync(const struct spill *s);
void spill_release(struct spill *s); /* the file stays; may be called twice */

/*
 * stats - intervals and tests for numbers that come in blocks
 *
 * units: those of the input; probabilities and shares are 0..1, never percent
 * law:   two-sided, 95 %; a difference is always second minus first
 * src:   t quantiles, medians: GNU Scientific Library
 *        t interval: Student, "The Probable Error of a Mean", Biometrika 6, 1908
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

/* t such that 95 % of Student's distribution with df degrees of freedom lies within -t .. t. */
double stats_t95(double df);

double stats_t(double df, double alpha); /* the same for all but the part alpha of the distribution */

/* Mean of n values. The interval is mean -+ half, with half = t(n-1)·sd/sqrt(n); half is NaN for n < 2. */
struct stats_mean {
	size_t n;
	double mean, sd, half;
};
struct stats_mean stats_mean(const double *x, size_t n);

/*
 * delta: mean of b minus mean of a; p: probability of a difference at least as large if there is none. Of two constant
 * samples p is 1 when they are equal, and 0 when they differ.
 *     se² = sa²/na + sb²/nb      df = se⁴ / ((sa²/na)²/(na-1) + (sb²/nb)²/(nb-1))
 */
struct stats_difference {
	double delta, se, df, t, p, half;
};
struct stats_difference stats_welch(const double *a, size_t na, const double *b, size_t nb);

/* delta: mean of b[i] - a[i]; df = n - 1. */
struct stats_difference stats_paired(const double *a, const double *b, size_t n);

struct stats_difference stats_test(struct stats_difference d); /* t, p and half from delta, se and df */

/*
 * The same difference where a known standard error se (of counting, not estimated from few values) is a lower bound:
 * the interval is the wider one of t(df)·d.se and z·se, and p is the larger one of the two.
 */
struct stats_difference stats_widen(struct stats_difference d, double se);

/*
 * Mean of a series in the order of time, whose level may move slowly while the series runs. Its error comes from
 * successive differences: var = sum (x[i+1] - x[i])² / 2(n-1), with 2(n-1)²/(3n-4) degrees of freedom. A slow movement
 * is in the mean, because the series samples all of it, and is no error of the mean. sd is that of all values, with the
 * movement.
 */
struct stats_mean stats_series(const double *x, size_t n);

/*
 * Values that were taken in rotations: x[i] in rotation[i], which do not fall. What moves values to and fro within a
 * rotation is made no scatter: all values of one become alike, and so far from the mean of all, which stays as it is,
 * that the error of the mean is that of the rotations' means. Returns the degrees of freedom that are lost: n less the
 * number of rotations; 0: there are fewer than STATS_ROTATIONS, or each has one value, and nothing is changed.
 */
#define STATS_ROTATIONS 4
double stats_rotate(double *x, const size_t *rotation, size_t n);

/*
 * Has the sample heavy tails: is any modified z beyond STATS_HEAVY? False for fewer than STATS_TAIL values. At
 * STATS_OUTLIER, one normal sample of 12 in ten would be heavy, and trimming those costs a percent of coverage.
 */
#define STATS_TAIL  6
#define STATS_HEAVY 5
int stats_heavy(const double *x, size_t n, bool *heavy);

/* keep[i]: x[i] is not among the STATS_TRIM·n smallest, nor among the STATS_TRIM·n largest. Returns 0 or -ENOMEM. */
#define STATS_TRIM 0.2
int stats_trim(const double *x, size_t n, bool *keep);
/* The trimmed mean as delta; its error from the winsorized values, df = kept - 1. 0 or -ENOMEM. */
int stats_trimmed(const double *x, size_t n, struct stats_difference *out);

/*
 * p of "both have the same rate", for count events in an exposure and none in another one: twice the chance that all of
 * the events fall into the first. At most 1.
 */
double stats_none_by_chance(double count, double exposure, double other);

/* p[] -> q[]: the lowest false discovery rate at which each test counts as a discovery. A NaN in p is not a test. */
int stats_benjamini_hochberg(const double *p, double *q, size_t n);

/*
 * Score interval of share p seen in n samples (n may be a corrected, fractional count):
 * (p + z²/2n -+ z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n). Never outside 0..1.
 */
void stats_wilson(double p, double n, double ci[2]);

/* The largest share that has a chance of 1 in 20 to be in none of n samples: 3/n, at most 1. */
double stats_unseen(double n);

/*
 * The design effect: the variance of the shares between blocks, divided by the variance p(1-p)·mean(1/n_b) that
 * independent samples would have. Both variances are summed over all rows (symbols), because the few blocks of one row
 * are not enough. At least 1. The samples are worth n_eff = n / design effect independent samples.
 * share[row * nblocks + block]; samples[block].
 */
double stats_design_effect(const double *share, size_t nrows, const double *samples, size_t nblocks);

/*
 * Standard error of a cost c = p·base, relative to c: sqrt((1-p)/(p·n_eff) + (se_base/base)²).
 * For p = 0 the error is infinite: an unseen symbol has a bound, stats_unseen(), instead of an error.
 */
double stats_cost_error(double p, double n_eff, double base_error);

double stats_median(double *x, size_t n); /* moves the values of x about; NaN for n == 0 */

/* 0.6745·(x - median)/MAD of each value; 0 for all when more than half of the values are equal. */
#define STATS_OUTLIER 3.5 /* a value is an outlier when its |z| is larger */
int stats_modified_z(const double *x, size_t n, double *z);

/*
 * Is a series of windows steady? y[i] is the value at time x[i]. Each group (block) has a level of its own, and
 * all groups share one slope: ordinary least squares after the mean of each group is subtracted, df = n - groups - 1.
 * lag1: autocorrelation of successive values in a group, with the mean of the group subtracted (Box and Jenkins'
 * estimate: sum of products over sum of squares). A group is a run of equal numbers in group[].
 */
struct stats_trend {
	double slope, se, df, p; /* p of "slope is 0" */
	double lag1;
};
int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out);

/*
 * steps - where a series of values changed its level
 *
 * units: those of the input
 * law:   the levels are those of the least sum of squared deviations, in units of sd, and of what each change costs:
 *        2 ln n for its place and 3 for its size. So a series of normal values without a change has one in 5 % of cases
 *        or less; in 12 % with the tails of Student's t of 3 degrees of freedom. Where successive values differ by more
 *        than sd tells, sd is as much larger: values that scatter more than they should are no changes
 * src:   minimum description length: Rissanen, Automatica 14, 1978; for levels: Yao, Statistics and Probability Letters
 *        6, 1988. Optimal partitioning: Jackson and others, IEEE Signal Processing Letters 12, 2005
 */

/* least: values that a level has at least, 1 or more. sd: above 0. Returns how many changes there are. */
int steps_find(const double *x, const double *sd, size_t n, size_t least, size_t *at);

/*
 * stop - ends a program in good order when a signal asks for the end
 *
 * law:   the handler sets stop_requested and does nothing else; SIGPIPE is ignored, so that writes return EPIPE
 */

extern volatile sig_atomic_t stop_requested;

void stop_on_signals(void);
int stopped(struct diag *d);

/*
 * tree - what lies below an open directory, reached by handles and never by a path
 *
 * law:   no link is followed, so that nothing outside of the directory is touched, whoever renames what is above it
 */

#define TREE_DEPTH 32

int tree_sync(int fd);                          /* the directory itself as well */
int tree_remove(int fd);                        /* all that is below it; the directory stays, empty */
int tree_chown(int fd, uid_t uid, gid_t gid);   /* everything below; the directory itself keeps its owner */
int tree_discard(const char *path);             /* the directory, too; 0: it is gone, or was not there; -errno */
int tree_empty(int fd);                         /* 1: it is, 0: it is not; -errno */
int tree_open(int parent_fd, const char *name); /* opens a directory by its name in another one; -errno */

#endif
