// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/synthetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct synthetic_options synthetic_defaults = {
	.rounds = 12,
	.windows = 4,
	.window_ms = 500,
	.period_ns = 2518891,
	.busy = 1,
	.scatter_pct = 0.5,
	.overhead_pct = 0.8,
	.near_ns = 50,
	.far_ns = 210,
	.far_factor = 1.45,
	.threaded = true,
	.placements = "",
	.ended = "complete",
};

struct synthetic_state {
	uint64_t now_ns;
	double turn; /* of the golden-ratio sequence, 0..1 */
};

static double synthetic_next(struct synthetic_state *s)
{
	s->turn += 0.6180339887498949;
	s->turn -= floor(s->turn);
	return s->turn;
}

static double synthetic_cost(const struct synthetic_variant *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->nstacks; i++)
		sum += v->stacks[i].ns;
	return sum;
}

static void synthetic_write_sample(FILE *f, const struct synthetic_options *o, uint64_t t, const char *frames)
{
	uint64_t address = 0xffffffff81000000;
	bool idle = !strncmp(frames, "pv_native_safe_halt", 19);

	fprintf(f, "%s %d [%03d] %llu.%09llu: %.0f cpu-clock: \n", idle ? "swapper" : "napi/veth0-7",
		idle ? 0 : SYNTHETIC_TID, SYNTHETIC_RX_CPU, (unsigned long long)(t / 1000000000),
		(unsigned long long)(t % 1000000000), o->period_ns);
	while (*frames) {
		size_t len = strcspn(frames, " ");

		fprintf(f, "\t%llx %.*s (%s)\n", (unsigned long long)(address += 0x1000), (int)len, frames,
			strncmp(frames, "bpf_prog_", 9) ? "[kernel.kallsyms]" : "bpf");
		frames += len + (frames[len] == ' ');
	}
	fputc('\n', f);
}

static const char *synthetic_pick(const struct synthetic_variant *v, double u)
{
	double at = 0, all = synthetic_cost(v);

	for (size_t i = 0; i < v->nstacks; i++) {
		at += v->stacks[i].ns / all;
		if (u < at)
			return v->stacks[i].frames;
	}
	return v->stacks[v->nstacks - 1].frames;
}

#define SYNTHETIC_IDLE                                                                                                 \
	"pv_native_safe_halt default_idle default_idle_call do_idle cpu_startup_entry "                                \
	"start_secondary"

static void synthetic_samples(FILE *f, const struct synthetic_options *o, const struct synthetic_variant *v,
			      struct synthetic_state *s, const struct run_window *w)
{
	double credit = 0; /* of idle samples */

	for (double t = (double)w->from_ns + o->period_ns / 2; t < (double)w->to_ns; t += o->period_ns) {
		credit += 1 - o->busy;
		if (credit < 1) {
			synthetic_write_sample(f, o, (uint64_t)t, synthetic_pick(v, synthetic_next(s)));
			continue;
		}
		credit -= 1;
		if (!o->threaded)
			synthetic_write_sample(f, o, (uint64_t)t, SYNTHETIC_IDLE);
	}
}

static void synthetic_window(struct run_block *b, const struct synthetic_options *o, double cost_ns, bool profiled,
			     struct synthetic_state *s, int verdict)
{
	struct run_window *w = run_add_window(b);
	double busy_ns = o->window_ms * 1e6 * o->busy;

	w->kind = profiled ? RUN_PROFILE : RUN_BASE;
	w->from_ns = s->now_ns;
	w->to_ns = s->now_ns += (uint64_t)(o->window_ms * 1e6);
	s->now_ns += 1000000;
	w->busy_ns = o->threaded ? busy_ns : NAN;
	w->waits_ns = o->waits_ns > 0 ? o->waits_ns * busy_ns / cost_ns : NAN;
	w->steal_ns = 0;
	run_add_cpu(w, SYNTHETIC_RX_CPU)->verdicts[verdict] =
		(uint64_t)(busy_ns / cost_ns / (profiled ? 1 + o->overhead_pct / 100 : 1));
	w->has_polls = profiled;
	w->poll_packets = profiled ? 64000 : 0;
	w->polls = profiled ? 1000 : 0;
	w->poll_hist[64] = profiled ? 1000 : 0;
}

