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

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "bpf/layout.h"

struct sender;
struct send_turns;
struct turner_options;

int send_turns_open(struct send_turns **out, const struct turner_options *o, struct diag *d);
/* The caller keeps the sender until send_turns_stop() or send_turns_end() has returned. */
int send_turns_arm(struct send_turns *t, size_t arm, struct sender *s, int sink_fd, struct diag *d);
int send_turns_begin(struct send_turns *t, struct diag *d);
int send_turns_check(const struct send_turns *t, struct diag *d);
int send_turns_end(struct send_turns *t, struct diag *d); /* after the group of turns that runs */
void send_turns_stop(struct send_turns *t);               /* at once; may be called twice */
void send_turns_close(struct send_turns *t);              /* NULL: does nothing */

const struct turn_record *send_turns_records(const struct send_turns *t);
const struct turn_foreign *send_turns_waits(const struct send_turns *t);
size_t send_turns_count(const struct send_turns *t);
size_t send_turns_nwaits(const struct send_turns *t);
uint64_t send_turns_sent(const struct send_turns *t, size_t arm);
void send_turns_keep_waits(struct send_turns *t, bool on);
double send_turns_stamp_ns(const struct send_turns *t);
pid_t send_turns_tid(const struct send_turns *t);

#endif
