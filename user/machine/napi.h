/*
 * napi - the receiver's NAPI: its kthread, and packets per poll
 *
 * in:    a device that is up; a sysfs of its namespace
 * units: polls and packets are counts
 * law:   a poll probe that is off costs one load and one branch per poll
 * error: -ENOENT not threaded; -EOPNOTSUPP the kernel allows no such probe (a fact, not a failure)
 */
#ifndef USER_NAPI_H
#define USER_NAPI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/types.h>
#include "bpf/layout.h"
#include "base/diag.h"

/* Threads the device's NAPI (or not); takes effect at once when it is up. */
int napi_set_threaded(const char *dev, int sysfs_fd, bool on);
/*
 * The kthreads "napi/DEV-ID" of the device, lowest id first, those that only send (0) last: how many there are, of
 * which at most max are in tids.
 */
size_t napi_kthreads(const char *dev, pid_t *tids, size_t max);
/* The first of them; -ENOENT: none. */
pid_t napi_kthread(const char *dev);
/* The CPU a kthread runs or ran on last; -errno. */
int napi_cpu(pid_t tid);

struct polls_bpf;

struct polls {
	struct polls_bpf *skel;
};

/* tid: of the device's NAPI thread, 0 without one. */
int polls_open(struct polls *p, int ifindex, unsigned int netns_inum, pid_t tid, struct diag *d);
/* Would it be allowed? Loads the programs and lets them go; attaches nothing. */
int polls_try(struct diag *d);
void polls_enable(struct polls *p, bool on); /* p without a probe: nothing */
int polls_read(const struct polls *p, struct poll_count *sum);
void polls_close(struct polls *p);

#endif
