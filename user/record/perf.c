// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/capability.h>
#include <poll.h>
#include <sys/wait.h>
#include "user/record/record.h"

#define ANSWER_PATIENCE_NS 60000000000ULL /* perf first reads every file of /lib/modules, and disks can be slow */
#define STOP_PATIENCE_NS   15000000000ULL
#define GRACE_NS           1000000000ULL /* for a block that is nearly whole when somebody wants to stop */
#define LOOK_MS            100
#define SESSION_NICE       (-10)

/*
 * Sets up a child before exec: stdout goes to out_fd (-1: /dev/null), stderr is appended to a file, and the child is
 * pinned to cpu (< 0: not). The child writes nothing to the terminal.
 */
static void child_setup(int out_fd, const char *stderr_path, int cpu)
{
	int err_fd = open(stderr_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	/*
	 * Ctrl-C shall reach the recorder only, which stops its children in order. Between rounds the recorder waits
	 * for perf, so perf does not share its CPU evenly with each busy session of the machine.
	 */
	priority_session_begin(SESSION_NICE);
	signal(SIGPIPE, SIG_DFL);
	dup2(null_fd, 0);
	dup2(out_fd >= 0 ? out_fd : null_fd, 1);
	dup2(err_fd >= 0 ? err_fd : null_fd, 2);
	if (cpu >= 0)
		cpu_pin(0, cpu);
	setenv("LC_ALL", "C", 1);
	unsetenv("DEBUGINFOD_URLS");           /* perf, as root, asks no server about the programs of others */
	setenv("PERF_CONFIG", "/dev/null", 1); /* the user's perf settings must not change the measurement */
}

static void last_words(const char *path, char *words, size_t size)
{
	FILE *said = fopen(path, "r");

	program_last_words(said, words, size);
	if (said)
		fclose(said);
}

static int perf_died(struct perf *p, struct diag *d)
{
	char words[200];

	last_words(p->stderr_path, words, sizeof(words));
	p->pid = 0;
	return diag_set(d, -ECHILD, "%s died%s%s", p->name, words[0] ? "; its last message: " : "", words);
}

/* Sends one command and waits for its "ack\n". */
static int perf_say(struct perf *p, const char *command, struct diag *d)
{
	struct pollfd fd = {.fd = p->ack_fd, .events = POLLIN};
	struct patience patience = patience_of(ANSWER_PATIENCE_NS);
	char answer[16];
	int n;

	if (!p->pid)
		return diag_set(d, -ECHILD, "perf is not running");
	if (write(p->ctl_fd, command, strlen(command)) != (ssize_t)strlen(command))
		return perf_died(p, d);
	/* in short waits: a signal that comes just before one does not end it */
	while ((n = poll(&fd, 1, LOOK_MS)) <= 0 && !patience_ends(&patience))
		if (stopped(d))
			return -EINTR;
	if (n <= 0)
		return diag_set(d, -ETIMEDOUT, "%s does not answer \"%.*s\"", p->name, (int)strcspn(command, "\n"),
				command);
	if (read(p->ack_fd, answer, sizeof(answer)) <= 0)
		return perf_died(p, d);
	return 0;
}

/*
 * The child of perf_launch(). perf keeps fewer privileges than this process has, so it cannot open files below this
 * process's /proc/PID/fd. It gets the file open, and its name below /proc/self/fd.
 */
static void exec_perf(const struct perf_options *o, int ctl, int ack)
{
	char hz[16], control[40], cpus[300] = "", data[32];
	int fd;

	child_setup(-1, o->stderr_path, o->keeper_cpu);
	fcntl(ctl, F_SETFD, 0);
	fcntl(ack, F_SETFD, 0);
	fd = open(o->data_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0) {
		fprintf(stderr, "cannot write %s: %s\n", o->data_path, strerror(errno));
		_exit(127);
	}
	snprintf(data, sizeof(data), "/proc/self/fd/%d", fd);
	privileges_keep(PRIVILEGES_OF_PERF);
	snprintf(hz, sizeof(hz), "%d", o->hz);
	snprintf(control, sizeof(control), "fd:%d,%d", ctl, ack);
	for (size_t i = 0; i < o->ncpus; i++)
		listed_add(cpus, sizeof(cpus), ",", "%d", o->cpus[i]);
	/*
	 * --no-bpf-event: with BPF events, perf runs a side-band thread and needs a second to end. kallsyms names the
	 * BPF programs as well. -B: no build ids. They serve to resolve samples of another kernel than the running one,
	 * and to collect them perf resolves all samples at its end, which takes 0.1 s (1 s under emulation).
	 */
	if (o->count)
		execlp("perf", "perf", "stat", "-j", "-e", o->count, "-C", cpus, "-D", "-1", "--control", control, "-o",
		       data, (char *)NULL);
	else
		execlp("perf", "perf", "record", "-q", "-g", "-e", o->event, "-F", hz, "-C", cpus, "-k", "mono", "-D",
		       "-1", "--control", control, "--no-bpf-event", "-B", "-o", data, (char *)NULL);
	fprintf(stderr, "cannot run perf: %s\n", strerror(errno));
	_exit(127);
}

void perf_init(struct perf *p)
{
	memset(p, 0, sizeof(*p));
	p->ctl_fd = p->ack_fd = -1;
}

int perf_launch(struct perf *p, const struct perf_options *o, struct diag *d)
{
	int ctl[2] = {-1, -1}, ack[2] = {-1, -1};
	int err;

	perf_release(p);
	p->stderr_path = o->stderr_path;
	p->name = o->count ? "perf stat" : "perf record";
	if (pipe2(ctl, O_CLOEXEC) || pipe2(ack, O_CLOEXEC))
		goto fail;
	p->pid = child_fork(SIGKILL);
	if (p->pid < 0)
		goto fail;
	if (p->pid == 0)
		exec_perf(o, ctl[0], ack[1]);
	close(ctl[0]);
	close(ack[1]);
	p->ctl_fd = ctl[1];
	p->ack_fd = ack[0];
	return 0;
fail:
	err = diag_set(d, -errno, "cannot start perf: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		fd_close(ctl[i]);
		fd_close(ack[i]);
	}
	p->pid = 0;
	return err;
}

int perf_await(struct perf *p, struct diag *d)
{
	return perf_say(p, "ping\n", d);
}

int perf_switch(struct perf *p, bool on, struct diag *d)
{
	return perf_say(p, on ? "enable\n" : "disable\n", d);
}

/* Waits for the end of a child. When somebody wants to stop, it has a short time left. 0: for ever, until then. */
static int perf_wait_for(pid_t pid, int *status, uint64_t patience_ns)
{
	struct timespec pause = {0, 2000000};
	struct patience patience = patience_of(patience_ns ? patience_ns : UINT64_MAX);
	bool hurried = false;
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0) {
		if (stop_requested && !hurried) {
			hurried = true;
			patience = patience_of(patience.left_ns < GRACE_NS ? patience.left_ns : GRACE_NS);
		}
		if (patience_ends(&patience)) {
			*status = child_kill(pid);
			return -ETIMEDOUT;
		}
		nanosleep(&pause, NULL);
	}
	return got < 0 ? -errno : 0;
}

