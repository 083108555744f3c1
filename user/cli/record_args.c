// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include "user/cli/cli.h"
#include "user/turns/turns.h"

const char *const record_default_variants[] = {
	"drop/no-touch@native",
	"drop/no-touch@skb",
	"drop/read-data@native",
	"drop/read-data@skb",
	"tx/swap-macs@native",
	"tx/swap-macs@skb",
	NULL,
};

void record_args_init(struct record_args *a)
{
	memset(a, 0, sizeof(*a));
	a->o.warmup_s = 0.2;
	a->o.overhead_pct = 4;
	a->o.rx_cpu = a->generator.cpu = a->o.stage_cpu = a->o.session.steer.pin_cpu = -1;
	a->view = "auto";
	a->netns = "";
	a->injected_ns = -1;
	gen_options_init(&a->o.session.load);
	a->o.session.rx = (struct rx_settings){-1, -1, -1, -1};
	own_options_init(&a->o.session.own);
}

uint64_t record_args_seed(void)
{
	return now_ns() / 1000 % ((1ULL << DBL_MANT_DIG) - 1);
}

static int record_args_add_variant(struct run *run, const char *id, struct diag *d)
{
	struct run_variant parsed, *v;
	int err = run_variant_to_measure(&parsed, id, d);

	if (err)
		return err;
	for (size_t k = 0; k < run->nvariants; k++)
		if (!strcmp(run->variants[k].id, parsed.id))
			return diag_set(d, -EINVAL, "variant %s is named twice", id);
	if (run->nvariants == RECORD_MAX_VARIANTS)
		return diag_set(d, -EINVAL, "more than %d variants", RECORD_MAX_VARIANTS);
	v = run_add_variant(run);
	if (!v)
		return diag_set(d, -ENOMEM, "no memory");
	*v = parsed;
	return 0;
}

/* How much of the id stands before its injection: an observer stands behind it. */
static int before_inject(const char *id)
{
	const char *observer = strstr(id, "+observer:");

	return observer ? (int)(observer - id) : (int)strcspn(id, "@");
}

/*
 * Adds the injected variant and its base with 0 ns: "drop/no-touch@skb" and "50" (or "walk50") become
 * "drop/no-touch+chain50@skb" and "drop/no-touch+chain0@skb" (or walk50 and walk0).
 */
static int add_injected(struct run *run, const char *id, const char *inject, struct diag *d)
{
	int before = before_inject(id), word = (int)strcspn(inject, "0123456789.");
	const char *kind = word ? inject : "chain", *values[] = {"0", inject + word};
	char injected[160];
	int err = 0;

	if (!word)
		word = (int)strlen(kind);
	for (int i = 0; i < 2 && !err; i++) {
		bool there = false;

		snprintf(injected, sizeof(injected), "%.*s+%.*s%s%s", before, id, word, kind, values[i], id + before);
		for (size_t k = 0; k < run->nvariants && !there; k++)
			there = !strcmp(run->variants[k].id, injected);
		err = there ? 0 : record_args_add_variant(run, injected, d);
	}
	return err;
}

static int record_args_add_variants(struct run *run, const struct record_args *a, struct diag *d)
{
	const struct opt_list *list = &a->variants;
	char with[160];
	size_t n = list->n ? list->n : sizeof(record_default_variants) / sizeof(*record_default_variants) - 1;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const char *id = list->n ? list->items[i] : record_default_variants[i];
		int before = before_inject(id);

		/* "drop/no-touch@skb" becomes "drop/no-touch+chain50@skb". */
		snprintf(with, sizeof(with), "%.*s+chain%.10g%s", before, id, a->injected_ns, id + before);
		err = record_args_add_variant(run, a->injected_ns >= 0 ? with : id, d);
		for (size_t k = 0; k < a->injected.n && !err; k++)
			err = add_injected(run, id, a->injected.items[k], d);
	}
	if (err || !a->umem_frames)
		return err;
	unsigned int frames = (unsigned int)a->umem_frames;
	bool found = false;
	err = 0;
	for (size_t i = 0; i < run->nvariants && !err; i++) {
		found |= run->variants[i].umem.frames > 0;
		err = run_variant_set_umem(&run->variants[i], frames, d);
		for (size_t k = 0; k < i && !err; k++)
			if (!strcmp(run->variants[k].id, run->variants[i].id))
				err = diag_set(d, -EINVAL, "variant %s is named twice", run->variants[i].id);
	}
	return err || found ? err
			    : diag_set(d, -EINVAL,
				       "--sweep " SWEEP_UMEM "=: no variant has an AF_XDP socket, such as "
				       "xsk:copy or layer:xsk-copy");
}

