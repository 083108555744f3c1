/*
 * symbols - the functions of this kernel for the counting plugin: /proc/kallsyms, read once, and the program under test
 *
 * in:    a directory that the host sees too; a loaded program; places that want the addresses of variables
 * out:   the file "symbols", lines as in /proc/kallsyms, of functions alone; the plugin has read it
 * law:   /proc/kallsyms takes seconds under emulation, so it is read for the first program, and of the next ones only
 *        their own functions are taken. A program of several functions is read from /proc/kallsyms
 * error: -EIO the file cannot be written, -EOPNOTSUPP this kernel has no kallsyms; one sentence
 */
#ifndef USER_EXACT_SYMBOLS_H
#define USER_EXACT_SYMBOLS_H

#include "base/diag.h"
#include "user/exact/places.h"
#include "user/programs/programs.h"

struct symbols {
	char program[160]; /* out: the symbol of the program */
	const char *poll;  /* in: a function of which each call is a poll; NULL: polls are those of NAPI */
	bool polls;        /* private: the kernel has this function */
	uint64_t address;  /* private: of a function of the kernel with that name; 0: there is none */
	long kernel;       /* private: bytes of the file that belong to the kernel; 0: to be written */
};

/* places NULL: no data structures are wanted. */
int symbols_write(struct symbols *s, const char *dir, const struct bench *b, struct places *places, struct diag *d);
/*
 * Without a program under test: a function of this kernel that the polls of any device may call, once for each frame.
 * The device that is polled first is under test. All of /proc/kallsyms is read: modules and programs may be new.
 */
int symbols_write_common(struct symbols *s, const char *dir, const char *function, struct places *places,
			 struct diag *d);

#endif
