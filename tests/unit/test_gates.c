// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quality gates: a sound run passes, and each gate fails on a run that was broken on purpose.
 */
#include "reports/document/document.h"
#include "tests/unit/compared.h"

static void lose_packets(struct run *r)
{
	r->blocks[0].totals.gen_sent += 5;
}

/* Lost, but a counter names them. */
static void drop_by_name(struct run *r)
{
	r->blocks[0].totals.gen_sent += 7;
	r->blocks[0].totals.rx_named_drops = 7;
}

static void wrong_mode(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].mode_found = RUN_MODE_SKB;
}

static void lose_tx(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].totals.sink_frames -= r->blocks[i].totals.sink_frames / 2;
}

static void tx_errors(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++) {
		r->blocks[i].totals.sink_frames = -1; /* nobody counts at the other end */
		r->blocks[i].totals.tx_errors = 3;
	}
}

/* A NIC: nobody counts at the other end, and its driver names no errors. */
static void on_a_nic(struct run *r, int64_t tx_sent_short, int64_t link_sent_short)
{
	r->facts.tx_ring_frames = 256;
	for (size_t i = 0; i < r->nblocks; i++) {
		struct run_totals *t = &r->blocks[i].totals;

		t->sink_frames = t->tx_errors = -1;
		t->tx_sent = tx_sent_short < 0 ? -1 : t->tx_verdicts - tx_sent_short;
		t->link_sent = t->tx_verdicts - link_sent_short;
	}
}

static void driver_sent_less(struct run *r)
{
	on_a_nic(r, 4, 0);
}

static void link_sent_less(struct run *r)
{
	on_a_nic(r, -1, 257);
}

/* Nobody counts what leaves, but for the driver's own errors, of which there are none. */
static void no_tx_errors(struct run *r)
{
	on_a_nic(r, -1, 0);
	for (size_t i = 0; i < r->nblocks; i++) {
		r->blocks[i].totals.link_sent = -1;
		r->blocks[i].totals.tx_errors = 0;
	}
}

/* What a ring holds when the counter of completed frames is read. */
static void link_lags(struct run *r)
{
	on_a_nic(r, -1, 256);
}

/* Somebody else's frames go out there as well. */
static void link_sent_more(struct run *r)
{
	on_a_nic(r, -1, -1000);
}

static void stop_early(struct run *r)
{
	strcpy(r->ended, "interrupted");
}

static void other_cpu(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].windows[0].cpus[0].cpu = 0;
}

static void one_odd_block(struct run *r)
{
	for (size_t i = 0; i < r->blocks[0].nwindows; i++)
		r->blocks[0].windows[i].cpus[0].verdicts[RUN_DROP] /= 2;
}

static void warm_up(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		r->blocks[i].windows[0].busy_ns *= 1.05;
}

static void no_packets(struct run *r)
{
	for (size_t i = 0; i < r->blocks[0].nwindows; i++)
		r->blocks[0].windows[i].cpus[0].verdicts[RUN_DROP] = 0;
}

