/*
 * symname - the function's own name in a symbol, without the suffixes of compilers
 *
 * in:    a symbol as perf prints it
 * out:   the length of the function's own name
 * law:   folded names are for keys and patterns only; people see the name as perf prints it
 * error: none
 */
#ifndef PERFPARSE_SYMNAME_H
#define PERFPARSE_SYMNAME_H

#include <stdbool.h>
#include <stddef.h>

/* The length without the suffixes of compilers: ".isra.0", ".constprop.1", ".part.2", ".cold", ".llvm.123", ... */
size_t symname_fold(const char *name, size_t len);

/* '*' matches any run of characters, '?' any one character; the whole of [s, s + len) has to match. */
bool symname_glob(const char *glob, const char *s, size_t len);

#endif
