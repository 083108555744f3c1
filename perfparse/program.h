/*
 * program - runs a program in a jail (jail.h), without the user's configuration
 *
 * in:    struct program; `in` stays open in it as /proc/self/fd/IN, and is its standard input
 * out:   what it printed on standard output and on standard error, each in a file without a name, from the beginning
 * law:   the program ends with its caller
 * error: its exit status; 127: there is no such program; -ECHILD: a signal ended it; -errno
 */
#ifndef PERFPARSE_PROGRAM_H
#define PERFPARSE_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

struct program {
	const char *const *argv;
	int in;              /* -1: none */
	unsigned jail;       /* JAIL_AS_ROOT, JAIL_TREES */
	int dir_fd;          /* where it makes files; -1: nowhere */
	uint64_t most_bytes; /* that a file of it may have; 0: as many as the caller's */
};

int program_run(const struct program *p, FILE **out, FILE **words);
/* Its last words, or "". */
void program_last_words(FILE *words, char *last, size_t size);
void program_close(FILE *out, FILE *words); /* either may be NULL */

#endif
