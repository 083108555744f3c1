// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/jail.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Rules without exceptions: none of these accesses is allowed anywhere. */
static void forbid_writes(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION), fd;
	struct ruleset r = {.fs = FS_WRITES};

	if (abi < 1)
		return;
	r.fs |= (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0);
	r.net = abi >= 4 ? NET_TCP : 0;
	r.scoped = abi >= 6 ? SCOPES : 0;
	fd = syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (fd < 0)
		return;
	syscall(SYS_landlock_restrict_self, fd, 0);
	close((int)fd);
}

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH
/* What a reader of files never does. io_uring goes past seccomp, so it is in the list. */
static const unsigned int forbidden[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_ptrace,
	SYS_process_vm_writev,
	SYS_setns,
	SYS_unshare,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_reboot,
	SYS_swapon,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_io_uring_setup,
	SYS_open_by_handle_at,
};

#define NFORBIDDEN   (sizeof(forbidden) / sizeof(*forbidden))
#define OF_CALL(m)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, m))
#define RETURN(word) BPF_STMT(BPF_RET | BPF_K, word)

static void forbid_calls(void)
{
	struct sock_filter code[2 * NFORBIDDEN + 8] = {
		OF_CALL(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
		OF_CALL(nr),
		/* x86-64 numbers its calls a second time from here on (x32); other machines have no such numbers */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog program = {.len = 6, .filter = code};

	for (size_t i = 0; i < NFORBIDDEN; i++) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		code[program.len++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
	}
	code[program.len++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void forbid_calls(void)
{
}
#endif

/* What lets root read everybody's files, and write where the caller's are: see caller.h. */
#define READS  JAIL_CAP(CAP_DAC_READ_SEARCH)
#define WRITES (JAIL_CAP(CAP_DAC_OVERRIDE) | JAIL_CAP(CAP_CHOWN) | JAIL_CAP(CAP_FOWNER))

void jail_enter(bool read_only, uint64_t keep)
{
	jail_drop_capabilities(keep | READS | (read_only ? 0 : WRITES));
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return;
	if (read_only)
		forbid_writes();
	forbid_calls();
}

void jail_drop_capabilities(uint64_t keep)
{
	/* to leave the bounding set takes a capability that this process may have given up before */
	for (unsigned long cap = 0; cap < 64; cap++)
		if (!(keep >> cap & 1))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
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
