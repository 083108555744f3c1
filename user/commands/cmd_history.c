// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "reports/compare/compare.h"
#include "reports/format/formats.h"
#include "reports/format/render_history.h"
#include "user/cli/jailed.h"
#include "user/cli/loaded_run.h"
#include "user/cli/output.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

struct history_args {
	const char *db, *name, *machine, *against, *format, *output, *facilities, *renames, *placement;
	double threshold_pct, run_sd_pct; /* < 0: not given */
	struct between between;           /* of the two runs that are compared */
	int max_symbols;
	bool exact; /* check: exact runs */
	bool gate;  /* a variant is SLOWER, UNKNOWN or MORE */
	bool open;  /* check: there is no run before */
	bool usage; /* the command line was wrong */
	struct analysis_options analysis;
	struct output out; /* open when the verb begins */
};

static const char default_format[] = "text", default_placement[] = "auto";

/* What is printed: exactly one of list, regression, check and compare is set. */
struct shown {
	const struct history_list *list;
	const struct exact_check *check;
	const struct regression *regression;
	const struct compare *compare;
	const struct format *format;    /* set together with compare */
	const struct history_list *all; /* of check: all runs, and the one that is judged */
	enum history_kind kind;
	int64_t run;
};

static int write_shown(const struct history_args *a, const struct shown *s, const struct output *to)
{
	struct render_options o = {
		.colour = to->colour, .max_symbols = (size_t)a->max_symbols, .columns = (size_t)to->columns};
	struct document doc;
	FILE *out = to->stream;
	bool json = !strcmp(a->format, "json"), ktap = !strcmp(a->format, "ktap");
	int err;

	if (s->compare)
		return format_write(s->format, out, &doc, document_of_diff(&doc, s->compare), &o);
	if (s->list)
		return json ? render_history_json(out, s->list) : render_history_text(out, s->list, to->colour);
	if (ktap)
		return s->check ? render_exact_check_ktap(out, s->check) : render_regression_ktap(out, s->regression);
	if (s->check)
		err = json ? render_exact_check_json(out, s->check)
			   : render_exact_check_text(out, s->check, to->colour);
	else
		err = json ? render_regression_json(out, s->regression)
			   : render_regression_text(out, s->regression, to->colour);
	return err || json ? err : render_changes_text(out, s->all, s->kind, s->run);
}

static int cmd_history_show(struct history_args *a, const struct shown *s, struct diag *d)
{
	return output_close(&a->out, write_shown(a, s, &a->out), d);
}

/* Notes that an error comes from the command line, and returns it. */
static int misuse(struct history_args *a, int err)
{
	a->usage = err != 0;
	return err;
}

/* The formats of list and check. */
static int check_format(struct history_args *a, bool list, struct diag *d)
{
	if (!strcmp(a->format, "text") || !strcmp(a->format, "json") || (!list && !strcmp(a->format, "ktap")))
		return 0;
	return misuse(a, diag_set(d, -EINVAL, "--format %.32s: %s only", a->format,
				  list ? "list prints text or json" : "check prints text, json or ktap"));
}

/*
 * Reads the placement of the last run on the machine of the run in dir; *placement_ns is 0 if there is no such run, or
 * no file. Another process may be making the file right now.
 */
static int last_placement(const struct history_args *a, const char *dir, double *placement_ns, struct diag *d)
{
	struct diag why = {};
	struct history *h;
	struct run r;
	int err = history_open(&h, a->db, HISTORY_READ, &why);

	*placement_ns = 0;
	if (err == -ENOENT)
		return 0;
	if (err)
		return diag_set(d, err, "%s", why.text);
	run_init(&r);
	if (!a->machine)
		err = run_read(&r, dir, d);
	if (!err)
		err = history_last_placement(h, a->machine ? a->machine : r.facts.machine, placement_ns, d);
	run_release(&r);
	history_close(h);
	return err;
}

/* The run is in the file by now; a caller that does not get its number has to know that. */
static int print_number(int64_t run, struct diag *d)
{
	if (printf("%lld\n", (long long)run) > 0 && !fflush(stdout))
		return 0;
	return diag_set(d, -errno, "run %lld was added, and its number cannot be written: %s", (long long)run,
			strerror(errno));
}

