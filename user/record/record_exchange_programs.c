// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs that take turns on one device, and what is found out before. record_exchange.h has the contract. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "user/turns/turn_order.h"
#include "user/machine/netns.h"
#include "user/record/record_exchange.h"
#include "user/record/record_parts.h"

#define LOOK_S       0.05
#define OTHER_THREAD 0.05 /* of the time of the thread that receives: more is a second receiver */

void exchange_init(struct exchange *x)
{
	memset(x, 0, sizeof(*x));
	work_clock_init(&x->clock);
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_init(&x->waiting[i]);
}

const char *record_exchange_cannot(const struct run *run, const struct record_options *o)
{
	if (run->nvariants < 2)
		return "there is one variant alone";
	if (run->nvariants > RIG_ARMS)
		return "there are more variants than can take turns";
	for (size_t i = 0; i < run->nvariants; i++) {
		const struct run_variant *v = &run->variants[i];

		if (run_variant_is_rung(v))
			return "a rung is no program that another one could take the place of";
		if (strcmp(v->mode, run->variants[0].mode))
			return "a device has one mode at a time, and the variants are of several";
		if (!strcmp(v->mode, "hw"))
			return "programs in the NIC's hardware are not exchanged";
		if (v->stage != RUN_STAGE_NONE)
			return "what is redirected is worked on elsewhere, too late to tell whose turn it was";
		if (v->observer[0])
			return "an observer would watch the other variants too";
		if (!strcmp(v->operation, "bare"))
			return "the bare program counts nothing";
	}
	if (o->session.nfunctions)
		return "calls of single functions are counted block by block";
	if (o->nstat_events && strcmp(o->stat_events[0], "none"))
		return "events of perf stat are counted block by block";
	return NULL;
}

/* ---- programs ------------------------------------------------------------------------------------------ */

struct bench *exchange_bench(struct recorder *r, size_t variant)
{
	return variant == r->exchange.at ? &r->session.bench : &r->exchange.waiting[variant];
}

void exchange_release(struct recorder *r, struct block *b)
{
	block_release(r, b);
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_release(&r->exchange.waiting[i]);
}

int exchange_attach(struct recorder *r, struct block *b, int round, struct diag *d)
{
	size_t n = r->run.nvariants, first = (size_t)round % n;
	int err = block_attach(r, b, &r->run.variants[first], d);

	r->exchange.at = first;
	for (size_t i = 1; i < n && !err; i++) {
		size_t v = (first + i) % n;

		r->exchange.waiting[v].frags = bench_frags(&r->session.target.nd);
		err = bench_load(&r->exchange.waiting[v], &r->run.variants[v], &r->session.own, d);
		if (!err)
			bench_watch(&r->exchange.waiting[v], &r->session.target.nd);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = record_resume_check(r, i, exchange_bench(r, i)->tag, d);
	return err;
}

int exchange_to(struct recorder *r, size_t variant, struct diag *d)
{
	struct exchange *x = &r->exchange;
	int err;

	if (variant == x->at)
		return 0;
	/* what is attached by now goes where the next one waits, and then to its own place */
	err = session_exchange(&r->session, &x->waiting[variant], d);
	if (err)
		return err;
	x->waiting[x->at] = x->waiting[variant];
	bench_init(&x->waiting[variant]);
	x->at = variant;
	return 0;
}

/* What counts for own programs counts all polls, whoever is attached. */
uint64_t exchange_seen(struct recorder *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		if (run_variant_is_own(&r->run.variants[i]))
			return bench_seen(exchange_bench(r, i));
		sum += bench_seen(exchange_bench(r, i));
	}
	return sum;
}

int64_t exchange_sent(struct recorder *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->run.nvariants; i++)
		sum += (int64_t)bench_verdicts(exchange_bench(r, i), RUN_TX);
	return sum;
}

/* ---- before the first round ---------------------------------------------------------------------------- */

/* The thread that receives, of the device's several ones: by its time while packets come in. */
static int thread_find(struct recorder *r, struct diag *d)
{
	struct oncpu_time from[RUN_MAX_NAPIS], to;
	double most = 0, others = 0;
	int err = block_load(r, &r->run.variants[0], d);

	for (size_t i = 0; i < r->nnapis && !err; i++)
		oncpu_time(&r->oncpu, r->run.napi_tids[i], &from[i]);
	if (!err)
		err = block_sleep(r, fmax(LOOK_S, r->o->warmup_s), d);
	for (size_t i = 0; i < r->nnapis && !err; i++) {
		double ns;

		if (oncpu_time(&r->oncpu, r->run.napi_tids[i], &to))
			continue;
		ns = fmax(0, (double)(int64_t)(to.ns - from[i].ns));
		others += fmin(most, ns);
		if (ns > most)
			r->exchange.tid = r->run.napi_tids[i];
		most = fmax(most, ns);
	}
	if (!err && others > OTHER_THREAD * most)
		err = diag_set(
			d, -EOPNOTSUPP,
			"several NAPI threads receive packets, and turns are timed by one; --steer brings them to "
			"one queue");
	return err;
}

static int programs_try(struct recorder *r, struct diag *d)
{
	struct block b;
	int err;

	block_init(&b);
	err = exchange_attach(r, &b, 0, d);
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = exchange_to(r, i, d);
	if (r->nnapis == 1)
		r->exchange.tid = r->run.napi_tids[0];
	else if (!err && r->nnapis)
		err = thread_find(r, d);
	exchange_release(r, &b);
	return err;
}

int record_exchange_open(struct recorder *r, struct diag *d)
{
	struct exchange *x = &r->exchange;
	struct work_clock_options o = {
		.cpu = r->session.rx_cpu, .ifindex = r->session.target.nd.ifindex, .netns = netns_inum()};
	int err = 0;

	if (r->run.nrx_cpus != 1)
		err = diag_set(d, -EOPNOTSUPP,
			       "packets come to %zu CPUs, and turns are timed on one; --steer brings them to one queue",
			       r->run.nrx_cpus);
	if (!err)
		err = programs_try(r, d);
	o.tid = x->tid;
	if (!err)
		err = work_clock_open(&x->clock, &o, d);
	oncpu_close(&r->oncpu); /* the clock above counts no waits, and needs no help */
	x->norder = turn_order_fill(x->order, EXCHANGE_ORDER, r->run.nvariants, r->o->seed);
	snprintf(r->run.order, sizeof(r->run.order), "%s", turn_order_name(r->run.nvariants));
	r->run.turn_ns = EXCHANGE_TURN_NS;
	r->run.turn_settle_ns = EXCHANGE_SETTLE_NS;
	r->run.stamp_ns = NAN;
	r->turns_refused = err == -EOPNOTSUPP;
	return err;
}

void record_exchange_close(struct recorder *r)
{
	work_clock_close(&r->exchange.clock);
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_release(&r->exchange.waiting[i]);
}