static void test_gates(void **state)
{
	static const struct {
		void (*breaker)(struct run *r);
		size_t variant;
		const char *gate;
		double value, within;
		const char *saying;
	} cases[] = {
		{lose_packets, 0, "conservation", 5, 0, "no counter explains"},
		{wrong_mode, 0, "mode", 12, 0, "found skb"},
		{tx_errors, 2, "tx-returned", 3, 0, "did not leave"},
		{lose_tx, 2, "tx-returned", 1, 1e9, "did not leave"},
		{driver_sent_less, 2, "tx-returned", 4, 0, "did not leave"},
		{link_sent_less, 2, "tx-returned", 257, 0, "did not leave"},
		{other_cpu, 0, "cpus", 1, 0, "packets on 2 CPUs, 1 measured"},
		{warm_up, 0, "drift", 5, 0.3, "warm-up"},
	};
	struct measured m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quality_row *row;

		measured_broken(&m, cases[i].breaker);
		row = gate(&m.a.variants[cases[i].variant].quality, cases[i].gate);
		assert_false(row->ok);
		near_to(row->value, cases[i].value, cases[i].within);
		assert_non_null(strstr(row->note, cases[i].saying));
		measured_release(&m);
	}
	measured_broken(&m, stop_early);
	assert_false(gate(&m.a.quality, "ended")->ok);
	assert_non_null(strstr(gate(&m.a.quality, "ended")->note, "interrupted"));
	measured_release(&m);
	measured_broken(&m, drop_by_name);
	near_to(gate(&m.a.variants[0].quality, "conservation")->value, 0, 0);
	measured_release(&m);
	measured_broken(&m, link_lags);
	near_to(gate(&m.a.variants[2].quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
	measured_broken(&m, no_tx_errors);
	near_to(gate(&m.a.variants[2].quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
	measured_broken(&m, link_sent_more);
	near_to(gate(&m.a.variants[2].quality, "tx-returned")->value, 0, 0);
	measured_release(&m);
	measured_broken(&m, one_odd_block);
	assert_true(m.a.variants[0].blocks[0].outlier);
	assert_int_equal(m.a.variants[0].nused, 12); /* flagged, kept */
	near_to(gate(&m.a.variants[0].quality, "outliers")->value, 100.0 / 12, 1e-9);
	measured_release(&m);
	measured_broken(&m, no_packets);
	assert_int_equal(m.a.variants[0].nused, 11);
	assert_non_null(strstr(gate(&m.a.variants[0].quality, "blocks")->note, "1 without packets set aside"));
	measured_release(&m);
}

/* perf lost 10 samples in each block; where variants take turns, each block of a round has what the round lost. */
static void lose_samples(struct measured *m, enum run_view view)
{
	struct synthetic_options o = veth();

	measured_record(m, &o);
	m->run.view = view;
	for (size_t i = 0; i < m->run.nblocks; i++)
		m->run.blocks[i].totals.perf_lost = 10;
	measured_analyse(m, NULL);
}

static void test_lost_samples(void **state)
{
	struct measured blocks, turns;
	double all = 0;

	lose_samples(&blocks, RUN_VIEW_BLOCKS);
	lose_samples(&turns, RUN_VIEW_WORK);
	for (size_t i = 0; i < blocks.a.nvariants; i++)
		all += (double)blocks.a.variants[i].samples;
	for (size_t i = 0; i < blocks.a.nvariants; i++) {
		double own = (double)blocks.a.variants[i].samples;

		assert_true(own > 100 && all > own + 100);
		near_to(gate(&blocks.a.variants[i].quality, "lost-samples")->value, 100 * 120 / (120 + own), 1e-9);
		near_to(gate(&turns.a.variants[i].quality, "lost-samples")->value, 100 * 120 / (120 + all), 1e-9);
	}
	measured_release(&turns);
	measured_release(&blocks);
}

/* Half a second with 1000 packets a window; one counter is lost sight of, one stands still in half of the windows. */
static void count_on_the_device(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++) {
			struct run_counters *c = &r->blocks[i].windows[k].counters;

			if (r->blocks[i].windows[k].kind != RUN_BASE)
				continue;
			*c = (struct run_counters){.from_ns = 1, .to_ns = 500000001, .packets = 1000};
			counters_append(&c->changed, COUNTER_LINK, "rx_packets", 10, 1000, true);
			counters_append(&c->changed, COUNTER_ETHTOOL, "rx_a", 4, 2000, true);
			counters_append(&c->changed, COUNTER_ETHTOOL, "rx_z", 4, 5, k > 0);
			if (k == 0)
				counters_append(&c->changed, COUNTER_ETHTOOL, "rx_discards_phy", 15, 500, true);
		}
}

static void test_device_counters(void **state)
{
	const struct analysis_counter *c;
	struct measured m;

	measured_broken(&m, count_on_the_device);
	assert_int_equal(m.a.variants[0].ncounters, 4);
	c = m.a.variants[0].counters; /* losses first, then the driver's by name, then the link's */
	assert_string_equal(c[0].name, "rx_discards_phy");
	near_to(c[0].per_second, 500, 1e-9);
	near_to(c[0].per_packet, 0.25, 1e-12);
	assert_string_equal(c[1].name, "rx_a");
	near_to(c[1].per_second, 4000, 1e-9);
	near_to(c[1].per_packet, 2, 1e-12);
	assert_string_equal(c[2].name, "rx_z");
	assert_true(isnan(c[2].per_second) && isnan(c[2].per_packet));
	assert_true(c[3].source == COUNTER_LINK);
	near_to(c[3].per_packet, 1, 1e-12);
	measured_release(&m);
}

static void test_a_sound_run_passes(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	measure(&m, &o);
	for (size_t i = 0; i < m.a.nvariants; i++)
		for (size_t k = 0; k < m.a.variants[i].quality.nrows; k++)
			if (!m.a.variants[i].quality.rows[k].ok)
				fail_msg("%s: %s", m.a.variants[i].quality.rows[k].gate,
					 m.a.variants[i].quality.rows[k].note);
	assert_int_equal(quality_failed(&m.a.quality), 0);
	measured_release(&m);
}

static void test_limits(void **state)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct diag d = {""};
	struct measured m;

	ao = (struct analysis_options){};
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=0.5", &d), 0);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhed=0.5", &d), -EINVAL);
	d.text[0] = '\0';
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=0.5x", &d), -EINVAL);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=", &d), -EINVAL);
	assert_int_equal(quality_limits_parse(&ao.limits, "overhead=nan", &d), -EINVAL);
	measure_with(&m, &o, &ao);
	assert_false(gate(&m.a.variants[0].quality, "overhead")->ok);
	near_to(gate(&m.a.variants[0].quality, "overhead")->limit, 0.5, 0);
	measured_release(&m);
}