static int add_new(struct history_args *a, struct history_new *n, struct diag *d)
{
	struct history *h = NULL;
	int64_t run;
	int err = history_open(&h, a->db, HISTORY_ADD, d);

	n->name = a->name;
	n->machine = a->machine;
	n->facilities = a->facilities;
	n->placement = a->placement;
	if (!err)
		err = history_add(h, n, &run, d) ?: print_number(run, d);
	history_close(h);
	return err;
}

static int add_exact(struct history_args *a, const char *dir, struct diag *d)
{
	struct loaded_run l;
	int err = loaded_run_open_exact(&l, dir, a->facilities, d) ?: loaded_run_closed(&l, d);

	if (!err)
		err = add_new(a, &(struct history_new){.dir = dir, .exact = &l.counted}, d);
	loaded_run_release(&l);
	return err;
}

/*
 * Reads and analyses the run before it opens the file for writing. Takes the blocks at the placement of the last run,
 * so that the runs of a history can be compared.
 */
static int add_run(struct history_args *a, const char *dir, struct diag *d)
{
	struct loaded_run l;
	int err = misuse(a, placement_choice_parse(&a->analysis.placement, a->placement, d));

	if (!err && a->name)
		err = misuse(a, history_check_name(a->name, d));
	if (!err && a->machine)
		err = misuse(a, history_check_machine(a->machine, d));
	if (!err && exact_is(dir) && a->placement != default_placement)
		err = misuse(a, diag_set(d, -EINVAL, "--placement is for measured runs; exact ones have no blocks"));
	if (!err && exact_is(dir) && a->machine)
		err = misuse(a,
			     diag_set(d, -EINVAL, "--machine is for measured runs; exact ones count the same on each"));
	if (!err && exact_is(dir))
		return add_exact(a, dir, d);
	if (!err)
		err = last_placement(a, dir, &a->analysis.placement_like_ns, d);
	if (!err)
		err = loaded_run_open(&l, dir, a->facilities, &a->analysis, d);
	if (err)
		return err;
	err = add_new(a, &(struct history_new){.dir = dir, .measured = &l.analysis}, d);
	loaded_run_release(&l);
	return err;
}

/* A name that another run has here is left out, with a sentence; a run that is here already is left out without one. */
static int add_of(struct history_args *a, const char *dir, const char *name, struct diag *d)
{
	int err;

	a->name = *name ? name : NULL;
	err = add_run(a, dir, d);
	if (err != -ENOTUNIQ)
		return err == -EEXIST ? 0 : err;
	a->name = NULL;
	err = add_run(a, dir, d);
	if (!err)
		complain("%s was called %.64s there; here another run has that name", dir, name);
	return err;
}

/* All runs of another history, the oldest first. */
static int add_all(struct history_args *a, const char *path, struct diag *d)
{
	struct history_list l = {};
	struct history *h = NULL;
	char dir[4200];
	int err = a->name || a->machine
			  ? misuse(a, diag_set(d, -EINVAL, "--%s is for one run; those of a history keep their %ss",
					       a->name ? "name" : "machine", a->name ? "name" : "machine"))
			  : history_open(&h, path, HISTORY_READ_ALONE, d);

	if (!err)
		err = history_list(h, &l, d);
	history_close(h);
	for (const struct history_row *row = l.rows; row < l.rows + l.nrows && !err; row++) {
		if (row > l.rows && row->run == row[-1].run && row->kind == row[-1].kind)
			continue;
		snprintf(dir, sizeof(dir), "%s/%s%lld", path, row->kind == HISTORY_EXACT ? "exact/" : "",
			 (long long)row->run);
		a->machine = *row->machine ? row->machine : NULL;
		err = add_of(a, dir, row->name, d);
	}
	history_list_release(&l);
	return err;
}

static int cmd_history_add(struct history_args *a, char **args, int nargs, struct diag *d)
{
	struct stat st;

	(void)nargs;
	return !stat(args[0], &st) && S_ISREG(st.st_mode) ? add_all(a, args[0], d) : add_run(a, args[0], d);
}

