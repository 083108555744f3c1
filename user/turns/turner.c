// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <bpf/bpf.h>
#include "bpf/layout.h"
/* the skeleton needs layout.h */
#include "bpf/turns.skel.h"
#include "user/turns/turns.h"

#define WINDOW          192 /* frames under way on two CPUs; a veth's ring has room for 256 */
#define FIRST_PORT      9
#define END_PATIENCE_NS 10000000000ULL

const struct turner_length turner_short = {2048, 256}, turner_long = {16384, 512};

void turner_init(struct turner *t)
{
	memset(t, 0, sizeof(*t));
	t->gen = (struct gen){.remote = NO_REMOTE};
	t->stamp_ns = NAN;
}

static const void *map_of(const struct bpf_map *map, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	return p == MAP_FAILED ? NULL : p;
}

static int live_open(struct turner *t, struct diag *d)
{
	const struct turner_options *o = &t->o;
	struct turns_bpf *skel;
	unsigned char frame[GEN_MAX_BYTES];
	int err;

	kernel_words_clear();
	skel = t->skel = turns_bpf__open();
	if (!skel)
		return diag_set(d, -errno, "cannot open the turning generator: %s", strerror(errno));
	skel->rodata->cfg_crossing = o->crossing;
	skel->rodata->cfg_split = o->split;
	skel->rodata->cfg_batch = (__u32)(o->load.batch ? o->load.batch : TURNER_BATCH);
	skel->rodata->cfg_lead = o->length.lead;
	skel->rodata->cfg_window = WINDOW;
	skel->rodata->cfg_rx_cpu = (__u32)o->rx_cpu;
	skel->rodata->cfg_group = (__u32)turn_group(o->arms);
	skel->rodata->cfg_order = (__u32)turn_order_fill(skel->bss->turn_order, TURN_ORDER, o->arms, o->seed);
	skel->rodata->cfg_write = o->load.write && !o->load.checksum; /* the checksum covers what is written */
	skel->rodata->cfg_restore = o->load.checksum || o->restore;
	gen_frame(frame, &o->load, o->load.src_mac);
	memcpy((void *)skel->rodata->cfg_headers, frame, sizeof(skel->rodata->cfg_headers));
	skel->rodata->cfg_flows = (__u32)o->load.flows;
	skel->rodata->cfg_first_port = FIRST_PORT;
	memcpy((void *)skel->rodata->cfg_macs, o->load.dst_mac, 6);
	memcpy((char *)skel->rodata->cfg_macs + 6, o->load.src_mac, 6);
	skel->rodata->cfg_list_frames = o->load.frames ? (uint32_t)o->load.frames->n : 0;
	skel->rodata->cfg_list_bytes = o->load.frames ? gen_longest(&o->load) : 0;
	bpf_program__set_autoload(skel->progs.poll_ends, o->split && !o->crossing);
	bpf_program__set_autoload(skel->progs.switched, o->crossing);
	bpf_program__set_autoattach(skel->progs.softirq_begins_again, false);
	err = gen_frames_size(skel->maps.frames, &o->load) ?: turns_bpf__load(skel);
	if (!err)
		err = gen_frames_fill(skel->maps.frames, &o->load, o->load.src_mac) ?: turns_bpf__attach(skel);
	if (err == -ENOMEM)
		return diag_set(d, err, "no memory for the turning generator");
	if (err)
		return diag_set(d, -EOPNOTSUPP, "this kernel refuses the generator that takes turns, or its clock: %s",
				kernel_words_first_warning()[0] ? kernel_words_first_warning() : strerror(-err));
	t->ended = &skel->bss->ended;
	t->sent = skel->bss->sent;
	t->keep = &skel->bss->foreign;
	t->nforeigns = &skel->bss->foreigns;
	t->records = map_of(skel->maps.turn_records, TURN_RECORDS * sizeof(*t->records));
	t->foreigns = map_of(skel->maps.turn_foreigns, TURN_FOREIGN * sizeof(*t->foreigns));
	if (!t->records || !t->foreigns)
		return diag_set(d, -ENOMEM, "no memory for the turns");
	return 0;
}

static int live_begin(struct turner *t, struct diag *d)
{
	struct turns_bpf__bss *state = t->skel->bss;
	struct gen_options load = t->o.load;

	state->stop = state->done = state->ended = state->foreigns = 0;
	memset(state->sent, 0, sizeof(state->sent));
	load.prog_fd = bpf_program__fd(t->skel->progs.turns);
	load.batch = t->o.load.batch ? t->o.load.batch : TURNER_BATCH;
	return gen_start(&t->gen, &load, d);
}

static int live_check(struct turner *t, struct diag *d)
{
	return gen_check(&t->gen, d);
}

static int live_end(struct turner *t, struct diag *d)
{
	volatile __u32 *done = &t->skel->bss->done;
	struct patience patience = patience_of(END_PATIENCE_NS);
	struct gen_result sent;
	int err = 0;

	*(volatile __u32 *)&t->skel->bss->stop = 1;
	while (!*done && !err) {
		sleep_until_ns(now_ns() + 1000000);
		err = gen_check(&t->gen, d);
		if (!err && patience_ends(&patience))
			err = diag_set(d, -ETIMEDOUT, "the turns do not end");
	}
	return err ? err : gen_stop(&t->gen, &sent, d);
}

static void live_close(struct turner *t)
{
	if (t->records)
		munmap((void *)t->records, TURN_RECORDS * sizeof(*t->records));
	if (t->foreigns)
		munmap((void *)t->foreigns, TURN_FOREIGN * sizeof(*t->foreigns));
	turns_bpf__destroy(t->skel);
}

static int live_calibrate(struct turner *t, bool on, struct diag *d)
{
	return clock_calibrate(&t->skel->links.softirq_begins_again, t->skel->progs.softirq_begins_again,
			       t->skel->bss->again, on, &t->stamp_ns, d);
}

static const struct turner_kind turner_live = {
	.open = live_open,
	.begin = live_begin,
	.check = live_check,
	.end = live_end,
	.close = live_close,
	.calibrate = live_calibrate,
};

/* ---- both kinds ---------------------------------------------------------------------------------------------- */

int turner_open(struct turner *t, const struct turner_options *o, struct diag *d)
{
	int err = gen_frames_check(&o->load, d);

	if (err)
		return err;
	t->o = *o;
	t->kind = o->sends ? &turner_sends : &turner_live;
	return t->kind->open(t, d);
}

int turner_arm(struct turner *t, size_t arm, const struct turn_arm *a, int counts_fd, int floor_fd, struct diag *d)
{
	__u32 key = (__u32)arm, floor = 0;

	t->skel->bss->arms[arm] = *a;
	if (counts_fd >= 0 && bpf_map_update_elem(bpf_map__fd(t->skel->maps.arm_counts), &key, &counts_fd, BPF_ANY))
		return diag_set(d, -errno, "cannot share the counts of device pair %zu: %s", arm, strerror(errno));
	if (a->floor && bpf_map_update_elem(bpf_map__fd(t->skel->maps.floor_program), &floor, &floor_fd, BPF_ANY))
		return diag_set(d, -errno, "the generator cannot call the program: %s", strerror(errno));
	return 0;
}

void turner_stop(struct turner *t)
{
	if (t->worker)
		worker_stop(t->worker);
	else if (t->kind)
		gen_release(&t->gen);
}

void turner_release(struct turner *t)
{
	turner_stop(t);
	if (t->kind)
		t->kind->close(t);
	turner_init(t);
}
