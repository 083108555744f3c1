// SPDX-License-Identifier: GPL-2.0-or-later
/* report - whatever stands at a path, in the formats that fit it */
#include <sys/mman.h>
#include <sys/wait.h>
#include "user/cli/cli.h"

struct report {
	struct report_args a; /* first: report_enter() finds the rest by it */
	struct plot plot;
	bool draws; /* a plot */
	char dir[4096];
	const char *variant;
};

#define FONT_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -"

/* ---- pictures --------------------------------------------------------------------------------------- */

/* Before the jail: by the file of a directory alone, and by the name of a history's entry. */
static bool is_counted(const char *dir)
{
	struct stat st;

	return stat(dir, &st) ? errno == ENOTDIR && strstr(dir, "/exact/") : S_ISDIR(st.st_mode) && exact_is(dir);
}

/* gnuplot is started in the same jail. */
static int report_enter(struct report_args *a, struct diag *d)
{
	struct report *r = (struct report *)a;
	bool flame = a->plots.n == 1 && !strcmp(a->plots.items[0], "flame"), picture = a->format->picture;
	int err = 0;

	r->variant = loaded_run_split(a->run, r->dir, sizeof(r->dir));
	if ((a->width_mm > 0 || a->font) && (!picture || flame))
		return diag_set(d, -EINVAL, "--size and --font are for charts: -f svg or -f gnuplot");
	if (a->font && (!*a->font || a->font[strspn(a->font, FONT_LETTERS)]))
		return diag_set(d, -EINVAL, "--font: the name of a font has letters, digits and blanks");
	if (a->plots.n && !picture)
		return diag_set(d, -EINVAL, "--plot is for plots: -f svg or -f gnuplot");
	if (flame && !a->format->write)
		return diag_set(d, -EINVAL, "a flame graph is written as svg alone");
	r->draws = picture && !flame && (a->plots.n || !a->format->write || !is_counted(r->dir));
	a->analysis.stacks = a->format->stacks && !r->draws;
	r->plot = (struct plot){.width_mm = a->width_mm, .font = a->font};
	for (size_t i = 0; i < a->plots.n && r->draws && !err; i++)
		err = plot_want(&r->plot, a->plots.items[i], d);
	for (int i = 0; i < PLOT_KINDS && !a->plots.n; i++)
		r->plot.wanted[i] = true;
	if (!err)
		err = output_open(&a->out, a->output, d);
	if (!err && a->output)
		err = new_file_keep(&(struct new_file *){&a->out.file}, 1, d);
	return err ? err : jail_enter(r->draws && a->format->write ? JAIL_STARTS : 0, -1, 0, d);
}

