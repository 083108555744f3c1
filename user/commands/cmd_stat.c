// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat - prints the packets of the program under test for each interval, until the duration ends or a signal comes
 *
 * A tick is a line of text, or an object with the schema "xdpzoom.stat/1". A reader that closes the output's pipe ends
 * the watch without an error.
 */
#include "reports/run/fields.h"
#include "user/cli/cli.h"

#define JSON_DIGITS 15 /* digits that a double holds exactly, so that a rounded value prints without a tail */

struct stat_args {
	const char *dev, *variant, *netns;
	double interval_s, duration_s; /* duration 0: until a signal */
	const char *format;            /* "text" or "json" */
	struct generator_args generator;
	struct session_options session;
};

/* Times are ns on CLOCK_MONOTONIC. */
struct watch {
	const struct stat_args *a;
	const struct run_variant *v;
	struct session *s;
	uint64_t start_ns, last_ns; /* last_ns: when the last interval ended */
	/* of the interval */
	double seconds;
	uint64_t packets;
	struct bench_count *before, *now, *growth; /* per CPU; one allocation */
	struct reading reading;
	bool told;                   /* that nothing sends */
	struct run_counters changed; /* extended: the device's counters */
};

/* ---- what one interval counted ------------------------------------------------------------------------------ */

static double rounded(double value, double to)
{
	return round(value / to) * to;
}

static json_t *cpus_json(struct json_out *out, const struct watch *w)
{
	json_t *cpus = json_array();

	for (int cpu = 0; cpu < w->s->ncpus; cpu++) {
		json_t *o;

		if (!bench_counts_sum(&w->growth[cpu], 1))
			continue;
		o = json_pack("{s:i}", "cpu", cpu);
		for (unsigned int v = 0; v < RUN_VERDICTS; v++)
			json_out_put(out, o, run_verdict_names[v],
				     json_integer((json_int_t)w->growth[cpu].verdicts[v]));
		json_out_add(out, cpus, o);
	}
	return cpus;
}

/* With -v: each CPU's verdicts, what the consumer of redirected frames got, and the device's counters. */
static void print_details(const struct watch *w)
{
	char human[48];

	for (int cpu = 0; cpu < w->s->ncpus; cpu++) {
		for (unsigned int v = 0; v < RUN_VERDICTS; v++) {
			double of_cpu = w->growth[cpu].verdicts[v] / w->seconds;
			char label[32];

			if (!w->growth[cpu].verdicts[v])
				continue;
			snprintf(label, sizeof(label), "CPU %d", cpu);
			printf("  %-10s %-10.0f %-18s %s\n", label, of_cpu, digits_count(of_cpu, human, sizeof(human)),
			       bench_verdict_name(v));
		}
	}
	if (w->v->stage != RUN_STAGE_NONE)
		printf("  %-10s %-10" PRId64 " frames in all, %" PRId64 " dropped before it: %s\n", "consumer",
		       session_stage_frames(w->s, false), session_stage_dropped(w->s), w->v->stage_text);
	/* the device's counters that changed, under their names in `ethtool -S` */
	for (size_t i = 0; i < w->changed.changed.n; i++) {
		const struct counter *c = &w->changed.changed.list[i];
		double rate = c->value / w->seconds;

		if (c->known)
			printf("  %-10s %-10.0f %-18s %8.3f  %s\n", counter_source_names[c->source], rate,
			       digits_count(rate, human, sizeof(human)), w->packets ? (double)c->value / w->packets : 0,
			       c->name);
		else
			printf("  %-10s %-10s %-18s %8s  %s\n", counter_source_names[c->source], "-", "-", "-",
			       c->name);
	}
}

