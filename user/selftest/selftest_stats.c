// SPDX-License-Identifier: GPL-2.0-or-later
/* Measures a program with the kernel's own clock. BPF stats are switched on for this, and off again at the end. */
#include <errno.h>
#include <linux/bpf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "base/stats.h"
#include "base/stop.h"
#include "user/programs/programs.h"
#include "user/machine/machine.h"
#include "user/bed/bed.h"
#include "user/selftest/selftest.h"
#include "base/complain.h"

#define LOOK_S 0.3
#define TURNS  5  /* at first; twice as many while the bar cannot be told */
#define SHARE  10 /* what comes after needs the time */

static int read_stats(const struct bench *b, double *ns, double *runs)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(b->prog_fd, &info, &len))
		return -errno;
	*ns = info.run_time_ns;
	*runs = info.run_cnt;
	return 0;
}

/* ns per run of a variant: of the program by BPF stats, of its plant by the clock around it. */
struct run_times {
	double program_ns, plant_ns;
};

/* Measures the variant under load. */
static int run_time(const struct target *t, const struct run_variant *v, struct gen_options *load, struct run_times *ns,
		    struct diag *d)
{
	double from[2] = {}, to[2] = {}, plant_ns;
	struct bench b;
	struct gen g;
	int err;

	gen_init(&g);
	bench_init(&b);
	err = bench_load(&b, v, NULL, d) ?: bench_attach(&b, &t->nd, v->mode, d);
	rig_close_loop(load, b.counts_fd, load->counts_cpu);
	if (!err)
		err = gen_start(&g, load, d);
	if (err)
		goto out;
	sleep_until_ns(now_ns() + 200000000ULL);
	err = read_stats(&b, &from[0], &from[1]);
	plant_ns = bench_plant_ns(&b);
	sleep_until_ns(now_ns() + (uint64_t)(LOOK_S * 1e9));
	if (!err)
		err = read_stats(&b, &to[0], &to[1]);
	ns->program_ns = (to[0] - from[0]) / (to[1] - from[1]);
	ns->plant_ns = (bench_plant_ns(&b) - plant_ns) / (to[1] - from[1]);
	if (err)
		diag_set(d, err, "BPF stats: %s", strerror(-err));
out:
	gen_release(&g);
	bench_release(&b);
	return err;
}

/* Two programs, and what loads them. */
struct programs {
	const struct target *target;
	struct run_variant plain, planted;
	struct gen_options load;
};

/*
 * Both under load, in turns: what was planted, and by how much BPF stats are off. *n: turns in which both ran. On a
 * busy machine a load may take longer to come than a turn.
 */
static int selftest_stats_look(struct programs *p, int turns, double *planted_ns, double *off_ns, size_t *n,
			       struct diag *d)
{
	struct run_times a = {}, b = {};
	int err = 0;

	*n = 0;
	for (int i = 0; i < turns && !err; i++) {
		err = stopped(d) ?: run_time(p->target, &p->plain, &p->load, &a, d);
		if (!err)
			err = run_time(p->target, &p->planted, &p->load, &b, d);
		planted_ns[*n] = b.plant_ns - a.plant_ns;
		off_ns[*n] = b.program_ns - a.program_ns - planted_ns[*n];
		*n += !err && !isnan(off_ns[*n]);
	}
	return err;
}

/* The row that so many turns make. */
static int selftest_stats_add_row(struct checks *c, struct programs *p, int turns, struct diag *d)
{
	double *planted_ns = calloc(2 * (size_t)turns, sizeof(*planted_ns));
	struct stats_mean truth, off;
	size_t n;
	int err;

	if (!planted_ns)
		return diag_set(d, -ENOMEM, "out of memory");
	err = selftest_stats_look(p, turns, planted_ns, planted_ns + turns, &n, d);
	truth = stats_mean(planted_ns, n);
	off = stats_mean(planted_ns + turns, n);
	free(planted_ns);
	if (err)
		return err;
	if (n < 2)
		return checks_add(c, CHECK_BPF_STATS, p->planted.id, NAN, NAN, NAN, "packets came in %zu of %d turns",
				  n, turns)
			       ? diag_set(d, -ENOMEM, "out of memory")
			       : 0;
	err = checks_add(c, CHECK_BPF_STATS, p->planted.id, fabs(off.mean), off.half,
			 checks_planted_limit_ns(CHECK_BPF_STATS, truth.mean) + truth.half,
			 "%.1f ns by BPF stats, %.1f ± %.1f ns planted", truth.mean + off.mean, truth.mean, truth.half);
	return err ? diag_set(d, err, "out of memory") : 0;
}

static int programs_choose(struct programs *p, int rx_cpu, struct diag *d)
{
	int err;

	run_variant_parse(&p->plain, "drop/no-touch+chain0@native", d);
	run_variant_parse(&p->planted, "drop/no-touch+chain200@native", d);
	gen_options_init(&p->load);
	err = plants_calibrate(&p->planted, 1, rx_cpu, d) ?: rig_gen_options(&p->load, d);
	p->load.cpu = cpu_pick_load(rx_cpu);
	p->load.counts_cpu = rx_cpu;
	return err;
}

static int compare_run_times(struct selftest *s, const struct target *t, int rx_cpu, struct diag *d)
{
	struct programs p = {.target = t};
	int err = programs_choose(&p, rx_cpu, d);
	bool again = true;

	for (int turns = TURNS; !err && again; turns *= 2) {
		uint64_t began_ns = now_ns();
		struct checks c = {};

		err = selftest_stats_add_row(&c, &p, turns, d);
		again = !err && checks_count(&c, CHECK_OPEN) &&
			selftest_time_left(s, SHARE * 2 * (double)(now_ns() - began_ns) / 1e9);
		if (!err && !again && checks_append(&s->checks, &c))
			err = diag_set(d, -ENOMEM, "out of memory");
		checks_release(&c);
	}
	return err;
}

int selftest_stats(struct selftest *s)
{
	int rx_cpu = cpu_pick_rx(), err, stats;
	struct diag d = {};
	struct target t;

	target_init(&t);
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		return checks_add(&s->checks, CHECK_BPF_STATS, "", NAN, NAN, NAN, "BPF stats: %s", strerror(errno))
			       ? EXIT_FAILED
			       : EXIT_OK;
	err = target_open(&t, "lab", "", rx_cpu, true, &d) ?: compare_run_times(s, &t, rx_cpu, &d);
	close(stats);
	target_release(&t);
	return err ? fail(&d, err) : EXIT_OK;
}
