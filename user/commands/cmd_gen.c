// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#define JSON_DIGITS 15 /* digits that a double holds exactly */

static int print_result(const struct gen_result *r, const char *format)
{
	double seconds = r->elapsed_ns / 1e9;
	double pps = seconds > 0 ? (r->sent >= 0 ? r->sent : (int64_t)r->handed) / seconds : 0;

	if (!strcmp(format, "json")) {
		const struct json_out w = {.digits = JSON_DIGITS};
		json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:f, s:I}", "schema", "xdpzoom.gen/1", "sent",
				      (json_int_t)r->sent, "dropped", (json_int_t)r->refused, "handed",
				      (json_int_t)r->handed, "seconds", round(seconds * 1e6) / 1e6, "pps",
				      (json_int_t)round(pps));

		return json_out_write(&w, o, stdout, JSON_COMPACT);
	}
	if (r->sent >= 0)
		printf("sent %" PRId64 " frames in %.3f s: %.0f pps", r->sent, seconds, pps);
	else
		printf("handed %" PRIu64 " frames to the device in %.3f s: %.0f pps; the device does not count",
		       r->handed, seconds, pps);
	if (r->refused > 0)
		printf("; %" PRId64 " more were dropped (the receiver's ring was full)", r->refused);
	printf("\n");
	return render_finish(stdout);
}

static const unsigned char no_mac[6];

/*
 * The lab's receiver is on this machine. Where a program of ours counts there, the loop is closed, and the ring refuses
 * no frame. The map stays open until this process ends.
 */
static int close_lab_loop(struct gen_options *o, struct diag *d)
{
	struct netdev nd;
	int home, fd = -ENOENT, err = netns_visit(RIG_RX_NETNS, &home, d);

	if (err)
		return err;
	err = netdev_open(&nd, RIG_RX_DEV, d);
	if (!err)
		fd = bench_open_counts(&nd);
	netns_back(&home);
	if (fd >= 0)
		rig_close_loop(o, fd, rig_rx_cpu());
	return err;
}

/* Chooses the device that sends the frames and the CPU that makes them. */
static int choose_device(struct gen_options *o, const char *dev, const char *netns, bool cut_off, struct diag *d)
{
	int err = 0;

	if (!strcmp(dev, "lab")) {
		unsigned char mac[6];

		int lock;

		if (!rig_exists())
			return diag_set(d, -ENODEV, "the lab is down; run: xdpzoom lab up");
		lock = rig_lock(false, d); /* a shared lock, held until this process ends */
		if (lock >= 0)
			rig_arms_left(true);
		memcpy(mac, o->dst_mac, sizeof(mac));
		err = lock < 0 ? lock : rig_gen_options(o, d);
		if (memcmp(mac, no_mac, sizeof(mac)) != 0)
			memcpy(o->dst_mac, mac, sizeof(mac));
		if (o->cpu < 0)
			o->cpu = cpu_pick_other(rig_rx_cpu(), -1);
		if (!err)
			err = close_lab_loop(o, d);
	} else {
		snprintf(o->dev, sizeof(o->dev), "%s", dev);
		snprintf(o->netns, sizeof(o->netns), "%s", netns);
	}
	if (!err)
		err = netns_enter(o->netns, d);
	return err || cut_off || !strcmp(dev, "lab") ? err : uplink_check(o->dev, d);
}

int cmd_gen(const struct command *c, int argc, char **argv)
{
	double seconds = 0, count = 0, rate = 0;
	const char *dev = NULL, *format = "text", *netns = "";
	bool cut_off = false, unwritten = false;
	struct frame_source source = {};
	struct frames frames = {};
	struct gen_options o;
	struct gen_result r = {};
	struct diag d = {};
	int parsed, err, written;
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, &dev, NULL, "the device that sends; lab: the sender of the built-in testbed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		SHAPE_OPTIONS(&o),
		FRAMES_OPTION(&source),
		{"rate", 'r', OPT_NUMBER, &rate, "PPS", "limit, e.g. 1.5M", 100, 1e9, .otherwise = "none"},
		{"count", 'c', OPT_NUMBER, &count, "N", "send exactly N frames", 1, 1e15, .otherwise = "until stopped"},
		{"for", 't', OPT_SECONDS, &seconds, "TIME", "send for this time", 0.001, 1e6,
		 .otherwise = "until stopped"},
		{"unwritten", 'u', OPT_FLAG, &unwritten, NULL,
		 "do not write each frame, so that its first touch hits the cache"},
		{"cpu", 'C', OPT_INT, &o.cpu, "CPU", "the CPU that sends", 0, 4095},
		{"dst-mac", 'm', OPT_MAC, o.dst_mac, "MAC", "the receiver's address",
		 .otherwise = "the lab's receiver"},
		DEVICE_OPTIONS(&netns, &cut_off),
		{"format", 'f', OPT_WORD, &format, "FORMAT", "how the result is printed",
		 .words = OPT_WORDS("text", "json")},
		{},
	};

	gen_options_init(&o);
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (count != (double)(uint64_t)count)
		return complain("--count: not a whole number"), EXIT_USAGE;
	if (o.cpu >= 0 && cpu_check(o.cpu))
		return complain("CPU %d is not there or offline", o.cpu), EXIT_USAGE;
	if (strcmp(dev, "lab") && !memcmp(o.dst_mac, no_mac, sizeof(no_mac)))
		return complain("%s: to whom? give the receiver's address with --dst-mac", dev), EXIT_USAGE;
	if (source.list.n && gen_frames_alone(&o, &d))
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	o.write = !unwritten;
	o.rate_pps = rate;
	o.count = count;
	o.duration_ns = seconds * 1e9;
	err = choose_device(&o, dev, netns, cut_off, &d);
	stop_on_signals();
	if (!err)
		err = frames_take(&frames, &source, &d);
	if (frames.n)
		o.frames = &frames;
	if (!err) {
		privileges_keep(PRIVILEGES_OF_GENERATOR);
		err = gen_run(&o, &stop_requested, &r, &d);
	}
	frames_release(&frames);
	written = r.elapsed_ns ? print_result(&r, format) : 0;
	if (!err && written)
		err = diag_set(&d, written, "cannot write: %s", strerror(-written));
	return err ? complain_of(&d, err) : EXIT_OK;
}
