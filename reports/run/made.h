/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made - what the numbers of a run were made with: the compiler and the configuration of its kernel, and the program
 *        under test
 *
 * in:    text and sizes of a run, which a stranger may have written
 * out:   sentences in the caller's buffer
 * units: BPF instructions as the kernel has rewritten them; bytes of machine code
 * law:   what a side does not tell is "not known", and never a difference
 * error: none; what does not fit is cut
 */
#ifndef REPORTS_MADE_H
#define REPORTS_MADE_H

#include <stdbool.h>
#include <stddef.h>

#define MADE_COMPILER_BYTES 160
#define MADE_CONFIG_BYTES   400 /* options that differ, in words */
#define MADE_DIFFERS_BYTES  (2 * MADE_COMPILER_BYTES + MADE_CONFIG_BYTES + 300)
#define MADE_MOST           100000000 /* more instructions or bytes than a program has */

struct made_program {
	char tag[20];     /* "": not known, or a rung, which has no program */
	int instructions; /* -1: not known */
	int bytes;        /* 0: the program is interpreted; -1: not known */
};

struct made {
	const char *compiler, *kernel; /* NULL or "": not known */
	struct made_program program;
	const char *config; /* of the kernel: options, "NAME=VALUE\n" by name; NULL or "": not known */
};

void made_program_init(struct made_program *p);
/* Takes the tag from the name of a program's symbol, "bpf_prog_8c434fd23c482af9_xdp_bench". */
void made_tag(struct made_program *p, const char *symbol);
/* The compiler in a line such as /proc/version: "Linux version 6.12 (who@where) (gcc 12.2.0, GNU ld 2.40) #1". */
void made_compiler(const char *version, char *compiler, size_t size);
/* As far as both are known. One compiler may be called by two names: gcc-12, x86_64-linux-gnu-gcc-12. */
bool made_other_compiler(const char *a, const char *b);
/* Is this text an option of a kernel, "PAGE_POOL=y"? */
bool made_is_option(const char *text);
/*
 * The options that both sides have and that differ, "PAGE_POOL_STATS n and y, UBSAN n and y"; how many. An option that
 * one kernel alone has is part of its source.
 */
size_t made_config_differs(const char *base, const char *new, char *line, size_t size);
/* False: neither the compiler nor the size of the program is known, and nothing is written. */
bool made_words(const struct made *m, char *line, size_t size);
/*
 * What differs: the compiler; the configuration; and the program, where both variants are of one name: their modes may
 * differ. Linux 6.18 and later have other tags of the same program than older ones (SHA-256 for SHA-1), so such tags
 * are not compared. False: nothing differs, as far as both sides tell.
 */
bool made_differs(const struct made *base, const char *base_id, const struct made *new, const char *new_id, char *line,
		  size_t size);

#endif
