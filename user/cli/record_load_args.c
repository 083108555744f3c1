// SPDX-License-Identifier: GPL-2.0-or-later
/* On which CPUs receiver, load, recorder and second stages run, and what the load is. */
#include "user/cli/record_load_args.h"

#include <errno.h>
#include <string.h>
#include "user/bed/rig.h"
#include "user/stage/stage.h"
#include "user/turns/turner.h"
#include "user/machine/cpu.h"

/* Chooses the CPUs of the RX path, the generator and the recorder. Checks each CPU before anything is changed. */
static int choose_cpus(struct record_args *a, bool lab, struct diag *d)
{
	int rx = a->o.rx_cpu >= 0 ? a->o.rx_cpu : lab ? rig_rx_cpu() : cpu_pick_rx();

	if (cpu_check(rx))
		return diag_set(d, -EINVAL, "CPU %d is not there or offline", rx);
	if (a->gen_cpu >= 0 && cpu_check(a->gen_cpu))
		return diag_set(d, -EINVAL, "CPU %d is not there or offline", a->gen_cpu);
	if (lab)
		a->o.rx_cpu = rx;
	a->o.session.load.cpu = a->gen_cpu >= 0 ? a->gen_cpu : cpu_pick_load(rx);
	a->o.keeper_cpu = cpu_pick_keeper(rx, a->o.session.load.cpu);
	a->o.session.steer.rx_cpu = a->o.rx_cpu;
	a->o.session.steer.load_cpu = a->gen_dev ? a->o.session.load.cpu : -1;
	if (a->o.view != RECORD_WORK)
		return 0;
	if (a->gen_cpu >= 0 && a->gen_cpu != rx)
		return diag_set(d, -EINVAL, "--gen-cpu: in the view work, the generator runs on the receiver's CPU");
	a->o.session.load.cpu = rx;
	a->o.keeper_cpu = cpu_pick_load(rx);
	return 0;
}

/*
 * Gives each second stage a CPU of its own. If there is none, the stage shares the generator's CPU, which then
 * sends less.
 */
static int choose_stages(struct run *run, struct record_args *a, bool lab, struct diag *d)
{
	int err = 0;

	if (a->o.stage_cpu < 0)
		a->o.stage_cpu = a->o.keeper_cpu;
	for (size_t i = 0; i < run->nvariants && !err; i++) {
		struct run_variant *v = &run->variants[i];

		err = stage_choose(v, lab, a->o.stage_cpu, d);
		if (!err && v->stage == RUN_STAGE_READER && v->stage_cpu == a->o.rx_cpu)
			err = diag_set(d, -EINVAL,
				       "%s: the thread that reads needs another CPU than the receiver's CPU %d", v->id,
				       a->o.rx_cpu);
	}
	return err;
}

/* In the lab a batch waits in a veth's ring; where variants take turns, a turn is whole batches. */
static int check_batch(const struct record_args *a, bool lab, struct diag *d)
{
	int batch = a->o.session.load.batch;

	if (lab && batch > TURNER_BATCH_MAX)
		return diag_set(d, -EINVAL, "--batch %d: a batch in the lab is at most %d frames", batch,
				TURNER_BATCH_MAX);
	if (lab && a->o.view != RECORD_BLOCKS && batch & (batch - 1))
		return diag_set(d, -EINVAL,
				"--batch %d: where variants take turns, a batch is 1, 2, 4 or so, up to %d frames; "
				"--view blocks takes any",
				batch, TURNER_BATCH_MAX);
	return 0;
}

static int choose_load(struct record_args *a, bool lab, struct diag *d)
{
	struct gen_options *g = &a->o.session.load;
	int err;

	if (a->remote.generator && (lab || a->gen_dev))
		return diag_set(d, -EINVAL, "--generator: %s",
				lab ? "the lab has its own generator" : "cannot be used with --gen-dev");
	err = remote_args_apply(&a->remote, g, d);
	if (err)
		return err;
	a->o.session.own_load = lab || a->gen_dev || g->host[0];
	g->write = !a->unwritten;
	if (lab || !a->gen_dev)
		return 0;
	if (strlen(a->gen_dev) >= sizeof(g->dev) || strlen(a->gen_netns) >= sizeof(g->netns))
		return diag_set(d, -ENODEV, "%s: no such device", a->gen_dev);
	strcpy(g->dev, a->gen_dev);
	strcpy(g->netns, a->gen_netns);
	return 0;
}

int record_load_args(struct run *run, struct record_args *a, bool lab, struct diag *d)
{
	const struct gen_options *g = &a->o.session.load;
	int err = choose_cpus(a, lab, d);

	if (!err)
		err = choose_stages(run, a, lab, d);
	if (!err)
		err = check_batch(a, lab, d);
	if (!err)
		err = choose_load(a, lab, d);
	if (!err && a->o.session.own_load && !g->host[0] && !cpu_may_run(g->cpu))
		err = diag_set(d, -EINVAL, "this process, and so its generator, may not run on CPU %d", g->cpu);
	return err;
}
