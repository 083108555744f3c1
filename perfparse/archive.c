// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base.h"

#define AFTER_A_KILL_US 100000 /* the kernel ends tar a moment after it closes the pipe of a parent that was killed */

/* -EINVAL: it is packed in no such way. */
static int open_packed(const char *path)
{
	char magic[3] = "";
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode)) /* a pipe that is opened twice loses its writer */
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "BZh", 3))
		return fd;
	close(fd);
	return -EINVAL;
}

bool archive_is_one(const char *path)
{
	int fd = open_packed(path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void start(const char *const argv[])
{
	execvp(argv[0], (char *const *)argv);
}

/* A process that a terminal's signals do not reach. Its end of the pipe ends when this process does. */
static void keeper_run(const char *dir, int end)
{
	/* An ordinary user cannot empty a directory whose mode in the archive forbids it. */
	const char *const open_all[] = {"chmod", "-R", "u+rwx", "--", dir, NULL};
	const char *const remove_all[] = {"rm", "-rf", "--", dir, NULL};
	pid_t pid;
	char byte;

	setsid();
	if (read(end, &byte, 1) <= 0)
		usleep(AFTER_A_KILL_US);
	pid = geteuid() ? fork() : -1;
	if (pid == 0) {
		start(open_all);
		_exit(EXIT_FAILURE);
	}
	if (pid > 0)
		child_wait(pid);
	start(remove_all);
	rmdir(dir); /* where there is no rm, there was no tar either */
	_exit(EXIT_FAILURE);
}

static int start_keeper(struct archive *a)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	a->keeper = fork();
	if (a->keeper == 0) {
		close(ends[1]);
		keeper_run(a->dir, ends[0]);
	}
	close(ends[0]);
	a->held = ends[1];
	if (a->keeper > 0)
		return 0;
	close(ends[1]);
	return -EAGAIN;
}

/* The user of the jail owns it. Returns a handle. */
static int make_dir(struct archive *a)
{
	const char *below = getenv("TMPDIR");
	uid_t uid;
	gid_t gid;
	int err, fd;

	if (snprintf(a->dir, sizeof(a->dir), "%s/perfparse.XXXXXX", below && *below ? below : "/tmp") >=
		    (int)sizeof(a->dir) ||
	    !mkdtemp(a->dir)) {
		a->dir[0] = '\0';
		return errno ? -errno : -ENAMETOOLONG;
	}
	err = start_keeper(a);
	if (err) {
		rmdir(a->dir);
		a->dir[0] = '\0';
		return err;
	}
	fd = open(a->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && jail_user(&uid, &gid) && fchown(fd, uid, gid)) {
		close(fd);
		return -EPERM;
	}
	return fd < 0 ? -errno : fd;
}

/* Runs bzip2 or tar. Its output is *out, if it is wanted. */
static int run(const struct program *p, const char *path, FILE **out, struct diag *d)
{
	FILE *printed, *words;
	char last[200];
	int status = program_run(p, &printed, &words);

	program_last_words(words, last, sizeof(last));
	program_close(status || !out ? printed : NULL, words);
	if (out)
		*out = status ? NULL : printed;
	if (status == 127)
		return diag_set(d, -EOPNOTSUPP, "%s: there is no %s here to unpack it", path, p->argv[0]);
	if (status == -ECHILD)
		return diag_set(d, -EFBIG, "%s: %s was ended by a signal; an archive may hold 4 GiB", path, p->argv[0]);
	if (status)
		return diag_set(d, -EINVAL, "%s: %s failed%s%s", path, p->argv[0], *last ? ": " : "", last);
	return 0;
}

static int unpack(struct archive *a, int packed, int dir_fd, const char *path, struct diag *d)
{
	char in_path[32];
	const char *const bzip2[] = {"bzip2", "-dc", in_path, NULL};
	/* What it reads from a pipe or standard input, tar does not unpack a second time. */
	const char *const tar[] = {
		"tar", "-xmf", "-", "-C", a->dir, "--no-same-owner", "--no-same-permissions", "--skip-old-files", NULL};
	FILE *plain;
	int err;

	snprintf(in_path, sizeof(in_path), "/proc/self/fd/%d", packed);
	err = run(&(struct program){.argv = bzip2, .in = packed, .dir_fd = -1, .most_bytes = ARCHIVE_MOST_BYTES}, path,
		  &plain, d);
	if (err)
		return err;
	err = run(&(struct program){.argv = tar,
				    .in = fileno(plain),
				    .jail = JAIL_TREES,
				    .dir_fd = dir_fd,
				    .most_bytes = ARCHIVE_MOST_BYTES},
		  path, NULL, d);
	fclose(plain);
	if (!err && tree_closed(dir_fd))
		err = diag_set(d, -EINVAL, "%s: a link leads out of it, or an entry is no file or lies too deep", path);
	return err;
}

int archive_open(struct archive *a, const char *path, struct diag *d)
{
	int err, dir_fd, packed = open_packed(path);

	*a = (struct archive){.held = -1};
	if (packed < 0)
		return diag_set(d, packed, "%s: %s", path,
				packed == -EINVAL ? "this is no archive that perf archive made" : strerror(-packed));
	dir_fd = make_dir(a);
	if (dir_fd < 0)
		err = diag_set(d, dir_fd, "a temporary directory: %s", strerror(-dir_fd));
	else
		err = unpack(a, packed, dir_fd, path, d);
	close(packed);
	if (dir_fd >= 0)
		close(dir_fd);
	if (err)
		archive_release(a);
	return err;
}

void archive_release(struct archive *a)
{
	if (!*a->dir)
		return;
	if (write(a->held, "", 1) < 0) {
		/* the keeper sees the end of the pipe */
	}
	close(a->held);
	child_wait(a->keeper);
	a->dir[0] = '\0';
}
