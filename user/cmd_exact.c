// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "reports/run/run.h"
#include "user/exact/guest.h"
#include "user/exact/host.h"
#include "user/xdpzoom.h"

static int in_guest(int argc, char **argv)
{
	struct utsname u;
	struct diag d = {};
	int err;

	uname(&u);
	fprintf(stderr, "kernel %s\n", u.release);
	err = argc < 2 ? diag_set(&d, -EINVAL, "no NIC")
		       : guest_count("/share", !strcmp(argv[0], GUEST_MEMORY), argv[1], argv + 2, (size_t)argc - 2, &d);
	return err ? fail(&d, err) : EXIT_OK;
}

/*
 * Refuses XDP_TX and second stages. The lab polls its receiver and its sink on one CPU, so instructions of the sink or
 * of a second stage cannot be told apart from the receiver's.
 */
static int check_variants(const struct opt_list *list, struct diag *d)
{
	struct run_variant v;

	for (size_t i = 0; i < list->n; i++) {
		int err = run_variant_parse(&v, list->items[i], d);

		if (err)
			return err;
		if (v.stage != RUN_STAGE_NONE || !strcmp(v.action, "tx"))
			return diag_set(d, -EINVAL, "%s: exact counts work for variants that drop, pass or abort",
					v.id);
	}
	return 0;
}

int cmd_exact(const struct command *c, int argc, char **argv)
{
	struct opt_list variants = {};
	struct host_options o = {.kernel = "6.12", .nic = "veth"};
	bool no_memory = false;
	struct diag d = {};
	int err;
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &o.out_dir, "DIR", "the run directory to make", .flags = OPT_REQUIRED},
		{"variants", 'V', OPT_LIST, &variants, "LIST", "what to count",
		 .otherwise = "drop/no-touch@native,drop/no-touch@skb"},
		{"kernel", 'k', OPT_STRING, &o.kernel, "KERNEL",
		 "the version of a kernel of Debian, or a file: a bzImage or a vmlinux",
		 .words = OPT_WORDS("6.12", "6.1"), .flags = OPT_OPEN},
		{"modules", 0, OPT_DIR, &o.modules, "DIR", "modules of a kernel that is a file", .otherwise = "none"},
		{"nic", 'n', OPT_WORD, &o.nic, "NIC", "the driver that receives; veth: the built-in rig",
		 .words = OPT_WORDS("veth", "virtio_net", "vmxnet3", "e1000", "e1000e", "igb")},
		{"no-memory", 0, OPT_FLAG, &no_memory, NULL, "count no loads, stores and lines: a third of the time"},
		{"beside", 0, OPT_STRING, &o.beside, "COMMAND",
		 "run this in the virtual machine while it counts, to see that other work changes nothing",
		 .otherwise = "nothing"},
		{"force", 0, OPT_FLAG, &o.force, NULL, "replace the run directory"},
		{"quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no progress"},
		{},
	};

	stop_on_signals();
	if (argc > 1 && !strcmp(argv[1], "--in-guest"))
		return in_guest(argc - 2, argv + 2);
	err = opts_parse(c, opts, argc, argv);
	if (err)
		return opts_exit(err);
	if (!variants.n) {
		variants.items[variants.n++] = "drop/no-touch@native";
		variants.items[variants.n++] = "drop/no-touch@skb";
	}
	if (check_variants(&variants, &d))
		return complain("%s", d.text), EXIT_USAGE;
	o.memory = !no_memory;
	o.variants = variants.items;
	o.nvariants = variants.n;
	err = host_count(&o, &d);
	return err ? fail(&d, err) : EXIT_OK;
}
