// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "user/commands/commands.h"
#include "user/cli/cli.h"
#include "user/programs/programs.h"
#include "user/replay/replay.h"
#include "user/xdpzoom.h"

struct replay_args {
	const char *programs[REPLAY_SIDES]; /* as on the command line; the second may be NULL */
	const char *format, *path;
	struct frame_source frames;
	struct own_options own;
	struct old_new_options old_new;
	int most;
};

static int cmd_replay_take_frames(struct frames *f, const struct replay_args *a, struct diag *d)
{
	if (!frames_wanted(&a->frames))
		return diag_set(d, -EINVAL,
				"no frames: give --frames FILE.pcap, or --frames 'udp 10.0.0.1 > 10.0.0.2:53'");
	return frames_take(f, &a->frames, d);
}

/* The mode matters only for --measured and --exact: no program is attached. */
static int take_programs(struct run_variant v[REPLAY_SIDES], const struct replay_args *a, struct diag *d)
{
	int err = 0;

	for (int i = 0; i < REPLAY_SIDES && a->programs[i] && !err; i++) {
		const char *text = a->programs[i];

		err = run_variant_parse(&v[i], text, d);
		if (!err && !run_variant_is_own(&v[i]))
			err = diag_set(
				d, -EINVAL,
				"%.64s: name programs as FILE.o, prog:FILE.o:NAME, prog:pinned:PATH or prog:id:N",
				text);
		if (!err && v[i].observer)
			err = diag_set(d, -EINVAL, "%.64s: an observer watches a device, and replay uses none", text);
	}
	if (!err && (a->old_new.measured || a->old_new.exact) && !a->programs[1])
		err = diag_set(d, -EINVAL, "--measured and --exact compare two programs; name a second one");
	return err ? err : own_options_check(&a->own, v, a->programs[1] ? 2 : 1, d);
}

static int print(const struct replay *r, const struct old_new *n, const struct replay_args *a, struct diag *d)
{
	struct output out;
	int err = output_open(&out, a->path, d);

	if (err)
		return err;
	if (!strcmp(a->format, "markdown"))
		replay_print_markdown(r, (size_t)a->most, out.stream);
	else
		replay_print_text(r, (size_t)a->most, out.stream);
	return output_close(&out, old_new_print(n, a->format, out.stream), d);
}

static int run_programs(struct replay *r, const struct own_list *own, const struct replay_args *a,
			const struct frames *f, struct diag *d)
{
	int fds[REPLAY_SIDES] = {own->list[0].prog_fd, a->programs[1] ? own->list[1].prog_fd : -1};

	return replay_run(r, f, a->programs, fds, d);
}

static int replay(const struct replay_args *a, const struct run_variant *v, struct old_new *n)
{
	struct own_list own;
	struct frames f = {};
	struct replay r = {};
	struct diag d = {}, undone = {};
	bool failed;
	int err, undo_err;

	own_list_init(&own, &a->own);
	err = old_new_open(n, (const char *const[]){v[0].id, v[1].id}, &d);
	if (!err)
		err = cmd_replay_take_frames(&f, a, &d) ?: own_list_open(&own, v, a->programs[1] ? 2 : 1, "", &d);
	if (!err)
		err = run_programs(&r, &own, a, &f, &d) ?: print(&r, n, a, &d);
	undo_err = own_list_close(&own, &undone);
	if (err)
		complain_of(&d, err);
	if (undo_err)
		complain_of(&undone, undo_err);
	replay_release(&r);
	frames_release(&f);
	failed = !err && old_new_fails(n);
	old_new_release(n);
	return err || undo_err ? EXIT_FAILED : r.differ || failed ? EXIT_GATE : EXIT_OK;
}

int cmd_replay(const struct command *c, int argc, char **argv)
{
	struct replay_args a = {.format = "text", .most = 20};
	struct run_variant v[REPLAY_SIDES] = {};
	struct old_new n;
	struct diag d = {};
	int parsed;

	own_options_init(&a.own);
	const struct opt opts[] = {
		{"OLD", 0, OPT_STRING, &a.programs[0], NULL, "a program: prog:FILE.o, prog:pinned:PATH or prog:id:N",
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"NEW", 0, OPT_STRING, &a.programs[1], NULL, "another one, whose verdicts and frames are compared",
		 .flags = OPT_ARGUMENT},
		FRAMES_OPTION(&a.frames),
		OWN_OPTIONS(&a.own),
		OLD_NEW_OPTIONS(&a.old_new),
		{"most", 0, OPT_INT, &a.most, "N", "print so many frames that differ", 1, 1000000},
		{"format", 0, OPT_WORD, &a.format, "FORMAT", "markdown is for a pull request",
		 .words = OPT_WORDS("text", "markdown")},
		{"output", 'o', OPT_FILE, &a.path, "FILE", "write into FILE", .otherwise = "standard output"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (output_check(a.path, &d) || new_file_spares(a.path, frames_file(&a.frames), &d) ||
	    take_programs(v, &a, &d) || old_new_check(&n, &a.old_new, &d))
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	stop_on_signals();
	return replay(&a, v, &n);
}
