/*
 * opts - one table per command line: parsing, checks, usage, help, man page and shell completion all come from
 * this table
 *
 * in:    argv of one command, argv[0] its name; a table of options and arguments that ends with an entry without a
 *        name
 * out:   values written through the table's pointers; strings point into argv
 * units: times in seconds; "250ms" and "2min" are accepted; numbers may end in k, M or G
 * law:   a number is read whole: "64abc" is refused. The value behind a pointer before parsing is the default, and
 *        the help shows it. OPTS_OK means that everything required was given
 *        Rows without a group are those that people use: --help shows them and the examples, --help=all shows all. In
 *        a table without groups both are the same. Man pages and completion have all rows
 * error: OPTS_USAGE after one printed sentence; OPTS_DONE after the help
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include <stddef.h>
#include <stdio.h>

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
	 * A list of opt.parts: "ring=512,steer" sets what the pointers of these rows name, and not opt.value. A part that
	 * is an OPT_ARGUMENT has no name and stands first: "ssh:HOST/eth1,threads=4".
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

/* Sets an option's value, as if it stood on the command line; text: NULL for an OPT_FLAG. -1: a sentence was printed. */
int opts_value_set(const struct opt *o, char *text);
/* The row's default in words; "" where there is no default to show. */
void opts_value_default(const struct opt *o, char *text, size_t size);
/* Writes the row's words: "text, json, csv". last stands before the last word: ", " or " or ". */
void opts_value_words(const struct opt *o, const char *last, char *text, size_t size);
/* "DEV|lab", or "up|down|status" */
void opts_argument_name(const struct opt *o, char *name, size_t size);

/*
 * Prints the table. format: NULL: the help for people; "all": with every row; "head": title and synopsis of the man
 * page, "rst": its arguments and options; "table": lines for the scripts in base/completion. -EINVAL: another one
 */
int opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format);
/* "xdpzoom record [OPTIONS] -o DIR DEV|lab" */
void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size);

#endif