static int list(struct history_args *a, char **args, int nargs, struct diag *d)
{
	struct history_list l = {};
	struct history *h = NULL;
	int err = check_format(a, true, d);

	(void)args;
	(void)nargs;
	if (!err)
		err = history_open(&h, a->db, HISTORY_READ, d) ?: history_list(h, &l, d);
	if (!err)
		err = cmd_history_show(a, &(struct shown){.list = &l}, d);
	history_list_release(&l);
	history_close(h);
	return err;
}

/* One run of the file. The struct points into itself, so it must not be moved. */
struct side {
	int64_t id; /* 0: none */
	bool old;   /* of an older version: there are no call paths and windows */
	struct loaded_run l;
	struct profile words; /* of an older version */
};

/* The run s->id. */
static int cmd_history_load(struct history *h, bool stacks, struct side *s, struct diag *d)
{
	struct analysis_options o = {.stacks = stacks};
	struct diag why = {};
	char dir[4200], machine[HISTORY_MACHINE_BYTES];
	int err;

	err = history_lay_out(h, HISTORY_MEASURED, s->id, dir, sizeof(dir), &why);
	s->old = err == -ENODATA;
	if (s->old)
		return history_old_load(h, s->id, &s->l.run, &s->l.analysis, &s->words, d);
	if (err)
		return diag_set(d, err, "%s", why.text);
	err = history_options(h, s->id, &o, machine, d) ?: loaded_run_open(&s->l, dir, NULL, &o, d);
	if (!err && *machine)
		run_set_machine(&s->l.run, machine);
	return err;
}

static int find_and_load(struct history *h, const char *ref, bool stacks, struct side *s, struct diag *d)
{
	int err = history_find(h, HISTORY_MEASURED, ref, &s->id, d);

	return err ? err : cmd_history_load(h, stacks, s, d);
}

/* The run to check, and what it is held against: "prev" is the run before it, not before the last one. */
static int find_two(struct history_args *a, struct history *h, enum history_kind kind, const char *ref, int64_t run[2],
		    struct diag *d)
{
	bool prev = !strcmp(a->against, "prev");
	int err = prev ? 0 : history_find(h, kind, a->against, &run[0], d);

	if (!err)
		err = history_find(h, kind, ref, &run[1], d);
	if (!err && prev) {
		err = history_find_before(h, kind, run[1], &run[0], d);
		a->open = err == -ENOENT;
	}
	if (!err && run[0] == run[1])
		err = diag_set(d, -EINVAL, "%srun %lld cannot be compared with itself",
			       kind == HISTORY_EXACT ? "exact " : "", (long long)run[0]);
	return err;
}

static void release(struct side *s)
{
	loaded_run_release(&s->l);
	profile_release(&s->words);
}

/* Cuts "RUN:VARIANT" in place and returns VARIANT, or NULL. A variant alone can contain a colon too. */
static const char *cut_variant(char *arg)
{
	char *colon = strchr(arg, ':');
	struct run_variant v;

	if (!colon || !run_variant_parse(&v, arg, NULL))
		return NULL;
	*colon = '\0';
	return colon + 1;
}

/* How much runs differ: as given, or by the runs of the history beside the one that is judged. */
static int find_between(struct history_args *a, struct history *h, const struct side *base, const struct side *new,
			struct diag *d)
{
	struct between *b = &a->between;
	struct history_bases bases;
	int err;

	*b = between_default(a->run_sd_pct);
	if (b->source == BETWEEN_GIVEN)
		return 0;
	err = history_bases(h, base->id, new->id, &bases, d);
	if (err)
		return err;
	*b = between_fit(bases.base_ns, (const char *const *)bases.variant, bases.n, *b);
	history_bases_release(&bases);
	return 0;
}

static const struct analysis_variant *cmd_history_find_variant(const struct side *s, const char *id, struct diag *d)
{
	struct diag why = {};
	const struct analysis_variant *v = analysis_find(&s->l.analysis, id, &why);

	if (!v)
		diag_set(d, -ENOENT, "run %lld: %s", (long long)s->id, why.text);
	return v;
}