static double overhead_limit(double budget_pct, const char *given)
{
	struct synthetic_options o = veth();
	struct analysis_options ao;
	struct measured m;
	double limit;

	ao = (struct analysis_options){};
	if (given)
		assert_int_equal(quality_limits_parse(&ao.limits, given, NULL), 0);
	measured_record(&m, &o);
	m.run.overhead_budget_pct = budget_pct;
	measured_analyse(&m, &ao);
	limit = gate(&m.a.variants[0].quality, "overhead")->limit;
	measured_release(&m);
	return limit;
}

/* A recording may spend what it was allowed to, and half as much again; never less than 2 %. */
static void test_overhead_of_a_budget(void **state)
{
	near_to(overhead_limit(-1, NULL), 2, 0);
	near_to(overhead_limit(1, NULL), 2, 0);
	near_to(overhead_limit(4, NULL), 6, 0);
	near_to(overhead_limit(4, "overhead=3"), 3, 0);
}

/* The clock that reads how much is taken out of the base of tx/swap-macs reads `part` of the busy time. */
static void clock_the_sink(struct measured *m, double part, const struct analysis_options *ao)
{
	struct synthetic_options o = veth();

	measured_record(m, &o);
	for (size_t i = 0; i < m->run.nblocks; i++) {
		struct run_window *w = m->run.blocks[i].variant == 2 ? run_add_window(&m->run.blocks[i]) : NULL;

		if (!w)
			continue;
		w->kind = RUN_PROBE;
		w->busy_ns = 1e6;
		w->softirq_ns = part * 1e6;
	}
	measured_analyse(m, ao);
}

static void assert_none_fails_but(const struct quality *q, const char *gate)
{
	for (size_t i = 0; i < q->nrows; i++)
		if (q->rows[i].ok == !strcmp(q->rows[i].gate, gate))
			fail_msg("%s: %s", q->rows[i].gate, q->rows[i].note);
}

