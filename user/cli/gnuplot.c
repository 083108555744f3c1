// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int judge(const struct plot *p, int status, int said_fd, struct diag *d)
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

int gnuplot_draw(const struct plot *p, FILE *picture, struct diag *d)
{
	int pipe_fd[2] = {-1, -1}, script = script_file(p), said = memfd_create("said", MFD_CLOEXEC), status, err = 0;
	pid_t pid = -1;

	if (script >= 0 && said >= 0 && !pipe2(pipe_fd, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		/*
		 * gnuplot reads the script from its input and writes the picture to its output; -d: without the user's
		 * own settings.
		 */
		if (dup2(script, STDIN_FILENO) < 0 || dup2(pipe_fd[1], STDOUT_FILENO) < 0 ||
		    dup2(said, STDERR_FILENO) < 0)
			_exit(126);
		if (!fchdir(p->folder_fd))
			execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		err = diag_set(d, -errno, "cannot start gnuplot: %s", strerror(errno));
	if (pipe_fd[1] >= 0)
		close(pipe_fd[1]);
	if (!err)
		err = copy_picture(pipe_fd[0], picture);
	if (pipe_fd[0] >= 0)
		close(pipe_fd[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !err)
		err = judge(p, status, said, d);
	if (script >= 0)
		close(script);
	if (said >= 0)
		close(said);
	return err;
}
