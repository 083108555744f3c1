// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
	bool with_admin; /* CAP_SYS_ADMIN stands in for it */
} needed[] = {
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", false}, /* attach, links, queues */
	{CAP_BPF, "CAP_BPF", true},
	{CAP_PERFMON, "CAP_PERFMON", true},    /* perf, programs of tracepoints */
	{CAP_SYS_NICE, "CAP_SYS_NICE", false}, /* the NAPI kthread's CPU and priority */
	{CAP_NET_RAW, "CAP_NET_RAW", false},   /* AF_XDP */
};

static uint64_t effective(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

int privileges_check(const char *what, struct diag *d)
{
	uint64_t have = effective();
	bool admin = have >> CAP_SYS_ADMIN & 1;
	char missing[120] = "";
	int n = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!(have >> needed[i].number & 1) && !(needed[i].with_admin && admin))
			n += snprintf(missing + n, sizeof(missing) - n, "%s%s", n ? ", " : "", needed[i].name);
	if (!n)
		return 0;
	if (geteuid())
		return diag_set(d, -EPERM, "%s needs root, or the capabilities that are missing here: %s", what,
				missing);
	return diag_set(d, -EPERM, "%s lacks capabilities here, although it runs as root: %s", what, missing);
}
