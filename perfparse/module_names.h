/*
 * module_names - names the kernel module addresses that perf script prints as unknown
 *
 * in:    the text of perf script with ip, sym and dso; /proc/kallsyms and /proc/modules, or files like them
 * out:   the same file, with a name for each unknown address inside a module; unchanged where there is none
 * law:   only an address inside a module gets a name: the name of the last symbol at or below the address
 * error: -errno. Nothing is named, without an error, where the lists have no addresses (kptr_restrict) or do not
 *        exist (a kernel without modules or symbols)
 *
 * Why this is needed: perf may lose its map of a module when BPF programs are loaded and unloaded during a
 * recording. Samples in this module then have no name. Seen with perf 6.1: in the block after a block with record
 * --fentry, and with a program that was attached and detached beside perf record.
 */
#ifndef PERFPARSE_MODULE_NAMES_H
#define PERFPARSE_MODULE_NAMES_H

int module_names_fill(const char *text_path, const char *kallsyms, const char *modules);

#endif
