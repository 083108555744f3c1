// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <errno.h>
#include "base/base.h"
#include "reports/history/history.h"

int jailed_output(struct output *o, const char *path, struct diag *d)
{
	int err = output_open(o, path, d);

	if (!err && path)
		err = new_file_keep(&(struct new_file *){&o->file}, 1, d);
	return err ? err : jail_enter(0, -1, 0, d);
}

static int keep_run(void *arg, int what, int detail, int *fd)
{
	struct run_dir *dir = arg;
	struct diag d = {};
	int err;

	(void)fd;
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

static int keep_history(void *arg, int what, int detail, int *fd)
{
	(void)arg;
	return what == KEEPER_END ? detail : history_keep_serve(what, detail, fd);
}

int jailed_history(struct output *o, const char *db, struct diag *d)
{
	int channel, err = output_open(o, NULL, d) ?: history_keep_files(db, d)
		?: keeper_begin(&channel, keep_history, NULL, d);

	if (err)
		return err;
	history_keep_use(channel);
	return jail_enter(0, -1, 0, d);
}