/* What an mlx5 would say; queue 7's counters and the totals. */
static void synthetic_device(struct run_window *w)
{
	uint64_t packets = run_window_packets(w);
	const struct {
		enum counter_source source;
		const char *name;
		uint64_t value;
		bool known;
	} changed[] = {
		{COUNTER_ETHTOOL, "rx7_packets", packets, true},
		{COUNTER_ETHTOOL, "rx7_cache_reuse", packets - 3, true},
		{COUNTER_ETHTOOL, "rx_discards_phy", 2 * packets, true},
		{COUNTER_ETHTOOL, "rx_csum_complete", packets, true},
		{COUNTER_ETHTOOL, "rx_steer_missed_packets", 0, false},
		/* What time brings, so that a slow variant has more of it for each packet; and what only a slow one
		   meets. */
		{COUNTER_ETHTOOL, "rx_out_of_buffer", (w->to_ns - w->from_ns) / 1000, true},
		{COUNTER_ETHTOOL, "rx_pp_alloc_slow", (w->to_ns - w->from_ns) / 200 > packets ? packets / 100 : 0,
		 true},
		{COUNTER_LINK, "rx_bytes", 60 * packets, true},
		{COUNTER_PAGE_POOL, "alloc_fast", packets / 64, true},
	};

	w->counters.from_ns = w->from_ns - 1000;
	w->counters.to_ns = w->to_ns + 1000;
	w->counters.packets = packets;
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		if (changed[i].value || !changed[i].known)
			counters_append(&w->counters.changed, changed[i].source, changed[i].name,
					strlen(changed[i].name), changed[i].value, changed[i].known);
}

/* perf counted a tenth longer than the window; the second group could only be counted two thirds of the time. */
static void synthetic_event(struct run_window *w, const char *name, double per_packet, double running_pct)
{
	struct run_event *e = run_add_event(w);

	snprintf(e->name, sizeof(e->name), "%s", name);
	e->running_pct = running_pct;
	e->enabled_ns = 1.1 * (double)(w->to_ns - w->from_ns);
	if (per_packet >= 0)
		e->count = floor(1.1 * per_packet * (double)run_window_packets(w));
}

static void synthetic_count(struct run_block *b, const struct synthetic_options *o, double cost_ns,
			    struct synthetic_state *s, int verdict)
{
	for (int group = 0; group < 2; group++) {
		struct run_window *w;

		synthetic_window(b, o, cost_ns * 1.002, false, s, verdict);
		w = &b->windows[b->nwindows - 1];
		w->kind = RUN_COUNT;
		if (group) {
			synthetic_event(w, "L1-icache-load-misses", cost_ns / 1000, 66.67);
			synthetic_event(w, "LLC-load-misses", -1, 0);
		} else {
			synthetic_event(w, "cycles", 3 * cost_ns, 100);
			synthetic_event(w, "instructions", 6 * cost_ns, 100);
		}
	}
}

static char synthetic_place(const struct synthetic_options *o, size_t index)
{
	return index < strlen(o->placements) ? o->placements[index] : 'n';
}

/* Every frame that was redirected arrived or was dropped; the task of the second stage worked on those that arrived. */
static void synthetic_stage(struct run_block *b, const struct synthetic_options *o)
{
	struct run_totals *t = &b->totals;

	t->redirected = t->rx_seen;
	t->stage_dropped = (int64_t)((double)t->redirected * o->stage_dropped_pct / 100);
	t->stage_frames = t->redirected - t->stage_dropped;
	for (size_t i = 0; i < b->nwindows && o->stage_ns > 0; i++) {
		struct run_window *w = &b->windows[i];

		w->stage_packets = (int64_t)(run_window_packets(w) * (1 - o->stage_dropped_pct / 100));
		w->stage_busy_ns =
			(double)w->stage_packets * o->stage_ns * (1 + o->scatter_pct / 100 * (b->round % 3 - 1));
	}
}

static void synthetic_totals(struct run_block *b, int verdict)
{
	int64_t seen = 0;

	for (size_t i = 0; i < b->nwindows; i++)
		seen += (int64_t)b->windows[i].cpus[0].verdicts[verdict];
	b->totals.gen_sent = b->totals.rx_seen = seen;
	b->totals.gen_errors = b->totals.rx_named_drops = b->totals.stray = b->totals.perf_lost = 0;
	b->totals.tx_verdicts = verdict == RUN_TX ? seen : 0;
	b->totals.sink_frames = verdict == RUN_TX ? seen : 0;
	b->totals.tx_errors = 0;
}

static int synthetic_block(struct run *r, const struct synthetic_options *o, const char *dir, size_t variant, int round,
			   struct synthetic_state *s)
{
	const struct synthetic_variant *v = &o->variants[variant];
	struct run_block *b = run_add_block(r);
	int verdict = (int)run_verdict_of(&r->variants[variant]);
	char place = synthetic_place(o, (size_t)b->index), path[4096 + 80];
	double scatter = o->scatter_pct / 100 * ((round % 2 ? 1 : -1) + 0.3 * (round % 3 - 1));
	double cost_ns = synthetic_cost(v) * (1 + scatter) * (place == 'f' ? o->far_factor : 1);
	FILE *f;

