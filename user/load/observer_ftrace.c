// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An instance of ftrace with events on. Nothing but writing to its files ends it. So a child does that: it waits at a
 * pipe, which ends when the recorder closes its end, and when the recorder dies in any way.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "user/load/observer.h"

#define REMOVE_TRIES 100 /* an instance is busy while somebody reads its files */
#define REMOVE_US    20000

static const char *const groups[] = {"net", "napi", "xdp"};

#define NGROUPS (sizeof(groups) / sizeof(*groups))

/* A tracefs that is mounted nowhere. */
static int open_tracefs(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), mnt = -1, err;

	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	err = -errno;
	if (fs >= 0)
		close(fs);
	return mnt < 0 ? err : mnt;
}

static int write_word(int dir, const char *path, const char *word)
{
	int fd = openat(dir, path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, word, strlen(word)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int switch_events(int tracefs, const char *instance, const char *word)
{
	char path[128];
	int err = 0;

	for (size_t i = 0; i < NGROUPS && !err; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/enable", instance, groups[i]);
		err = write_word(tracefs, path, word);
	}
	return err;
}

/* The child's life. It must outlive what ends the recorder, so it has no signals and a session of its own. */
static void guard_main(int tracefs, const char *instance, int wait_fd)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	while (read(wait_fd, &byte, 1) < 0 && errno == EINTR)
		;
	switch_events(tracefs, instance, "0");
	for (int i = 0; i < REMOVE_TRIES && unlinkat(tracefs, instance, AT_REMOVEDIR) && errno == EBUSY; i++)
		usleep(REMOVE_US);
	_exit(0);
}

/* A copy of the recorder's end would keep the pipe open, and copies of other files what waits for their end. */
static void close_all_but(unsigned int a, unsigned int b)
{
	unsigned int low = a < b ? a : b, high = a < b ? b : a;

	if (low)
		close_range(0, low - 1, 0);
	if (low + 1 < high)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

/* Before the instance is there, so that no moment is without a guard. */
static int start_guard(struct observer *ob, int tracefs, const char *instance)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	ob->guard = fork();
	if (ob->guard == 0) {
		close_all_but((unsigned int)tracefs, (unsigned int)ends[0]);
		guard_main(tracefs, instance, ends[0]);
	}
	close(ends[0]);
	ob->guard_fd = ends[1];
	return ob->guard < 0 ? -errno : 0;
}

int observer_open_ftrace(struct observer *ob, struct diag *d)
{
	char instance[64];
	int tracefs = open_tracefs(), err;

	if (tracefs < 0)
		return diag_set(d, -EOPNOTSUPP, "ftrace cannot be used here: %s", strerror(-tracefs));
	snprintf(instance, sizeof(instance), "instances/xdpzoom-%d", getpid());
	err = start_guard(ob, tracefs, instance);
	if (!err && mkdirat(tracefs, instance, 0700))
		err = -errno;
	if (!err)
		err = switch_events(tracefs, instance, "1");
	close(tracefs);
	if (!err)
		return 0;
	observer_close_ftrace(ob);
	return diag_set(d, -EOPNOTSUPP, "this kernel's ftrace traces no events of net, napi and xdp: %s",
			strerror(-err));
}

void observer_close_ftrace(struct observer *ob)
{
	if (ob->guard_fd >= 0)
		close(ob->guard_fd);
	ob->guard_fd = -1;
	if (ob->guard > 0)
		while (waitpid(ob->guard, NULL, 0) < 0 && errno == EINTR)
			;
	ob->guard = 0;
}
