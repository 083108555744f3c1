// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"

#define CPU 0

void layer_pair_init(struct layer_pair *p)
{
	*p = (struct layer_pair){};
	layer_init(&p->layer);
}

bool layer_pair_is_open(const struct layer_pair *p)
{
	return p->arms.n > 0;
}

/* In the namespace of the receiver. */
static int open_layer(struct layer_pair *p, const struct run_variant *v, struct diag *d)
{
	const struct sched_param real_time = {.sched_priority = 1};
	struct layer_options o = {.umem = v->umem, .rx_cpu = CPU, .reader_cpu = CPU, .bytes = GEN_BYTES};
	char name[16];
	int err;

	snprintf(name, sizeof(name), RIG_ARM_DEV, 0);
	err = netdev_open(&p->rx, name, d);
	if (err)
		return err;
	memcpy(o.peer_mac, p->tx.mac, sizeof(o.peer_mac));
	err = layer_open(&p->layer, v->layer, &p->rx, &o, d);
	if (!err && p->layer.reader &&
	    sched_setscheduler(atomic_load(&p->layer.reader->worker.tid), SCHED_FIFO, &real_time))
		err = diag_set(d, -errno, "%s: cannot prefer the thread that reads: %s", v->id, strerror(errno));
	return err;
}

static int open_sender(struct layer_pair *p, const struct run_variant *v, struct diag *d)
{
	unsigned char frame[GEN_BYTES];
	struct gen_options shape;
	char name[16];
	netns_scope int saved = -1;
	int err;

	snprintf(name, sizeof(name), RIG_SEND_DEV, 0);
	err = netns_visit(RIG_TX_NETNS, &saved, d) ?: netdev_open(&p->tx, name, d);
	if (err)
		return err;
	gen_options_init(&shape);
	shape.checksum = run_layer_merges(v);
	gen_frame(frame, &shape, p->tx.mac);
	return frames_add(&p->frames, frame, sizeof(frame)) ? diag_set(d, -ENOMEM, "no memory") : 0;
}

int layer_pair_open(struct layer_pair *p, const struct run_variant *v, struct diag *d)
{
	netns_scope int saved = -1;
	int err;

	layer_pair_close(p);
	p->arms = (struct rig_arms){.n = 1, .apart = true};
	err = rig_arms_up(&p->arms, CPU, d)
		      ?: open_sender(p, v, d)
		      ?: netns_visit_fd(p->arms.netns_fds[0], &saved, d) ?: open_layer(p, v, d);
	netns_back(&saved);
	if (err)
		layer_pair_close(p);
	return err;
}

int layer_pair_seen(const struct layer_pair *p, uint64_t *frames, struct diag *d)
{
	netns_scope int saved = -1;

	return netns_visit_fd(p->arms.netns_fds[0], &saved, d) ?: layer_frames(&p->layer, frames, d);
}

void layer_pair_load(const struct layer_pair *p, struct gen_options *o)
{
	gen_options_init(o);
	strcpy(o->dev, p->tx.name);
	strcpy(o->netns, RIG_TX_NETNS);
	memcpy(o->dst_mac, p->rx.mac, sizeof(o->dst_mac));
	o->frames = &p->frames;
}

void layer_pair_close(struct layer_pair *p)
{
	int saved;

	if (p->arms.n && !netns_visit_fd(p->arms.netns_fds[0], &saved, NULL)) {
		layer_close(&p->layer);
		netns_back(&saved);
	}
	if (p->arms.n)
		rig_arms_down(&p->arms);
	frames_release(&p->frames);
	layer_pair_init(p);
}
