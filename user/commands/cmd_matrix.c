// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/known.h"
#include "base/listed.h"
#include "base/shell_word.h"
#include "base/sheet/text.h"
#include "reports/format/render_matrix.h"
#include "reports/history/history.h"
#include "reports/run/run.h"
#include "user/cli/loaded_run.h"
#include "user/cli/output.h"
#include "user/commands/matrix_jobs.h"
#include "user/xdpzoom.h"

static void otherwise(struct opt_list *l, const char *const *words)
{
	for (size_t i = 0; words[i] && (i || !l->n); i++)
		l->items[l->n++] = words[i];
}

static int cmd_matrix_check(const struct opt_list *kernels, const struct opt_list *variants, struct diag *d)
{
	struct run_variant v;
	int err = 0;

	for (size_t i = 0; i < variants->n && !err; i++)
		err = run_variant_to_measure(&v, variants->items[i], d);
	for (size_t i = 0; i < kernels->n && !err; i++)
		for (size_t k = 0; k < i && !err; k++)
			if (!strcmp(kernels->items[i], kernels->items[k]))
				err = diag_set(d, -EINVAL, "kernel %s is named twice", kernels->items[i]);
	return err;
}

/* What is written into the folder, and how often it is worth it. */
struct pages {
	const char *folder;
	const struct matrix_names *asked;
	struct facilities *f;
};

static int write_beside(const char *folder, const char *name, render_matrix *render, const struct matrix *m,
			struct diag *d)
{
	struct output out;
	char path[4200];
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = output_open(&out, path, d);
	return err ? err : output_close(&out, render(out.stream, m), d);
}

/* The JSON last: it keeps the order of the kernels. */
static int write_pages(const struct pages *p, struct matrix *m, struct diag *d)
{
	int err = matrix_read(m, p->folder, p->asked, p->f, d);

	if (!err)
		err = write_beside(p->folder, MATRIX_PAGE, render_matrix_html, m, d);
	if (!err)
		err = write_beside(p->folder, MATRIX_CSV, render_matrix_csv, m, d);
	if (!err)
		err = write_beside(p->folder, MATRIX_FEED, render_matrix_feed, m, d);
	return err ?: write_beside(p->folder, MATRIX_JSON, render_matrix_json, m, d);
}

/* ---- what was measured ------------------------------------------------------------------------------- */

/* Runs of FOLDER/measured, which are open as long as their numbers are used. */
struct measured_runs {
	struct loaded_run *runs;
	struct matrix_measured *list;
	size_t nruns, n;
};

static int cmd_matrix_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int cmd_matrix_add_measured(struct measured_runs *m, const char *dir, struct diag *d)
{
	struct loaded_run *l = &m->runs[m->nruns];
	struct matrix_measured *list;
	int err = loaded_run_open(l, dir, NULL, &(struct analysis_options){}, d);

	if (err)
		return err;
	m->nruns++;
	list = realloc(m->list, (m->n + l->analysis.nvariants + 1) * sizeof(*list));
	if (!list)
		return diag_set(d, -ENOMEM, "no memory");
	m->list = list;
	for (size_t i = 0; i < l->analysis.nvariants; i++) {
		const struct analysis_variant *v = &l->analysis.variants[i];

		list[m->n++] = (struct matrix_measured){or_empty(l->run.facts.kernel), or_empty(l->run.facts.driver),
							v->variant->id, v->base_ns, v->half_ns};
	}
	return 0;
}

/* By the names of their folders. A run that cannot be read is named, and the others count. */
static int read_measured(struct measured_runs *m, const char *folder, struct diag *d)
{
	struct dirent **names = NULL;
	char path[5000];
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/" MATRIX_MEASURED, folder);
	n = scandir(path, &names, NULL, cmd_matrix_by_name);
	m->runs = calloc(n > 0 ? (size_t)n : 1, sizeof(*m->runs));
	if (!m->runs)
		err = diag_set(d, -ENOMEM, "no memory");
	for (int i = 0; i < n; i++) {
		struct diag why = {};

		snprintf(path, sizeof(path), "%s/" MATRIX_MEASURED "/%s", folder, names[i]->d_name);
		if (!err && names[i]->d_name[0] != '.' && cmd_matrix_add_measured(m, path, &why))
			complain("%s", why.text);
		free(names[i]);
	}
	free(names);
	return err;
}

static void release_measured(struct measured_runs *m)
{
	for (size_t i = 0; i < m->nruns; i++)
		loaded_run_release(&m->runs[i]);
	free(m->runs);
	free(m->list);
}

static int while_counting(void *onlooker, struct diag *d)
{
	struct matrix m = {};
	int err = write_pages(onlooker, &m, d);

	matrix_release(&m);
	return err;
}

/* Each run of the folder is in the history once, however often this is called. */
static int keep_in_history(const char *db, const char *folder, const struct matrix *m, struct diag *d)
{
	const struct exact *last = NULL;
	struct history *h = NULL;
	char dir[5000], open[512];
	int err = history_open(&h, db, HISTORY_ADD, d);

	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants && !err; i++) {
		const struct matrix_cell *c = &m->cells[i];
		struct diag why = {};
		bool closes_not = false;
		int64_t run;

		if (!c->run || c->run == last)
			continue;
		last = c->run; /* the variants of a run stand side by side */
		snprintf(dir, sizeof(dir), "%s/%s", folder, c->dir);
		for (size_t v = 0; v < c->run->nvariants && !closes_not; v++)
			closes_not = exact_open_words(&c->run->variants[v], open, sizeof(open));
		if (closes_not) {
			complain("%s is not kept in %s: %s do not sum to an independent count", dir, db, open);
			continue;
		}
		err = history_add(h, &(struct history_new){.dir = dir, .exact = c->run}, &run, &why);
		err = err == -EEXIST ? 0 : err ? diag_set(d, err, "%s", why.text) : 0;
	}
	history_close(h);
	return err;
}

