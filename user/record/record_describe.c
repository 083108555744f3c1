// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run says about the device, the load and the machine. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "base/printable.h"
#include "user/gen/gen_large.h"
#include "user/machine/env.h"
#include "user/machine/netns.h"
#include "user/record/record.h"
#include "user/record/record_parts.h"

static const char *own_kind(const struct recorder *r)
{
	if (r->run.nvariants && run_rung_sends(r->run.variants))
		return "senders";
	return gen_is_large(&r->session.o.load) ? "packet-socket" : "live-frames";
}

static json_t *describe_load(const struct recorder *r)
{
	const struct gen_options *g = &r->session.o.load;

	if (!r->session.o.own_load)
		return json_pack("{s:s}", "kind", "external");
	if (g->host[0])
		return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:s, s:O?}", "kind", g->tool, "host", g->host,
				 "device", g->dev, "bytes", g->bytes, "flows", g->flows, "threads", g->threads,
				 "rate_pps", g->rate_pps, "dst_ip", g->dst_ip, "machine", r->session.remote);
	if (g->frames)
		return json_pack("{s:s, s:s, s:s, s:i, s:i, s:s?, s:f}", "kind", own_kind(r), "device", g->dev, "netns",
				 g->netns, "cpu", g->cpu, "frames", (int)g->frames->n, "frames_file",
				 r->session.o.frames.file, "rate_pps", g->rate_pps);
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:b}", "kind", own_kind(r), "device", g->dev,
			 "netns", g->netns, "cpu", g->cpu, "bytes", g->bytes, "flows", g->flows, "batch",
			 (int)gen_batch(g), "rate_pps", g->rate_pps, "written", g->write);
}

/* Leaves out the lab, whose veth has no queues and no interrupts to tell apart. */
static void describe_rx_path(struct recorder *r)
{
	struct rx_path path;
	struct facts f;
	char words[240];
	json_t *o;

	if (r->session.target.lab || facts_open(&f, NULL, NULL))
		return;
	rx_path_find(&path, &f, &r->session.target.nd, r->session.steer.o ? r->session.steer.seen.queue : -1,
		     r->session.rx_cpu);
	facts_release(&f);
	o = rx_path_json(&path);
	if (r->session.steer.how[0])
		json_object_set_new(o, "steered", json_string(r->session.steer.how));
	json_object_set_new(r->run.device, "rx_path", o);
	rx_path_words(&path, words, sizeof(words));
	if (!r->o->quiet && !r->session.steer.o)
		printable_printf(stderr, "RX path: %s\n", words);
}

void record_describe(struct recorder *r)
{
	time_t now = time(NULL);
	struct tm tm;
	int sysfs = netns_sysfs(NULL);

	gmtime_r(&now, &tm);
	strftime(r->run.started, sizeof(r->run.started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(r->run.version, sizeof(r->run.version), "%s", XDPZOOM_VERSION);
	r->run.environment = env_describe(r->tool.version, r->session.rx_cpu);
	r->run.device = netdev_describe(&r->session.target.nd, sysfs);
	describe_rx_path(r);
	r->run.load = describe_load(r);
	run_take_facts(&r->run);
	snprintf(r->run.view, sizeof(r->run.view), "%s", record_view_words[r->o->view]);
	if (r->o->view == RECORD_BLOCKS)
		snprintf(r->run.order, sizeof(r->run.order), "%s", r->o->shuffle ? "shuffle" : "abba");
	r->run.seed = r->o->seed;
	r->run.precision_pct = r->o->precision_pct > 0 ? r->o->precision_pct : NAN;
	if (sysfs >= 0)
		close(sysfs);
}