static int cmd_history_compare_variants(struct history_args *a, const struct format *f,
					const struct analysis_variant *base, const struct analysis_variant *new,
					struct diag *d)
{
	struct symkeys *keys = NULL;
	struct compare c = {};
	int err = compare_read_renames(&keys, a->renames, base, new, d) ?: compare_build(&c, base, new, keys, d);

	if (!err && !c.same_run)
		compare_set_between(&c, &a->between);
	if (!err)
		err = cmd_history_show(a, &(struct shown){.compare = &c, .format = f}, d);
	compare_release(&c);
	symkeys_free(keys);
	return err;
}

/* RUN:VARIANT [RUN:]VARIANT, or RUN for the same variant in another run. */
static int diff(struct history_args *a, char **args, int nargs, struct diag *d)
{
	const char *base_variant = cut_variant(args[0]), *new_variant = cut_variant(args[1]), *new_run = args[1];
	struct side base = {}, other = {}, *new = &base;
	const struct analysis_variant *b, *n;
	const struct format *f = NULL;
	struct history *h = NULL;
	int err;

	(void)nargs;
	if (!base_variant)
		return misuse(
			a, diag_set(d, -EINVAL, "history diff: name a variant, e.g. prev:drop/no-touch@native last"));
	if (!new_variant && strchr(args[1], '@')) {
		new_variant = args[1];
		new_run = args[0];
	}
	err = misuse(a, format_find(&f, a->format, DOCUMENT_DIFF, d)) ?: history_open(&h, a->db, HISTORY_READ, d);
	if (!err)
		err = find_and_load(h, args[0], f->stacks, &base, d);
	if (!err && strcmp(args[0], new_run)) {
		new = &other;
		err = find_and_load(h, new_run, f->stacks, new, d) ?: find_between(a, h, &base, new, d);
	}
	if (!err && !f->rows_alone && (base.old || new->old))
		err = misuse(a, diag_set(d, -EINVAL,
					 "--format %s needs call paths or windows, and an older xdpzoom added run %lld "
					 "without them",
					 a->format, (long long)(base.old ? &base : new)->id));
	b = err ? NULL : cmd_history_find_variant(&base, base_variant, d);
	n = b ? cmd_history_find_variant(new, new_variant ? new_variant : base_variant, d) : NULL;
	if (!err)
		err = n ? cmd_history_compare_variants(a, f, b, n, d) : -ENOENT;
	release(&other);
	release(&base);
	history_close(h);
	return err;
}

static int cmd_history_judge(struct history_args *a, struct history *h, const struct side *base, const struct side *new,
			     struct diag *d)
{
	struct history_list all = {};
	struct regression r;
	int err = find_between(a, h, base, new, d);

	if (!err && !strcmp(a->format, "text"))
		err = history_list(h, &all, d);
	if (!err)
		err = regression_build(&r, &base->l.analysis, &new->l.analysis, fmax(a->threshold_pct, 0), &a->between,
				       d);
	if (err) {
		history_list_release(&all);
		return err;
	}
	err = cmd_history_show(
		a, &(struct shown){.regression = &r, .all = &all, .kind = HISTORY_MEASURED, .run = new->id}, d);
	history_list_release(&all);
	if (!err && regression_count(&r, REGRESSION_NEW) == r.nrows)
		err = diag_set(d, -ENOENT, "the two runs have no variant in common");
	a->gate = regression_count(&r, REGRESSION_SLOWER) || regression_count(&r, REGRESSION_UNKNOWN);
	regression_release(&r);
	return err;
}

static int load_exact(struct history *h, int64_t run, struct exact *e, struct diag *d)
{
	struct facilities *f = NULL;
	struct diag why = {};
	char dir[4200];
	int err = history_lay_out(h, HISTORY_EXACT, run, dir, sizeof(dir), &why);
	if (err == -ENODATA)
		return history_old_exact(h, run, e, d);
	if (err)
		return diag_set(d, err, "%s", why.text);
	err = loaded_run_facilities(&f, dir, NULL, d) ?: exact_read(e, dir, f, d);
	facilities_free(f);
	return err;
}

