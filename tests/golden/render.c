// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `xdpzoom report` and `xdpzoom diff` print, and synthetic runs to print it of, for tests/golden/:
 *   render make DIR KIND           a run directory; kinds are in the table below, and "evil", "pairs", "to-cpu",
 *                                  "to-device", "readers", "crowded"
 *   render report DIR FORMAT [VARIANT]
 *   render diff DIR BASE NEW FORMAT [DIR2]
 */
#include <stdio.h>
#include <string.h>
#include "reports/format/format.h"
#include "tests/synthetic.h"

/* Names that would be something else in HTML, CSV, Markdown, folded text or on a terminal. Truth: 20 ns each. */
static const struct synthetic_stack evil_native[] = {
	{20, "<script>alert(1)</script> veth_poll"},
	{20, "=cmd('/C_calc')!A0 veth_poll"},
	{20, "a;b;c veth_poll"},
	{20, "\"quoted\",'too' veth_poll"},
	{20, "pipe|`tick`\\slash veth_poll"},
	{20, "\033[31mred\033]0;title\a veth_poll"},
	{20, "bytes\377\376\302\23331m veth_poll"},
	{20, "@SUM(1+1)*cmd|'_/C'!A0 -1+1 veth_poll"},
	{20, "{{7*7}}${IFS}%s%n</td><img/onerror=x> veth_poll"},
};
static const struct synthetic_stack evil_skb[] = {
	{40, "<script>alert(1)</script> veth_poll"},
	{60, "a;b;c +2+2 veth_poll"},
};
static const struct synthetic_variant evil[] = {
	{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(evil_native)},
	{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(evil_skb)},
};

static const struct {
	const char *kind;
	int rounds;
	double busy, overhead_pct;
	bool threaded;
	const char *placements, *ended;
	bool counted;
} kinds[] = {
	{"sound", 12, 1, 0.8, true, "", "complete"},
	{"placed", 12, 1, 0.8, true, "nnnffnnmnfnnnnnnnnnnnnffnnnnnnnnnnnn", "complete"},
	{"poor", 3, 0.6, 4, true, "", "interrupted"},
	{"softirq", 6, 0.9, 0.8, false, "", "complete"},
	{"counted", 6, 1, 0.8, true, "", "complete", true},
	{"far", 12, 1, 0.8, true, "ffffffffffffffffffffffffffffffffffff", "complete"},
	{"slower", 12, 1, 0.8, true, "ffffffffffffffffffffffffffffffffffff", "complete"},
};

/* One of the two runs a diff may need. */
struct side {
	struct run run;
	struct analysis a;
};

static int fail(const char *why)
{
	fprintf(stderr, "render: %s\n", why);
	return 1;
}

/* The strings of run.json that are shown: newlines, quotes, formulas, markup and escape sequences. */
static int spoil_strings(const char *dir, struct diag *d)
{
	struct run r;
	int err = run_read(&r, dir, d);

	if (err)
		return err;
	json_object_set_new(r.environment, "cpu_model",
			    json_string("=cmd|'/C calc'!A0\n# EOF\nBenchmarkXDP 1 1 ns/pkt\n<b>&amp;\033[2J"));
	json_object_set_new(r.environment, "kernel", json_string("6.18\"} 1\nx{y=\"\\"));
	json_object_set_new(r.device, "name", json_string("\"><script>alert(2)</script>"));
	json_object_set_new(r.device, "driver", json_string("-1+1|`x`\r\n\r\n"));
	snprintf(r.ended, sizeof(r.ended), "<i>\n\t=1+1");
	err = run_write(&r, dir, d);
	run_release(&r);
	return err;
}

static int make_evil(const char *dir)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = evil;
	o.nvariants = 2;
	o.window_ms = 250;
	return synthetic_write(dir, &o, &d) || spoil_strings(dir, &d) ? fail(d.text) : 0;
}