	b->round = round;
	b->variant = variant;
	b->prog_id = 100 + (uint32_t)b->index;
	snprintf(b->prog_tag, sizeof(b->prog_tag), "%s", v->prog_tag);
	snprintf(b->prog_name, sizeof(b->prog_name), "%s", v->prog_name);
	b->mode_found = r->variants[variant].mode;
	b->placement_ns[0] = (place == 'f' ? o->far_ns : o->near_ns) + round % 3;
	b->placement_ns[1] = (place == 'n' ? o->near_ns : o->far_ns) + round % 2;
	if (!(o->near_ns > 0))
		b->placement_ns[0] = b->placement_ns[1] = NAN;
	snprintf(b->script, sizeof(b->script), "blocks/%03d.script", b->index);
	snprintf(path, sizeof(path), "%s/%s", dir, b->script);
	f = fopen(path, "w");
	if (!f)
		return -1;
	for (int i = 0; i < o->windows; i++) {
		if (o->counted && i == o->windows / 2)
			synthetic_count(b, o, cost_ns, s, verdict);
		synthetic_window(b, o, cost_ns, i % 4 == 1 || i % 4 == 2, s, verdict);
		if (b->windows[b->nwindows - 1].kind == RUN_PROFILE)
			synthetic_samples(f, o, v, s, &b->windows[b->nwindows - 1]);
		else if (o->counted)
			synthetic_device(&b->windows[b->nwindows - 1]);
	}
	synthetic_totals(b, verdict);
	if (verdict == RUN_REDIRECT)
		synthetic_stage(b, o);
	return fclose(f);
}

static void synthetic_describe(struct run *r, const struct synthetic_options *o)
{
	run_init(r);
	snprintf(r->version, sizeof(r->version), "0.1.0");
	snprintf(r->started, sizeof(r->started), "2026-01-02T03:04:05Z");
	r->command = json_pack("[s, s, s]", "xdpzoom", "record", "veth0");
	r->environment = json_pack("{s:s, s:s, s:i}", "kernel", "6.18.0", "cpu_model", "Synthetic CPU", "cpus", 2);
	r->device = json_pack("{s:s, s:s}", "name", "veth0", "driver", "veth");
	r->load = json_pack("{s:i}", "size_bytes", 64);
	run_take_facts(r);
	snprintf(r->event, sizeof(r->event), "cpu-clock");
	snprintf(r->order, sizeof(r->order), "abba");
	snprintf(r->ended, sizeof(r->ended), "%s", o->ended);
	r->sample_hz = floor(1e9 / o->period_ns);
	r->sample_cost_ns = 15000;
	r->overhead_budget_pct = 1;
	r->napi_threaded = o->threaded;
	if (o->threaded)
		r->napi_tids[r->nnapi_tids++] = SYNTHETIC_TID;
	r->rx_cpus[r->nrx_cpus++] = SYNTHETIC_RX_CPU;
}

static int synthetic_add_variant(struct run *r, const char *id, struct diag *d)
{
	struct run_variant *v = run_add_variant(r);
	int err = run_variant_parse(v, id, d);

	if (!err && v->stage == RUN_STAGE_DEVICE)
		strcpy(v->stage_text, "polls of veth3, where veth2's frames arrive");
	else if (!err && v->stage != RUN_STAGE_NONE)
		snprintf(v->stage_text, sizeof(v->stage_text), "synthetic task on CPU %d", v->stage_cpu);
	return err;
}

/* Fills r and writes the perf texts into dir/blocks, which is there. 0 or not. */
static int synthetic_fill(struct run *r, const char *dir, const struct synthetic_options *o, struct diag *d)
{
	struct synthetic_state s = {.now_ns = 1000000000000};

	synthetic_describe(r, o);
	for (size_t i = 0; i < o->nvariants; i++)
		if (synthetic_add_variant(r, o->variants[i].id, d))
			return -1;
	for (int round = 0; round < o->rounds; round++)
		for (size_t i = 0; i < o->nvariants; i++)
			if (synthetic_block(r, o, dir, round % 2 ? o->nvariants - 1 - i : i, round, &s))
				return -1;
	return 0;
}

int synthetic_write(const char *path, const struct synthetic_options *o, struct diag *d)
{
	struct run_dir rd;
	struct run r;
	int err = run_dir_begin(&rd, path, false, d);

	if (err)
		return err;
	err = synthetic_fill(&r, rd.at, o, d);
	if (!err)
		err = run_write(&r, rd.at, d);
	if (!err)
		err = run_dir_commit(&rd, d);
	run_dir_abort(&rd);
	run_release(&r);
	return err;
}

