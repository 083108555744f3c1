/*
 * module_names - names for what perf script calls unknown in the kernel's modules
 *
 * in:    the text of perf script with ip, sym and dso; /proc/kallsyms and /proc/modules, or files like them
 * out:   the text, with names where a module holds the address; untouched when there is nothing to name
 * law:   a name is given only to an address inside a module, and is that of the last symbol at or below it
 * error: -errno; a list without addresses (kptr_restrict) names nothing, and is no error
 * src:   perf takes a module's whole map away when a BPF trampoline that the kernel had placed behind it is freed
 *        (machine__process_ksymbol_unregister() in tools/perf/util/machine.c): what is sampled in it afterwards has no name.
 *        Before 6.9 the kernel places trampolines so; record --fentry makes some.
 */
#ifndef PERFPARSE_MODULE_NAMES_H
#define PERFPARSE_MODULE_NAMES_H

int module_names_fill(const char *text_path, const char *kallsyms, const char *modules);

#endif
