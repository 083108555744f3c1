/*
 * opts - command lines from one table of options: parsing, range checks and help come from it
 *
 * in:    argv of one command, argv[0] its name; a table that ends with an entry without a name
 * out:   values written through the table's pointers; argv permuted so that positionals come first
 * units: as each option's help says; times may carry s or ms, sizes and rates k, M, G
 * law:   numbers are read whole: "64abc" is refused
 * error: OPTS_USAGE after one printed sentence, OPTS_HELP after the help; otherwise the number of positionals
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include <stddef.h>

enum opt_type { OPT_FLAG, OPT_INT, OPT_NUMBER, OPT_SECONDS, OPT_STRING, OPT_LIST, OPT_EVENTS };

struct opt {
	const char *name; /* long option */
	char letter;      /* 0: none */
	enum opt_type type;
	void *value;     /* bool, int, double, double, const char *, struct opt_list twice */
	const char *arg; /* what the help calls the argument */
	const char *help;
	double min, max; /* OPT_INT, OPT_NUMBER, OPT_SECONDS; both 0: any non-negative number */
};

/* An option that may come several times, and takes commas; in OPT_EVENTS those between slashes belong to the item. */
struct opt_list {
	const char *items[64];
	size_t n;
};

struct command {
	const char *name;
	const char *args; /* positionals, for the usage line */
	const char *help; /* one line */
	int needs_root;
	int (*run)(const struct command *c, int argc, char **argv);
};

#define OPTS_USAGE (-2)
#define OPTS_HELP  (-1)

int opts_parse(const struct command *c, const struct opt *table, int argc, char **argv);
/* What a command returns when opts_parse() returned < 0. */
int opts_exit(int parsed);

#endif