const struct synthetic_stack synthetic_native_drop[] = {
	{30, SYNTHETIC_RCV},
	{22, "veth_xdp_rcv_one " SYNTHETIC_RCV},
	{3, "bpf_prog_6deef7357e7b4530_xdp_drop veth_xdp_rcv_one " SYNTHETIC_RCV},
	{12, "page_pool_put_unrefed_netmem __xdp_return xdp_return_frame "
	     "veth_xdp_rcv_one " SYNTHETIC_RCV},
	{9, "xdp_return_frame veth_xdp_rcv_one " SYNTHETIC_RCV},
	{4, "__napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	    "ret_from_fork_asm"},
};

const struct synthetic_stack synthetic_skb_drop[] = {
	{33, SYNTHETIC_RCV},
	{4, "bpf_prog_19a6feab3d5cb0e1_xdp_drop " SYNTHETIC_SKB},
	{52, "kmem_cache_alloc_bulk_noprof xdp_alloc_skb_bulk veth_xdp_rcv_bulk_skb " SYNTHETIC_RCV},
	{61, "memset_orig __build_skb_around __xdp_build_skb_from_frame " SYNTHETIC_RCV},
	{38, "__build_skb_around __xdp_build_skb_from_frame " SYNTHETIC_RCV},
	{46, "dev_gro_receive napi_gro_receive " SYNTHETIC_RCV},
	{31, "__netif_receive_skb_core.constprop.0 __netif_receive_skb_list_core "
	     "netif_receive_skb_list_internal napi_gro_receive " SYNTHETIC_RCV},
	{29, "do_xdp_generic.part.0 " SYNTHETIC_SKB},
	{57, "page_pool_put_unrefed_netmem skb_release_data sk_skb_reason_drop " SYNTHETIC_SKB},
	{24, "kmem_cache_free sk_skb_reason_drop " SYNTHETIC_SKB},
	{5, "__napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	    "ret_from_fork_asm"},
};

/* With a sink that takes frames back in the softirq under the receiver's own thread: 40 ns that are not tx. */
const struct synthetic_stack synthetic_native_tx[] = {
	{30, SYNTHETIC_RCV},
	{22, "veth_xdp_rcv_one " SYNTHETIC_RCV},
	{6, "bpf_prog_8f1c22d04ab13c77_xdp_tx veth_xdp_rcv_one " SYNTHETIC_RCV},
	{38, "veth_xdp_xmit veth_xdp_flush_bq " SYNTHETIC_POLL},
	{4, "__napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	    "ret_from_fork_asm"},
	{40, "veth_xdp_rcv.constprop.0 veth_poll __napi_poll net_rx_action handle_softirqs do_softirq "
	     "__local_bh_enable_ip napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	     "ret_from_fork_asm"},
};

/* To another CPU, whose task is not among the samples; and to another device, polled in the softirq as the sink is. */
static const struct synthetic_stack synthetic_to_cpu[] = {
	{30, SYNTHETIC_RCV},
	{25, "veth_xdp_rcv_one " SYNTHETIC_RCV},
	{6, "bpf_prog_8f1c22d04ab13c77_xdp_bench_cpu veth_xdp_rcv_one " SYNTHETIC_RCV},
	{5, "__napi_poll napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	    "ret_from_fork_asm"},
};

static const struct synthetic_stack synthetic_to_device[] = {
	{30, SYNTHETIC_RCV},
	{25, "veth_xdp_rcv_one " SYNTHETIC_RCV},
	{6, "bpf_prog_8f1c22d04ab13c77_xdp_bench_dev veth_xdp_rcv_one " SYNTHETIC_RCV},
	{20, "veth_xdp_xmit bq_xmit_all " SYNTHETIC_POLL},
	{50, "veth_xdp_rcv.constprop.0 veth_poll __napi_poll net_rx_action handle_softirqs do_softirq "
	     "__local_bh_enable_ip napi_threaded_poll_loop napi_threaded_poll kthread ret_from_fork "
	     "ret_from_fork_asm"},
};

const struct synthetic_variant synthetic_veth[] = {
	{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(synthetic_native_drop)},
	{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
	{"tx/swap-macs@native", "xdp_tx", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_native_tx)},
};

const struct synthetic_variant synthetic_redirects[] = {
	{"redirect-cpu:0/no-touch@native", "xdp_bench_cpu", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_to_cpu)},
	{"redirect-cpu:0/no-touch@skb", "xdp_bench_cpu", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_skb_drop)},
};

const struct synthetic_variant synthetic_second_device[] = {
	{"redirect:veth2/no-touch@native", "xdp_bench_dev", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_to_device)},
};
