/*
 * verdicts - the verdicts of a program that does not count them, from where its frames end
 *
 * in:    a program of the user's own that is attached to the receiver, in native or skb mode; frames that begin after
 *        verdicts_open() and have all arrived before verdicts_read(); how many of them came back to the sender
 * out:   its runs, by the kernel's own count (BPF statistics, which are on from open to close), and its frames by
 *        verdict:
 *          aborted   by the tracepoint xdp_exception; a verdict that is none is aborted too
 *          drop      native: by the driver's counter; skb: the stack's drops, less those of other verdicts, in the lab
 *          pass      by a tc program on the device, which counts them; in the lab they end there, else they go on
 *          tx        native: by the driver's counter; skb: by what came back
 *          redirect  by the tracepoints xdp_redirect and xdp_redirect_err
 * units: frames; -1: cannot be told from others on this device or kernel
 * law:   every number comes from a counter of its own. So they agree (runs are the sum of the verdicts, frames of
 *        XDP_TX came back) or reports show that they do not. After verdicts_close() nothing of this is left
 * error: -errno and one sentence: this kernel refuses a probe
 */
#ifndef USER_VERDICTS_H
#define USER_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/counters.h"
#include "reports/run/run.h"
#include "user/bed/bed.h"
#include "user/programs/programs.h"
#include "user/machine/machine.h"

struct verdicts_bpf;

struct verdicts {
	struct verdicts_bpf *skel;
	struct tc_hook hook;
	int stats_fd, prog_fd; /* -1: not open */
	bool generic, lab;
	struct netdev nd;
	uint64_t runs_before;
	struct counters before;
};

void verdicts_init(struct verdicts *v);
int verdicts_open(struct verdicts *v, const struct target *t, uint32_t prog_id, enum run_mode mode, struct diag *d);
/* out->back is filled; fills the rest of *out but frames and seen. */
int verdicts_read(const struct verdicts *v, struct run_verdicts *out, struct diag *d);
void verdicts_close(struct verdicts *v); /* in the namespace of verdicts_open(); may be called twice */

#endif