static int check_exact(struct history_args *a, const char *ref, struct diag *d)
{
	struct exact base = {}, new = {};
	struct history_list all = {};
	struct symkeys *keys = NULL;
	struct exact_check c = {};
	struct history *h = NULL;
	int64_t run[2];
	int err = history_open(&h, a->db, HISTORY_READ, d) ?: find_two(a, h, HISTORY_EXACT, ref, run, d);

	if (!err)
		err = load_exact(h, run[0], &base, d) ?: load_exact(h, run[1], &new, d);
	if (!err)
		err = exact_diff_renames(&keys, a->renames, &base, &new, d);
	if (!err)
		err = exact_check_build(&c, &base, &new, keys, d);
	if (!err && !strcmp(a->format, "text"))
		err = history_list(h, &all, d);
	if (!err)
		err = cmd_history_show(
			a, &(struct shown){.check = &c, .all = &all, .kind = HISTORY_EXACT, .run = run[1]}, d);
	history_list_release(&all);
	a->gate = exact_check_count(&c, EXACT_MORE) > 0;
	exact_check_release(&c);
	symkeys_free(keys);
	exact_release(&new);
	exact_release(&base);
	history_close(h);
	return err;
}

static int cmd_history_check(struct history_args *a, char **args, int nargs, struct diag *d)
{
	struct side base = {}, new = {};
	int64_t run[2] = {0};
	const char *wrong =
		!a->against                        ? "history check needs --against RUN"
		: a->exact && a->run_sd_pct >= 0   ? "--run-sd is for measured runs; exact counts do not scatter"
		: a->exact && a->threshold_pct > 0 ? "--threshold is for measured runs; that of --exact is zero"
		: !a->exact && a->renames
			? "--renames is for exact runs; of measured ones check compares the bases alone"
			: NULL;
	struct history *h = NULL;
	int err = check_format(a, false, d);

	if (!err && wrong)
		err = misuse(a, diag_set(d, -EINVAL, "%s", wrong));
	if (!err && a->exact)
		return check_exact(a, nargs ? args[0] : "last", d);
	if (!err)
		err = history_open(&h, a->db, HISTORY_READ, d);
	if (!err)
		err = find_two(a, h, HISTORY_MEASURED, nargs ? args[0] : "last", run, d);
	base.id = run[0], new.id = run[1];
	if (!err)
		err = cmd_history_load(h, false, &base, d) ?: cmd_history_load(h, false, &new, d);
	if (!err)
		err = cmd_history_judge(a, h, &base, &new, d);
	release(&new);
	release(&base);
	history_close(h);
	return err;
}

/* The verbs of the command. */
static const struct verb {
	const char *name, *args;
	int least, most; /* arguments */
	int (*run)(struct history_args *a, char **args, int nargs, struct diag *d);
} verbs[] = {
	{"add", "DIR", 1, 1, cmd_history_add},
	{"list", "", 0, 0, list},
	{"diff", "RUN:VARIANT [RUN:]VARIANT", 2, 2, diff},
	{"check", "[RUN] --against RUN", 0, 1, cmd_history_check},
};

static const struct verb *find_verb(const char *name)
{
	const struct verb *v = verbs;

	while (strcmp(v->name, name) != 0) /* the option table lets no other name pass */
		v++;
	return v;
}

/* Options that the verb has no use for. */
static int check_options(const struct history_args *a, const char *verb, struct diag *d)
{
	const struct {
		const char *name, *verbs;
		bool given;
	} options[] = {
		{"against", "check", a->against},
		{"threshold", "check", a->threshold_pct >= 0},
		{"exact", "check", a->exact},
		{"run-sd", "check diff", a->run_sd_pct >= 0},
		{"name", "add", a->name},
		{"machine", "add", a->machine},
		{"placement", "add", a->placement != default_placement},
		{"facilities", "add", a->facilities},
		{"renames", "check diff", a->renames},
		{"format", "list check diff", a->format != default_format},
		{"output", "list check diff", a->output},
		{"symbols", "diff", a->max_symbols > 0},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !strstr(options[i].verbs, verb))
			return diag_set(d, -EINVAL, "history %s has no use for --%s", verb, options[i].name);
	return 0;
}