/* Forwarding and sending need devices and namespaces that are made for them. */
static bool is_lab_only(const struct run_variant *v)
{
	return run_layer_forwards(v) || run_layer_sends(v);
}

/*
 * Where turns were not asked for and cannot be taken, a sentence says why blocks are measured.
 * refused: why the kernel cannot; NULL: it has not been asked
 */
static int choose_view(struct run *run, struct record_args *a, bool lab, const char *refused, struct diag *d)
{
	const char *cannot, *layer = record_any(run, run_variant_is_layer);
	bool any = !strcmp(a->view, "auto");

	a->o.view = RUN_VIEW_BLOCKS;
	while (!any && run_view_words[a->o.view] && strcmp(run_view_words[a->o.view], a->view))
		a->o.view++;
	if (any)
		a->o.view = lab ? RUN_VIEW_WORK : RUN_VIEW_TURNS;
	cannot = any && refused ? refused : record_cannot(a->o.view, run, &a->o);
	if (any && cannot) {
		a->o.view = RUN_VIEW_BLOCKS;
		/* in the lab turns are the rule; on another device they are for variants of one mode */
		if (lab || refused)
			snprintf(run->view_why, sizeof(run->view_why), "%.511s", cannot);
	}
	if (layer && lab && (a->o.view == RUN_VIEW_BLOCKS || cannot))
		return diag_set(d, -EINVAL, "%s: layers of the lab are measured in turns%s%s", layer,
				cannot ? "; here they cannot: " : "", cannot ? cannot : "");
	if (!lab && record_any(run, is_lab_only))
		return diag_set(d, -EINVAL, "%s: only layers of the receive ladder are measured outside the lab",
				record_any(run, is_lab_only));
	/* Views need the lab, or another device. */
	if ((a->o.view == RUN_VIEW_WORK || a->o.view == RUN_VIEW_CROSSING) && !lab)
		return diag_set(d, -EINVAL,
				"--view %s: variants take turns on devices of their own only in the lab; --view turns "
				"exchanges programs of one mode on one device",
				a->view);
	if (a->o.view == RUN_VIEW_TURNS && lab)
		return diag_set(d, -EINVAL,
				"--view turns: is for another device; in the lab variants take turns with --view work "
				"and --view crossing");
	if (run->view_why[0] && !a->o.quiet)
		complain("measured block by block, not in turns: %s", run->view_why);
	return any || !cannot ? 0 : diag_set(d, -EINVAL, "--view %s: %s", a->view, cannot);
}

/*
 * A round of turns is shorter than one of blocks, and all variants share it. With frames from another CPU, rounds
 * scatter by more than each does within itself: so they are many and short (docs/measuring.rst). A point of a sweep is
 * beside others, which share what they know; so 30 points take ten minutes.
 */
static const struct usual {
	int rounds, rounds_of_point, windows;
	double window_s;
} usual[] = {[RUN_VIEW_BLOCKS] = {6, 4, 4, 0.4},
	     [RUN_VIEW_WORK] = {24, 8, 4, 0.4},
	     [RUN_VIEW_CROSSING] = {64, 16, 2, 0.2},
	     [RUN_VIEW_TURNS] = {24, 8, 4, 0.4}};

/* Chooses the CPUs of the RX path, the generator and the recorder. Checks each CPU before anything is changed. */
static int choose_cpus(struct record_args *a, bool lab, struct diag *d)
{
	int rx = a->o.rx_cpu >= 0 ? a->o.rx_cpu : lab ? rig_rx_cpu() : cpu_pick_rx();

	if (cpu_check(rx))
		return diag_set(d, -EINVAL, "CPU %d is not there or offline", rx);
	if (a->generator.cpu >= 0 && cpu_check(a->generator.cpu))
		return diag_set(d, -EINVAL, "CPU %d is not there or offline", a->generator.cpu);
	if (lab)
		a->o.rx_cpu = rx;
	a->o.session.load.cpu = a->generator.cpu >= 0 ? a->generator.cpu : cpu_pick_other(rx, -1);
	a->o.keeper_cpu = cpu_pick_other(rx, a->o.session.load.cpu);
	a->o.session.steer.rx_cpu = a->o.rx_cpu;
	a->o.session.steer.load_cpu =
		a->o.session.load.dev[0] && !a->o.session.load.host[0] ? a->o.session.load.cpu : -1;
	if (a->o.view != RUN_VIEW_WORK)
		return 0;
	if (a->generator.cpu >= 0 && a->generator.cpu != rx)
		return diag_set(d, -EINVAL,
				"--generator cpu: in the view work, the generator runs on the receiver's CPU");
	a->o.session.load.cpu = rx;
	a->o.keeper_cpu = cpu_pick_other(rx, -1);
	return 0;
}

