/*
 * module_names - names for what perf script calls unknown in the kernel's modules
 *
 * in:    the text of perf script with ip, sym and dso; /proc/kallsyms and /proc/modules, or files like them
 * out:   the text, with names where a module holds the address; untouched when there is nothing to name
 * law:   a name is given only to an address inside a module, and is that of the last symbol at or below it
 * error: -errno; a list without addresses (kptr_restrict) or none at all (a kernel without modules or symbols) names
 * nothing, and is no error why:   where BPF programs come and go while perf records, it may lose its map of a module;
 * all that is sampled there has no name then. Seen with perf 6.1, in the block after one with record --fentry, and with
 * a program that was attached and detached beside perf record.
 */
#ifndef PERFPARSE_MODULE_NAMES_H
#define PERFPARSE_MODULE_NAMES_H

int module_names_fill(const char *text_path, const char *kallsyms, const char *modules);

#endif
