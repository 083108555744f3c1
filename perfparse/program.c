// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/base.h"

static void limit_files(uint64_t most_bytes)
{
	struct rlimit r;

	if (!most_bytes || getrlimit(RLIMIT_FSIZE, &r) || r.rlim_cur <= most_bytes)
		return;
	r.rlim_cur = most_bytes;
	setrlimit(RLIMIT_FSIZE, &r);
}

static void leave_configuration(void)
{
	static const char *const others[] = {"DEBUGINFOD_URLS", /* nobody is asked about the programs in a perf.data */
					     "TAR_OPTIONS", "BZIP", "BZIP2"};

	setenv("LC_ALL", "C", 1);
	setenv("PERF_CONFIG", "/dev/null", 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		unsetenv(others[i]);
}

/* The child. */
static void become(const struct program *p, int out, int words)
{
	struct diag d = {};

	dup2(p->in >= 0 ? p->in : open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(words, STDERR_FILENO);
	leave_configuration();
	limit_files(p->most_bytes);
	if (jail_enter(JAIL_STARTS | p->jail, p->dir_fd, p->jail & JAIL_AS_ROOT ? JAIL_CAP(CAP_SYSLOG) : 0, &d)) {
		dprintf(STDERR_FILENO, "%s\n", d.text);
		_exit(126);
	}
	if (p->in >= 0)
		fcntl(p->in, F_SETFD, 0);
	execvp(p->argv[0], (char *const *)p->argv);
	_exit(127);
}

int program_run(const struct program *p, FILE **out, FILE **words)
{
	int status;
	pid_t pid;

	*out = tmpfile();
	*words = tmpfile();
	if (!*out || !*words)
		return -errno;
	pid = child_fork(SIGKILL);
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(p, fileno(*out), fileno(*words));
	status = child_wait(pid);
	rewind(*out);
	rewind(*words);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

void program_last_words(FILE *words, char *last, size_t size)
{
	char line[300];

	*last = '\0';
	while (words && fgets(line, sizeof(line), words))
		if (*line != '\n' && !strstr(line, "Exiting with failure status") &&
		    !strstr(line, "Error is not recoverable")) /* tar, behind its reason */
			snprintf(last, size, "%.*s", (int)strcspn(line, "\n"), line);
}

void program_close(FILE *out, FILE *words)
{
	if (out)
		fclose(out);
	if (words)
		fclose(words);
}
