/*
 * symkey - the name under which a symbol is compared with that of another kernel
 *
 * in:    a rename file (renames.conf explains its grammar; path NULL: that very file, built in);
 *        names and DSOs as perf prints them
 * out:   keys, written into the caller's buffer
 * law:   a key has no suffix that a compiler adds, and of a BPF program no tag; the kernel's symbols are then renamed
 *        by the rename file, and a user program's are followed by " " and the program's path, so that equal names
 *        in two programs stay apart. Keys are for joining, not for showing
 * error: -ENOENT, -EINVAL with file name and line number, -ENOMEM; k left empty
 */
#ifndef PERFPARSE_SYMKEY_H
#define PERFPARSE_SYMKEY_H

#include <stddef.h>
#include "base/diag.h"

#define SYMKEY_BYTES 256

struct symkeys;

int symkeys_read(struct symkeys **k, const char *path, struct diag *d);
void symkeys_free(struct symkeys *k); /* NULL is fine */

/* Writes the key of a symbol; what does not fit is cut. k NULL: nothing is renamed; dso "": not known. */
void symkey(const struct symkeys *k, const char *name, const char *dso, char key[SYMKEY_BYTES]);

#endif
