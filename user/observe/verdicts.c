// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/observe/observe.h"

#include <linux/pkt_cls.h>
#include <bpf/bpf.h>
/* the skeleton needs layout.h */
#include "bpf/verdicts.skel.h"

void verdicts_init(struct verdicts *v)
{
	memset(v, 0, sizeof(*v));
	tc_hook_init(&v->hook);
	v->stats_fd = v->prog_fd = -1;
}

static int read_runs(const struct verdicts *v, uint64_t *runs, struct diag *d)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(v->prog_fd, &info, &len))
		return diag_set(d, -errno, "cannot read how often the program ran: %s", strerror(errno));
	*runs = info.run_cnt;
	return 0;
}

int verdicts_open(struct verdicts *v, const struct target *t, uint32_t prog_id, enum run_mode mode, struct diag *d)
{
	const struct netdev *nd = &t->nd;
	int err;

	v->nd = *nd;
	v->lab = t->lab;
	v->generic = mode == RUN_MODE_SKB;
	v->tc = run_mode_is_tc(mode);
	v->netkit = mode >= RUN_MODE_NETKIT;
	v->prog_fd = bpf_prog_get_fd_by_id(prog_id);
	v->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (v->prog_fd < 0 || v->stats_fd < 0)
		return diag_set(d, -errno, "this kernel does not count how often a program runs: %s", strerror(errno));
	kernel_words_clear();
	v->skel = verdicts_bpf__open();
	if (!v->skel)
		return diag_set(d, -errno, "cannot open the probes of verdicts: %s", strerror(errno));
	v->skel->rodata->cfg_prog_id = prog_id;
	v->skel->rodata->cfg_ifindex = v->nd.ifindex;
	v->skel->rodata->cfg_netns_inum = netns_inum();
	v->skel->rodata->cfg_passed = v->lab ? TC_ACT_SHOT : TC_ACT_UNSPEC;
	bpf_program__set_autoload(v->skel->progs.freed, v->generic && v->lab);
	bpf_program__set_autoload(v->skel->progs.shot, v->tc);
	bpf_program__set_autoload(v->skel->progs.tc_redirected, v->tc && v->lab);
	bpf_program__set_autoattach(v->skel->progs.passed, false);
	bpf_program__set_autoattach(v->skel->progs.tc_redirected, false);
	err = verdicts_bpf__load(v->skel) ?: verdicts_bpf__attach(v->skel);
	if (!err && v->tc && v->lab) /* a kernel without kprobes does not tell what is redirected */
		v->skel->links.tc_redirected = bpf_program__attach(v->skel->progs.tc_redirected);
	if (!err && (!v->tc || v->netkit))
		err = tc_hook_open(&v->hook, &v->nd, bpf_program__fd(v->skel->progs.passed));
	if (err)
		return diag_set(d, err, "this kernel refuses the probes of verdicts: %s%s", strerror(-err),
				kernel_words());
	err = v->tc ? 0 : netdev_driver_counters(nd->name, &v->before);
	if (err)
		return diag_set(d, err, "cannot read the counters of %s: %s", nd->name, strerror(-err));
	return read_runs(v, &v->runs_before, d);
}

int verdicts_read(const struct verdicts *v, struct run_verdicts *out, struct diag *d)
{
	const volatile uint64_t *counted = (const volatile uint64_t *)v->skel->bss->ended;
	uint64_t ended[ENDS], runs;
	int err = read_runs(v, &runs, d);

	if (err)
		return err;
	for (int i = 0; i < ENDS; i++)
		ended[i] = counted[i];
	out->runs = (int64_t)(runs - v->runs_before);
	out->ended[RUN_ABORTED] = (int64_t)ended[END_ABORTED];
	out->ended[RUN_PASS] = (int64_t)(v->generic ? ended[END_PASSED_SKBS] : ended[END_PASSED]);
	out->ended[RUN_REDIRECT] = (int64_t)(ended[END_REDIRECTED] + ended[END_REDIRECT_FAILED]);
	if (v->tc) {
		out->ended[RUN_DROP] = (int64_t)ended[v->netkit ? END_FREED : END_SHOT];
		out->ended[RUN_PASS] = (int64_t)ended[v->netkit ? END_SHOT : END_FREED];
		if (v->netkit) /* each frame was redirected to it */
			out->ended[RUN_REDIRECT] -= out->runs;
		if (!v->lab) /* where others pass, too */
			out->ended[RUN_PASS] = -1;
		if (!v->skel->links.tc_redirected)
			out->ended[RUN_REDIRECT] = -1;
		out->ended[RUN_TX] = 0;
		return 0;
	}
	if (!v->generic) {
		/* Frames of XDP_TX and XDP_DROP by the driver, which counts what XDP dropped for any reason. */
		struct counters now = {}, growth = {};
		err = netdev_driver_counters(v->nd.name, &now) ?: counters_growth(&growth, &v->before, &now, true);

		if (err)
			diag_set(d, err, "cannot read the counters of %s: %s", v->nd.name, strerror(-err));
		out->ended[RUN_DROP] = err ? -1 : counters_sum(&growth, COUNTER_XDP_DROPS);
		out->ended[RUN_TX] = err ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
		/* virtio_net and vmxnet3 count a redirect that failed as a drop; veth counts it apart. */
		if (out->ended[RUN_DROP] >= 0)
			out->ended[RUN_DROP] -=
				(int64_t)(ended[END_ABORTED] +
					  (strcmp(v->nd.driver, "veth") ? ended[END_REDIRECT_FAILED] : 0));
		if (out->ended[RUN_TX] >= 0 && counters_sum(&growth, COUNTER_XDP_TX_LOST) > 0)
			out->ended[RUN_TX] += counters_sum(&growth, COUNTER_XDP_TX_LOST);
		counters_release(&now);
		counters_release(&growth);
		return err;
	}
	out->ended[RUN_TX] = out->back < 0 ? -1 : out->back + (int64_t)ended[END_TX_FAILED];
	/* The stack drops others too, and only in the lab nothing but our frames is there. */
	out->ended[RUN_DROP] = -1;
	if (v->lab)
		out->ended[RUN_DROP] = (int64_t)(ended[END_FREED] - ended[END_PASSED_SKBS] - ended[END_ABORTED] -
						 ended[END_REDIRECT_FAILED] - ended[END_TX_FAILED]);
	return 0;
}

void verdicts_close(struct verdicts *v)
{
	tc_hook_close(&v->hook);
	verdicts_bpf__destroy(v->skel);
	counters_release(&v->before);
	fd_close(v->stats_fd);
	fd_close(v->prog_fd);
	verdicts_init(v);
}
