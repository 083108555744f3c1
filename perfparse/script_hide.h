/*
 * script_hide - takes the addresses out of a text of perf script
 *
 * in:    the text of perf script with ip, sym and dso
 * out:   the same file; each address is one of three: 0, 1 (user space) or ffffffffffffffff (the kernel)
 * law:   a profile that is read from it is the same: the reader looks only at whose half of the address space it is
 *        With source, a line of the source stands below the innermost frame that has one (script_line.h)
 * error: -errno; the file is as it was
 *
 * Why: from one address and its symbol follows where the kernel lies (KASLR), and where programs lie. Run directories
 * are given to others, and others on the same machine may read them; /proc/kallsyms shows addresses to root alone.
 */
#ifndef PERFPARSE_SCRIPT_HIDE_H
#define PERFPARSE_SCRIPT_HIDE_H

#include <stdint.h>

/* source (NULL: no lines) returns the source line of an address in the words of script_line.h; NULL: it has none. */
int script_hide_addresses(const char *path, const char *(*source)(const void *of, uint64_t address), const void *of);

#endif
