// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

struct history_args {
	const char *db, *name, *machine, *against, *format, *components;
	double threshold_pct, run_sd_pct; /* < 0: not given */
	struct between between;           /* of the two runs that are compared */
	bool gate;                        /* a variant is SLOWER, not judged, or takes MORE */
	bool open;                        /* check: there is no run before */
	bool usage;                       /* the command line was wrong */
	struct analysis_options analysis;
	struct output out; /* open when the verb begins; add: the file */
	int64_t *added;    /* the numbers of runs */
	size_t nadded;
};

#define THRESHOLD_PCT 3 /* two runs of one kernel differ by 1.5 to 2 % (between.h): a smaller change is no finding */
static const char default_format[] = "text", default_db[] = "history.db";

/* err: what building the document came to. */
static int cmd_history_show(struct history_args *a, struct document *doc, int err, struct diag *d)
{
	const struct render_options o = {.colour = a->out.colour, .columns = (size_t)a->out.columns};
	const struct format *f = NULL;

	format_of(&f, a->format, KIND(doc->kind), NULL);
	return output_close(&a->out, format_write(f, a->out.stream, doc, err, &o), d);
}

/* Notes that an error comes from the command line, and returns it. */
static int misuse(struct history_args *a, int err)
{
	a->usage = err != 0;
	return err;
}

static int check_format(struct history_args *a, enum document_kind kind, struct diag *d)
{
	const struct format *f;

	return misuse(a, format_of(&f, a->format, KIND(kind), d));
}

/*
 * Reads and analyses the run. Takes the blocks at the placement of the last run on its machine, so that the runs of a
 * history can be compared.
 */
static int add_run(struct history_args *a, struct history *h, const char *dir, struct diag *d)
{
	bool exact = exact_is(dir);
	struct history_new n = {.dir = dir, .name = a->name, .machine = a->machine, .components = a->components};
	struct loaded_run l;
	int64_t run, *added;
	char open[512];
	struct run r;
	int err = a->name ? misuse(a, history_check_name(a->name, d)) : 0;

	if (!err && a->machine)
		err = misuse(a, history_check_machine(a->machine, d));
	if (!err && exact && a->machine)
		err = misuse(a,
			     diag_set(d, -EINVAL, "--machine is for measured runs; exact ones count the same on each"));
	if (!err && !exact) {
		run_init(&r);
		err = a->machine ? 0 : run_read(&r, dir, d);
		if (!err)
			err = history_last_placement(h, a->machine ?: r.facts.machine, &a->analysis.placement_like_ns,
						     d);
		run_release(&r);
	}
	if (!err)
		err = loaded_run_open(&l, dir, a->components, exact ? NULL : &a->analysis, d);
	if (err)
		return err;
	if (exact)
		n.exact = &l.counted;
	else
		n.measured = &l.analysis;
	/* A run of which a count does not close is not to be kept. */
	for (size_t i = 0; exact && i < l.counted.nvariants && !err; i++)
		if (exact_open_words(&l.counted.variants[i], open, sizeof(open)))
			err = diag_set(d, -EINVAL,
				       "%s: %s: do not sum to an independent count, and so the run is not kept: %s",
				       l.dir, l.counted.variants[i].id, open);
	err = err ?: history_add(h, &n, &run, d);
	added = err ? NULL : array_add(&a->added, &a->nadded, sizeof(*added));
	if (added)
		*added = run;
	else if (!err)
		err = diag_set(d, -ENOMEM, "out of memory");
	loaded_run_release(&l);
	return err;
}

/* All runs of another history, the oldest first. */
static int add_all(struct history_args *a, struct history *h, const char *path, struct diag *d)
{
	struct history_list l = {};
	struct history *from = NULL;
	char dir[4200];
	int err = a->name || a->machine
			  ? misuse(a, diag_set(d, -EINVAL, "--%s is for one run; those of a history keep their %ss",
					       a->name ? "name" : "machine", a->name ? "name" : "machine"))
			  : history_open(&from, path, HISTORY_READ, d);

	if (!err)
		err = history_list(from, &l, d);
	for (const struct history_row *row = l.rows; row < l.rows + l.nrows && !err; row++) {
		if (row > l.rows && row->run == row[-1].run && row->kind == row[-1].kind)
			continue;
		a->machine = *row->machine ? row->machine : NULL;
		err = history_lay_out(from, row->kind, row->run, dir, sizeof(dir), d);
		if (err)
			break;
		/* A name that another run has here is left out, with a sentence; a run that is here, without one. */
		a->name = *row->name ? row->name : NULL;
		err = add_run(a, h, dir, d);
		if (err == -ENOTUNIQ) {
			a->name = NULL;
			err = add_run(a, h, dir, d);
			if (!err)
				complain("%s was called %.64s there; here another run has that name", dir, row->name);
		} else if (err == -EEXIST) {
			err = 0;
		}
	}
	history_list_release(&l);
	history_close(from);
	return err;
}