int perf_stop(struct perf *p, struct diag *d)
{
	int status = 0, err;

	if (!p->pid)
		return diag_set(d, -ECHILD, "perf is not running");
	kill(p->pid, SIGINT);
	err = perf_wait_for(p->pid, &status, STOP_PATIENCE_NS);
	/* After perf has written everything, it ends itself with another SIGINT. */
	if (err || !(WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT : WEXITSTATUS(status) == 0))
		return perf_died(p, d);
	p->pid = 0;
	perf_release(p);
	return 0;
}

void perf_release(struct perf *p)
{
	if (p->pid > 0)
		child_kill(p->pid);
	fd_close(p->ctl_fd);
	fd_close(p->ack_fd);
	perf_init(p);
}

/*
 * perf script looks symbols up in the files of every program that ran on the CPU, so it reads untrusted input, in a
 * jail. It needs the right to see the kernel's addresses, and to read its data in a directory that may be closed to
 * others. The jail closes /proc/PID/fd of other processes, so in_fd stays open under its number.
 */
int perf_run(const struct perf_options *o, const char *const argv[], int in_fd, int out_fd)
{
	pid_t pid = child_fork(SIGKILL);
	struct diag d = {};
	int status = 0, err = 0;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		child_setup(out_fd, o->stderr_path, o->keeper_cpu);
		if (in_fd >= 0) {
			err = jail_enter(JAIL_STARTS | JAIL_AS_ROOT, -1, JAIL_CAP(CAP_SYSLOG), &d);
			fcntl(in_fd, F_SETFD, 0);
		}
		if (err)
			dprintf(STDERR_FILENO, "%s\n", d.text);
		else
			execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	perf_wait_for(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

int perf_script(const struct perf_options *o, const char *text_path, struct diag *d)
{
	static const char page[4096];
	struct source_lines lines = {};
	const struct script_hide hide = {"/proc/kallsyms", "/proc/modules", source_lines_find, &lines};
	int in, out, err, status;
	char words[200];

	in = open(o->data_path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return diag_set(d, -errno, "cannot read %s: %s", o->data_path, strerror(errno));
	err = perf_file_fix(&in);
	if (err) {
		close(in);
		return diag_set(d, err, "cannot copy %s: %s", o->data_path, strerror(-err));
	}
	out = open(text_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0) {
		err = diag_set(d, -errno, "cannot write %s: %s", text_path, strerror(errno));
		close(in);
		return err;
	}
	/*
	 * No names of tasks: any task can give itself one that reads like a line of this text. No frames of inlined
	 * functions, which perf finds where the kernel has debug information: a cost would move from a function to what
	 * it has inlined.
	 */
	char path[32];
	const char *const argv[] = {"perf",        "script", "-i", path,
				    "--no-inline", "--ns",   "-F", "tid,cpu,time,event,period,ip,sym,dso",
				    NULL};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	status = perf_run(o, argv, in, out);
	close(in);
	/*
	 * perf script reports no error when it cannot write its output. So a failed perf script is followed by a write
	 * of our own to the same file, which fails with -ENOSPC on a full disk.
	 */
	if (status && write(out, page, sizeof(page)) != (ssize_t)sizeof(page))
		err = -ENOSPC;
	else
		err = fsync(out) && errno != EINVAL ? -errno : 0;
	close(out);
	if (err)
		return diag_set(d, err, "cannot write %s: %s", text_path, strerror(-err));
	if (status) {
		last_words(o->stderr_path, words, sizeof(words));
		return diag_set(d, -ECHILD, "perf script failed%s%s", words[0] ? ": " : "", words);
	}
	err = o->source_lines ? source_lines_read(&lines, d) : 0;
	if (err)
		return err;
	err = script_hide_addresses(text_path, &hide);
	source_lines_release(&lines);
	return err ? diag_set(d, err, "cannot hide the addresses in %s: %s", text_path, strerror(-err)) : 0;
}
