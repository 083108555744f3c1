// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perfparse/perfparse.h"

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

static int judge(const struct plot *p, int status, FILE *said, struct diag *d)
{
	char words[256];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return diag_set(
			d, -EOPNOTSUPP,
			"gnuplot is not installed; %s/%s.gp and its data are written, and gnuplot can draw them",
			p->folder, p->base);
	if (!status)
		return 0;
	rewind(said);
	program_last_words(said, words, sizeof(words)); /* behind the faulty line and a mark */
	return diag_set(d, -EIO, "gnuplot could not draw %s/%s.gp: %s", p->folder, p->base, words);
}

int gnuplot_draw(const struct plot *p, FILE *picture, struct diag *d)
{
	int pipe_fd[2] = {-1, -1}, script = script_file(p), status, err = 0;
	FILE *said = fdopen(memfd_create("said", MFD_CLOEXEC), "r");
	pid_t pid = -1;

	if (script >= 0 && said && !pipe2(pipe_fd, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		/*
		 * gnuplot reads the script from its input and writes the picture to its output; -d: without the user's
		 * own settings.
		 */
		if (dup2(script, STDIN_FILENO) < 0 || dup2(pipe_fd[1], STDOUT_FILENO) < 0 ||
		    dup2(fileno(said), STDERR_FILENO) < 0)
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
	if (said)
		fclose(said);
	return err;
}
