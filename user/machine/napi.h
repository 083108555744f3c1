/*
 * napi - the receiver's NAPI: its kthread, and packets per poll
 *
 * in:    a device that is up; a sysfs of its namespace
 * units: polls and packets are counts
 * law:   a poll probe that is switched off costs one load and one branch per poll
 * error: -ENOENT not threaded; -EOPNOTSUPP the kernel allows no such probe (a fact of this machine, not a failure)
 */
#ifndef USER_NAPI_H
#define USER_NAPI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/types.h>
#include "bpf/layout.h"
#include "base/diag.h"

/* Runs the device's NAPI in kthreads (on) or in softirq; takes effect at once when the device is up. */
int napi_set_threaded(const char *dev, int sysfs_fd, bool on);
/* 1: the kernel runs it in kthreads; 0: in softirq; -errno: the kernel or the device does not tell. */
int napi_threaded(const char *dev, int sysfs_fd);
/*
 * The kthreads "napi/DEV-ID" of the device in this network namespace, sorted by id; kthreads that only send (id 0) come
 * last. Returns how many there are; tids gets at most max of them. Those of a device with this name in another
 * namespace are among them before Linux 6.8, and those with id 0 are always.
 */
size_t napi_kthreads(const char *dev, pid_t *tids, size_t max);
/* Does this process see kthreads? Those of the first PID namespace alone do. */
bool napi_kthreads_seen(void);
/* The first kthread of napi_kthreads(); -ENOENT: none. */
pid_t napi_kthread(const char *dev);
/* The CPU where a kthread runs or ran last; -errno. */
int napi_cpu(pid_t tid);

struct polls_bpf;

struct polls {
	struct polls_bpf *skel;
};

/* tid: the device's NAPI kthread; 0: there is none. */
int polls_open(struct polls *p, int ifindex, unsigned int netns_inum, pid_t tid, struct diag *d);
/* Does the kernel allow the probe? Loads and unloads its programs, attaches nothing. */
int polls_try(struct diag *d);
void polls_enable(struct polls *p, bool on); /* does nothing when polls_open() failed */
int polls_read(const struct polls *p, struct poll_count *sum);
void polls_close(struct polls *p);

#endif