/* Three pairs of modes, as the demo has them, on a CPU that is idle at times. */
static const struct synthetic_variant pairs[] = {
	{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(synthetic_native_drop)},
	{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
	{"drop/read-data@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(synthetic_native_drop)},
	{"drop/read-data@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
	{"tx/swap-macs@native", "xdp_tx", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_native_tx)},
	{"tx/swap-macs@skb", "xdp_tx", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
};

static int make_pairs(const char *dir)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = pairs;
	o.nvariants = 6;
	o.rounds = 6;
	o.busy = 0.7;
	o.overhead_pct = 3;
	o.window_ms = 100;
	return synthetic_write(dir, &o, &d) ? fail(d.text) : 0;
}

/* Redirects: to a CPU whose task cannot take all, or to a device. */
static int make_redirect(const char *dir, bool to_cpu)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = to_cpu ? synthetic_redirects : synthetic_second_device;
	o.nvariants = to_cpu ? 2 : 1;
	o.rounds = 6;
	o.window_ms = 250;
	o.stage_ns = to_cpu ? 250 : 0;
	o.stage_dropped_pct = to_cpu ? 2.5 : 0;
	o.waits_ns = to_cpu ? 30 : 0;
	return synthetic_write(dir, &o, &d) ? fail(d.text) : 0;
}

/* Ladder with readers: every block's receiver has taken up every second packet once more, at other costs. */
static const struct synthetic_variant readers[] = {
	{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
	{"rung:udp-recv", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(synthetic_native_drop)},
	{"rung:udp-recvmmsg", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(synthetic_skb_drop)},
};

/* The samples of the receiver stand for those of a thread that reads every second frame. */
static int add_readers(const char *dir, struct diag *d)
{
	struct run r;
	int err = run_read(&r, dir, d);

	for (size_t i = 0; i < r.nblocks && !err; i++) {
		struct run_block *b = &r.blocks[i];

		if (r.variants[b->variant].stage != RUN_STAGE_READER)
			continue;
		b->stage_tid = SYNTHETIC_TID;
		for (size_t k = 0; k < b->nwindows; k++) {
			b->windows[k].stage_packets = (int64_t)(run_window_packets(&b->windows[k]) / 2);
			b->windows[k].stage_busy_ns = b->windows[k].busy_ns;
		}
	}
	if (!err)
		err = run_write(&r, dir, d);
	run_release(&r);
	return err;
}

static int make_readers(const char *dir)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = readers;
	o.nvariants = 3;
	o.rounds = 6;
	o.overhead_pct = 3;
	o.window_ms = 250;
	return synthetic_write(dir, &o, &d) || add_readers(dir, &d) ? fail(d.text) : 0;
}

/* Slow paths of slab memory, and samples that waited until interrupts came back on. Truth: 330 ns. */
static const struct synthetic_stack crowded_skb[] = {
	{90, SYNTHETIC_RCV},
	{50, "kmem_cache_alloc_bulk_noprof xdp_alloc_skb_bulk veth_xdp_rcv_bulk_skb " SYNTHETIC_RCV},
	{35, "___slab_alloc kmem_cache_alloc_bulk_noprof xdp_alloc_skb_bulk veth_xdp_rcv_bulk_skb " SYNTHETIC_RCV},
	{15, "__slab_free kmem_cache_free sk_skb_reason_drop " SYNTHETIC_SKB},
	{30, "interrupts_on kmem_cache_free sk_skb_reason_drop " SYNTHETIC_SKB},
	{60, "interrupts_on __netif_receive_skb_core.constprop.0 " SYNTHETIC_POLL},
	{50, "memset_orig __build_skb_around __xdp_build_skb_from_frame " SYNTHETIC_RCV},
};
static const struct synthetic_variant crowded[] = {
	{"tx/swap-macs@native", "xdp_tx", "8f1c22d04ab13c77", SYNTHETIC_STACKS(synthetic_native_tx)},
	{"tx/swap-macs@skb", "xdp_tx", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(crowded_skb)},
	{"drop/no-touch+chain50@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(synthetic_native_drop)},
};

/* A third of the packets, and two fifths of the time, are another CPU's. */
static void crowd_cpus(struct run_window *w)
{
	struct run_cpu *other = run_add_cpu(w, 3), *first = &w->cpus[0];

	for (int i = 0; i < RUN_VERDICTS; i++) {
		other->verdicts[i] = first->verdicts[i] / 3;
		first->verdicts[i] -= other->verdicts[i];
	}
	first->busy_ns = 0.6 * w->busy_ns;
	other->busy_ns = 0.4 * w->busy_ns;
}

static void crowd_window(struct run_window *w, int n, const char *function)
{
	double packets = run_window_packets(w);

	w->busy_ns *= 1 + 0.002 * (n * 7 % 5);
	crowd_cpus(w);
	w->steal_ns = 1e6 * (n % 3);
	w->freq_khz = 2400000 + 1000 * (n % 7);
	w->waits_ns = 1e5 * (n % 5);
	if (w->has_polls) {
		w->poll_hist[0] = w->polls_empty = 40;
		w->poll_hist[17] = 100;
		w->poll_hist[65] = 60;
		w->polls = 1200;
		w->poll_packets = 64000 + 1700 + 60 * 100;
	}
	if (w->kind == RUN_PROBE)
		w->softirq_ns = 0.25 * w->busy_ns;
	if (w->kind != RUN_CALLS)
		return;
	snprintf(w->calls.function, sizeof(w->calls.function), "%s", function);
	w->calls.calls = (uint64_t)(0.75 * packets);
	w->calls.timed = (uint64_t)(0.5 * packets);
	w->calls.ns = 40 * packets;
	w->calls.probe_ns = 30;
}

/* All that a recording can hold, each number another one. */
static void crowd_block(struct run_block *b, int index)
{
	size_t base = 0;

	b->totals.gen_errors = 1000 * (index + 1);
	b->totals.gen_sent += 70;
	b->totals.rx_named_drops = 50;
	b->totals.perf_lost = 3;
	b->totals.tx_sent = b->totals.tx_verdicts;
	for (size_t i = 0; i < b->nwindows; i++) {
		struct run_window *w = &b->windows[i];

		if (w->kind == RUN_BASE && ++base > 2)
			w->kind = base == 3 ? RUN_PROBE : RUN_CALLS;
		crowd_window(w, index + (int)i, index / 3 % 2 ? "veth_xdp_rcv_one" : "kmem_cache_alloc_bulk_noprof");
	}
}

static int crowd(const char *dir, struct diag *d)
{
	struct run r;
	int err = run_read(&r, dir, d);

	if (err)
		return err;
	r.rx_cpus[r.nrx_cpus++] = 3;
	r.napi_tids[r.nnapi_tids++] = SYNTHETIC_TID + 1;
	r.precision_pct = 0.5;
	r.precision_reached_pct = 0.75;
	strcpy(r.precision_stop, "max-time");
	json_decref(r.load);
	r.load = json_pack("{s:i, s:i, s:f, s:[i, i], s:b, s:n}", "size_bytes", 60, "cpu", 1, "rate_pps", 4e6, "cpus",
			   1, 2, "written", 1, "flows");
	json_object_set_new(r.device, "rings", json_pack("{s:i, s:i}", "rx", 512, "tx", 1024));
	for (size_t i = 0; i < r.nvariants; i++)
		if (r.variants[i].plant) {
			r.variants[i].plant_ns = 49.5;
			r.variants[i].plant_steps = 12;
		}
	for (size_t i = 0; i < r.nblocks; i++)
		crowd_block(&r.blocks[i], (int)i);
	err = run_write(&r, dir, d);
	run_release(&r);
	return err;
}

static int make_crowded(const char *dir)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = crowded;
	o.nvariants = 3;
	o.windows = 13;
	o.rounds = 7;
	o.busy = 0.8;
	o.window_ms = 100;
	o.counted = true;
	o.placements = "nnnnffnnnnmn";
	return synthetic_write(dir, &o, &d) || crowd(dir, &d) ? fail(d.text) : 0;
}

static int make(const char *dir, const char *kind)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	if (!strcmp(kind, "evil"))
		return make_evil(dir);
	if (!strcmp(kind, "pairs"))
		return make_pairs(dir);
	if (!strcmp(kind, "crowded"))
		return make_crowded(dir);
	if (!strcmp(kind, "readers"))
		return make_readers(dir);
	if (!strncmp(kind, "to-", 3))
		return make_redirect(dir, !strcmp(kind, "to-cpu"));
	o.variants = synthetic_veth;
	o.nvariants = 3;
	o.window_ms = 250;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, kind))
			continue;
		o.rounds = kinds[i].rounds;
		o.busy = kinds[i].busy;
		o.overhead_pct = kinds[i].overhead_pct;
		o.threaded = kinds[i].threaded;
		o.placements = kinds[i].placements;
		o.ended = kinds[i].ended;
		if (!strcmp(kind, "slower")) { /* all blocks "far", at the same distance */
			o.far_ns = o.near_ns;
			o.far_factor = 1.05;
		}
		o.counted = kinds[i].counted;
		return synthetic_write(dir, &o, &d) ? fail(d.text) : 0;
	}
	return fail("no such kind");
}