/* Writes the file anew. All that was added is in it when the numbers are printed. */
static int cmd_history_add(struct history_args *a, const char *path, struct diag *d)
{
	struct history *h = NULL;
	struct stat st;
	int err = history_open(&h, a->db, HISTORY_ADD, d);

	if (!err)
		err = !stat(path, &st) && S_ISREG(st.st_mode) ? add_all(a, h, path, d) : add_run(a, h, path, d);
	if (!err && a->nadded)
		err = output_close(&a->out, history_write(h, a->out.stream, d), d);
	history_close(h);
	for (size_t i = 0; i < a->nadded && !err; i++)
		if (printf("%lld\n", (long long)a->added[i]) <= 0 || fflush(stdout))
			err = diag_set(d, -errno, "run %lld was added, and its number cannot be written: %s",
				       (long long)a->added[i], strerror(errno));
	free(a->added);
	return err;
}

static int list(struct history_args *a, const char *ref, struct diag *d)
{
	struct history_list l = {};
	struct history *h = NULL;
	struct document doc = {};
	int err = ref ? misuse(a, diag_set(d, -EINVAL, "history list takes no run; report %s/RUN shows one", a->db))
		      : check_format(a, DOCUMENT_HISTORY, d);

	if (!err)
		err = history_open(&h, a->db, HISTORY_READ, d) ?: history_list(h, &l, d);
	if (!err)
		err = cmd_history_show(a, &doc, document_of_history(&doc, &l), d);
	history_list_release(&l);
	history_close(h);
	return err;
}

/* One run of the file. The struct points into itself, so it must not be moved. */
struct side {
	int64_t id;
	struct loaded_run l;
};

static int cmd_history_load(struct history *h, enum history_kind kind, struct side *s, struct diag *d)
{
	struct analysis_options o = {};
	char dir[4200], machine[HISTORY_MACHINE_BYTES];
	int err = history_lay_out(h, kind, s->id, dir, sizeof(dir), d);

	if (!err && kind == HISTORY_EXACT)
		return loaded_run_open(&s->l, dir, NULL, NULL, d);
	if (!err)
		err = history_options(h, s->id, &o, machine, d) ?: loaded_run_open(&s->l, dir, NULL, &o, d);
	if (!err && *machine && !json_object_set_new(s->l.run.environment, "machine", json_text_string(machine)))
		run_take_facts(&s->l.run);
	return err;
}

static int cmd_history_judge(struct history_args *a, struct history *h, const struct side *base, const struct side *new,
			     struct diag *d)
{
	struct history_list all = {};
	struct history_bases bases;
	struct document doc = {};
	struct regression r;
	int err;

	/* How much runs differ: as given, or by the runs of the history beside the one that is judged. */
	a->between = between_default(a->run_sd_pct);
	if (a->between.source != BETWEEN_GIVEN) {
		err = history_bases(h, base->id, new->id, &bases, d);
		if (err)
			return err;
		a->between = between_fit(bases.base_ns, (const char *const *)bases.variant, bases.n, a->between);
		history_bases_release(&bases);
	}
	err = history_list(h, &all, d);
	if (!err)
		err = regression_build(&r, &base->l.analysis, &new->l.analysis,
				       a->threshold_pct < 0 ? THRESHOLD_PCT : a->threshold_pct, &a->between, d);
	if (err) {
		history_list_release(&all);
		return err;
	}
	err = cmd_history_show(a, &doc, document_of_check(&doc, &r, &all, new->id), d);
	history_list_release(&all);
	if (!err && regression_count(&r, REGRESSION_NEW) == r.nrows)
		err = diag_set(d, -ENOENT, "the two runs have no variant in common");
	a->gate = regression_count(&r, REGRESSION_SLOWER) || regression_count(&r, REGRESSION_NOT_JUDGED);
	regression_release(&r);
	return err;
}

static int check_exact(struct history_args *a, struct history *h, const struct side *base, const struct side *new,
		       struct diag *d)
{
	struct history_list all = {};
	struct symkeys *keys = NULL;
	struct exact_check c = {};
	struct document doc = {};
	int err = exact_diff_renames(&keys, NULL, &base->l.counted, &new->l.counted, d);

	if (!err)
		err = exact_check_build(&c, &base->l.counted, &new->l.counted, keys, d);
	if (!err)
		err = history_list(h, &all, d);
	if (!err)
		err = cmd_history_show(a, &doc, document_of_exact_check(&doc, &c, &all, new->id), d);
	history_list_release(&all);
	a->gate = exact_check_count(&c, EXACT_MORE) > 0;
	exact_check_release(&c);
	symkeys_free(keys);
	return err;
}

