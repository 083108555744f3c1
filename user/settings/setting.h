/*
 * setting - one setting of this machine that can be read, changed, and put back: a file of /proc, /sys or a
 * device; a NIC's feature, ring, queues, coalescing, pause frames, MTU, flow rule, RSS table; a process that runs or is
 * stopped; a thread's CPUs
 *
 * in:    a kind (the words of the tables in setting_*.c), a device or "", a name, a value; all text
 * out:   the value now, in the form that setting_set() accepts
 * law:   after setting_get(), setting_set(another value), setting_set(the value that setting_get() returned) the
 *        machine is as before. The table that changes a setting also gives the shell command for it
 * error: -ENOENT the setting does not exist (any more), -EOPNOTSUPP, -EPERM, -EINVAL
 */
#ifndef USER_SETTING_H
#define USER_SETTING_H

#include <stddef.h>

struct setting {
	char kind[12];
	char dev[16];
	char name[160];
	char value[160];
};

void setting_fill(struct setting *s, const char *kind, const char *dev, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Reads the machine's value into value; does not use s->value. */
int setting_get(const struct setting *s, char *value, size_t size);
int setting_set(const struct setting *s, const char *value);
/* The shell command that sets s->value: "ethtool -K eth0 rx-lro off". */
void setting_command(const struct setting *s, char *command, size_t size);
/* "rx-lro of eth0", for sentences. */
void setting_words(const struct setting *s, char *words, size_t size);

struct flow;
/* The setting's name for a flow's rule, for kind "rule". */
void setting_name_flow(char *name, size_t size, const struct flow *f);
/*
 * The setting's name for a process or thread, for kinds "process" and "cpus". No other task ever has the same name.
 * "": the task has ended.
 */
void setting_name_task(char *name, size_t size, int tid);

#endif
