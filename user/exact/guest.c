// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include "reports/exact/exact.h"
#include "vm/plugin/plugin.h"

/*
 * NAPI polls up to 64 packets at once, and completes when it finds fewer; so packets, polls and wakeups can be told
 * apart. Batches are multiples of 16, the number of frames that veth makes skbs of at once. virtio_net gives its device
 * new buffers when more than 32 are missing, every third batch of 16, and a window has whole cycles of that. The first
 * and the last window are alike, and so have to be their counts.
 */
struct window {
	unsigned int batch, batches;
};
static const struct window one_cpu[] = {{32, 70}, {64, 50},  {16, 81}, {48, 60}, {128, 40},
					{96, 40}, {16, 129}, {64, 30}, {48, 90}, {32, 70}};

/* With two CPUs the ring is kept full, so polls are alike whatever the batch: 64 is that of `xdpzoom record lab`. */
static const struct window two_cpus[] = {{64, 80}, {64, 80}, {64, 80}, {64, 80}};

/*
 * The footprint of frames that come one by one. It is in no other count: veth makes skbs of 16 frames at once. Only the
 * lab's frames come so fast.
 */
static const struct window one_by_one = {1, COUNT_WARMUP + FOOTPRINT_FRAMES + 8};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The first frames of a program wake what later ones find awake. */
#define WARMUP_BATCHES 4

#define TRACING       "/sys/kernel/tracing/"
#define TRACED_FRAMES 64
#define SETTLE_NS     20000000ULL /* for what softirqs have not finished */

struct guest {
	const struct guest_options *o;
	const char *dir;
	bool places_open;
	struct own_list own;
	struct places places;
	struct symbols symbols;
	struct source source;
	FILE *file; /* of the windows */
	const struct window *windows;
	size_t nwindows;
	bool one_by_one;  /* besides, frames that come one by one */
	size_t done, all; /* windows */
	size_t left_out;  /* variants */
	bool traces;      /* all windows are over: where frames end that programs pass */
};

/* Functions and lines, before the first window of a variant; what places_open() needs is found on the way. */
static int find_symbols(struct guest *g, const struct bench *b, struct diag *d)
{
	bool first = g->o->memory && !g->places_open, layer = g->source.pair.arms.n > 0;
	const struct sender *sender = g->source.pair.layer.sender;
	unsigned int reader = g->source.socket.has.flags;
	const char *poll = sender                     ? sender->kind->poll
			   : g->source.tap >= 0       ? SOURCE_TUN_POLL
			   : !g->source.socket.socket ? NULL
			   : reader & RUN_UMEM_BUSY   ? SOURCE_READER_BUSY
			   : reader & RUN_UMEM_POLL   ? SOURCE_READER_SLEEPS
						      : SOURCE_READER_ASKED;
	struct source_lines all = {};
	char path[4200];
	FILE *to;
	int err;

	/*
	 * The file "lines" for the counting plugin (vm/plugin/plugin.h): the source lines of the XDP programs that are
	 * loaded. It is empty where they are not wanted.
	 */
	err = !layer && !b->skel ? source_lines_read(&all, d) : 0;
	if (!err) {
		snprintf(path, sizeof(path), "%s/lines", g->dir);
		to = fopen(path, "w");
		for (size_t i = 0; to && i < all.n; i++)
			fprintf(to, "%" PRIx64 " %s\n", all.list[i].address, all.list[i].words);
		source_lines_release(&all);
		if (!to || fflush(to))
			err = -EIO;
		if (to && fclose(to))
			err = -EIO;
		if (err)
			diag_set(d, err, "cannot write %s: %s", path, strerror(errno));
	}
	if (poll != g->symbols.poll) /* the kernel's functions are written anew */
		g->symbols.kernel = 0;
	g->symbols.poll = poll;
	if (!err)
		err = symbols_write(&g->symbols, g->dir, b,
				    !layer   ? NULL
				    : sender ? SENDER_FUNCTION
					     : LAYER_PAIR_FUNCTION,
				    first ? &g->places : NULL, d);
	if (!err && first) /* before the command: nothing is watched until then */
		places_open(&g->places);
	g->places_open = g->o->memory;
	if (!err)
		COUNT_COMMAND(COUNT_SYMBOLS);
	return err;
}

