// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/jail.h"
#include "base/listed.h"
#include "base/new_file.h"
#include "reports/compare/overview.h"
#include "reports/page/plot.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/xdpzoom.h"

struct plot_args {
	const char *output, *pair, *facilities, *placement;
	struct opt_list kinds;
	struct loaded_run run; /* what is drawn: one of both */
	struct sweep sweep;
};

/* Reads gnuplot's error output and returns its last line. gnuplot prints the faulty line, a mark, then the reason. */
static void last_words(int fd, char *line, size_t size)
{
	char said[2048], *end, *from;
	off_t length = lseek(fd, 0, SEEK_END),
	      start = length < (off_t)sizeof(said) ? 0 : length - (off_t)sizeof(said) + 1;
	ssize_t n = pread(fd, said, sizeof(said) - 1, start);

	for (end = said + (n > 0 ? n : 0); end > said && strchr("\n \t", end[-1]); end--)
		;
	*end = '\0';
	from = strrchr(said, '\n');
	snprintf(line, size, "%.200s", from ? from + 1 + strspn(from + 1, " \t") : said);
}

/* gnuplot reads the script from its input and writes the picture to its output; -d: without the user's own settings. */
static void be_gnuplot(const struct plot *p, int script_fd, int out_fd, int err_fd)
{
	if (dup2(script_fd, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0 || dup2(err_fd, STDERR_FILENO) < 0)
		_exit(126);
	if (!fchdir(p->folder_fd))
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* A file in memory with the script, to be read from its beginning. -errno */
static int script_file(const struct plot *p)
{
	int fd = memfd_create("script", MFD_CLOEXEC), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out)
		return -errno;
	plot_draw(out, p);
	if (fclose(out) || lseek(fd, 0, SEEK_SET))
		return -errno;
	return fd;
}

/* Copies all that gnuplot draws. gnuplot itself says nothing when the disk is full. */
static int copy_picture(int from, FILE *to)
{
	char part[65536];
	ssize_t n;

	while ((n = read(from, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && fwrite(part, 1, (size_t)n, to) != (size_t)n)
			return -errno;
	return n < 0 ? -errno : 0;
}

static int cmd_plot_judge(const struct plot *p, int status, int said_fd, struct diag *d)
{
	char said[256];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return diag_set(
			d, -EOPNOTSUPP,
			"gnuplot is not installed; %s/%s.gp and its data are written, and gnuplot can draw them",
			p->folder, p->base);
	last_words(said_fd, said, sizeof(said));
	if (status)
		return diag_set(d, -EIO, "gnuplot could not draw %s/%s.gp: %s", p->folder, p->base, said);
	return 0;
}

/* Draws the picture with the script and the data that plot_write() wrote. */
static int run_gnuplot(const struct plot *p, FILE *picture, struct diag *d)
{
	int pipe_fd[2] = {-1, -1}, script = script_file(p), said = memfd_create("said", MFD_CLOEXEC), status, err = 0;
	pid_t pid = -1;

	if (script >= 0 && said >= 0 && !pipe2(pipe_fd, O_CLOEXEC))
		pid = fork();
	if (!pid)
		be_gnuplot(p, script, pipe_fd[1], said);
	if (pid < 0)
		err = diag_set(d, -errno, "cannot start gnuplot: %s", strerror(errno));
	if (pipe_fd[1] >= 0)
		close(pipe_fd[1]);
	if (!err)
		err = copy_picture(pipe_fd[0], picture);
	if (pipe_fd[0] >= 0)
		close(pipe_fd[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !err)
		err = cmd_plot_judge(p, status, said, d);
	if (script >= 0)
		close(script);
	if (said >= 0)
		close(said);
	return err;
}

static int cmd_plot_draw(struct plot *p, struct diag *d)
{
	struct new_file *picture = plot_file(p, PLOT_PICTURE, d);

	return picture ? plot_close(p, PLOT_PICTURE, run_gnuplot(p, picture->stream, d), d) : p->errs[PLOT_PICTURE];
}

/* Returns the pair with this name, or without a name the first pair that can be compared; NULL: there is none. */
static const struct overview_row *find_pair(const struct overview *v, const char *name, struct diag *d)
{
	char known[384] = "";

	for (size_t i = 0; i < v->nrows; i++) {
		if (!v->rows[i].have_difference)
			continue;
		if (!name || !strcmp(v->rows[i].name, name))
			return &v->rows[i];
		listed_add(known, sizeof(known), " ", "%s", v->rows[i].name);
	}
	if (name)
		diag_set(d, -ENOENT, "the run does not have both native and skb of \"%.64s\"; it has both of: %s", name,
			 *known ? known : "none");
	return NULL;
}

static int plot_all(struct plot *p, const struct plot_args *a, struct diag *d)
{
	const struct overview_row *row;
	struct compare c = {};
	struct overview v;
	int err = overview_build(&v, p->a, d);

	if (err)
		return err;
	row = find_pair(&v, a->pair, d);
	if (!row && a->pair)
		err = -ENOENT;
	if (row)
		err = compare_build(&c, row->native, row->skb, NULL, d);
	p->c = row && !p->only ? &c : NULL;
	if (!err)
		err = plot_write(p, d) ?: cmd_plot_draw(p, d);
	compare_release(&c);
	overview_release(&v);
	return err;
}

static int plot_sweep(struct plot *p, struct plot_args *a, const char *dir, struct diag *d)
{
	struct diag left_out = {};
	int err;

	if (a->pair)
		return diag_set(d, -EINVAL, "--pair: the points of a sweep are not drawn in pairs");
	err = sweep_read(&a->sweep, dir, d);
	if (err)
		return err;
	if (sweep_left_out(dir, &left_out))
		complain("%s", left_out.text);
	p->sweep = &a->sweep;
	err = plot_write(p, d) ?: cmd_plot_draw(p, d);
	sweep_release(&a->sweep);
	return err;
}

static int run_plot(struct plot *p, struct plot_args *a, const struct analysis_options *o, const char *arg)
{
	struct loaded_run *l = &a->run;
	struct diag d = {};
	char dir[4096];
	const char *variant = loaded_run_split(arg, dir, sizeof(dir));
	int err;

	if (!variant && sweep_is(dir)) {
		err = plot_sweep(p, a, dir, &d);
		return err ? fail(&d, err) : EXIT_OK;
	}
	err = loaded_run_open(l, dir, a->facilities, o, &d);
	if (err)
		return fail(&d, err);
	p->a = &l->analysis;
	if (variant) {
		p->only = analysis_find(&l->analysis, variant, &d);
		err = p->only ? 0 : -ENOENT;
	}
	if (!err)
		err = plot_all(p, a, &d);
	loaded_run_release(l);
	return err ? fail(&d, err) : EXIT_OK;
}

static int cmd_plot_check(struct plot *p, const struct plot_args *a, struct analysis_options *o, struct diag *d)
{
	int err = plot_init(p, a->output, d) ?: placement_choice_parse(&o->placement, a->placement, d);

	for (size_t i = 0; i < a->kinds.n && !err; i++)
		err = plot_want(p, a->kinds.items[i], d);
	for (int i = 0; i < PLOT_KINDS && !a->kinds.n; i++)
		p->wanted[i] = true;
	return err;
}

/* Opens all files; from then on nothing else is written. gnuplot is started in the same jail. */
static int enter(struct plot *p, struct diag *d)
{
	struct new_file *files[PLOT_FILES];
	size_t n = 0;
	int err = plot_open(p, d);

	for (int i = 0; i < PLOT_FILES; i++)
		if (p->files[i].stream)
			files[n++] = &p->files[i];
	if (!err)
		err = new_file_keep(files, n, d);
	return err ? err : jail_enter(JAIL_STARTS, -1, 0, d);
}

int cmd_plot(const struct command *c, int argc, char **argv)
{
	struct plot_args a = {.placement = "auto"};
	struct analysis_options o = {};
	const char *run = NULL;
	struct diag d = {};
	struct plot p;
	const struct opt opts[] = {
		{"DIR[:VARIANT]", 0, OPT_RUN, &run, NULL,
		 "a run directory, and one variant of it; or a sweep's directory",
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"output", 'o', OPT_FILE, &a.output, "FILE",
		 "picture: .svg, .png or .pdf; its script and data stay beside it", .flags = OPT_REQUIRED},
		{"plot", 'p', OPT_LIST, &a.kinds, "KIND", "what to draw",
		 .words = OPT_WORDS("waterfall", "facilities", "pps", "polls", "ns", "mpps", "busy", "cores"),
		 .otherwise = "all"},
		{"pair", 0, OPT_STRING, &a.pair, "NAME", "the pair in the waterfall, e.g. drop/read-data",
		 .otherwise = "the first"},
		FACILITIES_OPTION(&a.facilities),
		PLACEMENT_OPTION(&a.placement),
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv), err, status;

	if (parsed)
		return opts_exit(parsed);
	if (cmd_plot_check(&p, &a, &o, &d))
		return complain("%s", d.text), EXIT_USAGE;
	err = enter(&p, &d);
	if (err)
		return fail(&d, err);
	status = run_plot(&p, &a, &o, run);
	plot_release(&p);
	return status;
}