/* More is taken out of the base than out of the functions: no other gate sees it. --scaled hides nothing. */
static void test_closure(void **state)
{
	struct analysis_options ao;
	struct measured m;
	struct compare c;
	double part;

	ao = (struct analysis_options){};
	clock_the_sink(&m, 0, &ao); /* the part is that of the samples */
	assert_true(gate(&m.a.variants[2].quality, "closure")->ok);
	part = m.a.variants[2].taken_out_ns / (m.a.variants[2].taken_out_ns + m.a.variants[2].base_ns);
	measured_release(&m);
	for (int scaled = 0; scaled < 2; scaled++) {
		ao.scaled = scaled;
		clock_the_sink(&m, part, &ao);
		assert_none_fails_but(&m.a.variants[2].quality, "");
		measured_release(&m);
		clock_the_sink(&m, part + 0.1 * (1 - part), &ao);
		assert_none_fails_but(&m.a.variants[0].quality, "");
		assert_none_fails_but(&m.a.variants[2].quality, "closure");
		near_to(gate(&m.a.variants[2].quality, "closure")->value, 12.5, 1.5); /* a ninth, overhead, a half */
		measured_release(&m);
	}
	ao.scaled = false;
	assert_int_equal(quality_limits_parse(&ao.limits, "closure=50", NULL), 0);
	clock_the_sink(&m, part + 0.1 * (1 - part), &ao);
	compare(&c, &m.a.variants[2], &m.a.variants[0]);
	assert_none_fails_but(&c.quality, "closure-alike");
	near_to(gate(&c.quality, "closure-alike")->value, 11, 2.5);
	compare_release(&c);
	measured_release(&m);
}

/* One block has no interval, and no samples no sum. */
static void test_closure_not_known(void **state)
{
	struct synthetic_options o = veth();
	struct measured m;

	o.rounds = 1;
	measure(&m, &o);
	assert_int_equal(quality_verdict(gate(&m.a.variants[0].quality, "closure")), QUALITY_NOT_KNOWN);
	measured_release(&m);
	measured_broken(&m, lose_packets);
	assert_int_equal(quality_verdict(gate(&m.a.variants[0].quality, "closure")), QUALITY_NOT_KNOWN);
	measured_release(&m);
}

/* What is allowed to overhead and to missing samples may add up. */
static void test_limits_of_closure(void **state)
{
	struct quality_limits l = {0};

	assert_int_equal(quality_limits_parse(&l, "sampled-busy=3", NULL), 0);
	assert_int_equal(quality_limits_parse(&l, "closure-alike=1", NULL), 0);
	quality_limits_derive(&l, 4);
	near_to(quality_limit(&l, QUALITY_CLOSURE), 9, 0);
	near_to(quality_limit(&l, QUALITY_CLOSURE_ALIKE), 1, 0);
}

static void test_limit_within_chance(void **state)
{
	static const struct {
		double value, half;
		bool ok, tell;
	} cases[] = {{1.9, 0.5, true, true},   {2.4, 0.5, true, true},  {2.6, 0.5, false, false},
		     {2.4, NAN, false, false}, {1.4, 0.5, true, false}, {1, NAN, true, true}};
	struct quality_limits l = {0};
	struct quality q = {0};

	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(quality_add_spread(&q, &l, QUALITY_OVERHEAD, "v", cases[i].value, cases[i].half), 0);
		assert_int_equal(q.rows[i].ok, cases[i].ok);
		assert_int_equal(q.rows[i].tell, cases[i].tell);
	}
	assert_string_equal(q.rows[1].note, "2.4 ± 0.5 %; these blocks cannot tell whether that is beyond 2");
	assert_non_null(strstr(q.rows[2].note, "± 0.5 %; profiling slows"));
	quality_release(&q);
}

