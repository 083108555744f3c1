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
#include "user/machine/machine.h"
#include "user/programs/programs.h"

#define FRAME_BYTES 64
#define CALL_NS     2e6 /* length of one call: many runs, but over before a virtual CPU moves to another core */
#define TURNS       8   /* of two calls each, which wait some 25 ms for an RCU grace period in the kernel */
#define MOST_TURNS  32  /* while the difference is not known to what is near enough */
#define FIRST_STEPS 400 /* some 500 ns of the chain: long enough to measure the time of a step well */
#define CORRECTIONS 6   /* at most: the first steps of a chain hide behind the work around it */
#define NEAR        0.05
#define MOST_KNOWN  64

/* What this process has calibrated, as several recordings may have the same plants. */
static struct calibrated {
	enum run_plant plant;
	double asked_ns;
	int cpu;
	uint32_t steps;
	double ns;
} calibrated[MOST_KNOWN];
static size_t ncalibrated;

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

/* CPU time of one run of the loaded program, by BPF_PROG_TEST_RUN on the calling thread's CPU. */
static int bench_test_run_ns(const struct bench *b, unsigned int repeat, double *ns)
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

/* What the clock around b's plant read in a run, in many runs back to back. */
static int plant_clock_ns(const struct bench *b, unsigned int repeat, double *ns)
{
	double before_ns = bench_plant_ns(b), run_ns;
	int err = bench_test_run_ns(b, repeat, &run_ns);

	*ns = (bench_plant_ns(b) - before_ns) / repeat;
	return err;
}

/* The median of n differences, and its standard error as if they were normal. */
static void plant_median(const double *diff, size_t n, double *ns, double *error)
{
	double values[MOST_TURNS];

	memcpy(values, diff, n * sizeof(*diff));
	*ns = stats_median(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(diff[i] - *ns);
	*error = 1.86 * stats_median(values, n) / sqrt((double)n);
}

/*
 * How much more the clock around v's plant reads than the one around no plant: both programs run in turns, *ns is the
 * median difference, and *error its standard error. More turns are taken while that is above near_ns.
 */
static int plant_measure(const struct run_variant *v, double near_ns, double *ns, double *error, struct diag *d)
{
	struct run_variant none = *v;
	struct bench plain, planted;
	double diff[MOST_TURNS], a = 0, b = 0, run_ns = 0;
	int err;

	none.plant_steps = 0;
	bench_init(&plain);
	bench_init(&planted);
	err = bench_load(&plain, &none, NULL, d) ?: bench_load(&planted, v, NULL, d);
	if (err)
		goto out;
	err = bench_test_run_ns(&planted, 1000, &run_ns);
	for (size_t i = 0; i < MOST_TURNS && (i < TURNS || *error > near_ns) && !err; i++) {
		err = plant_clock_ns(&plain, repeats_for(run_ns), &a);
		if (!err)
			err = plant_clock_ns(&planted, repeats_for(run_ns), &b);
		diff[i] = b - a;
		if ((i + 1) % TURNS == 0)
			plant_median(diff, i + 1, ns, error);
	}
	if (err)
		diag_set(d, err, "BPF_PROG_TEST_RUN of an XDP program: %s", strerror(-err));
out:
	bench_release(&plain);
	bench_release(&planted);
	return err;
}

/*
 * Plants the number of steps for plant_asked_ns, measures the result and corrects the number, until the difference is
 * small or less than half a step. *step_ns: of this kind of plant; 0: not known, so a long plant is measured first.
 */
static int calibrate_one(struct run_variant *v, double *step_ns, struct diag *d)
{
	double off_ns = v->plant_asked_ns, steps = 0, error_ns, near_ns;
	int err = 0;

	if (!*step_ns) {
		v->plant_steps = FIRST_STEPS;
		err = plant_measure(v, INFINITY, step_ns, &error_ns, d);
		*step_ns /= FIRST_STEPS;
	}
	near_ns = fmax(NEAR * v->plant_asked_ns, *step_ns / 2);
	for (int i = 0; i < CORRECTIONS && !err && (!i || fabs(off_ns) > near_ns); i++) {
		if (!(*step_ns > 0))
			return diag_set(d, -ERANGE, "%s: cannot measure the planted work, the CPU is too busy", v->id);
		steps += off_ns / *step_ns;
		v->plant_steps = steps < 1 ? 1 : (uint32_t)round(steps);
		err = plant_measure(v, near_ns, &v->plant_ns, &error_ns, d);
		off_ns = v->plant_asked_ns - v->plant_ns;
	}
	if (!(v->plant_ns > 0)) /* it is lost in noise; the time of a step is known better */
		v->plant_ns = v->plant_steps * *step_ns;
	return err;
}

/* Has the program around v's plant been calibrated in this process? Then v has its plant. */
static bool calibrate_known(struct run_variant *v, int cpu)
{
	for (size_t i = 0; i < ncalibrated; i++) {
		const struct calibrated *c = &calibrated[i];

		if (c->plant != v->plant || c->asked_ns != v->plant_asked_ns || c->cpu != cpu)
			continue;
		v->plant_steps = c->steps;
		v->plant_ns = c->ns;
		return true;
	}
	return false;
}

static int calibrate_all(const struct calibration *c)
{
	double step_ns[RUN_PLANT_AGAIN + 1] = {};
	int err = 0;

	for (struct run_variant *v = c->variants; v < c->variants + c->n && !err; v++) {
		if (!v->plant || !(v->plant_asked_ns > 0) || calibrate_known(v, c->cpu))
			continue;
		err = calibrate_one(v, &step_ns[v->plant], c->d);
		if (!err && ncalibrated < MOST_KNOWN)
			calibrated[ncalibrated++] =
				(struct calibrated){v->plant, v->plant_asked_ns, c->cpu, v->plant_steps, v->plant_ns};
	}
	return err;
}

static void *calibrate_main(void *arg)
{
	struct calibration *c = arg;

	c->err = cpu_pin(0, c->cpu);
	priority_realtime_begin(); /* each call takes 2 ms, and other tasks would be in it */
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