static int write_places(struct guest *g, struct diag *d)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/places", g->dir);
	return g->o->memory ? places_write(&g->places, path, d) : 0;
}

static int write_line(struct guest *g, json_t *line, struct diag *d)
{
	bool failed = !line || json_dumpf(line, g->file, JSON_COMPACT) || fputc('\n', g->file) == EOF;

	json_decref(line);
	return failed ? diag_set(d, -EIO, "cannot write windows.jsonl") : 0;
}

static int count_window(struct guest *g, const struct window *w, const struct bench *b, const char *variant,
			struct diag *d)
{
	uint64_t before, seen, sent = 0;
	int err = source_seen(&g->source, b, &before, d);

	if (err)
		return err;
	fprintf(stderr, GUEST_PROGRESS "%zu %zu %s\n", ++g->done, g->all, variant);
	COUNT_COMMAND(COUNT_BEGIN);
	err = source_send(&g->source, b, w->batch, w->batches, &sent, d);
	COUNT_COMMAND(COUNT_STOP);
	if (!err)
		err = write_places(g, d);
	COUNT_COMMAND(COUNT_END);
	if (!err)
		err = source_seen(&g->source, b, &seen, d);
	if (err)
		return err;
	seen -= before;
	if (seen != sent)
		return diag_set(d, -EIO, "%s: %llu frames were sent and %llu arrived", variant,
				(unsigned long long)sent, (unsigned long long)seen);
	/* What was sent has arrived. */
	return write_line(g,
			  json_pack("{s:o, s:s, s:i, s:i, s:i, s:I, s:I}", "variant", json_text_string(variant),
				    "program", g->symbols.program, "program_instructions", b->instructions,
				    "program_bytes", b->bytes, "batch", w->batch, "packets", (json_int_t)seen, "sent",
				    (json_int_t)seen),
			  d);
}

