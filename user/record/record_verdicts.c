// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts of programs of the user's own, counted before anything is measured, where the load is ours. */
#include "base/complain.h"
#include "user/gen/gen_large.h"
#include "user/observe/verdicts.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/record/record_parts.h"

#define COUNT_FRAMES 20000
#define COUNT_S      3.0 /* at most, when frames are slow */
#define LOOK_S       0.02

/* Sends frames, and counts when the last one has arrived. */
static int count(struct recorder *r, struct verdicts *probes, struct run_verdicts *out, struct diag *d)
{
	uint64_t give_up = now_ns() + (uint64_t)(COUNT_S * 1e9);
	struct gen_result sent;
	int64_t back = block_frames_back(r), now;
	uint64_t seen =
		session_seen(&r->session); /* before the probes were on: chatter of a device that is not the lab's */
	int err = session_load(&r->session, d);

	while (!err && session_seen(&r->session) < COUNT_FRAMES && now_ns() < give_up)
		err = block_sleep(r, LOOK_S, d);
	if (!err)
		err = session_stop_load(&r->session, &sent, d);
	if (err)
		return err;
	now = sent.back >= 0 ? sent.back : block_frames_back(r);
	out->back = now < 0 || (back < 0 && sent.back < 0) ? -1 : now - (sent.back >= 0 ? 0 : back);
	out->seen = (int64_t)(session_seen(&r->session) - seen);
	/* What a NIC's ring refuses is no frame of the program's; the gate of conservation looks at it. */
	out->frames = r->session.target.lab ? sent.sent : out->seen;
	err = verdicts_read(probes, out, d);
	/* Of a packet socket's frames, the stack frees on the receiver's device those, too, that its ring refused. */
	if (probes->generic && gen_is_large(&r->session.o.load) && out->ended[RUN_DROP] >= 0)
		out->ended[RUN_DROP] -= sent.refused;
	/* Other frames may come to the sender's device too, but in the lab. */
	if (!r->session.target.lab && out->back > out->ended[RUN_TX])
		out->back = out->ended[RUN_TX];
	return err;
}

/* A kernel that refuses the probes is no error: the verdicts stay unknown, and a sentence says why. */
static int count_variant(struct recorder *r, struct run_variant *v, struct diag *d)
{
	struct session *s = &r->session;
	struct verdicts probes;
	struct diag refused = {};
	int err = session_attach(s, v, d);

	verdicts_init(&probes);
	if (!err && verdicts_open(&probes, &s->target, s->bench.prog_id, v->mode, &refused))
		complain("%s: its verdicts are not counted: %s", v->id, refused.text);
	else if (!err)
		err = count(r, &probes, &v->verdicts, d);
	if (err)
		v->verdicts.frames = -1;
	verdicts_close(&probes);
	session_detach(s);
	return err;
}

int record_verdicts(struct recorder *r, struct diag *d)
{
	int load_cpu = r->session.o.load.cpu, err = 0;

	if (!r->session.o.own_load)
		return 0;
	if (r->session.target.lab)
		r->session.o.load.cpu = cpu_pick_load(r->o->rx_cpu);
	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		if (!run_variant_is_own(&r->run.variants[i]))
			continue;
		progress_now(&r->progress, "counting verdicts");
		err = count_variant(r, &r->run.variants[i], d);
	}
	r->session.o.load.cpu = load_cpu;
	return err;
}
