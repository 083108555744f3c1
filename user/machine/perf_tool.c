// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "user/machine/machine.h"

int perf_tool_open(const char *event, int cpu, int hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
	};

	if (!strcmp(event, "cycles")) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The signal that ended the shell of popen() or the command in it; 0: no signal. */
static int ended_by(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

int perf_tool_version(char *version, size_t size, struct diag *d)
{
	FILE *f = popen("LC_ALL=C perf --version 2>/dev/null", "r");
	bool ok = false;
	int status;

	if (!f)
		return diag_set(d, -errno, "cannot run perf: %s", strerror(errno));
	if (fgets(version, size, f)) {
		version[strcspn(version, "\n")] = 0;
		ok = !strncmp(version, "perf version", 12);
	}
	status = pclose(f);
	if (status > 0 && ended_by(status))
		return diag_set(d, -ECHILD, "perf --version died of signal %d", ended_by(status));
	if (status || !ok)
		return diag_set(d, -EOPNOTSUPP,
				"no working perf in PATH; install it (Debian: linux-perf) or run: make deps");
	return 0;
}

/* perf before 5.10 has no --control with numbers of files, which begins and ends its samples with a window. */
static int refuse_old(const char *version, struct diag *d)
{
	int major, minor;

	if (sscanf(version, "perf version %d.%d", &major, &minor) != 2) /* built of a tree without a version: try it */
		return 0;
	if (major > 5 || (major == 5 && minor >= 10))
		return 0;
	return diag_set(
		d, -EOPNOTSUPP,
		"%s is too old, because record needs perf 5.10 or later; install a newer one (Debian: linux-perf)",
		version);
}

int perf_tool_find(struct perf_tool *t, struct diag *d)
{
	static const char *const events[] = {"cycles", "cpu-clock"};
	int err;

	memset(t, 0, sizeof(*t));
	err = perf_tool_version(t->version, sizeof(t->version), d) ?: refuse_old(t->version, d);
	if (err) {
		t->version[0] = 0;
		return err;
	}
	for (int i = 0; i < 2; i++) {
		int fd = perf_tool_open(events[i], 0, 99);

		if (fd >= 0) {
			close(fd);
			strcpy(t->event, events[i]);
			return 0;
		}
		err = -errno;
	}
	return diag_set(d, -EOPNOTSUPP, "perf has no usable event here, neither cycles nor cpu-clock: %s%s",
			strerror(-err),
			err == -EACCES || err == -EPERM ? " (see /proc/sys/kernel/perf_event_paranoid)" : "");
}