static int load(struct side *s, const char *dir, struct facilities *f, double like_ns, struct diag *d)
{
	struct analysis_options o;
	int err = run_read(&s->run, dir, d);

	o = (struct analysis_options){};
	o.placement_like_ns = like_ns;
	o.stacks = true;
	if (!err)
		err = analysis_build(&s->a, &s->run, dir, f, &o, d);
	return err;
}

static int report(int argc, char **argv, struct facilities *f, struct diag *d)
{
	const struct analysis_variant *only = NULL;
	struct render_options o = {.program = "xdpzoom", .dir = "runs/demo"};
	struct side s = {0};
	const struct format *format;
	struct document doc;
	const struct format screen = {.write = format_summary};
	int err =
		strcmp(argv[3], "summary") ? format_find(&format, argv[3], DOCUMENT_REPORT, d) : (format = &screen, 0);

	if (!err)
		err = load(&s, argv[2], f, 0, d);
	if (!err && argc > 4) {
		only = analysis_find(&s.a, argv[4], d);
		err = only ? 0 : 1;
	}
	if (!err)
		err = format_write(format, stdout, &doc, document_of_report(&doc, &s.a, only), &o);
	analysis_release(&s.a);
	run_release(&s.run);
	return err;
}

static int diff(int argc, char **argv, struct facilities *f, struct diag *d)
{
	const struct analysis_variant *base, *new = NULL;
	struct side s = {0}, other = {0};
	struct symkeys *keys = NULL;
	struct compare c = {0};
	const struct format *format;
	struct document doc;
	struct render_options o = {0};
	int err = format_find(&format, argv[5], DOCUMENT_DIFF, d);

	if (!err)
		err = load(&s, argv[2], f, 0, d);
	base = err ? NULL : analysis_find(&s.a, argv[3], d);
	if (base && argc > 6 && !load(&other, argv[6], f, base->placement_ns, d))
		new = analysis_find(&other.a, argv[4], d);
	else if (base)
		new = analysis_find(&s.a, argv[4], d);
	err = base && new ? compare_read_renames(&keys, NULL, base, new, d) : 1;
	if (!err)
		err = compare_build(&c, base, new, keys, d);
	if (!err)
		err = format_write(format, stdout, &doc, document_of_diff(&doc, &c), &o);
	compare_release(&c);
	symkeys_free(keys);
	analysis_release(&other.a);
	run_release(&other.run);
	analysis_release(&s.a);
	run_release(&s.run);
	return err;
}

int main(int argc, char **argv)
{
	struct facilities *f = NULL;
	struct diag d = {""};
	int err;

	if (argc == 4 && !strcmp(argv[1], "make"))
		return make(argv[2], argv[3]);
	if (argc < 4 || facilities_read(&f, "tests/synthetic.conf", &d))
		return fail(*d.text ? d.text : "usage");
	err = !strcmp(argv[1], "diff") && argc >= 6 ? diff(argc, argv, f, &d) : report(argc, argv, f, &d);
	facilities_free(f);
	return err ? fail(d.text) : 0;
}
