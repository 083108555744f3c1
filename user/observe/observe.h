/* observe.h - what watches beside a program: observers, tracing programs, verdicts */
#ifndef USER_OBSERVE_OBSERVE_H
#define USER_OBSERVE_OBSERVE_H

#include "base/base.h"
#include "reports/run/run.h"
#include "user/bed/bed.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"

/*
 * observer - what people leave running beside an XDP program, switched on while one variant is measured
 *
 * law:   observer_close() undoes observer_open(). When this process is killed, descriptors end it. ftrace has none, and
 *        tc has none before Linux 6.6; there a guard waits for the end of this process
 */

struct observers_bpf;
struct probe;
struct observer_ring;
struct reader;

struct observer {
	int stats_fd;               /* bpf-stats */
	struct reader *reader;      /* packet-socket */
	struct observers_bpf *skel; /* fexit, tc */
	struct observer_ring *rings;
	int nrings, fexit_fd; /* fexit */
	struct tc_hook hook;  /* tc */
	struct guard guard;   /* ftrace */
	struct probe *probe;  /* watch */
};

struct observer_options {
	enum run_observer kind;
	const struct netdev *nd;
	int prog_fd; /* of the program on the device */
	int cpu;     /* of the packet socket's thread */
};

/* It watches the whole machine, not one device or program. */
bool observer_is_everywhere(enum run_observer kind);
void observer_init(struct observer *ob);
int observer_open(struct observer *ob, const struct observer_options *o, struct diag *d);
/* does it still watch? */
void observer_close(struct observer *ob); /* in the namespace of observer_open(); may be called twice */

/*
 * tracers - BPF programs at tracepoints and kernel functions, and whose they are
 *
 * law:   nothing is attached, changed or kept open. What comes and goes between two looks is not seen
 */

struct tracers {
	uint32_t *seen; /* programs of which all is known */
	size_t n;
};

void tracers_look(struct tracers *t, struct run *run);

/*
 * verdicts - the verdicts of a program that does not count them, from where its frames end
 *
 * units: frames; -1: cannot be told from others on this device or kernel
 * law:   every number comes from a counter of its own. So they agree (runs are the sum of the verdicts, frames of
 *        XDP_TX came back) or reports show that they do not. After verdicts_close() nothing of this is left
 */

struct verdicts_bpf;

struct verdicts {
	struct verdicts_bpf *skel;
	struct tc_hook hook;
	int stats_fd, prog_fd; /* -1: not open */
	bool generic, tc, netkit, lab;
	struct netdev nd;
	uint64_t runs_before;
	struct counters before;
};

void verdicts_init(struct verdicts *v);
/* t: of a program at netkit, the device behind it, in its namespace. */
int verdicts_open(struct verdicts *v, const struct target *t, uint32_t prog_id, enum run_mode mode, struct diag *d);
/* out->back is filled; fills the rest of *out but frames and seen. */
int verdicts_read(const struct verdicts *v, struct run_verdicts *out, struct diag *d);
void verdicts_close(struct verdicts *v); /* in the namespace of verdicts_open(); may be called twice */

#endif
