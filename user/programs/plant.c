// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/stats.h"
#include "user/machine/cpu.h"
#include "user/programs/plant.h"

#define FRAME_BYTES 64
#define CALL_NS     2e6 /* length of one call: many runs, but over before a virtual CPU moves to another core */
#define TURNS       8   /* of two calls each, which wait some 25 ms for an RCU grace period in the kernel */
#define FIRST_STEPS 400 /* some 500 ns of the chain: long enough to measure the time of a step well */
#define CORRECTIONS 3   /* at most; a CPU that changes its speed meanwhile needs another one */
#define NEAR        0.05

/* Input and result of the thread that calibrates on the RX CPU. */
struct calibration {
	struct run_variant *variants;
	size_t n;
	int cpu, err;
	struct diag *d;
};

static double thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int bench_test_run_ns(const struct bench *b, unsigned int repeat, double *ns)
{
	char frame[FRAME_BYTES] = {};
	double start;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = repeat);
	int err;

	start = thread_ns();
	err = bpf_prog_test_run_opts(b->prog_fd, &opts);
	*ns = (thread_ns() - start) / repeat;
	return err;
}

static unsigned int repeats_for(double run_ns)
{
	double n = CALL_NS / (run_ns > 1 ? run_ns : 1);

	return n < 100 ? 100 : (unsigned int)n;
}

/*
 * How much more a run of v's program costs than one without the plant: both run in turns, *ns is the median difference,
 * and *error its standard error.
 */
static int plant_measure(const struct run_variant *v, double *ns, double *error, struct diag *d)
{
	struct run_variant none = *v;
	struct bench plain, planted;
	double diff[TURNS], a, b;
	int err;

	none.plant_steps = 0;
	bench_init(&plain);
	bench_init(&planted);
	err = bench_load(&plain, &none, NULL, d);
	if (!err)
		err = bench_load(&planted, v, NULL, d);
	if (err)
		goto out;
	err = bench_test_run_ns(&plain, 1000, &a);
	if (!err)
		err = bench_test_run_ns(&planted, 1000, &b);
	for (int i = 0; i < TURNS && !err; i++) {
		err = bench_test_run_ns(&plain, repeats_for(a), &a);
		if (!err)
			err = bench_test_run_ns(&planted, repeats_for(b), &b);
		diff[i] = b - a;
	}
	if (err) {
		diag_set(d, err, "BPF_PROG_TEST_RUN of an XDP program: %s", strerror(-err));
		goto out;
	}
	*ns = stats_median(diff, TURNS);
	for (int i = 0; i < TURNS; i++)
		diff[i] = fabs(diff[i] - *ns);
	*error = 1.86 * stats_median(diff, TURNS) / sqrt(TURNS); /* of a median of normal values */
out:
	bench_release(&plain);
	bench_release(&planted);
	return err;
}

/* The variant before v in the list that has the same plant, and so the same program around it; NULL: none. */
static const struct run_variant *same_plant(const struct calibration *c, const struct run_variant *v)
{
	for (const struct run_variant *w = c->variants; w < v; w++)
		if (w->plant == v->plant && w->plant_asked_ns == v->plant_asked_ns)
			return w;
	return NULL;
}

/*
 * Plants the number of steps for plant_asked_ns, measures the result and corrects the number, until the difference is
 * small, less than half a step, or not known to be there. *step_ns: of this kind of plant; 0: not known, so a long
 * plant is measured first.
 */
static int calibrate_one(struct run_variant *v, double *step_ns, struct diag *d)
{
	double off_ns = v->plant_asked_ns, steps = 0, error_ns = 0;
	int err = 0;

	if (!*step_ns) {
		v->plant_steps = FIRST_STEPS;
		err = plant_measure(v, step_ns, &error_ns, d);
		*step_ns /= FIRST_STEPS;
	}
	for (int i = 0; i < CORRECTIONS && !err; i++) {
		double near_ns = fmax(fmax(NEAR * v->plant_asked_ns, *step_ns / 2), error_ns);

		if (i && fabs(off_ns) <= near_ns)
			break;
		if (!(*step_ns > 0))
			return diag_set(d, -ERANGE, "%s: cannot measure the planted work, the CPU is too busy", v->id);
		steps += off_ns / *step_ns;
		v->plant_steps = steps < 1 ? 1 : (uint32_t)round(steps);
		err = plant_measure(v, &v->plant_ns, &error_ns, d);
		if (!(v->plant_ns >
		      0)) /* it is lost in what the test runs scatter by; the time of a step is known better */
			v->plant_ns = v->plant_steps * *step_ns;
		off_ns = v->plant_asked_ns - v->plant_ns;
	}
	return err;
}

static int calibrate_all(const struct calibration *c)
{
	double step_ns[RUN_PLANT_AGAIN + 1] = {};
	int err = 0;

	for (struct run_variant *v = c->variants; v < c->variants + c->n && !err; v++) {
		const struct run_variant *same = same_plant(c, v);

		if (!v->plant || !(v->plant_asked_ns > 0))
			continue;
		if (same) {
			v->plant_steps = same->plant_steps;
			v->plant_ns = same->plant_ns;
		} else {
			err = calibrate_one(v, &step_ns[v->plant], c->d);
		}
	}
	return err;
}

static void *calibrate_main(void *arg)
{
	struct calibration *c = arg;

	c->err = cpu_pin(0, c->cpu);
	if (c->err)
		diag_set(c->d, c->err, "CPU %d: %s", c->cpu, strerror(-c->err));
	else
		c->err = calibrate_all(c);
	return NULL;
}

int plants_calibrate(struct run_variant *v, size_t n, int cpu, struct diag *d)
{
	struct calibration c = {.variants = v, .n = n, .cpu = cpu, .d = d};
	bool any = false;
	pthread_t thread;

	for (size_t i = 0; i < n; i++)
		any |= v[i].plant && v[i].plant_asked_ns > 0;
	if (!any)
		return 0;
	if (pthread_create(&thread, NULL, calibrate_main, &c))
		return diag_set(d, -ENOMEM, "no memory for a thread");
	pthread_join(thread, NULL);
	return c.err;
}
