/*
 * facts - reads files of /proc and /sys, on this machine or from a copy of these files below another directory
 *
 * in:    paths that begin with proc/, sys/, etc/, boot/ or lib/; sys/ shows this process's network namespace
 * out:   first lines without newline, numbers, lists; buffers are the caller's
 * units: CPU times are those of one CPU since boot, in ns; interrupts are counts
 * law:   no function writes a file
 * error: -ENOENT there is no such file, -EACCES this process may not read it, -EINVAL the file has not the expected
 *        content
 */
#ifndef USER_FACTS_H
#define USER_FACTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"

struct facts {
	int root_fd, sys_fd;
	bool copy; /* a copy of files, perhaps of another machine: system calls would give facts of the wrong machine */
};

/* This machine; needs no facts_open(). Its sys/class/net is that of the mounted /sys. Fuzzing alone changes it. */
extern struct facts facts_here;

void facts_init(struct facts *f);
int facts_open(struct facts *f, const char *root, struct diag *d); /* root NULL: this machine */
void facts_release(struct facts *f);                               /* may be called twice */

FILE *facts_file(const struct facts *f, const char *path); /* NULL with errno set */
DIR *facts_dir(const struct facts *f, const char *path);
int facts_line(const struct facts *f, char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int facts_number(const struct facts *f, long long *value, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The kernel's BTF is there and begins as BTF does: a container may hide it behind an empty file. */
bool facts_have_btf(const struct facts *f);
/* A module that is not loaded. To ask the kernel for what it serves would load it. false: it is there, or not known. */
bool facts_module_is_out(const struct facts *f, const char *name);
/* Replaces a line of choices, "always [madvise] never", by the word in [ ]; does nothing when there is no such word. */
void facts_chosen(char *line);

/* "0-3,8" */
bool cpulist_has(const char *list, int cpu);
/* mask: "00000000,00000000"; the number of digits depends on the number of possible CPUs. */
bool cpumask_is_zero(const char *mask);

struct cpu_times {
	double user_ns, system_ns, irq_ns, idle_ns, steal_ns; /* irq: hard and soft */
};

int facts_cpu_times(const struct facts *f, int cpu, struct cpu_times *t);
int facts_all_cpu_times(const struct facts *f, struct cpu_times *list, int ncpus); /* a CPU that is off: all 0 */

struct irq {
	int number;
	char name[48];
	char cpus[64]; /* the list of CPUs that it may go to; "": not known */
	uint64_t count;
	int busiest_cpu; /* the CPU that took most of them; -1: there were none yet */
};

/* The device's interrupts, sorted by number. Returns how many were found, at most max. */
size_t facts_irqs(const struct facts *f, const char *dev, struct irq *irqs, size_t max);

/*
 * The process of root whose command is exactly comm; 0: none. A command is a name that any user may take. A copy of
 * files does not tell who root is, so there every process counts.
 */
int facts_process(const struct facts *f, const char *comm);
/* The next process or kernel thread of a directory "proc" (facts_dir()), and its command; 0: there are no more. */
int facts_next_process(const struct facts *f, DIR *proc, char *comm, size_t size);

/* Some fields of /proc/PID/stat. */
struct process_stat {
	char state;               /* the letter in proc(5) */
	int parent;               /* process number */
	bool kthread;             /* a thread of the kernel, whatever its name */
	unsigned long long start; /* ticks since boot */
	int cpu;                  /* the CPU where the process runs or ran last; -1: not known */
};

int facts_process_stat(const struct facts *f, int pid, struct process_stat *s);
bool facts_is_kthread(const struct facts *f, int tid);

#endif
