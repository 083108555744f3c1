// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child.h"
#include "base/stop.h"

/* What the child hands back, in memory that both processes share. */
struct result {
	int err;
	struct diag d;
};

static void limit(int resource, rlim_t most)
{
	setrlimit(resource, &(struct rlimit){most, most});
}

static void own_try_child_main(int (*read_it)(void *arg, struct diag *d), void *arg, const struct own_limits *limits,
			       struct result *r)
{
	sigset_t alarms;

	limit(RLIMIT_CORE, 0);
	if (limits->bytes)
		limit(RLIMIT_AS, limits->bytes);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	alarm(limits->seconds);
	r->err = read_it(arg, &r->d);
	_exit(0);
}

static int own_try_judge(int status, const struct result *r, const char *path, const struct own_limits *limits,
			 struct diag *d)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return r->err ? diag_set(d, r->err, "%s", r->d.text) : 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return diag_set(d, -EINVAL, "%s is not a BPF object that libbpf can open: that took more than %u s",
				path, limits->seconds);
	return diag_set(d, -EINVAL, "%s is not a BPF object that libbpf can open: libbpf crashes on it (%s)", path,
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited");
}

int own_try(int (*read_it)(void *arg, struct diag *d), void *arg, const char *path, const struct own_limits *limits,
	    struct diag *d)
{
	struct result *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int status = 0, err;

	if (r == MAP_FAILED)
		return diag_set(d, -ENOMEM, "no memory");
	pid = child_fork(SIGKILL);
	if (pid == 0)
		own_try_child_main(read_it, arg, limits, r);
	err = pid < 0 ? diag_set(d, -errno, "cannot start a process: %s", strerror(errno)) : 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (stopped(NULL))
			kill(pid, SIGKILL);
	if (!err)
		err = stopped(d) ?: own_try_judge(status, r, path, limits, d);
	munmap(r, sizeof(*r));
	return err;
}
