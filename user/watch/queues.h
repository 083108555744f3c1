/*
 * queues - how full the queues on packets' way are: of devices, of sockets, of CPUs
 *
 *     queues_open()                               in the network namespace that is looked at
 *     again and again: queues_next_ns(), queues_look()   at irregular times, about 100 times a second
 *                      queues_look_slow()                about 10 times a second: what has to be searched for
 *     queues_end()                                what was seen since the last end
 *
 * in:    a process with CAP_BPF and CAP_PERFMON, in a network namespace. A look takes some microseconds of its CPU
 * out:   for each queue the distribution of its fill. A qdisc that all TX queues of a device share is one queue
 * units: packets, or bytes where queue_unit() says so; us; NaN: not known
 * law:   a look comes in an interrupt, whatever its CPU is busy with, and QUEUES_CLOCKS of them come while this process
 *        has no CPU. Backlogs, and without perf_event_open() all, are looked at when this process has a CPU: of packets
 *        that are received on the same CPU it sees what is left
 *        A rate is that of the queue alone, counted where its packets come in or go out; else it is not known, and
 *        neither is the wait. UDP counts its datagrams by network namespace, so that a socket's rate is known where
 *        it is the only one
 *        Nothing that has gone is followed (queues.bpf.c). A UDP socket is looked at since it was found with something
 *        in it. Where the kernel does not tell, `why` does
 * error: -EOPNOTSUPP with one sentence; -ENOMEM. A sentence without an error tells what is not looked at
 * src:   the wait of a packet is the mean fill by the packets per second (Little, Operations Research 9, 1961). What is
 *        between two queues, such as a bulk in a driver's hands, is in neither of them, so that a wait is too short by
 *        some of these packets. Its interval is that of the means of QUEUE_GROUPS groups of looks in their order
 */
#ifndef USER_WATCH_QUEUES_H
#define USER_WATCH_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include "base/diag.h"
#include "bpf/layout.h"

#define QUEUE_SAMPLES 4096 /* of a queue in an interval; further looks count for its means alone */
#define QUEUE_GROUPS  10
#define QUEUE_NEAR    0.9 /* of its size: a queue that is nearly full */

struct queues_bpf;

/* One queue, and what was seen of it since the last queues_end(). */
struct queue {
	struct queue_look last;
	uint64_t looks, untold, full, near;
	uint64_t first_ns, last_ns; /* passed went through it between both */
	uint64_t passed;
	bool rate_untold;
	double sum, held;
	uint32_t most;
	uint32_t *fills; /* of the first QUEUE_SAMPLES looks, in order */
	size_t n;
	unsigned int idle; /* intervals in which it was not found */
};

struct queue_looks {
	uint64_t due, late; /* late: made 0.1 ms or more after it was due, or not at all */
	uint32_t left_out;  /* queues that nobody looked at */
};

struct queue_clock {
	struct bpf_link *link;
	int fd;          /* the link's */
	uint64_t due_ns; /* 0: not set */
};

struct queues {
	struct queues_bpf *skel;
	struct bpf_link *udp, *cpumap, *taken;
	struct queue_clock clocks[QUEUES_CLOCKS]; /* in the order in which they are due, from `first` on */
	unsigned int nclocks, first;              /* none: this process looks */
	struct queue *list;
	size_t n, cap, hint;
	uint64_t look_ns;      /* of the look that is taken */
	uint64_t due_ns;       /* the last look that is due */
	bool no_taken;         /* what CPU maps hand on cannot be counted */
	uint32_t backlog_most; /* net.core.netdev_max_backlog */
	uint32_t missed[2];    /* the most queues that a look, or a slow one, left out since the last queues_end() */
	struct queue_looks looks, ended; /* since then, and in the interval that queues_end() ended */
};

/* What was seen of one queue. */
struct queue_seen {
	enum queue_kind kind;
	int ifindex;         /* 0: of no device */
	unsigned int number; /* of the device's queue, the CPU, the port */
	uint64_t object;     /* of a CPU map: its ID; of a socket: its inode number, as in /proc/PID/fd */
	uint64_t looks;
	double size, p50, p99, most, mean;
	double full_pct, near_pct; /* of the looks: it was full; it was filled to QUEUE_NEAR or more */
	double held, rate, passed; /* packets, packets per second, and all of them; of BQL bytes */
	double wait_us, wait_half_us;
	const char *why; /* NULL, or why its fill is not known */
};

/* "ring", "qdisc", "bql", "packet socket", "af_xdp rx", "af_xdp tx", "udp socket", "cpumap", "backlog", "tap" */
extern const char *const queue_words[QUEUE_KINDS];
const char *queue_unit(enum queue_kind kind); /* "packets" or "bytes" */
bool queue_is_socket(enum queue_kind kind);

int queues_open(struct queues *q, struct diag *d);
int queues_look(struct queues *q);
int queues_look_slow(struct queues *q);
/* When queues_look() is to be called: drawn at random, so that no look is in step with what it looks at. */
uint64_t queues_next_ns(struct queues *q);
/*
 * Ends the interval. backlog_pps(arg, cpu): the packets per second that were taken from this CPU's backlog in it. On
 * success *seen has *n queues, to be freed by the caller, in the order of devices, kinds and numbers.
 */
int queues_end(struct queues *q, double (*backlog_pps)(void *arg, unsigned int cpu), void *arg,
	       struct queue_seen **seen, size_t *n);
void queues_clocks_anew(struct queues *q); /* after CPUs came or went: a clock ends with its CPU, and stays so */
void queues_release(struct queues *q);     /* may be called twice */

#endif