/* Copies all that gnuplot draws, in the same jail. -EOPNOTSUPP: it is not installed; -EIO: it could not draw. */
static int gnuplot_draw(int script, FILE *picture, struct diag *d)
{
	int pipe_fd[2] = {-1, -1}, status = 0, err = 0;
	FILE *said = fdopen(memfd_create("said", MFD_CLOEXEC), "r");
	char part[65536], words[256];
	pid_t pid = -1;
	ssize_t n = 0;

	fflush(picture);
	if (said && !pipe2(pipe_fd, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		/*
		 * gnuplot reads the script from its input and writes the picture to its output; -d: without the user's
		 * own settings.
		 */
		if (dup2(script, STDIN_FILENO) < 0 || dup2(pipe_fd[1], STDOUT_FILENO) < 0 ||
		    dup2(fileno(said), STDERR_FILENO) < 0)
			_exit(126);
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		err = diag_set(d, -errno, "cannot start gnuplot: %s", strerror(errno));
	fd_close(pipe_fd[1]);
	/* gnuplot itself says nothing when the disk is full. */
	while (!err && ((n = read(pipe_fd[0], part, sizeof(part))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0 && fwrite(part, 1, (size_t)n, picture) != (size_t)n)
			err = -errno;
	if (!err && n < 0)
		err = -errno;
	fd_close(pipe_fd[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !err) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
			err = diag_set(d, -EOPNOTSUPP,
				       "gnuplot is not installed; -f gnuplot writes the script that it draws, with its "
				       "data");
		} else if (status) {
			rewind(said);
			program_last_words(said, words, sizeof(words)); /* behind the faulty line and a mark */
			err = diag_set(d, -EIO, "gnuplot could not draw what -f gnuplot writes: %s", words);
		}
	}
	if (said)
		fclose(said);
	return err;
}

/* svg: gnuplot reads the script from memory. */
static int draw(struct report *r, struct diag *d)
{
	bool svg = r->a.format->write;
	FILE *script = svg ? fdopen(memfd_create("script", MFD_CLOEXEC), "w+") : r->a.out.stream;
	int err = script ? plot_write(script, &r->plot, d) : diag_set(d, -errno, "%s", strerror(errno));

	if (!err && svg && (fflush(script) || lseek(fileno(script), 0, SEEK_SET)))
		err = diag_set(d, -errno, "%s", strerror(errno));
	if (!err && svg)
		err = gnuplot_draw(fileno(script), r->a.out.stream, d);
	if (script && svg)
		fclose(script);
	return output_close(&r->a.out, err, d);
}

/* A variant's name is that of a pair, unless it has a mode. */
static int draw_run(struct report *r, const struct loaded_run *l, struct diag *d)
{
	bool pair = r->variant && !strchr(r->variant, '@');
	const struct overview_row *row = NULL;
	char known[384] = "";
	struct loaded_variant only = {};
	struct compare c = {};
	struct overview v;
	int err;

	if (l->exact)
		return diag_set(d, -EINVAL,
				"%s holds exact counts, and no measured run; -f svg draws their flame graph", r->dir);
	err = r->variant && !pair ? loaded_run_find(l, r->variant, &only, d) : 0;
	if (err)
		return err;
	err = overview_build(&v, &l->analysis, d);
	if (err)
		return err;
	/* The pair with this name, or without a name the first one that can be compared. */
	for (size_t i = 0; i < v.nrows && !row; i++) {
		if (!v.rows[i].have_difference)
			continue;
		if (!pair || !strcmp(v.rows[i].name, r->variant))
			row = &v.rows[i];
		else
			listed_add(known, sizeof(known), " ", "%s", v.rows[i].name);
	}
	if (!row && pair)
		err = diag_set(d, -ENOENT, "the run does not have both native and skb of \"%.64s\"; it has both of: %s",
			       r->variant, *known ? known : "none");
	if (row && !only.measured)
		err = compare_build(&c, row->native, row->skb, NULL, d);
	r->plot.a = &l->analysis;
	r->plot.only = only.measured;
	r->plot.c = row && !only.measured ? &c : NULL;
	if (!err)
		err = draw(r, d);
	compare_release(&c);
	overview_release(&v);
	return err;
}

/* ---- what is no run --------------------------------------------------------------------------------- */

/* ---- runs ------------------------------------------------------------------------------------------- */

static int put_run(struct report *r, const struct loaded_run *l, const struct loaded_variant *only, struct diag *d)
{
	struct render_options o = {};
	struct loaded_run crossing;
	struct document doc;
	size_t layers = 0;
	int err = loaded_run_open_crossing(&crossing, l, &r->a.analysis, d);

	if (err && err != -ENOENT)
		return err;
	o.crossing = err ? NULL : &crossing.analysis;
	for (size_t i = 0; i < l->run.nvariants; i++)
		layers += run_variant_is_layer(&l->run.variants[i]);
	/* a ladder: most of its variants are layers */
	if (!only->run && layers > 1 && 2 * layers > l->run.nvariants && !r->a.verbose && !r->a.full)
		format_of(&r->a.format,
			  !strcmp(r->a.format->name, "text")   ? "ladder"
			  : !strcmp(r->a.format->name, "html") ? "ladder-html"
							       : r->a.format->name,
			  KIND(DOCUMENT_REPORT), NULL);
	err = l->exact ? document_of_exact(&doc, &l->counted, only->counted)
		       : document_of_report(&doc, &l->analysis, only->measured);
	err = report_args_write(&r->a, &doc, err, &o, d);
	loaded_run_release(&crossing);
	return err;
}

/* How much of the measured time the exact counts explain. The kernels decide whether functions have other names. */
static int put_explanation(struct report *r, const struct loaded_run *l, const struct loaded_variant *only,
			   size_t *open, char failed[GATES_BYTES], struct diag *d)
{
	struct loaded_run counted[2] = {};
	struct symkeys *keys = NULL;
	struct explain e = {};
	struct document doc;
	int err = l->exact ? diag_set(d, -EINVAL, "%s has exact counts; name the measured run first", r->dir) : 0;

	for (size_t i = 0; i < r->a.exact.n && !err; i++)
		err = loaded_run_open_beside(&counted[i], r->a.exact.items[i], true, l, NULL, d);
	if (!err)
		err = symkeys_read(&keys, NULL, d);
	if (!err)
		err = explain_build(&e, &l->analysis, only->measured, &counted[0].counted, keys, d);
	if (!err && r->a.exact.n > 1)
		err = explain_forecast(&e, &counted[1].counted, d);
	if (!err)
		err = report_args_write(&r->a, &doc, document_of_explain(&doc, &e), NULL, d);
	if (!err) {
		quality_name_failed(&e.measured->quality, failed, GATES_BYTES);
		for (size_t i = 0; i < e.nvariants; i++)
			quality_name_failed(&e.variants[i].measured->quality, failed, GATES_BYTES);
		*open = loaded_run_complain(&counted[0], NULL) + loaded_run_complain(&counted[1], NULL);
	}
	explain_release(&e);
	symkeys_free(keys);
	loaded_run_release(&counted[1]);
	loaded_run_release(&counted[0]);
	return err;
}

static int report_run(struct report *r)
{
	char failed[GATES_BYTES] = "";
	struct loaded_variant only = {};
	bool exact = exact_is(r->dir);
	struct loaded_run l;
	struct diag d = {};
	size_t open = 0;
	int err = loaded_run_open(&l, r->dir, r->a.components, exact ? NULL : &r->a.analysis, &d);
	int status;

	if (err)
		return complain_of(&d, err);
	err = report_args_fit(&r->a, r->a.exact.n ? DOCUMENT_EXPLAIN : exact ? DOCUMENT_EXACT : DOCUMENT_REPORT, &d);
	if (err) {
		loaded_run_release(&l);
		return complain_of(&d, err), EXIT_USAGE;
	}
	if (r->draws) {
		err = draw_run(r, &l, &d);
		loaded_run_release(&l);
		return err ? complain_of(&d, err) : EXIT_OK;
	}
	err = sweep_wakeups_fill(&l.analysis, r->dir, &d);
	if (!err && r->variant)
		err = loaded_run_find(&l, r->variant, &only, &d);
	if (!err && r->a.exact.n)
		err = put_explanation(r, &l, &only, &open, failed, &d);
	else if (!err)
		err = put_run(r, &l, &only, &d);
	if (!err && !r->a.exact.n) {
		/* Appends the names of the checks that failed, of the run and of the variants shown. */
		size_t size = sizeof(failed);
		quality_name_failed(&l.analysis.quality, failed, size);
		for (size_t i = 0; i < l.analysis.nvariants; i++)
			if (!only.measured || only.measured == &l.analysis.variants[i])
				quality_name_failed(&l.analysis.variants[i].quality, failed, size);
		open = loaded_run_complain(&l, only.counted);
	}
	status = err ? complain_of(&d, err) : report_args_judge(&r->a, failed);
	loaded_run_release(&l);
	return status == EXIT_OK && open && r->a.strict ? EXIT_GATE : status;
}

static int run_report(struct report *r)
{
	char path[4200];
	struct stat st;

	if (r->variant && r->a.new_run)
		return complain("two variants are named: %s and %s", r->variant, r->a.new_run), EXIT_USAGE;
	if (!r->variant)
		r->variant = r->a.new_run;
	if (sweep_is(r->dir)) {
		if (r->variant)
			return (complain("%s is a sweep, which is not drawn in pairs and has no variants; name a "
					 "point of it",
					 r->dir),
				EXIT_FAILED);
		struct diag d = {}, left_out = {};
		struct document doc;
		struct sweep s;
		int err = report_args_format(&r->a, KIND(DOCUMENT_SWEEP), "a sweep", &d);

		if (!err && r->a.format->picture && !r->draws)
			err = diag_set(&d, -EINVAL, "a sweep has no flame graph; one of its runs has");

		if (err)
			return complain_of(&d, err), EXIT_USAGE;
		err = sweep_read(&s, r->dir, &d);
		if (err)
			return complain_of(&d, err);
		if (sweep_left_out(r->dir, &left_out))
			complain("%s", left_out.text);
		r->plot.sweep = &s;
		if (r->draws)
			err = draw(r, &d);
		else
			err = report_args_write(&r->a, &doc, document_of_sweep(&doc, &s), NULL, &d);
		sweep_release(&s);
		return err ? complain_of(&d, err) : EXIT_OK;
	}
	/* Neither a run of any kind nor a sweep: the folder of a matrix has no run.json of its own. */
	snprintf(path, sizeof(path), "%s/run.json", r->dir);
	if (!r->variant && !stat(r->dir, &st) && S_ISDIR(st.st_mode) && stat(path, &st) && errno == ENOENT) {
		struct components *f = NULL;
		const struct matrix_names names = {};
		struct document doc;
		struct matrix m = {};
		struct diag d = {};
		int err = components_read(&f, r->a.components, &d);

		if (!err)
			err = matrix_read(&m, r->dir, &names, f, &d);
		if (!err && !m.nkernels)
			err = diag_set(&d, -ENOENT,
				       "%s is no run, and has no points of a sweep and no cells of a matrix", r->dir);
		if (!err)
			err = report_args_format(&r->a, KIND(DOCUMENT_MATRIX), "a matrix", &d);
		if (!err)
			err = report_args_write(&r->a, &doc, document_of_matrix(&doc, &m), NULL, &d);
		matrix_release(&m);
		components_free(f);
		return err ? complain_of(&d, err) : EXIT_OK;
	}
	if (!stat(r->dir, &st) && S_ISREG(st.st_mode))
		return complain("%s is a file, and no run's directory; of a history, report takes DB/RUN", r->dir),
		       EXIT_FAILED;
	if (stat(r->dir, &st) && errno == ENOENT)
		return complain("there is no run %s", r->dir), EXIT_FAILED;
	return report_run(r);
}

int cmd_report(const struct command *c, int argc, char **argv)
{
	struct report r = {};
	int status = report_args_parse(&r.a, c, argc, argv, READS_REPORT, report_enter);

	return status < 0 ? run_report(&r) : status;
}
