/*
 * send_turns - a thread in which the rungs of the sending ladder take turns; turner.h has the contract that it shares
 *
 *     thread -> sender -> xzarmN -- veth --> xzsendN: a sink (rig.h) counts and drops the frame
 *
 * A turn is lead frames, then frames between two stamps. They leave in bursts. The peer's polls run in a NAPI kthread
 * on the same CPU, which never takes the CPU from the sender: it works off a burst while the thread waits for the
 * sink's count. The cost of a turn is the time by the thread's CPU clock in its bursts; the waits and the polls are
 * not in it. A sender that is nonstop (sender.h) sends all frames in one call; the peer is then polled in softirqs.
 *
 * in:    senders, and the maps of their sinks' counts; the CPU of the thread and of the kthreads
 * out:   turns; the waits, as stretches in which no sample counts; stamp_ns: what a pair of readings of the clock adds
 * units: frames; ns of CLOCK_MONOTONIC, and of the thread's CPU clock
 * law:   at the end of a turn each frame that the kernel took is counted at the sink, or lost, and each completion that
 *        the kernel owed has come, or the turns end with -EIO
 * error: -errno with one sentence
 */
#ifndef USER_SEND_TURNS_H
#define USER_SEND_TURNS_H

#include <stddef.h>
#include "base/diag.h"

struct sender;
struct turner;

/* turner_sender(). The caller keeps the sender until the turns have ended. */
int send_turns_arm(struct turner *turner, size_t arm, struct sender *s, int sink_fd, struct diag *d);

#endif
