/*
 * rung - one rung of a ladder: the place in the network stack where every frame is dropped, or sent on
 *
 * in:    a rung of run.h; a device of the calling process's network namespace. In the lab
 *        the namespace belongs to this rung alone. Where it does not, rules of others stay, and cost what they cost
 * out:   a program, rules or a socket that drop each frame; or a program that the generator calls, without any device;
 *        or a thread on another CPU that takes the frame up (reader.h); or what sends it on to another device
 *        (forward.h); or what sends frames of its own (sender.h), which are counted here when they leave. How many
 *        frames ended there, and how many got lost before it
 * units: frames since rung_open()
 * law:   rung_close() removes what rung_open() made. When the process is killed, the kernel does: rules belong to a
 *        socket of this process, programs to its links. What forwards goes with the namespace
 * error: -errno with one sentence: -EOPNOTSUPP this kernel lacks the rung, -EADDRINUSE somebody has the frames' port,
 *        -ENOSPC no room for connections, -EPERM
 */
#ifndef USER_RUNG_H
#define USER_RUNG_H

#include <stdint.h>
#include "base/diag.h"
#include "user/ladder/forward.h"
#include "user/ladder/rung_nft.h"
#include "user/ladder/rung_udp.h"
#include "user/ladder/sender.h"
#include "user/programs/tc_hook.h"
#include "user/machine/netdev.h"
#include "user/programs/bench.h"

struct reader;
struct rungs_bpf;
struct rung_kind;

struct rung {
	const struct rung_kind *kind; /* NULL: not open */
	struct rung_nft nft;
	struct rungs_bpf *skel;
	struct tc_hook hook;
	int socket; /* bound to the frames' port; -1: none */
	struct reader *reader;
	struct sender *sender;
	struct forward forward;
	struct bench floor;           /* of the rung test-run */
	uint64_t before, lost_before; /* the counters' values when the rung was opened */
};

struct rung_options {
	int rx_cpu, reader_cpu; /* reader_cpu: of the thread that reads, where the rung has one */
	int bytes;              /* of a frame that a sender sends, to this MAC address */
	unsigned char peer_mac[6];
};

void rung_init(struct rung *r);
int rung_open(struct rung *r, enum run_rung rung, const struct netdev *nd, const struct rung_options *o,
	      struct diag *d);
/* Both in the namespace of rung_open(). *lost: frames that a reader's socket or the other device refused. */
int rung_frames(const struct rung *r, uint64_t *frames, struct diag *d);
int rung_lost(const struct rung *r, uint64_t *lost, struct diag *d);
int rung_counts_fd(const struct rung *r);   /* the map of its frames, as in layout.h; -1: it has none */
int rung_floor_fd(const struct rung *r);    /* of the program that the generator calls (turner_floor()); -1: none */
int rung_window(const struct rung *r);      /* of frames that may be under way to the reader; 0: the rung has none */
bool rung_is_addressed(enum run_rung rung); /* do its frames have to go to an address of the device? */
/* What the reader of this rung is, in words; "": it has none. */
const char *rung_reader_words(enum run_rung rung);
void rung_close(struct rung *r); /* in the namespace of rung_open(); may be called twice */

#endif
