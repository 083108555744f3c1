// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define NOBODY 65534

/* From later headers than Debian 12 has. */
#define FS_REFER    (1ULL << 13) /* Landlock 2 */
#define FS_TRUNCATE (1ULL << 14) /* Landlock 3 */
#define NET_TCP     3ULL         /* Landlock 4: bind and connect */
#define SCOPES      3ULL         /* Landlock 6: abstract UNIX sockets and signals */

/* The head of struct landlock_ruleset_attr as of Landlock 6. What an older kernel does not know has to be 0. */
struct ruleset {
	uint64_t fs, net, scoped;
};

#define FS_WRITES                                                                                                      \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |              \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                    \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                 \
	 LANDLOCK_ACCESS_FS_MAKE_SYM)

/* What a new file in a directory takes, and a file with another name that takes its place. */
#define FS_FILES                                                                                                       \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | FS_TRUNCATE)

/* None of these accesses is allowed anywhere, but for those to files below dir_fd (-1: nowhere). */
static void forbid_writes(int dir_fd)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION), fd;
	struct ruleset r = {.fs = FS_WRITES};
	struct landlock_path_beneath_attr below = {.parent_fd = dir_fd};

	if (abi < 1)
		return;
	r.fs |= (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0);
	r.net = abi >= 4 ? NET_TCP : 0;
	r.scoped = abi >= 6 ? SCOPES : 0;
	below.allowed_access = r.fs & FS_FILES;
	fd = syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (fd < 0)
		return;
	if (dir_fd < 0 || !syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0))
		syscall(SYS_landlock_restrict_self, fd, 0);
	close((int)fd);
}

bool jail_user(uid_t *uid, gid_t *gid)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	/* Without the last one, as in many containers, another user could not read what root has closed to others. */
	const uint32_t needed =
		JAIL_CAP(CAP_SETUID) | JAIL_CAP(CAP_SETGID) | JAIL_CAP(CAP_SETPCAP) | JAIL_CAP(CAP_DAC_READ_SEARCH);
	struct __user_cap_data_struct data[2] = {};

	*uid = *gid = NOBODY;
	if (geteuid() || syscall(SYS_capget, &head, data) || (data[0].effective & needed) != needed)
		return false;
	caller_find(uid, gid);
	return true;
}

/*
 * root becomes the caller of sudo, else nobody, and has the capabilities `keep` still, as have the programs that it
 * starts. What takes a capability to become another user is done first. In a container where no other user is, root
 * stays.
 */
static void become_another_user(uint64_t keep)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};
	int dies_with_parent = 0;
	uid_t uid;
	gid_t gid;

	prctl(PR_GET_PDEATHSIG, &dies_with_parent, 0, 0, 0);
	/* capabilities stay, and count for access(2), too */
	if (!jail_user(&uid, &gid) || prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0))
		return;
	if (setgroups(0, NULL)) {
		/* a user namespace may forbid it, and then a process has no groups to lose */
	}
	if (!setresgid(gid, gid, gid) && !setresuid(uid, uid, uid) && !syscall(SYS_capget, &head, data)) {
		for (int i = 0; i < 2; i++) {
			data[i].permitted &= (uint32_t)(keep >> 32 * i);
			data[i].effective = data[i].inheritable = data[i].permitted;
		}
		syscall(SYS_capset, &head, data);
		for (unsigned long cap = 0; cap < 64; cap++)
			if (keep >> cap & 1)
				prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
		prctl(PR_SET_PDEATHSIG, dies_with_parent, 0, 0, 0); /* a new user is parted from its parent */
	}
}

/* This takes a capability that the process may have given up before. */
static void leave_bounding_set(uint64_t keep)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		if (!(keep >> cap & 1))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

int jail_enter(unsigned how, int dir_fd, uint64_t keep, struct diag *d)
{
	bool listed;

	keep |= JAIL_CAP(CAP_DAC_READ_SEARCH);
	leave_bounding_set(keep);
	if (!(how & JAIL_AS_ROOT))
		become_another_user(keep);
	jail_drop_capabilities(keep);
	forbid_writes(dir_fd);
	listed = jail_allow_calls(how | (dir_fd >= 0 ? JAIL_WRITES : 0));
	if (listed || geteuid())
		return 0;
	return diag_set(d, -EOPNOTSUPP,
			"root does not read untrusted files here: the kernel lacks seccomp, and has no other user "
			"for it; run this as an ordinary user");
}

void jail_drop_capabilities(uint64_t keep)
{
	leave_bounding_set(keep);
	jail_lower_capabilities(keep);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void jail_lower_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return;
	for (int i = 0; i < 2; i++) {
		data[i].effective &= (uint32_t)(keep >> 32 * i);
		data[i].permitted &= (uint32_t)(keep >> 32 * i);
		data[i].inheritable &= (uint32_t)(keep >> 32 * i);
	}
	syscall(SYS_capset, &head, data);
}
