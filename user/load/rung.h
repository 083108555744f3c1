/*
 * rung - one rung of the receive ladder: the place in the network stack where every frame is dropped
 *
 * in:    the word of a rung (run_rung_words of run.h); a device of the calling process's network namespace. The
 *        namespace must belong to this rung alone, because hooks of netfilter see the frames of all its devices
 * out:   a program, rules or a socket that drop each frame; how many frames ended there
 * units: frames since rung_open()
 * law:   rung_close() removes what rung_open() made. If the process is killed, all of it goes with the namespace
 * error: -errno with one sentence: -EOPNOTSUPP this kernel lacks the rung, -EPERM
 */
#ifndef USER_RUNG_H
#define USER_RUNG_H

#include <stdint.h>
#include "base/diag.h"
#include "user/load/tc_hook.h"
#include "user/machine/netdev.h"

struct nft_ctx;
struct rungs_bpf;
struct rung_kind;

struct rung {
	const struct rung_kind *kind; /* NULL: not open */
	struct nft_ctx *nft;
	struct rungs_bpf *skel;
	struct tc_hook hook;
	int socket;      /* bound to the frames' port; -1: none */
	uint64_t before; /* the counter's value when the rung was opened */
};

void rung_init(struct rung *r);
int rung_open(struct rung *r, const char *word, const struct netdev *nd, struct diag *d);
/* In the namespace of rung_open(). */
int rung_frames(const struct rung *r, uint64_t *frames, struct diag *d);
void rung_close(struct rung *r); /* in the namespace of rung_open(); may be called twice */

#endif
