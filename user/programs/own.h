/*
 * own - programs of the user's own: loaded or found, given their values, set up, and removed again
 *
 * in:    variants with the action "prog" (run.h); options as the user gave them
 * out:   a descriptor of a loaded XDP program for each such variant, which bench_load() attaches as it attaches ours
 * law:   a program is loaded once and keeps its maps until own_list_close(): what --setup fills stays filled.
 *        A file is loaded as libbpf loads it: tail calls through program arrays that the object fills, BTF, xdp.frags.
 *        One that the verifier wants bound to a device, because it calls metadata kfuncs, is bound to dev.
 *        A map that the object pins by name is the pinned one where the pin exists; else it is pinned nowhere.
 *        Nothing is changed in the object but the values of --set. All that own_list_open() loaded, mounted, pinned or
 *        started is gone after own_list_close(), and when this process ends
 * error: -errno with one sentence: -ENOENT no such file, program, pin or map; -EINVAL not an XDP program, several of
 *        them, a value that does not fit; -EACCES the verifier refuses it (the sentence has the end of its log);
 *        -ECHILD --setup failed, -ETIMEDOUT it took too long; nothing is left loaded
 */
#ifndef USER_OWN_H
#define USER_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/opts.h"
#include "reports/run/run.h"
#include "user/programs/dispatcher.h"

struct bpf_object;
struct bpf_program;

struct own_options {
	struct opt_list values;       /* NAME=VALUE */
	const char *setup, *teardown; /* commands for sh; NULL: none */
	double patience_s;            /* for each of them */
	bool verbose;                 /* print the verifier's whole log when it refuses a program */
};

/* clang-format off */
#define OWN_OPTIONS(o)                                                                                                 \
	{"set", 0, OPT_LIST, &(o)->values, "NAME=VALUE", "set a global variable of the programs prog:FILE.o"},         \
	{"setup", 0, OPT_STRING, &(o)->setup, "COMMAND", "run this when a program prog: is loaded, to fill its maps",  \
	 .otherwise = "none"},                                                                                         \
	{"teardown", 0, OPT_STRING, &(o)->teardown, "COMMAND", "run this before a program prog: is removed",           \
	 .otherwise = "none"},                                                                                         \
	{"verbose", 'v', OPT_FLAG, &(o)->verbose, NULL, "print the verifier's whole log when it refuses a program"}
/* clang-format on */

#define OWN_PATIENCE_S 60

struct own {
	const struct own_options *o;
	char id[RUN_ID_BYTES];
	struct bpf_object *obj; /* NULL: the program was loaded by somebody else */
	struct bpf_program *prog;
	int prog_fd;
	struct dispatcher dispatcher; /* in front of it; not open: none */
	uint32_t prog_id;
	int pins_fd; /* a BPF file system of our own, mounted nowhere, for the pins that --setup sees; -1: none */
	bool is_up;  /* --setup has run, or there is none */
};

struct own_list {
	struct own_options o;
	char dev[16]; /* the receiver */
	struct own *list;
	size_t n;
};

void own_options_init(struct own_options *o);
/* -EINVAL: the options do not fit together, or no variant is an own program and an option needs one. */
int own_options_check(const struct own_options *o, const struct run_variant *variants, size_t n, struct diag *d);

void own_list_init(struct own_list *l, const struct own_options *o);
/* Loads the own programs among the variants; there may be none. dev: the receiver's name, for --setup. */
int own_list_open(struct own_list *l, const struct run_variant *variants, size_t n, const char *dev, struct diag *d);
/* The program of a variant; NULL: it has none. */
const struct own *own_list_find(const struct own_list *l, const struct run_variant *v);
int own_attachable(const struct own *w); /* what is attached to a device: the program, or its dispatcher */
/* Runs --teardown for each program that is up, and removes them. A teardown that fails is said in d. */
int own_list_close(struct own_list *l, struct diag *d);

#endif