/* The frames by which the counts of an own program's verdicts differ, most of all. */
static void test_verdicts(void **state)
{
	static const struct {
		struct run_verdicts v;
		double value; /* NaN: not known */
	} cases[] = {
		{{100, 100, 100, 10, {0, 20, 70, 10, 0}}, 0},  {{-1, 100, 100, 10, {0, 20, 70, 10, 0}}, NAN},
		{{100, 100, -1, 10, {0, 20, 70, 10, 0}}, NAN}, {{100, 100, 100, 10, {0, 20, 70, 10, -1}}, NAN},
		{{103, 100, 100, 10, {0, 20, 70, 10, 0}}, 3},  {{100, 96, 100, 10, {0, 20, 70, 10, 0}}, 4},
		{{100, 100, 100, 10, {0, 20, 75, 10, 0}}, 5},  {{100, 100, 100, 10, {0, 20, 64, 10, 0}}, 6},
		{{100, 100, 100, 17, {0, 20, 70, 10, 0}}, 7},  {{100, 100, 100, -1, {0, 20, 70, 10, 0}}, 0},
		{{101, 98, 100, -1, {1, 20, 70, 10, 2}}, 3},
	};
	struct measured m;

	measured_broken(&m, stop_early);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quality_row *row;
		struct run_variant *v = &m.run.variants[0];

		struct document doc;
		const char *words;

		analysis_release(&m.a);
		v->action = RUN_ACTION_PROG;
		v->verdicts = cases[i].v;
		measured_analyse(&m, NULL);
		row = gate(&m.a.variants[0].quality, "verdicts");
		if (isnan(cases[i].value))
			assert_true(isnan(row->value));
		else
			near_to(row->value, cases[i].value, 0);
		assert_int_equal(document_of_report(&doc, &m.a, NULL), 0);
		words = rows_cell(rows_in(&doc.rows, 0, "variants"), 0, "verdicts_words")->text;
		if (i == 0)
			assert_string_equal(words, "20 % drop, 70 % pass, 10 % tx; counted before the measurement, in "
						   "100 runs");
		else if (i == 3)
			assert_non_null(strstr(words, "10 % tx, redirect cannot be told; counted"));
		else if (i == 1 || i == 2) /* nothing was sent, or no run was counted */
			assert_null(words);
		document_release(&doc);
	}
	measured_release(&m);
}

/* Packets as skbs, in two runs of which one held skbs: 0 are slabs as they were found, -1 is an older recorder. */
static void test_slabs(void **state)
{
	static const struct {
		enum run_mode mode;
		int base, new;
		const char *order; /* of the base */
		const char *note;  /* NULL: no such gate */
	} cases[] = {
		{RUN_MODE_SKB, 4096, -1, "abba", "4096 and 0 skbs held"},
		{RUN_MODE_SKB, 0, 4096, "abba", "0 and 4096 skbs held"},
		{RUN_MODE_STACK, 0, 4096, "abba", "0 and 4096 skbs held"},
		{RUN_MODE_SKB, -1, 4096, "imported", NULL},
		{RUN_MODE_SKB, 4096, 4090, "abba", NULL},
		{RUN_MODE_SKB, 0, -1, "abba", NULL},
		{RUN_MODE_NATIVE, 4096, -1, "abba", NULL},
	};
	struct synthetic_options o = two_modes();
	struct measured base, new;

	measure(&base, &o);
	measure(&new, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quality_row *row = NULL;
		struct compare c;

		base.run.variants[0].mode = new.run.variants[0].mode = cases[i].mode;
		strcpy(base.run.order, cases[i].order);
		base.run.held_skbs = cases[i].base;
		new.run.held_skbs = cases[i].new;
		compare(&c, &base.a.variants[0], &new.a.variants[0]);
		for (size_t k = 0; k < c.quality.nrows; k++)
			if (!strcmp(c.quality.rows[k].gate, "slabs-alike"))
				row = &c.quality.rows[k];
		assert_int_equal(row != NULL, cases[i].note != NULL);
		if (row)
			assert_ptr_equal(strstr(row->note, cases[i].note), row->note);
		assert_false(row && row->ok);
		compare_release(&c);
	}
	measured_release(&new);
	measured_release(&base);
}

/* NULL: there is none. */
static const struct quality_row *row_of(const struct quality *q, const char *name)
{
	for (size_t i = 0; i < q->nrows; i++)
		if (!strcmp(q->rows[i].gate, name))
			return &q->rows[i];
	return NULL;
}

static void put_tracer(struct run *r, const char *name, const char *tag, const char *hook, bool own)
{
	struct run_tracer *t = run_add_tracer(r);

	assert_non_null(t);
	strcpy(t->name, name);
	strcpy(t->tag, tag);
	strcpy(t->hook, hook);
	strcpy(t->owner, own ? "" : "snoop");
	t->own = own;
}

/*
 * 4 ns around and in two programs at napi_poll, 3 ns in one at a kernel function, of 60 + 7. What is the recorder's own
 * does not count, and a tracepoint whose name another one begins with is not taken for that.
 */
