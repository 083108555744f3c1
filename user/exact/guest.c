// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/stop.h"
#include "user/load/gen.h"
#include "user/load/rig.h"
#include "user/machine/napi.h"
#include "user/machine/netns.h"
#include "user/programs/bench.h"
#include "vm/plugin/count.h"

static int copy_symbols(const char *dir, struct diag *d)
{
	char path[4200], line[1024];
	FILE *from = fopen("/proc/kallsyms", "r"), *to;
	int err = 0;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	to = fopen(path, "w");
	while (from && to && fgets(line, sizeof(line), from))
		if (strchr("tTwW", line[17]))
			fputs(line, to);
	if (!from || !to || ferror(from) || fclose(to))
		err = diag_set(d, -EIO, "cannot copy /proc/kallsyms to %s: %s", path, strerror(errno));
	if (from)
		fclose(from);
	if (!err)
		COUNT_COMMAND(COUNT_SYMBOLS);
	return err;
}

/* In the receiver's namespace: frames are received in the softirq that the sender's batch ends in. */
static int receive_in_softirq(struct diag *d)
{
	int sysfs = netns_sysfs(d), err;

	if (sysfs < 0)
		return sysfs;
	err = napi_set_threaded(RIG_RX_DEV, sysfs, false);
	close(sysfs);
	return err ? diag_set(d, err, "cannot take the NAPI thread from %s: %s", RIG_RX_DEV, strerror(-err)) : 0;
}

/*
 * NAPI polls up to 64 packets at once, and completes when it finds fewer; so packets, polls and wakeups can be told
 * apart. Batches are multiples of 16, the number of frames that veth makes skbs of at once. The first and the last
 * window are alike, and so have to be their counts.
 */
static const struct window {
	unsigned int batch, batches;
} windows[] = {{32, 70}, {64, 50}, {16, 80}, {48, 60}, {128, 40}, {96, 40}, {16, 130}, {64, 30}, {48, 90}, {32, 70}};

#define NWINDOWS (sizeof(windows) / sizeof(*windows))

/* The first frames of a program wake what later ones find awake. */
#define WARMUP_BATCHES 4

struct guest {
	const char *dir;
	FILE *windows;
	size_t done, all;
};

static int send_batches(unsigned int batch, unsigned int batches, struct gen_result *r, struct diag *d)
{
	struct gen_options o;
	int home, err;

	gen_options_init(&o);
	err = rig_gen_options(&o, d);
	if (!err)
		err = netns_visit(o.netns, &home, d);
	if (err)
		return err;
	o.cpu = 0;
	o.batch = (int)batch;
	o.count = (uint64_t)batch * batches;
	err = gen_run(&o, &stop_requested, r, d);
	netns_back(&home);
	return err;
}

static int count_window(struct guest *g, const struct window *w, const struct bench *b, const char *variant,
			struct diag *d)
{
	uint64_t before = bench_seen(b), seen;
	struct gen_result r;
	int err;

	fprintf(stderr, GUEST_PROGRESS "%zu %zu %s\n", ++g->done, g->all, variant);
	COUNT_COMMAND(COUNT_BEGIN);
	err = send_batches(w->batch, w->batches, &r, d);
	COUNT_COMMAND(COUNT_END);
	if (err)
		return err;
	seen = bench_seen(b) - before;
	if (r.refused > 0 || seen != (uint64_t)r.sent)
		return diag_set(d, -EIO, "%s: %lld frames were sent and %llu arrived", variant, (long long)r.sent,
				(unsigned long long)seen);
	fprintf(g->windows,
		"{\"variant\":\"%s\",\"program\":\"bpf_prog_%s_%s\",\"batch\":%u,\"packets\":%llu,\"sent\":%lld}\n",
		variant, b->tag, b->name, w->batch, (unsigned long long)seen, (long long)r.sent);
	return 0;
}

static int attach(struct bench *b, const struct run_variant *v, struct diag *d)
{
	struct netdev nd;
	int home, err;

	err = netns_visit(RIG_RX_NETNS, &home, d);
	if (err)
		return err;
	err = receive_in_softirq(d);
	if (!err)
		err = netdev_open(&nd, RIG_RX_DEV, d);
	if (!err)
		err = bench_attach(b, &nd, v->mode, d);
	netns_back(&home);
	return err;
}

static int count_variant(struct guest *g, const char *id, struct diag *d)
{
	struct gen_result r;
	struct run_variant v;
	struct bench b;
	int err;

	bench_init(&b);
	err = run_variant_parse(&v, id, d);
	if (!err)
		err = bench_load(&b, &v, d);
	if (!err)
		err = attach(&b, &v, d);
	if (!err)
		err = copy_symbols(g->dir, d);
	if (!err)
		err = send_batches(windows[0].batch, WARMUP_BATCHES, &r, d);
	for (size_t i = 0; i < NWINDOWS && !err; i++)
		err = count_window(g, &windows[i], &b, id, d);
	bench_release(&b);
	return err;
}

int guest_count(const char *dir, char *const *variants, size_t nvariants, struct diag *d)
{
	struct guest g = {.dir = dir, .all = nvariants * NWINDOWS};
	char path[4200];
	int err;

	snprintf(path, sizeof(path), "%s/windows.jsonl", dir);
	g.windows = fopen(path, "w");
	if (!g.windows)
		return diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	err = rig_up(0, d);
	for (size_t i = 0; i < nvariants && !err; i++)
		err = count_variant(&g, variants[i], d);
	rig_down(NULL);
	if (fclose(g.windows) && !err)
		err = diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	return err;
}
