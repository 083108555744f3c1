// SPDX-License-Identifier: GPL-2.0-or-later
/* Senders inside the kernel: live frames, and pktgen. A call sends a whole turn's frames. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/senders.skel.h"
#include "user/gen/gen.h"
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"

#define PKTGEN     "/proc/thread-self/net/pktgen/"
#define LIVE_BATCH 64

/* The thread that sends is in another namespace, which gives the number of the device to another device, or to none. */
static int sender_kernel_load(struct sender *s, struct diag *d)
{
	int err;

	s->netns_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (s->netns_fd < 0)
		return diag_set(d, -errno, "cannot open its network namespace: %s", strerror(errno));
	s->skel = senders_bpf__open();
	if (!s->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	s->skel->rodata->cfg_ifindex = (__u32)s->o.nd->ifindex;
	bpf_program__set_autoattach(s->skel->progs.live, false);
	err = kernel_load(s->skel->skeleton,
			  (struct bpf_program *[]){s->skel->progs.softirq_begins, s->skel->progs.softirq_ends,
						   s->o.way == SENDER_LIVE ? s->skel->progs.live : NULL, NULL},
			  "the clock of softirqs", d);
	if (err)
		return err;
	err = senders_bpf__attach(s->skel);
	return err ? diag_set(d, -EOPNOTSUPP, "this kernel refuses the clock of softirqs: %s", strerror(-err)) : 0;
}

/* The softirqs that the sender's task ran meanwhile polled the other end. */
uint64_t sender_kernel_ns(const struct sender *s)
{
	uint64_t all = sender_clock_ns(s->task ? s->clock : CLOCK_THREAD_CPUTIME_ID);

	return all - *(volatile __u64 *)&s->skel->bss->softirq_ns;
}

void sender_close_kernel(struct sender *s)
{
	attached_end(&s->link_fd);
	if (s->netns_fd >= 0)
		close(s->netns_fd);
	senders_bpf__destroy(s->skel);
}

static int in_netns(const struct sender *s, int (*step)(const struct sender *s, unsigned int n), unsigned int n)
{
	int saved, err = netns_visit_fd(s->netns_fd, &saved, NULL);

	if (err)
		return err;
	err = step(s, n);
	netns_back(&saved);
	return err;
}

/* ---- live frames --------------------------------------------------------------------------------------------- */

static int send_live(const struct sender *s, unsigned int n)
{
	struct xdp_md ctx = {.data_end = (__u32)s->o.bytes};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = s->frame, .data_size_in = (__u32)s->o.bytes, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = LIVE_BATCH,
		    .repeat = (int)n);

	return bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.live), &opts);
}

/*
 * Before a call the kernel tells all its XDP drivers of the program, unless a device has it already, and waits some
 * 25 ms for that; after the call, again. So the device gets it. The device receives nothing.
 */
int sender_open_live(struct sender *s, struct diag *d)
{
	return sender_kernel_load(s, d)
		       ?: kernel_attach_xdp(&s->link_fd, s->skel->progs.live, s->o.nd, XDP_FLAGS_DRV_MODE, d);
}

int sender_send_live(struct sender *s, unsigned int n)
{
	int err;

	s->skel->bss->tid = (__u32)gettid();
	err = in_netns(s, send_live, n);
	s->counts.calls++;
	if (err == -EINVAL)
		err = -EOPNOTSUPP;
	return err ? err : (int)n;
}

/* ---- pktgen -------------------------------------------------------------------------------------------------- */