static int cmd_history_check(struct history_args *a, const char *ref, struct diag *d)
{
	enum history_kind kind = HISTORY_MEASURED;
	struct side base = {}, new = {};
	struct history *h = NULL;
	int64_t run[2] = {0};
	bool prev;
	int err = check_format(a, DOCUMENT_CHECK, d);

	if (!err && !a->against)
		err = misuse(a, diag_set(d, -EINVAL, "history check needs --against RUN"));
	if (!err)
		err = history_open(&h, a->db, HISTORY_READ, d);
	if (!err)
		err = history_kind_of(h, &ref, &a->against, &kind, d);
	/* The run to check, and what it is held against: "prev" is the run before it, not before the last one. */
	prev = !err && !strcmp(a->against, "prev");
	if (!err && !prev)
		err = history_find(h, kind, a->against, &run[0], d);
	if (!err)
		err = history_find(h, kind, ref, &run[1], d);
	if (!err && prev) {
		err = history_find_before(h, kind, run[1], &run[0], d);
		a->open = err == -ENOENT;
	}
	if (!err && run[0] == run[1])
		err = diag_set(d, -EINVAL, "%srun %lld cannot be compared with itself",
			       kind == HISTORY_EXACT ? "exact " : "", (long long)run[0]);
	if (!err && kind == HISTORY_EXACT && (a->threshold_pct >= 0 || a->run_sd_pct >= 0))
		err = misuse(a, diag_set(d, -EINVAL,
					 "--%s is for measured runs; counts of exact runs do not vary, and any "
					 "increase is found",
					 a->threshold_pct >= 0 ? "threshold" : "run-sd"));
	base.id = run[0];
	new.id = run[1];
	if (!err)
		err = cmd_history_load(h, kind, &base, d) ?: cmd_history_load(h, kind, &new, d);
	if (!err)
		err = kind == HISTORY_EXACT ? check_exact(a, h, &base, &new, d)
					    : cmd_history_judge(a, h, &base, &new, d);
	loaded_run_release(&new.l);
	loaded_run_release(&base.l);
	history_close(h);
	return err;
}

/* The verbs of the command, with the options that each has a use for beside --db. */
static const struct verb {
	const char *name, *uses;
	int (*run)(struct history_args *a, const char *path_or_run, struct diag *d);
} verbs[] = {
	{"add", "name machine components", cmd_history_add},
	{"list", "format", list},
	{"check", "against threshold run-sd format", cmd_history_check},
};

/* Refuses options that the verb has no use for. */
static int check_options(const struct history_args *a, const struct verb *v, struct diag *d)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {
		{"against", a->against},
		{"threshold", a->threshold_pct >= 0},
		{"run-sd", a->run_sd_pct >= 0},
		{"name", a->name},
		{"machine", a->machine},
		{"components", a->components},
		{"format", a->format != default_format},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !strstr(v->uses, options[i].name))
			return diag_set(d, -EINVAL, "history %s has no use for --%s", v->name, options[i].name);
	return 0;
}

int cmd_history(const struct command *c, int argc, char **argv)
{
	struct history_args a = {.db = default_db, .format = default_format, .threshold_pct = -1, .run_sd_pct = -1};
	const char *verb = NULL, *path = NULL;
	const struct opt opts[] = {
		{"VERB", 0, OPT_WORD, &verb, NULL, "what to do", .words = OPT_WORDS("add", "list", "check"),
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"RUN", 0, OPT_RUN, &path, NULL,
		 "add: a run directory, or another history; check: the run to check, by its number or name",
		 .flags = OPT_ARGUMENT, .otherwise = "check: the last one"},
		{"db", 0, OPT_FILE, &a.db, "FILE", "the file of the history, a SQLite database"},
		{"against", 0, OPT_STRING, &a.against, "RUN",
		 "check: the run to compare with; prev is the one before on the same machine and device"},
		{"threshold", 0, OPT_NUMBER, &a.threshold_pct, "PCT", "check: how much slower a variant may be", 0,
		 1000, .otherwise = "3"},
		{"run-sd", 0, OPT_NUMBER, &a.run_sd_pct, "PCT",
		 "check: how much the base differs from run to run (standard deviation)", 0, 100,
		 .otherwise = "by the other runs of the history, if there are three; else 2, or 1 with a reference"},
		{"name", 0, OPT_STRING, &a.name, "NAME", "add: a name for the run"},
		{"machine", 0, OPT_STRING, &a.machine, "NAME", "add: a name for the machine that was measured",
		 .otherwise = "what the run has: twelve digits"},
		COMPONENTS_OPTION(&a.components),
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "how the result is printed; ktap: of check",
		 .words = OPT_WORDS("text", "json", "csv", "markdown", "html", "ktap")},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv), err;
	const struct verb *v = verbs;
	struct diag d = {};

	if (parsed)
		return opts_exit(parsed);
	while (strcmp(v->name, verb) != 0) /* the option table lets no other name pass */
		v++;
	if (check_options(&a, v, &d))
		return complain("%s", d.text), EXIT_USAGE;
	if (v->run == cmd_history_add && !path)
		return complain("history add needs a run directory, or another history"), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not become that large is an error like a full disk */
	err = (v->run == cmd_history_add ? jailed_history(&a.out, a.db, &d) : jailed_output(&a.out, NULL, &d))
		      ?: v->run(&a, path, &d);
	if (err)
		return a.usage || a.open ? (complain("%s", d.text), a.usage ? EXIT_USAGE : EXIT_OPEN)
					 : complain_of(&d, err);
	return a.gate ? EXIT_GATE : EXIT_OK;
}
