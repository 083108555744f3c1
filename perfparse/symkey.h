/*
 * symkey - the name under which a symbol is compared with that of another kernel
 *
 * in:    a rename file (renames.conf explains its grammar; path NULL: that very file, built in);
 *        names as perf prints them
 * out:   keys, borrowed from the struct or written into the caller's buffer
 * law:   without what compilers add; BPF programs without their tag; then by the rename file. Keys
 *        are for joining, not for showing
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

/* Writes the key of name; what does not fit is cut. k NULL: nothing is renamed. */
void symkey(const struct symkeys *k, const char *name, char key[SYMKEY_BYTES]);

#endif