/* A command for each kernel and driver, with what goes in and what comes out. */
static int print_cells(const struct matrix_names *n, const struct matrix_options *o)
{
	char path[256], kernel[4 * PATH_MAX], folder[4 * PATH_MAX], list[8192] = "", variants[4 * sizeof(list)];

	for (size_t i = 0; i < n->nvariants; i++)
		if (!listed_add(list, sizeof(list), ",", "%s", n->variants[i])) {
			complain("too many variants for one command");
			return -E2BIG;
		}
	shell_word(variants, sizeof(variants), list);
	shell_word(folder, sizeof(folder), o->out_dir);
	for (size_t k = 0; k < n->nkernels; k++)
		for (size_t d = 0; d < n->ndrivers; d++) {
			shell_word(kernel, sizeof(kernel), n->kernels[k]);
			matrix_path(path, sizeof(path), n->kernels[k]);
			printf("xdpzoom matrix -q -t /dev/null -o %s -k %s -n %s -V %s%s%s # %s/%s/%s/all\n", folder,
			       kernel, n->drivers[d], variants, o->memory ? " --memory" : "",
			       o->build ? " --build" : "", o->out_dir, path, n->drivers[d]);
		}
	return render_finish(stdout);
}

int cmd_matrix(const struct command *c, int argc, char **argv)
{
	struct opt_list kernels = {}, drivers = {}, variants = {};
	struct matrix_options o = {.jobs = 1};
	const char *format = "text", *file = NULL, *db = NULL;
	bool look = false, cells = false;
	struct measured_runs measured = {};
	struct matrix_names asked;
	struct matrix m = {};
	struct pages pages;
	struct output out;
	struct diag d = {};
	size_t failed = 0;
	int parsed, err;
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &o.out_dir, "DIR",
		 "the folder of all runs and of the page; what is there is not counted again", .flags = OPT_REQUIRED},
		{"kernels", 'k', OPT_LIST, &kernels, "LIST", "kernels: words as of exact, files, trees",
		 .otherwise = "6.1,newest"},
		{"nics", 'n', OPT_LIST, &drivers, "LIST", "drivers that receive", .words = matrix_drivers,
		 .otherwise = "veth,virtio_net,vmxnet3"},
		{"variants", 'V', OPT_LIST, &variants, "LIST", "what to count",
		 .otherwise = "drop/no-touch@native,drop/no-touch@skb"},
		{"jobs", 'j', OPT_INT, &o.jobs, "N", "virtual machines at a time", 1, 64},
		{"memory", 0, OPT_FLAG, &o.memory, NULL, "count loads, stores and lines too: three times as long"},
		{"build", 0, OPT_FLAG, &o.build, NULL, "build what is missing or old in trees"},
		{"look", 0, OPT_FLAG, &look, NULL, "count nothing, print what is there"},
		{"cells", 0, OPT_FLAG, &cells, NULL,
		 "print a command for each kernel and driver, which runs alone, and the run that it makes"},
		{"history", 0, OPT_FILE, &db, "DB", "keep the runs in this history, too", .otherwise = "no"},
		{"format", 'f', OPT_WORD, &format, "FORMAT", "how the table is printed",
		 .words = OPT_WORDS("text", "json", "csv")},
		{"table", 't', OPT_FILE, &file, "FILE", "where to write the table", .otherwise = "standard output"},
		{"quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no progress"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	stop_on_signals();
	if (!look) {
		otherwise(&kernels, OPT_WORDS("6.1", "newest"));
		otherwise(&drivers, OPT_WORDS("veth", "virtio_net", "vmxnet3"));
		otherwise(&variants, OPT_WORDS("drop/no-touch@native", "drop/no-touch@skb"));
	}
	if (cmd_matrix_check(&kernels, &variants, &d))
		return complain("%s", d.text), EXIT_USAGE;
	asked = (struct matrix_names){kernels.items, drivers.items, variants.items, kernels.n,
				      drivers.n,     variants.n,    NULL,           0};
	if (cells)
		return print_cells(&asked, &o) ? EXIT_FAILED : EXIT_OK;
	pages = (struct pages){o.out_dir, &asked, NULL};
	o.counted = while_counting;
	o.onlooker = &pages;
	err = facilities_read(&pages.f, NULL, &d) ?: read_measured(&measured, o.out_dir, &d);
	asked.measured = measured.list;
	asked.nmeasured = measured.n;
	if (!err && !look)
		err = matrix_jobs_run(&asked, &o, &failed, &d);
	if (!err)
		err = write_pages(&pages, &m, &d);
	if (!err && db)
		err = keep_in_history(db, o.out_dir, &m, &d);
	if (!err)
		err = output_open(&out, file, &d);
	if (!err)
		err = output_close(&out,
				   (*format == 't'   ? render_matrix_text
				    : *format == 'j' ? render_matrix_json
						     : render_matrix_csv)(out.stream, &m),
				   &d);
	matrix_release(&m);
	release_measured(&measured);
	facilities_free(pages.f);
	return err ? fail(&d, err) : failed ? EXIT_FAILED : EXIT_OK;
}