/* On which CPUs receiver, load, recorder and second stages run, and what the load is. */
static int choose_cpus_and_load(struct run *run, struct record_args *a, bool lab, struct diag *d)
{
	const struct gen_options *g = &a->o.session.load;
	int err = generator_apply(&a->generator, lab, &a->o.session, d) ?: choose_cpus(a, lab, d);
	cpu_set_t before;

	/*
	 * Each second stage has a CPU of its own. If there is none, the stage shares the generator's CPU, which then
	 * sends less.
	 */
	if (!err && a->o.stage_cpu < 0)
		a->o.stage_cpu = a->o.keeper_cpu;
	for (size_t i = 0; i < run->nvariants && !err; i++) {
		struct run_variant *v = &run->variants[i];

		err = stage_choose(v, lab, a->o.stage_cpu, d);
		if (!err && v->stage == RUN_STAGE_READER && v->stage_cpu == a->o.rx_cpu)
			err = diag_set(d, -EINVAL,
				       "%s: the thread that reads needs another CPU than the receiver's CPU %d", v->id,
				       a->o.rx_cpu);
	}
	/* In the lab a batch waits in a veth's ring; where variants take turns, a turn is whole batches. */
	if (!err && lab && g->batch > TURNER_BATCH_MAX)
		err = diag_set(d, -EINVAL, "--generator batch=%d: a batch in the lab is at most %d frames", g->batch,
			       TURNER_BATCH_MAX);
	if (!err && lab && a->o.view != RUN_VIEW_BLOCKS && g->batch & (g->batch - 1))
		err = diag_set(
			d, -EINVAL,
			"--generator batch=%d: where variants take turns, a batch is 1, 2, 4 or so, up to %d frames; "
			"--view blocks takes any",
			g->batch, TURNER_BATCH_MAX);
	a->o.session.load.write = !a->unwritten;
	/* A control group's cpuset can forbid it. */
	if (!err && a->o.session.own_load && !g->host[0] && !sched_getaffinity(0, sizeof(before), &before)) {
		if (cpu_pin(0, g->cpu))
			err = diag_set(d, -EINVAL, "this process, and so its generator, may not run on CPU %d", g->cpu);
		sched_setaffinity(0, sizeof(before), &before);
	}
	return err;
}

/* Makes all choices and checks that are possible before anything is changed. */
static int choose(struct run *run, struct record_args *a, bool lab, const char *refused, struct diag *d)
{
	int err = record_args_add_variants(run, a, d);

	a->o.stat_events = a->stat_events.items;
	a->o.nstat_events = a->stat_events.n;
	if (!err)
		err = own_options_check(&a->o.session.own, run->variants, run->nvariants, d);
	if (!err)
		err = choose_view(run, a, lab, refused, d);
	if (!err) {
		/*
		 * Turns: whole rotations, in which each variant is on each device once, or its program is loaded first
		 * once.
		 */
		int rotation = a->o.view == RUN_VIEW_BLOCKS ? 1 : (int)run->nvariants;
		const struct usual *u = &usual[a->o.view];

		if (!a->o.windows)
			a->o.windows = u->windows;
		if (!(a->o.window_s > 0))
			a->o.window_s = u->window_s;
		if (!a->o.rounds)
			a->o.rounds = a->sweep.n ? u->rounds_of_point : u->rounds;
		a->o.rounds = (a->o.rounds + rotation - 1) / rotation * rotation;
	}
	if (!err)
		err = choose_cpus_and_load(run, a, lab, d) ?: perf_stat_check(a->o.stat_events, a->o.nstat_events, d);
	if (!err && !lab) {
		/* The frames of our own load can reach every layer, and GRO merges them where a layer wants that. */
		a->o.session.addressed = record_any(run, run_variant_is_layer);
		if (a->o.session.load.flows == 1)
			a->o.session.load.checksum = record_any(run, run_layer_merges);
	}
	/* Frames of the user's own go where our own load goes; the lab's turns with layers have frames of their own. */
	if (err)
		return err;
	const struct session_options *o = &a->o.session;
	if (record_any(run, run_variant_is_layer) &&
	    o->load.bytes > GEN_MAX_BYTES) /* more than readers have room for */
		return diag_set(d, -EINVAL, "%s: layers are measured with frames of up to %d bytes",
				record_any(run, run_variant_is_layer), GEN_MAX_BYTES);
	if (!o->frames.list.n)
		return 0;
	if (lab && record_any(run, run_variant_is_layer))
		return diag_set(d, -EINVAL, "%s: layers of the lab are measured with the generator's own frames",
				record_any(run, run_variant_is_layer));
	if (!o->own_load || o->load.host[0])
		return diag_set(d, -EINVAL,
				"--frames is for a generator on this machine: lab or --generator local:DEV");
	if (a->unwritten)
		return diag_set(d, -EINVAL, "--unwritten: the frames of --frames are always written");
	return gen_frames_alone(&o->load, d);
}