static int run_verb(struct history_args *a, const struct verb *v, char **args, int nargs)
{
	struct diag d = {};
	int err;

	if (nargs < v->least || nargs > v->most)
		return complain("history %s: usage: xdpzoom history DB %s %s", v->name, v->name, v->args), EXIT_USAGE;
	if (check_options(a, v->name, &d) || output_check(a->output, &d) || new_file_spares(a->output, a->db, &d) ||
	    new_file_spares(a->output, a->renames, &d))
		return complain("%s", d.text), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not become that large is an error like a full disk */
	err = jailed_history(&a->out, a->output, a->db, &d) ?: v->run(a, args, nargs, &d);
	if (err)
		return a->usage || a->open ? (complain("%s", d.text), a->usage ? EXIT_USAGE : EXIT_OPEN)
					   : fail(&d, err);
	return a->gate ? EXIT_GATE : EXIT_OK;
}

/* The formats of a comparison. */
static void list_formats(const char **words, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < nformats && n + 1 < size; i++)
		if (format_fits(&formats[i], DOCUMENT_DIFF))
			words[n++] = formats[i].name;
	words[n] = NULL;
}

int cmd_history(const struct command *c, int argc, char **argv)
{
	struct history_args a = {
		.format = default_format, .placement = default_placement, .threshold_pct = -1, .run_sd_pct = -1};
	char *args[2] = {NULL, NULL};
	const char *verb = NULL, *words[24];
	const struct opt opts[] = {
		{"DB", 0, OPT_FILE, &a.db, NULL, "the file of the history, a SQLite database",
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"VERB", 0, OPT_WORD, &verb, NULL, "what to do with it",
		 .words = OPT_WORDS("add", "list", "diff", "check"), .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"RUN", 0, OPT_RUN, &args[0], NULL,
		 "add: a run directory, or another history; diff: the base as RUN:VARIANT; check: the run to check",
		 .flags = OPT_ARGUMENT},
		{"NEW", 0, OPT_RUN, &args[1], NULL, "diff: compared with the base, as RUN, VARIANT or RUN:VARIANT",
		 .flags = OPT_ARGUMENT},
		{"against", 'a', OPT_STRING, &a.against, "RUN", "check: the run to compare with"},
		{"threshold", 't', OPT_NUMBER, &a.threshold_pct, "PCT", "check: how much slower a variant may be", 0,
		 1000, .otherwise = "0"},
		{"exact", 0, OPT_FLAG, &a.exact, NULL,
		 "check: compare runs of xdpzoom exact, function by function, with a threshold of zero"},
		{"run-sd", 0, OPT_NUMBER, &a.run_sd_pct, "PCT",
		 "check, diff: how much the base differs from run to run (standard deviation)", 0, 100,
		 .otherwise = "by the other runs of the history, if there are three; else 2, or 1 with a ruler"},
		{"name", 0, OPT_STRING, &a.name, "NAME", "add: a name for the run"},
		{"machine", 0, OPT_STRING, &a.machine, "NAME", "add: a name for the machine that was measured",
		 .otherwise = "what the run has: twelve digits"},
		PLACEMENT_OPTION(&a.placement),
		FACILITIES_OPTION(&a.facilities),
		RENAMES_OPTION(&a.renames),
		{"format", 'f', OPT_WORD, &a.format, "FORMAT",
		 "how the result is printed; list: text, json; check: ktap too; diff", .words = words,
		 .flags = OPT_OPEN},
		{"output", 'o', OPT_FILE, &a.output, "FILE", "where to write the result",
		 .otherwise = "standard output"},
		{"symbols", 'n', OPT_INT, &a.max_symbols, "N", "diff: symbols that text shows", 1, 100000,
		 .otherwise = "12"},
		{},
	};
	int parsed;

	list_formats(words, sizeof(words) / sizeof(*words));
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	return run_verb(&a, find_verb(verb), args, !args[0] ? 0 : !args[1] ? 1 : 2);
}