/* A program could not be loaded: why? */
static int explain_load(int err, struct diag *d)
{
	if (facts_have_btf(&facts_here))
		return err;
	return diag_replace(d, -EOPNOTSUPP, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
}

/*
 * Counts what the kernel drops of some frames, by the reason that it names. All windows are over: the tracepoint would
 * be counted with them. A kernel without it tells nothing.
 */
static int trace_attached(struct guest *g, const struct bench *b, const char *variant, struct diag *d)
{
	FILE *on = fopen(TRACING "events/skb/kfree_skb/enable", "w"), *trace = fopen(TRACING "trace", "w");
	char line[512], reason[64];
	json_t *reasons;
	uint64_t sent;
	int err;

	if (trace)
		fclose(trace); /* it is empty now; nobody may have it open when it grows, with the first event */
	if (!on)
		return 0;
	setbuf(on, NULL);
	err = fputs("1", on) == EOF ? diag_set(d, -EIO, "cannot trace skb:kfree_skb: %s", strerror(errno))
				    : source_send(&g->source, b, TRACED_FRAMES, 1, &sent, d);
	sleep_until_ns(now_ns() + SETTLE_NS);
	fclose(on);
	if (err)
		return err;
	trace = fopen(TRACING "trace", "r");
	reasons = trace ? json_object() : NULL;
	while (reasons && fgets(line, sizeof(line), trace)) {
		const char *words = strstr(line, "reason: ");

		if (!strstr(line, " kfree_skb: "))
			continue;
		if (!words || sscanf(words, "reason: %63s", reason) != 1)
			strcpy(reason, EXACT_DROP_UNNAMED);
		json_object_set_new(reasons, reason,
				    json_integer(json_integer_value(json_object_get(reasons, reason)) + 1));
		sent -= sent > 0;
	}
	if (sent > 0)
		json_object_set_new(reasons, EXACT_DROP_NONE, json_integer((json_int_t)sent));
	if (trace)
		fclose(trace);
	return write_line(g, json_pack("{s:o, s:o}", "variant", json_text_string(variant), "drop_reasons", reasons), d);
}

/* What this kernel or the driver lacks is left out, and the others are counted. */
static int count_variant(struct guest *g, const struct run_variant *v, struct diag *d)
{
	struct diag why = {};
	struct bench b;
	uint64_t sent;
	int err;

	bench_init(&b);
	err = run_variant_is_layer(v) ? 0 : bench_load(&b, v, &g->own, &why);
	err = err ? explain_load(err, &why) : source_attach(&g->source, &b, v, &why);
	g->all -= err == -EOPNOTSUPP && !g->traces ? g->nwindows + g->one_by_one : 0;
	if (!err && g->traces) {
		err = trace_attached(g, &b, v->id, d);
	} else if (!err) {
		err = find_symbols(g, &b, d)
			      ?: source_send(&g->source, &b, g->windows[0].batch, WARMUP_BATCHES, &sent, d);
		if (!err)
			err = write_places(g, d);
		COUNT_COMMAND(COUNT_PLACES);
		for (size_t i = 0; i < g->nwindows && !err; i++) {
			struct window w = g->windows[i];

			/* With more skbs in flight, the slab allocator at times gives pages back and takes others. */
			if (run_layer_sends(v) && w.batch > SENDER_BATCH)
				w.batch = SENDER_BATCH;
			err = count_window(g, &w, &b, v->id, d);
		}
		if (!err && g->one_by_one)
			err = count_window(g, &one_by_one, &b, v->id, d);
	} else if (err != -EOPNOTSUPP) {
		diag_set(d, err, "%s", why.text);
	} else if (g->traces) {
		err = 0; /* it was left out before */
	} else if (++g->left_out == g->o->nvariants) {
		diag_set(d, err, "%s", why.text);
	} else {
		err = write_line(g,
				 json_pack("{s:o, s:o}", "variant", json_text_string(v->id), "left_out",
					   json_text_string(why.text)),
				 d);
	}
	source_detach(&g->source);
	bench_release(&b);
	return err;
}

int guest_count(const struct guest_options *o, const char *dir, struct diag *d)
{
	struct guest g = {.o = o, .dir = dir, .windows = one_cpu, .nwindows = COUNT(one_cpu)};
	size_t n = o->nvariants;
	struct run_variant *variants;
	int err, closed, home = -1;
	char path[4200];

	snprintf(path, sizeof(path), "%s/windows.jsonl", dir);
	g.file = fopen(path, "w");
	if (!g.file)
		return diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	places_init(&g.places);
	source_init(&g.source);
	err = source_open(&g.source, o->nic, o->frames, d);
	if (err == -EINVAL) /* the lab's sink has a program, too */
		err = explain_load(err, d);
	if (err)
		goto out;
	if (g.source.two_cpus) {
		g.windows = two_cpus;
		g.nwindows = COUNT(two_cpus);
	}
	g.one_by_one = o->memory && g.source.lab && !g.source.two_cpus;
	variants = calloc(n + 1, sizeof(*variants));
	if (!variants)
		err = diag_set(d, -ENOMEM, "no memory");
	/*
	 * Lines of other CPUs are not counted at layers: most layers have no counter in shared memory, so the generator
	 * could not keep the ring from overflowing.
	 */
	for (size_t i = 0; i < n && !err; i++) {
		err = run_variant_parse(&variants[i], o->variants[i], d);
		variants[i].inject_steps =
			(uint32_t)variants[i].inject_asked_ns; /* time means nothing: chain50 is 50 steps */
		if (!g.source.two_cpus || !run_variant_is_layer(&variants[i]))
			g.all += g.nwindows + g.one_by_one;
	}
	own_list_init(&g.own, &o->own);
	if (!err && g.source.lab) /* --setup sees the device, as that of record does */
		err = netns_visit(RIG_RX_NETNS, &home, d);
	if (!err)
		err = own_list_open(&g.own, variants, n, g.source.lab ? RIG_RX_DEV : g.source.nd.name, d);
	netns_back(&home);
	for (size_t i = 0; i < n && !err; i++)
		if (!g.source.two_cpus || !run_variant_is_layer(&variants[i]))
			err = count_variant(&g, &variants[i], d);
	g.traces = true;
	for (size_t i = 0; i < n && !err && !g.source.two_cpus; i++)
		err = run_variant_is_layer(&variants[i]) ? 0 : count_variant(&g, &variants[i], d);
	if (g.source.lab)
		netns_visit(RIG_RX_NETNS, &home, NULL);
	closed = own_list_close(&g.own, err ? NULL : d);
	netns_back(&home);
	free(variants);
	err = err ? err : closed;
out:
	source_release(&g.source);
	places_release(&g.places);
	if (fclose(g.file) && !err)
		err = diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	return err;
}