/* pktgen reads a command up to the end of its line. */
static int sender_kernel_put(const char *file, const char *words)
{
	char path[80];
	int fd, err = 0;

	snprintf(path, sizeof(path), PKTGEN "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, words, strlen(words)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void thread_file(const struct sender *s, char name[32])
{
	snprintf(name, 32, "kpktgend_%d", s->o.cpu);
}

static int sender_kernel_describe(const struct sender *s, struct diag *d)
{
	const unsigned char *m = s->o.peer_mac;
	char mac[40], bytes[40];
	const char *const words[] = {mac,
				     bytes,
				     "delay 0",
				     "clone_skb 0",
				     "dst " GEN_SRC_IP,
				     "src_min " GEN_DST_IP,
				     "udp_dst_min 9",
				     "udp_dst_max 9"};

	snprintf(mac, sizeof(mac), "dst_mac %02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
	snprintf(bytes, sizeof(bytes), "pkt_size %d", s->o.bytes);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (write(s->fd, words[i], strlen(words[i])) < 0)
			return diag_set(d, -errno, "pktgen refuses \"%s\": %s", words[i], strerror(errno));
	return 0;
}

int sender_open_pktgen(struct sender *s, struct diag *d)
{
	char thread[32], words[32], path[80];
	int err;

	if (access(PKTGEN "pgctrl", F_OK))
		return diag_set(d, -EOPNOTSUPP,
				"this kernel has no pktgen, or its module is not loaded (modprobe pktgen)");
	thread_file(s, thread);
	snprintf(words, sizeof(words), "add_device %s\n", s->o.nd->name);
	err = sender_kernel_put(thread, words);
	if (err)
		return diag_set(d, err, "pktgen takes no %s: %s", s->o.nd->name, strerror(-err));
	snprintf(path, sizeof(path), PKTGEN "%s", s->o.nd->name);
	s->fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return diag_set(d, -errno, "cannot open pktgen's file of %s: %s", s->o.nd->name, strerror(errno));
	err = sender_kernel_describe(s, d);
	return err ? err : sender_kernel_load(s, d);
}

struct task {
	pid_t tid;
	clockid_t clock;
	uint64_t ns;
};

/* Each network namespace has a thread of this name. */
static size_t threads_of(const struct sender *s, struct task *tasks, size_t max)
{
	DIR *proc = facts_dir(&facts_here, "proc");
	char want[32], comm[80];
	size_t n = 0;
	pid_t tid;

	thread_file(s, want);
	while (n < max && (tid = facts_next_process(&facts_here, proc, comm, sizeof(comm))) > 0) {
		if (strcmp(comm, want) != 0 || !facts_is_kthread(&facts_here, tid) ||
		    clock_getcpuclockid(tid, &tasks[n].clock))
			continue;
		tasks[n].tid = tid;
		tasks[n].ns = sender_clock_ns(tasks[n].clock);
		n++;
	}
	if (proc)
		closedir(proc);
	return n;
}

/* Returns when all frames have left. */
static int sender_kernel_start(const struct sender *s, unsigned int n)
{
	return dprintf(s->fd, "count %u\n", n) < 0 ? -errno : sender_kernel_put("pgctrl", "start\n");
}

/* How many frames the device took in the last run. */
static int64_t taken(const struct sender *s)
{
	static const char member[] = "pkts-sofar: ";
	char text[4096], *at;
	ssize_t n = pread(s->fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	at = strstr(text, member);
	return at ? strtoll(at + strlen(member), NULL, 10) : -EIO;
}

/* The first frames show which thread sends: the one that works meanwhile. */
int sender_send_pktgen(struct sender *s, unsigned int n)
{
	struct task tasks[PKTGEN_TASKS], *ours = NULL;
	size_t ntasks = s->task ? 0 : threads_of(s, tasks, PKTGEN_TASKS);
	uint64_t most = 0;
	int64_t sent;
	int err;

	err = in_netns(s, sender_kernel_start, n);
	s->counts.calls++;
	for (size_t i = 0; i < ntasks; i++) {
		uint64_t grown = sender_clock_ns(tasks[i].clock) - tasks[i].ns;

		if (grown > most) {
			most = grown;
			ours = &tasks[i];
		}
	}
	if (ours) {
		s->task = ours->tid;
		s->clock = ours->clock;
		s->skel->bss->tid = (__u32)s->task;
	}
	sent = err ? err : s->task ? taken(s) : -ESRCH;
	return (int)sent;
}

void sender_close_pktgen(struct sender *s)
{
	char thread[32];

	thread_file(s, thread);
	sender_kernel_put(thread, "rem_device_all\n");
	sender_close_kernel(s);
}