static int print_tick(const struct watch *w)
{
	double pps = w->packets / w->seconds;
	char human[48];
	int err = 0;

	if (!strcmp(w->a->format, "json")) {
		struct json_out out = {.digits = JSON_DIGITS};
		json_t *o = json_pack("{s:s, s:f, s:f, s:s, s:s, s:s, s:I, s:f, s:o}", "schema", "xdpzoom.stat/1",
				      "time_s", rounded((double)(w->last_ns - w->start_ns) / 1e9, 1e-3), "seconds",
				      rounded(w->seconds, 1e-6), "action", run_action_words[w->v->action], "operation",
				      run_operation_words[w->v->operation], "mode", run_mode_words[w->v->mode],
				      "packets", (json_int_t)w->packets, "pps", rounded(w->packets / w->seconds, 0.1),
				      "cpus", cpus_json(&out, w));

		if (w->a->session.own.verbose)
			json_out_put(&out, o, "counters", run_counters_json(&w->changed.changed));
		if (w->v->stage != RUN_STAGE_NONE)
			json_out_put(&out, o, "consumer",
				     json_pack("{s:I, s:I}", "frames", (json_int_t)session_stage_frames(w->s, false),
					       "dropped", (json_int_t)session_stage_dropped(w->s)));
		err = json_out_write(&out, o, stdout, JSON_COMPACT);
	} else {
		printf("%-12s %-10.0f %-18s %-9s  %s\n", bench_verdict_name(run_verdict_of(w->v)), pps,
		       digits_count(pps, human, sizeof(human)), run_operation_words[w->v->operation],
		       run_mode_words[w->v->mode]);
		if (w->a->session.own.verbose)
			print_details(w);
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -errno;
	return err;
}

/* ---- watching -------------------------------------------------------------------------------------------------- */

static int read_device(struct watch *w)
{
	struct reading now = {};
	int err = w->a->session.own.verbose ? session_read(w->s, &now) : 0;

	counters_release(&w->changed.changed);
	if (!err && w->a->session.own.verbose)
		err = reading_changes(&w->changed, &w->reading, &now);
	reading_release(&w->reading);
	w->reading = now;
	return err;
}

/* Sleeps, but checks our generator each second: a generator on another machine stops without such signs of life. */
static int sleep_until(struct watch *w, uint64_t until_ns, struct diag *d)
{
	struct gen *g = &w->s->gen;
	int err = 0;

	while ((g->pid > 0 || g->remote.pid > 0) && !stop_requested && !err && now_ns() < until_ns) {
		uint64_t step = now_ns() + 1000000000;

		sleep_until_ns(step < until_ns ? step : until_ns);
		err = gen_check(g, d);
	}
	if (g->pid <= 0 && g->remote.pid <= 0 && !err)
		sleep_until_ns(until_ns);
	return err;
}

/* Returns -EPIPE if the reader of the output closed the pipe. */
static int watch_tick(struct watch *w, uint64_t at_ns, struct diag *d)
{
	int err, ncpus;

	ncpus = w->s->ncpus;
	session_counts(w->s, w->now);
	for (int cpu = 0; cpu < ncpus; cpu++)
		for (int v = 0; v < BENCH_VERDICTS; v++)
			w->growth[cpu].verdicts[v] = w->now[cpu].verdicts[v] - w->before[cpu].verdicts[v];
	memcpy(w->before, w->now, ncpus * sizeof(*w->now));
	err = read_device(w);
	w->seconds = (double)(at_ns - w->last_ns) / 1e9;
	w->packets = bench_counts_sum(w->growth, w->s->ncpus);
	w->last_ns = at_ns;
	if (!err)
		err = print_tick(w);
	if (!w->told && !w->packets && !w->s->o.own_load && !strcmp(w->a->dev, "lab"))
		complain("nothing sends into the lab; run: xdpzoom gen lab");
	w->told = true;
	return !err || err == -EPIPE ? err : diag_set(d, err, "cannot write: %s", strerror(-err));
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

static int run_watch(struct session *s, const struct stat_args *a, const struct run_variant *v, struct diag *d)
{
	struct watch w = {.a = a, .v = v, .s = s};
	uint64_t interval_ns = (uint64_t)(a->interval_s * 1e9), next_ns, end_ns, at_ns, seen;
	size_t ncpus = (size_t)s->ncpus;
	double seconds;
	struct gen_result r;
	int err = 0;

	w.before = calloc(3 * ncpus, sizeof(*w.before));
	if (w.before) {
		w.now = w.before + ncpus;
		w.growth = w.now + ncpus;
	} else {
		err = diag_set(d, -ENOMEM, "no memory");
	}
	w.start_ns = w.last_ns = next_ns = now_ns();
	end_ns = a->duration_s > 0 ? w.start_ns + (uint64_t)(a->duration_s * 1e9) : UINT64_MAX;
	if (!err)
		session_counts(s, w.before);
	if (!err && a->session.own.verbose && session_read(s, &w.reading))
		err = diag_set(d, -ENOMEM, "no memory");
	while (!stop_requested && !err && w.last_ns < end_ns) {
		next_ns += interval_ns;
		err = sleep_until(&w, next_ns < end_ns ? next_ns : end_ns, d);
		at_ns = now_ns();
		if (err || at_ns == w.last_ns)
			break;
		err = watch_tick(&w, at_ns, d)
			      ?: session_check(s, d)
			      ?: stage_check(&s->stage, bench_verdicts(&s->bench, RUN_REDIRECT), d);
	}
	err = err == -EPIPE ? 0 : err;
	seconds = (w.last_ns - w.start_ns) / 1e9;
	if (!err) {
		/* Stops our own load, if there is one, and prints how many frames it sent. */
		err = session_stop_load(s, &r, d);
		if (!err && s->o.own_load)
			fprintf(stderr,
				"%s sent %" PRId64 " frames in %.2f s, %.0f pps, %" PRId64 " errors; %" PRId64
				" came back\n",
				s->o.load.host[0] ? s->o.load.host : s->o.load.dev, r.sent, r.elapsed_ns / 1e9,
				r.elapsed_ns ? r.sent * 1e9 / r.elapsed_ns : 0, r.refused, r.back);
	}
	seen = session_seen(s);
	session_detach(s);
	if (err != -EOPNOTSUPP) /* with -EOPNOTSUPP nothing was measured */
		printable_printf(stderr,
				 "%" PRIu64
				 " packets in %.2f s, %.0f pps on average; %s has no program of ours any more\n",
				 seen, seconds, seconds > 0 ? seen / seconds : 0, s->target.nd.name);
	free(w.before);
	reading_release(&w.reading);
	counters_release(&w.changed.changed);
	return err;
}

static int run_stat(const struct stat_args *a, const char *dev)
{
	struct diag d = {}, undone = {};
	bool lab = !strcmp(dev, "lab");
	char words[STEER_WORDS];
	struct run_variant v;
	struct session s;
	int err, undo_err;

	session_init(&s, &a->session);
	s.rx_cpu = lab ? rig_rx_cpu() : cpu_pick_rx();
	err = run_variant_parse(&v, a->variant, &d) ?: own_options_check(&a->session.own, &v, 1, &d);
	if (!err)
		err = stage_choose(&v, lab, cpu_pick_other(s.rx_cpu, cpu_pick_other(s.rx_cpu, -1)), &d);
	if (err)
		return complain_of(&d, err), EXIT_USAGE;
	/* Opens the session and attaches the program, up to the point where packets arrive. */
	err = session_open(&s, dev, a->netns, -1, false, &d);
	if (!err) {
		remote_warn(&s);
		err = injects_calibrate(&v, 1, cpu_pick_rx(), false, &d);
	}
	if (!err)
		err = own_list_open(&s.own, &v, 1, s.target.nd.name, &d)
		      ?: session_try(&s, &v, &d) ?: session_steer(&s, v.mode, &d);
	if (!err) {
		session_settle(&s, &v, 1, false);
		err = session_attach(&s, &v, &d) ?: session_load(&s, &d);
	}
	if (!err) {
		steer_words(&s.steer, words, sizeof(words));
		printable_printf(stderr, "%s", words);
		if (!strcmp(a->format, "text"))
			printf("%-12s %-10s %-18s %-9s  %s\n", "XDP_action", "pps", "pps-human-readable", "operation",
			       "mode");
		err = run_watch(&s, a, &v, &d);
	}
	undo_err = session_close(&s, &undone);
	if (undo_err)
		complain_of(&undone, undo_err);
	session_release(&s);
	return err ? complain_of(&d, err) : undo_err ? EXIT_FAILED : EXIT_OK;
}

int cmd_stat(const struct command *c, int argc, char **argv)
{
	struct stat_args a = {
		.variant = "drop@native",
		.netns = "",
		.format = "text",
		.interval_s = 1,
		.generator.cpu = -1,
		.session.steer = {.pin_cpu = -1, .rx_cpu = -1, .load_cpu = -1},
		.session.rx = {-1, -1, -1, -1},
	};
	struct gen_options *load = &a.session.load;
	struct diag d = {};
	int parsed, err;

	gen_options_init(load);
	own_options_init(&a.session.own);
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, &a.dev, NULL, "the device that receives; lab: the built-in testbed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"variant", 'V', OPT_STRING, &a.variant, "ACTION[/OPERATION][@MODE]",
		 "what the program does with a packet, with its data before that, and how it is attached: drop, "
		 "pass/parse-ip@skb, tx, redirect:DEV, redirect-cpu:N, xsk, prog:FILE.o, as of record"},
		{"interval", 'i', OPT_SECONDS, &a.interval_s, "TIME", "time between two lines, e.g. 0.5 or 250ms",
		 0.001, 86400},
		{"for", 't', OPT_SECONDS, &a.duration_s, "TIME", "stop after this time", 0.01, 1e6,
		 .otherwise = "until Ctrl-C"},
		TUNE_OPTION(&a.session),
		DEVICE_OPTIONS(&a.netns, &a.session.cut_off),
		OWN_OPTIONS(&a.session.own),
		GENERATOR_OPTION(&a.generator, load),
		LOAD_OPTIONS(load),
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "json prints a line per interval",
		 .words = OPT_WORDS("text", "json")},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	err = steer_check(&a.session.steer, a.dev, &d);
	if (!err && (a.generator.where || a.generator.cpu >= 0) && !strcmp(a.dev, "lab"))
		err = diag_set(&d, -EINVAL, "--generator: the lab has its own generator, xdpzoom gen lab");
	if (!err)
		err = generator_apply(&a.generator, false, &a.session, &d);
	if (err)
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	load->cpu = a.generator.cpu >= 0 ? a.generator.cpu : cpu_pick_other(cpu_pick_rx(), -1);
	stop_on_signals();
	return run_stat(&a, a.dev);
}