static void test_tracers(void **state)
{
	static const struct synthetic_stack stacks[] = {
		{60, SYNTHETIC_RCV},
		{1, "__traceiter_napi_poll __napi_poll"},
		{1, "__bpf_trace_napi_poll __traceiter_napi_poll __napi_poll"},
		{1, "bpf_prog_00000000000000aa_poll_hist __bpf_trace_napi_poll __traceiter_napi_poll __napi_poll"},
		{1, "bpf_prog_00000000000000bb_poll_count __bpf_trace_napi_poll __traceiter_napi_poll __napi_poll"},
		{2, "bpf_prog_00000000000000cc_entry " SYNTHETIC_RCV},
		{1, "htab_map_lookup_elem bpf_prog_00000000000000cc_entry " SYNTHETIC_RCV},
	};
	static const struct {
		const char *tags; /* a letter each: of others; after a slash the recorder's own */
		double ns;
		const char *note;
	} cases[] = {
		{"", 0, ""},
		{"abc", 7,
		 "7.0 ± 0.9 ns a packet went into poll_hist (napi_poll, by snoop), poll_count (napi_poll, by "
		 "snoop), entry (no raw tracepoint, by snoop)"},
		{"a", 4, "poll_hist (napi_poll"},
		{"aa", 4, "poll_hist (napi_poll"},
		{"c", 3, "entry (no raw"},
		{"c/ab", 3, "entry (no raw"},
		{"a/b", 1, " ns a packet went into poll_hist (napi_poll, by snoop); "},
		{"a/a", 0, "0.0 ± "},
		{"x", 0, " ns a packet went into rare (napi, by snoop)"},
		{"/abc", 0, ""},
	};
	struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "0000000000000001", SYNTHETIC_STACKS(stacks)},
		synthetic_veth[1],
	};
	struct synthetic_options o = two_modes();
	const struct quality_row *row;
	struct measured m, old;
	struct compare c;

	o.variants = variants;
	measure(&old, &o);
	assert_null(row_of(&old.a.variants[0].quality, "tracers")); /* an older recorder */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool own = false;

		measured_record(&m, &o);
		m.run.tracers_known = true;
		for (const char *tag = cases[i].tags; *tag; tag++) {
			own |= *tag == '/';
			if (*tag == 'a')
				put_tracer(&m.run, "poll_hist", "00000000000000aa", "napi_poll", own);
			else if (*tag == 'b')
				put_tracer(&m.run, "poll_count", "00000000000000bb", "napi_poll", own);
			else if (*tag == 'c')
				put_tracer(&m.run, "entry", "00000000000000cc", "", own);
			else if (*tag == 'x')
				put_tracer(&m.run, "rare", "00000000000000dd", "napi", own);
		}
		measured_analyse(&m, NULL);
		row = row_of(&m.a.variants[0].quality, "tracers");
		assert_non_null(row);
		near_to(row->value, 100 * cases[i].ns / 67, 0.4);
		assert_int_equal(row->ok, cases[i].ns < 2); /* 1 ns is 1.5 ± 0.6 %: it cannot tell */
		if (!strstr(row->note, cases[i].note))
			fail_msg("%s: %s", cases[i].tags, row->note);
		compare(&c, &m.a.variants[0], &old.a.variants[0]);
		row = row_of(&c.quality, "tracers-alike");
		assert_int_equal(row != NULL, *cases[i].tags && *cases[i].tags != '/');
		if (row)
			assert_true(isnan(row->value)); /* it may have been traced as well */
		compare_release(&c);
		compare(&c, &m.a.variants[0], &m.a.variants[1]);
		row = row_of(&c.quality, "tracers-alike"); /* the other variant has no such samples */
		if (row)
			near_to(row->value, 100 * cases[i].ns / c.new->base_ns, 0.2);
		compare_release(&c);
		measured_release(&m);
	}
	measured_release(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_slabs),
		cmocka_unit_test(test_tracers),
		cmocka_unit_test(test_lost_samples),
		cmocka_unit_test(test_device_counters),
		cmocka_unit_test(test_a_sound_run_passes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_overhead_of_a_budget),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_closure_not_known),
		cmocka_unit_test(test_limits_of_closure),
		cmocka_unit_test(test_limit_within_chance),
	};

	return cmocka_run_group_tests_name("gates", tests, make_folder, remove_folder);
}
