// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/jail.h"
#include "base/listed.h"

static const struct {
	int number;
	const char *name;
	bool with_admin; /* CAP_SYS_ADMIN stands in for it */
	bool to_watch;   /* a command that changes nothing needs it, too */
} needed[] = {
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", false, true}, /* attach, links, queues */
	{CAP_BPF, "CAP_BPF", true, true},
	{CAP_PERFMON, "CAP_PERFMON", true, true},     /* perf, programs of tracepoints */
	{CAP_SYS_NICE, "CAP_SYS_NICE", false, false}, /* the NAPI kthread's CPU and priority */
	{CAP_NET_RAW, "CAP_NET_RAW", false, false},   /* AF_XDP */
};

#define FIVE                                                                                                           \
	(JAIL_CAP(CAP_NET_ADMIN) | JAIL_CAP(CAP_BPF) | JAIL_CAP(CAP_PERFMON) | JAIL_CAP(CAP_SYS_NICE) |                \
	 JAIL_CAP(CAP_NET_RAW))
/* What root has besides, and needs as long as it measures. */
#define MEASURES                                                                                                       \
	(FIVE | JAIL_CAP(CAP_DAC_OVERRIDE) | JAIL_CAP(CAP_CHOWN) | JAIL_CAP(CAP_FOWNER) /* results are the caller's */ \
	 | JAIL_CAP(CAP_SYSLOG)                                                         /* names of functions */       \
	 | JAIL_CAP(CAP_DAC_READ_SEARCH)                                                /* and of those of programs */ \
	 | JAIL_CAP(CAP_SYS_PTRACE)                                                     /* and where they are */       \
	 | JAIL_CAP(CAP_IPC_LOCK))                                                      /* rings of AF_XDP and perf */
#define PORT JAIL_CAP(CAP_NET_BIND_SERVICE) /* the frames' UDP port, for rungs */
/* Kept until everything is set up. */
#define SETS_UP                                                                                                        \
	(JAIL_CAP(CAP_SYS_RESOURCE)      /* locked memory for BPF before Linux 5.11 */                                 \
	 | PORT | JAIL_CAP(CAP_SETPCAP)) /* to give the others up */
/* CAP_SYS_ADMIN: to name the BPF programs that it finds loaded. */
#define PERF                                                                                                           \
	(JAIL_CAP(CAP_SYS_ADMIN) | JAIL_CAP(CAP_PERFMON) | JAIL_CAP(CAP_SYSLOG) | JAIL_CAP(CAP_IPC_LOCK) |             \
	 JAIL_CAP(CAP_SYS_PTRACE))
#define SSH JAIL_CAP(CAP_DAC_OVERRIDE) /* the socket of the caller's agent */

static uint64_t effective(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

/* In a user namespace of its own, as containers of ordinary users are, root has its rights over nothing but that. */
static bool is_root_of_all(void)
{
	unsigned long inside, outside, n = UINT32_MAX;
	FILE *f = fopen("/proc/self/uid_map", "re");
	bool all = !f || fscanf(f, "%lu %lu %lu", &inside, &outside, &n) != 3 || n == UINT32_MAX;

	if (f)
		fclose(f);
	return all;
}

int privileges_check(const char *what, struct diag *d)
{
	uint64_t have = effective();
	bool admin = have >> CAP_SYS_ADMIN & 1;
	bool watches = !strcmp(what, "watch"); /* the one command that changes nothing */
	char missing[120] = "";

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if ((needed[i].to_watch || !watches) && !(have >> needed[i].number & 1) &&
		    !(needed[i].with_admin && admin))
			listed_add(missing, sizeof(missing), ", ", "%s", needed[i].name);
	if (!*missing && !is_root_of_all())
		return diag_set(d, -EPERM,
				"%s needs root of this machine; here root is that of a user namespace (a container)",
				what);
	if (!*missing)
		return 0;
	if (geteuid())
		return diag_set(d, -EPERM, "%s needs root, or the capabilities that are missing here: %s", what,
				missing);
	return diag_set(d, -EPERM, "%s lacks capabilities here, although it runs as root: %s", what, missing);
}

/* CAP_SYS_ADMIN, where the kernel is too old to divide it. */
static uint64_t undivided(void)
{
	return prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) < 0 ? JAIL_CAP(CAP_SYS_ADMIN) : 0;
}

void privileges_trim(void)
{
	jail_lower_capabilities(MEASURES | SETS_UP | JAIL_CAP(CAP_SYS_ADMIN));
}

void privileges_settle(bool admin, bool programs, bool port)
{
	uint64_t keep = MEASURES | (port ? PORT : 0) | (admin ? JAIL_CAP(CAP_SYS_ADMIN) : undivided());

	if (programs)
		jail_lower_capabilities(keep);
	else
		jail_drop_capabilities(keep);
}

void privileges_of_generator(void)
{
	jail_drop_capabilities(FIVE | JAIL_CAP(CAP_IPC_LOCK) | undivided());
}

void privileges_of_perf(void)
{
	jail_drop_capabilities(PERF);
}

void privileges_of_ssh(void)
{
	if (geteuid())
		jail_lower_capabilities(0);
	else
		jail_drop_capabilities(SSH);
}
