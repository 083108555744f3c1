// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/shell_word.h"
#include "user/machine/machine.h"
#include "user/settings/settings.h"

/* Files. A device's files are read in the device's own network namespace. */

static int open_file(const char *path, int flags)
{
	int sysfs, fd;

	/* the path may come from a file: nothing but settings of the kernel is written */
	if ((strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5)) || strstr(path, "/../")) {
		errno = EINVAL;
		return -1;
	}
	if (strncmp(path, "/sys/class/net/", 15))
		return open(path, flags | O_CLOEXEC);
	sysfs = netns_sysfs(NULL);
	if (sysfs < 0)
		return open(path, flags | O_CLOEXEC);
	fd = openat(sysfs, path + 5, flags | O_CLOEXEC);
	if (fd < 0) {
		int err = errno;

		close(sysfs);
		errno = err;
		return -1;
	}
	close(sysfs);
	return fd;
}

static int file_get(const struct setting *s, char *value, size_t size)
{
	int fd = open_file(s->name, O_RDONLY), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	if (n < 0)
		err = -errno;
	value[n < 0 ? 0 : n] = 0;
	value[strcspn(value, "\n")] = 0;
	close(fd);
	return err;
}

static int file_set(const struct setting *s, const char *value)
{
	int fd = open_file(s->name, O_WRONLY), err = 0;
	size_t n = strlen(value);

	if (fd < 0)
		return -errno;
	if (write(fd, value, n) != (ssize_t)n)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static void file_command(const struct setting *s, char *command, size_t size)
{
	static const char sysctl[] = "/proc/sys/";
	char name[160], path[700];

	if (strncmp(s->name, sysctl, strlen(sysctl))) {
		shell_word(path, sizeof(path), s->name);
		snprintf(command, size, "echo %s > %s", s->value, path);
		return;
	}
	snprintf(name, sizeof(name), "%s", s->name + strlen(sysctl));
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '.' : *c;
	snprintf(command, size, "sysctl -w %s=%s", name, s->value);
}

/* A file of a device, by its path below /sys/class/net/DEV. */

static void devfile(const struct setting *s, struct setting *file)
{
	*file = *s;
	snprintf(file->name, sizeof(file->name), "/sys/class/net/%s/%.120s", s->dev, s->name);
}

static int devfile_get(const struct setting *s, char *value, size_t size)
{
	struct setting file;

	devfile(s, &file);
	return file_get(&file, value, size);
}

static int devfile_set(const struct setting *s, const char *value)
{
	struct setting file;

	devfile(s, &file);
	return file_set(&file, value);
}

static void devfile_command(const struct setting *s, char *command, size_t size)
{
	struct setting file;

	devfile(s, &file);
	file_command(&file, command, size);
}

const struct setting_kind setting_file_kinds[] = {
	{"file", file_get, file_set, NULL, file_command},
	{"devfile", devfile_get, devfile_set, NULL, devfile_command},
	{},
};