/*
 * refused: on call, why the kernel cannot take turns, or empty; on return, why it could not and nothing is measured, or
 * empty
 */
static int record_once(struct record_args *a, const char *dev, json_t *command, struct diag *refused)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct diag d = {}, undone = {};
	struct run chosen;
	int err, lacks, status = EXIT_OK;

	a->kept = false;
	run_init(&chosen);
	chosen.command = command;
	err = r ? choose(&chosen, a, !strcmp(dev, "lab"), refused->text[0] ? refused->text : NULL, &d) : -ENOMEM;
	lacks = err ? 0 : rx_settings_check(&a->o.session.rx, dev, &d);
	if (err || lacks) {
		complain_of(&d, err ? err : lacks);
		run_release(&chosen);
		free(r);
		return lacks ? EXIT_LACKS : err == -ENOMEM || err == -ENODEV ? EXIT_FAILED : EXIT_USAGE;
	}
	recorder_init(r, &a->o);
	r->run = chosen;
	refused->text[0] = '\0';
	d = (struct diag){};
	err = session_open(&r->session, dev, a->netns, a->o.rx_cpu, true, &d);
	if (!err) {
		remote_warn(&r->session);
		err = record_run(r, &a->kept, &d);
	}
	/* Where the kernel refuses turns that nobody asked for, this is not printed. */
	if (err && r->turns_refused && !strcmp(a->view, "auto") && !record_any(&r->run, run_variant_is_layer))
		*refused = d;
	else if (err)
		status = complain_of(&d, err);
	if (err && a->kept)
		complain("%s after %zu of %zu blocks; the blocks measured are in %s", r->run.ended, r->run.nblocks,
			 r->o->rounds * r->run.nvariants, a->o.out_dir);
	err = session_close(&r->session, &undone);
	if (err)
		status = complain_of(&undone, err);
	recorder_release(r);
	free(r);
	return status;
}

int record_with(struct record_args *a, const char *dev, json_t *command)
{
	const struct record_args asked = *a;
	struct diag refused = {};
	int status = record_once(a, dev, json_incref(command), &refused);

	if (refused.text[0]) {
		*a = asked;
		status = record_once(a, dev, json_incref(command), &refused);
	}
	json_decref(command);
	return status;
}

int record_show(const char *dir, bool ladder, struct diag *d)
{
	struct render_options o = {.program = program_invocation_name};
	const struct analysis_options plain = {};
	struct loaded_run l, crossing;
	struct document doc;
	struct output out;
	char word[4096];
	int err = loaded_run_open(&l, dir, NULL, &plain, d);

	if (err)
		return err;
	shell_word(word, sizeof(word), dir);
	o.dir = word;
	if (!loaded_run_open_crossing(&crossing, &l, &plain, d))
		o.crossing = &crossing.analysis;
	err = output_open(&out, NULL, d);
	if (!err) {
		o.colour = out.colour;
		err = document_of_report(&doc, &l.analysis, NULL);
		if (!err)
			err = ladder ? format_ladder(out.stream, &doc, &o) : format_summary(out.stream, &doc, &o);
		err = output_close(&out, err, d);
		document_release(&doc);
	}
	loaded_run_release(&crossing);
	loaded_run_release(&l);
	return err;
}
