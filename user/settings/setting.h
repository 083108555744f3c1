/*
 * setting - one thing of this machine that can be read, changed, and put back: a file of /proc, /sys or a
 * device; a NIC's feature, ring, queues, pause frames, MTU, flow rule, table of RSS; a process that runs or is
 * stopped; a thread's CPUs
 *
 * in:    a kind (the words of the tables in setting_*.c), a device or "", a name, a value; all text
 * out:   what it is now, as setting_set() takes it back
 * law:   setting_get(), setting_set(other), setting_set(what get said) leaves the machine as it was; what a person
 *        would
 *        type for it comes from the same table
 * error: -ENOENT there is no such thing (any more), -EOPNOTSUPP, -EPERM, -EINVAL
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
/* Of the machine, into value; s->value is what is wanted and does not matter. */
int setting_get(const struct setting *s, char *value, size_t size);
int setting_set(const struct setting *s, const char *value);
/* The command that does the same: "ethtool -K eth0 rx-lro off". */
void setting_command(const struct setting *s, char *command, size_t size);
/* "rx-lro of eth0", for sentences. */
void setting_words(const struct setting *s, char *words, size_t size);

struct flow;
/* The name of a flow's rule, for kind "rule". */
void setting_name_flow(char *name, size_t size, const struct flow *f);
/* The name of a process or thread that knows it again, for kinds "process" and "cpus"; "" when it is gone. */
void setting_name_task(char *name, size_t size, int tid);

#endif
