// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/if_ether.h>
#include "user/bed/bed.h"

static int lab_status(void)
{
	struct diag d = {};
	struct rig_state s;
	int err = rig_state(&s, &d);

	if (err)
		return complain_of(&d, err);
	if (!rig_exists()) {
		printf("lab: down\n");
		return EXIT_OK;
	}
	printf("lab: %s\n", s.complete ? "up" : "incomplete; xdpzoom lab up repairs it, lab down removes it");
	printf("  receiver   %s in namespace %s: %s\n", RIG_RX_DEV, RIG_RX_NETNS, s.rx_dev ? "there" : "missing");
	if (s.napi_tid > 0 && s.rx_cpu >= 0)
		printf("  NAPI       kthread %d on CPU %d\n", s.napi_tid, s.rx_cpu);
	else if (s.napi_tid > 0)
		printf("  NAPI       kthread %d, not pinned\n", s.napi_tid);
	else
		printf("  NAPI       no kthread\n");
	if (s.mtu > ETH_DATA_LEN)
		printf("  MTU        %d\n", s.mtu);
	printf("  sender     %s in namespace %s: %s\n", RIG_TX_DEV, RIG_TX_NETNS, s.tx_dev ? "there" : "missing");
	if (s.sink)
		printf("  sink       %llu frames came back\n", (unsigned long long)s.sink_frames);
	else
		printf("  sink       missing: XDP_TX frames would be dropped\n");
	if (s.out_dev)
		printf("  redirect   %s in namespace %s, to %s in namespace %s\n", RIG_OUT_DEV, RIG_RX_NETNS,
		       RIG_END_DEV, RIG_TX_NETNS);
	if (s.arms)
		printf("  pairs      %d veth pairs %s\n", s.arms,
		       rig_arms_left(false) > 0
			       ? "that a killed command left; the next command with the lab removes them"
			       : "whose variants take turns");
	return EXIT_OK;
}

static int lab_down(void)
{
	struct diag d = {};
	int lock = rig_lock(true, &d);
	int err = lock < 0 ? lock : rig_down(&d);

	if (!err)
		unlink(LAB_MARK);

	fd_close(lock);
	return err ? complain_of(&d, err) : EXIT_OK;
}

int cmd_lab(const struct command *c, int argc, char **argv)
{
	const char *verb = NULL;
	int rx_cpu = -1, mtu = 0, parsed;
	const struct opt opts[] = {
		{"VERB", 0, OPT_WORD, &verb, NULL, "make the testbed, remove it, or show its state",
		 .words = OPT_WORDS("up", "down", "status"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"rx-cpu", 0, OPT_INT, &rx_cpu, "CPU", "where the receiver runs", 0, 4095, .otherwise = "the last CPU"},
		{"mtu", 0, OPT_INT, &mtu, "BYTES", "MTU of both ends, for frames longer than 1514 bytes", 1500, 65535,
		 .otherwise = "1500"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (!strcmp(verb, "up")) {
		struct diag d = {};
		int load_cpu, lock, err;

		if (rx_cpu < 0)
			rx_cpu = rig_rx_cpu();
		if (cpu_check(rx_cpu))
			return complain("CPU %d is not there or offline", rx_cpu), EXIT_USAGE;
		load_cpu = cpu_pick_other(rx_cpu, -1);
		if (load_cpu == rx_cpu)
			complain("this machine has one CPU: generator and receiver share it, there are far "
				 "fewer packets, costs come from busy time, and packet data is never cold");
		lock = rig_lock(true, &d);
		if (lock >= 0)
			rig_arms_left(true);
		err = lock < 0 ? lock : rig_up(rx_cpu, mtu, &d);
		if (!err)
			unlink(LAB_MARK);
		fd_close(lock);
		return err ? complain_of(&d, err) : lab_status();
	}
	return !strcmp(verb, "down") ? lab_down() : lab_status();
}
