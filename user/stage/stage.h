/* stage - what takes up the frames that a program redirects */
#ifndef USER_STAGE_H
#define USER_STAGE_H

#include <xdp/xsk.h>
#include "base/base.h"
#include "reports/run/run.h"
#include "user/gen/gen.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"

#define CPUMAP_QUEUE 2048 /* frames that an entry has room for; as in the kernel's samples */

pid_t cpumap_kthread(int cpu, __u32 map_id); /* that receives what is redirected to the CPU; -1: it did not appear */

/*
 * stage - the second stage of a redirect: another device, another CPU (cpumap), an AF_XDP socket
 *
 * law:   verdicts XDP_REDIRECT == frames + dropped as soon as no frame is under way; -1: a number is not known
 *        The second stage's time is never part of the variant's own time. Its task is not the receiver's task; where
 *        its work runs in softirqs inside the receiver's NAPI thread, reports take that work out (analysis.h)
 */

struct redirects_bpf;
struct socket_stage;

struct stage {
	enum run_stage kind;
	bool native, lab;
	struct netdev out; /* the target device */
	struct device_counters out_counters;
	pid_t tid; /* the task that does the second stage's work; -1: none */
	int cpu;   /* the CPU of that task; -1: none */
	struct redirects_bpf *probe;
	struct redirect_count *counts; /* mapped: ncpus entries */
	int ncpus;
	bool counts_frames, counts_drops; /* what the probe counts */
	struct socket_stage *socket;
	int64_t frames_before, dropped_before;
};

struct stage_options {
	bool lab;
	uint32_t longest; /* bytes of the longest frame that the load sends; 0: not known */
};

/*
 * Completes a variant that redirects: fills v->stage_cpu with cpu where the variant names none, for the cpumap or for
 * the socket's thread. Checks the variant before anything is changed. -EINVAL: no device to redirect to (only the lab
 * has a default), or that CPU is offline.
 */
int stage_choose(struct run_variant *v, bool lab, int cpu, struct diag *d);

void stage_init(struct stage *s);
/* Fills v->stage_text, s->tid and s->cpu. For a variant without a second stage: does nothing, returns 0. */
int stage_open(struct stage *s, struct run_variant *v, const struct bench *b, const struct netdev *nd,
	       const struct stage_options *o, struct diag *d);
/* The frames so far; cheap: cheap enough for the boundary of a window, -1 where it is not. */
int64_t consumer_frames(const struct stage *s, bool cheap);
int64_t consumer_dropped(const struct stage *s);
/* The task's on-CPU time. Cheap enough for the boundary of a window. false: not known. */
bool consumer_busy_ns(const struct stage *s, const struct oncpu *clock, uint64_t *ns);
/*
 * When o has a window (rig_close_loop()), closes the loop at the second stage as well. The whole path then runs at the
 * pace of its slowest part, and drops nothing.
 */
void stage_close_loop(const struct stage *s, struct gen_options *o);
/*
 * -EOPNOTSUPP and the reason, when after so many redirects the second stage cannot be reached at all. A busy machine,
 * where the second stage's task has not run yet, is no error.
 */
int stage_check(const struct stage *s, uint64_t redirected, struct diag *d);
void stage_release(struct stage *s); /* may be called twice */

#define BUSY_PATIENCE_NS 2000000000ULL /* a queue stays busy for some time after its last AF_XDP socket was closed */

/*
 * One AF_XDP socket at one RX queue, its memory and its rings. Every buffer is either in the fill ring or in the
 * receive ring, so no frame is lost for lack of a buffer.
 */

struct xsk_queue {
	void *memory; /* NULL: not open */
	size_t bytes;
	struct run_umem has;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion, rx;
};

struct xsk_place {
	const struct netdev *nd;
	unsigned int queue;
	int map_fd;
	uint32_t longest; /* frame, in bytes; 0: not known */
};

/* Opens the socket of a variant's second stage. */
int stage_join(struct xsk_queue *q, const struct xsk_place *at, const struct run_variant *v, struct diag *d);
int xsk_queue_join(struct xsk_queue *q, const struct netdev *nd, unsigned int number, __u16 bind_flags,
		   const struct run_umem *umem, int map_fd);
/*
 * Moves buffers from the receive ring back to the fill ring. Returns how many frames end in them: 0 when there is none,
 * or only the first buffers of a long one.
 */
unsigned int xsk_queue_receive(struct xsk_queue *q);
void xsk_queue_words(const struct run_umem *has, char *words, size_t size); /* "4096 frames of 2048 bytes" */
const char *xsk_queue_error(const struct run_umem *wanted, int err);        /* of xsk_queue_join() */
int64_t xsk_queue_dropped(const struct xsk_queue *q);                       /* -1: the kernel does not report it */
void xsk_queue_close(struct xsk_queue *q);                                  /* may be called twice */

#endif
