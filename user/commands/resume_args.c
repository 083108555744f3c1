// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/resume_args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/caller.h"
#include "base/complain.h"
#include "user/machine/machine.h"

#define OPTION "--resume"

static bool is_option(const char *word)
{
	return !strcmp(word, OPTION) || !strncmp(word, OPTION "=", sizeof(OPTION));
}

bool resume_args_wanted(int argc, char **argv)
{
	bool wanted = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strncmp(argv[i], "--help", 6))
			return false;
		wanted |= is_option(argv[i]);
	}
	return wanted;
}

/* Only --quiet may stand beside it: everything else is as it was. */
static int read_words(struct resume_args *a, int argc, char **argv, const char **path)
{
	*path = NULL;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-q") || !strcmp(argv[i], "--quiet")) {
			a->quiet = true;
		} else if (!is_option(argv[i]) || *path) {
			complain("record: " OPTION " takes all other options from the run, so %s cannot be given",
				 argv[i]);
			return EXIT_USAGE;
		} else if (argv[i][sizeof(OPTION) - 1]) {
			*path = argv[i] + sizeof(OPTION);
		} else if (++i < argc) {
			*path = argv[i];
		}
	}
	if (*path && **path && strlen(*path) < sizeof(a->dir))
		return EXIT_OK;
	complain("record: " OPTION " wants the directory of a recording that was cut off");
	return EXIT_USAGE;
}

/* Nobody else can have written it. */
static bool is_own(int fd)
{
	struct stat st;
	uid_t uid;
	gid_t gid;

	return !fstat(fd, &st) && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (st.st_uid == geteuid() || caller_owns(fd, &uid, &gid));
}

static int check_own(const struct resume_args *a, struct diag *d)
{
	int file = openat(a->from.dir_fd, "run.json", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool own = file >= 0 && is_own(file) && is_own(a->from.dir_fd);

	if (file < 0)
		return diag_set(d, -errno, "%s holds no run to go on with: run.json: %s", a->from.path,
				strerror(errno));
	close(file);
	return own ? 0
		   : diag_set(d, -EINVAL,
			      "%s could have been written by somebody else, and its options run as this user; the run "
			      "has to belong to who resumes it, and to be writable for nobody else",
			      a->from.path);
}

static int open_dir(struct resume_args *a, const char *path, struct diag *d)
{
	struct record_resume *from = &a->from;

	run_dir_find(from->path, a->dir, sizeof(a->dir), path);
	a->in_place = !strcmp(from->path, a->dir);
	from->dir_fd = open(from->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from->dir_fd < 0)
		return diag_set(d, -errno, "%s cannot be opened: %s", from->path, strerror(errno));
	if (flock(from->dir_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return diag_set(d, -EBUSY, "%s: its recorder is still running, or somebody else resumes it",
				from->path);
	return check_own(a, d);
}

static const char *resume_args_word_of(const json_t *command, size_t i)
{
	const char *word = json_string_value(json_array_get(command, i));

	return word ? word : "";
}

static bool is_sweep(const json_t *command)
{
	for (size_t i = 0; i < json_array_size(command); i++)
		if (!strncmp(resume_args_word_of(command, i), "--sweep", 7))
			return true;
	return false;
}

static int check_run(const struct resume_args *a, struct diag *d)
{
	const struct run *run = &a->from.run;
	const char *path = a->from.path, *boot = json_string_value(json_object_get(run->environment, "boot_id"));
	char now[64];

	if (strcmp(resume_args_word_of(run->command, 1), "record"))
		return diag_set(d, -EINVAL, "%s was not made by xdpzoom record", path);
	if (is_sweep(run->command))
		return diag_set(d, -EINVAL,
				"%s is a point of a sweep: the command of the sweep, once more, goes on with it", path);
	if (!strcmp(run->ended, "complete") || !strcmp(run->ended, "time limit"))
		return diag_set(d, -EALREADY, "%s is finished: it ended as \"%s\"", path, run->ended);
	if (strcmp(run->version, XDPZOOM_VERSION))
		return diag_set(d, -ESTALE, "%s was recorded by version %s, and this is " XDPZOOM_VERSION, path,
				run->version);
	if (!boot || facts_line(&facts_here, now, sizeof(now), ENV_BOOT_ID))
		return diag_set(d, -ESTALE, "%s: it is not known whether this machine was booted since", path);
	if (strcmp(boot, now))
		return diag_set(d, -ESTALE,
				"%s was recorded on another machine, or before this one was booted, and a run cannot "
				"mix the two; record the rest as another run",
				path);
	return 0;
}

/* The parser changes the order of its words, so they are copies. */
static int take_words(struct resume_args *a, struct diag *d)
{
	const json_t *command = a->from.run.command;
	size_t n = json_array_size(command);

	a->argv = calloc(n + 1, sizeof(*a->argv));
	for (size_t i = 1; a->argv && i < n; i++) {
		a->argv[a->argc] = strdup(resume_args_word_of(command, i));
		if (!a->argv[a->argc++])
			return diag_set(d, -ENOMEM, "out of memory");
	}
	return a->argv ? 0 : diag_set(d, -ENOMEM, "out of memory");
}

static int read_dir(struct resume_args *a, struct diag *d)
{
	char at[64];
	int err;

	snprintf(at, sizeof(at), "/proc/%d/fd/%d", (int)getpid(), a->from.dir_fd);
	err = run_read(&a->from.run, at, d) ?: check_run(a, d);
	return err ? err : take_words(a, d);
}

int resume_args_open(struct resume_args *a, int argc, char **argv)
{
	struct diag d = {};
	const char *path;
	int status, err;

	memset(a, 0, sizeof(*a));
	record_resume_init(&a->from);
	status = read_words(a, argc, argv, &path);
	if (status != EXIT_OK)
		return status;
	err = open_dir(a, path, &d) ?: read_dir(a, &d);
	return err ? fail(&d, err) : EXIT_OK;
}

void resume_args_release(struct resume_args *a)
{
	record_resume_release(&a->from);
	for (int i = 0; i < a->argc; i++)
		free(a->argv[i]);
	free(a->argv);
	a->argv = NULL;
	a->argc = 0;
}
