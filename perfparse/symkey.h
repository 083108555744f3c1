/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symkey - the key under which symbols of different kernels are compared
 *
 * in:    a rename file (renames.conf explains the grammar; path NULL: the copy of renames.conf built into the library);
 *        names and DSOs as perf prints them
 * out:   keys, written into the caller's buffer
 * law:   a key has neither the suffixes that compilers add nor the tag of a BPF program. The rename file then
 *        renames the kernel's symbols. A symbol of a user program is followed by " " and the program's path, so
 *        that equal names in two programs stay apart. Keys are for joining rows; people see the name as perf
 *        prints it
 * error: -ENOENT, -EINVAL with file name and line number, -ENOMEM; *k is then NULL
 */
#ifndef PERFPARSE_SYMKEY_H
#define PERFPARSE_SYMKEY_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"

#define SYMKEY_BYTES 256

struct symkeys;

int symkeys_read(struct symkeys **k, const char *path, struct diag *d);
void symkeys_free(struct symkeys *k); /* NULL is fine */

/* True for "bpf_prog_662b9cae761bf6ab_drop", with the tag in full or the first digits of it. */
bool symkey_has_tag(const char *name);

/* Writes the key of a symbol; a key that does not fit is cut. k NULL: nothing is renamed; dso "": not known. */
void symkey(const struct symkeys *k, const char *name, const char *dso, char key[SYMKEY_BYTES]);

#endif
