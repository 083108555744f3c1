// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <libgen.h>
#include <sys/file.h>
#include <sys/ioctl.h>

int output_check(const char *path, struct diag *d)
{
	char dir[PATH_MAX], beside[PATH_MAX + 32], *slash;
	bool in_run;

	if (!path || !realpath(path, dir))
		return 0;
	slash = strrchr(dir, '/');
	*slash = '\0';
	if (!strcmp(slash + 1, "run.json") || !strcmp(slash + 1, TURNS_FILE) || !strcmp(slash + 1, RUN_PART)) {
		snprintf(beside, sizeof(beside), "%s/blocks", dir);
		in_run = !access(beside, F_OK);
	} else { /* or a file of the folder "blocks" */
		slash = strrchr(dir, '/');
		in_run = slash && !strcmp(slash + 1, "blocks");
		if (slash)
			*slash = '\0';
	}
	snprintf(beside, sizeof(beside), "%s/run.json", dir);
	if (!in_run || access(beside, F_OK))
		return 0;
	return diag_set(d, -EINVAL, "--output %s is a part of a recorded run, which would be lost; name another file",
			path);
}

int output_open(struct output *o, const char *path, struct diag *d)
{
	int err;

	memset(o, 0, sizeof(*o));
	o->stream = stdout;
	if (!path) {
		const char *no_color = getenv("NO_COLOR"); /* no-color.org: set and not empty */
		struct winsize size = {};

		o->terminal = isatty(STDOUT_FILENO);
		o->colour = o->terminal && !(no_color && no_color[0]);
		if (o->terminal && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col))
			o->columns = TEXT_COLUMNS;
		else if (o->terminal)
			o->columns = size.ws_col < TEXT_LEAST ? TEXT_LEAST : size.ws_col;
		return 0;
	}
	err = new_file_open(&o->file, path, 0666, d);
	o->stream = o->file.stream;
	return err;
}

int output_close(struct output *o, int err, struct diag *d)
{
	if ((!err || err == -EIO) && ferror(o->stream)) {
		/*
		 * The errno of an earlier failed write is lost. One more byte gets it again: a full disk is still full.
		 */
		errno = 0;
		err = write(fileno(o->stream), "\n", 1) < 0 && errno ? -errno : -EIO;
	}
	errno = 0;
	if (!err && fflush(o->stream))
		err = -(errno ? errno : EIO);
	if (err == -EPIPE)
		err = 0; /* the reader closed the pipe */
	if (o->stream == stdout)
		return err ? diag_set(d, err, "cannot write the output: %s", strerror(-err)) : 0;
	if (err)
		diag_set(d, err, "cannot write %s: %s", o->file.path, strerror(-err));
	return new_file_close(&o->file, err, d);
}

/* ---- what a jailed process writes -------------------------------------------------------------------------------- */

int jailed_output(struct output *o, const char *path, struct diag *d)
{
	int err = output_open(o, path, d);

	if (!err && path)
		err = new_file_keep(&(struct new_file *){&o->file}, 1, d);
	return err ? err : jail_enter(0, -1, 0, d);
}

static int keep_run(void *arg, int what, int detail)
{
	struct run_dir *dir = arg;
	struct diag d = {};
	int err;

	if (what != KEEPER_END)
		return -EINVAL;
	err = detail ? 0 : run_dir_commit(dir, &d);
	run_dir_abort(dir);
	return err ? (complain("%s", d.text), EXIT_FAILED) : detail;
}

int jailed_run(struct run_dir *dir, const char *path, bool force, struct diag *d)
{
	unsigned how = 0;
	int err, channel;
	uid_t uid;
	gid_t gid;

	run_dir_init(dir);
	if (!path)
		return jail_enter(0, -1, 0, d);
	err = run_dir_begin(dir, path, force, d);
	if (!err && jail_user(&uid, &gid) && run_dir_lend(dir, uid, gid, NULL))
		how = JAIL_AS_ROOT; /* no such user in this user namespace, or a file system without owners */
	if (!err)
		err = keeper_begin(&channel, keep_run, dir, d);
	if (err) {
		run_dir_abort(dir);
		return err;
	}
	run_dir_reach(dir);
	return jail_enter(how, dir->fd, 0, d);
}

int jailed_history(struct output *o, const char *db, struct diag *d)
{
	char dir[PATH_MAX];
	struct stat st;
	int fd, err;

	memset(o, 0, sizeof(*o));
	if (!stat(db, &st) && !S_ISREG(st.st_mode))
		return diag_set(d, -EBADMSG, "%s is not a history", db);
	if (!realpath(db, dir))
		snprintf(dir, sizeof(dir), "%s", db);
	fd = open(dirname(dir),
		  O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* it is closed when this process and its keeper end */
	if (fd < 0 || flock(fd, LOCK_EX))
		return diag_set(d, -errno, "%s cannot be written: %s", db, strerror(errno));
	err = new_file_open(&o->file, db, 0644, d) ?: new_file_keep(&(struct new_file *){&o->file}, 1, d);
	o->stream = o->file.stream;
	return err ? err : jail_enter(0, -1, 0, d);
}

/* ---- a run directory that need not be named ---------------------------------------------------------------------- */

#define RUNS_DIR  "runs"
#define IN_SECOND 1000 /* names that one second has */

int new_run_choose(struct new_run *n, const char *what, const char **out_dir, struct diag *d)
{
	time_t now = time(NULL);
	char at[32];
	struct stat st;
	struct tm tm;
	int err;

	*n = (struct new_run){.reserves = n->reserves, .reserved = n->reserves && !*out_dir};
	if (*out_dir)
		return 0;
	n->made_folder = !mkdir(RUNS_DIR, 0755);
	err = n->made_folder ? -EEXIST : -errno;
	localtime_r(&now, &tm);
	strftime(at, sizeof(at), "%Y%m%d-%H%M%S", &tm);
	/* The first name of this second that nobody has; as an empty directory, nobody else gets it either. */
	for (int i = 1; i <= IN_SECOND && err == -EEXIST; i++) {
		snprintf(n->dir, sizeof(n->dir), RUNS_DIR "/%s-%.32s", at, what);
		if (i > 1)
			snprintf(n->dir, sizeof(n->dir), RUNS_DIR "/%s-%.32s-%d", at, what, i);
		if (n->reserved ? !mkdir(n->dir, 0755) : lstat(n->dir, &st) && errno == ENOENT)
			err = 0;
		else if (n->reserved)
			err = -errno;
	}
	if (err)
		return diag_set(d, err, "cannot make a run in the folder " RUNS_DIR " here: %s; name one with -o DIR",
				strerror(-err));
	*out_dir = n->dir;
	return 0;
}

void new_run_end(const struct new_run *n, bool kept)
{
	if (n->reserved && !kept)
		rmdir(n->dir);
	if (n->made_folder && !kept)
		rmdir(RUNS_DIR);
}

/* ---- what a command was called with ------------------------------------------------------------------------------ */

json_t *command_line(int argc, char **argv)
{
	json_t *words = json_array();
	int failed = json_array_append_new(words, json_string("xdpzoom"));

	for (int i = 0; i < argc; i++)
		failed |= json_array_append_new(words, json_text_string(argv[i]));
	if (!failed)
		return words;
	json_decref(words);
	return NULL;
}
