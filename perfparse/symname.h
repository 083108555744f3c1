/*
 * symname - names of kernel functions, as compilers and kernel versions vary them
 *
 * in:    a symbol as perf prints it
 * out:   how much of it is the function's own name
 * law:   folding is for keys and patterns only; what is shown is the name as perf prints it
 * error: none
 */
#ifndef PERFPARSE_SYMNAME_H
#define PERFPARSE_SYMNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Length without what compilers add behind: ".isra.0", ".constprop.1", ".part.2", ".cold",
 * ".llvm.123", ... */
size_t symname_fold(const char *name, size_t len);

/* '*' any run, '?' any one character; the whole of [s, s + len) has to match. */
bool symname_glob(const char *glob, const char *s, size_t len);

#endif
