// SPDX-License-Identifier: GPL-2.0-or-later
/* An instance of ftrace with events on. Nothing but writing to its files ends it, which a guard does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "user/observe/observer.h"

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

/* The guard's. */
static void remove_instance(const void *instance, int tracefs)
{
	switch_events(tracefs, instance, "0");
	for (int i = 0; i < REMOVE_TRIES && unlinkat(tracefs, instance, AT_REMOVEDIR) && errno == EBUSY; i++)
		usleep(REMOVE_US);
}

int observer_open_ftrace(struct observer *ob, struct diag *d)
{
	char instance[64];
	int tracefs = open_tracefs(), err;

	if (tracefs < 0)
		return diag_set(d, -EOPNOTSUPP, "ftrace cannot be used here: %s", strerror(-tracefs));
	snprintf(instance, sizeof(instance), "instances/xdpzoom-%d", getpid());
	err = guard_start(&ob->guard, remove_instance, instance, tracefs);
	if (!err && mkdirat(tracefs, instance, 0700))
		err = -errno;
	if (!err)
		err = switch_events(tracefs, instance, "1");
	close(tracefs);
	if (!err)
		return 0;
	guard_close(&ob->guard);
	return diag_set(d, -EOPNOTSUPP, "this kernel's ftrace traces no events of net, napi and xdp: %s",
			strerror(-err));
}
