// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* ---- the system calls of a jailed process, and with which arguments ---- */

/*
 * From here on, all machines number their calls alike, and C libraries can do without each of them: they are told that
 * the kernel has no such call. The last one that Linux 6.18 has is 470.
 */
#define NEW_FROM 424
#define NEW_TO   512

#define O_TMPFILE_ALONE 020000000 /* O_TMPFILE holds O_DIRECTORY, too */
#define TCGETS2_ANY     0x802c542a

/* Names that this machine's kernel or library does not know are left out. */
static const char reads[] =
	/* files */
	"read readv pread64 preadv preadv2 lseek close close_range fstat newfstatat statx stat lstat access faccessat "
	"faccessat2 readlink readlinkat getdents getdents64 statfs fstatfs getcwd chdir fchdir fadvise64 readahead "
	/* what is open for writing already */
	"write writev pwrite64 pwritev pwritev2 fsync fdatasync sync_file_range ftruncate fallocate sendfile "
	"copy_file_range recvmsg sendmsg memfd_create pipe pipe2 dup dup2 dup3 poll ppoll select pselect6 "
	/* memory */
	"brk mmap munmap mprotect mremap madvise mincore membarrier get_mempolicy set_mempolicy "
	/* this process */
	"exit exit_group futex set_robust_list get_robust_list rseq set_tid_address rt_sigaction rt_sigprocmask "
	"rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall getpid getppid gettid "
	"getuid geteuid getgid getegid getresuid getresgid getgroups getpgid getpgrp getsid capget getrusage getrlimit "
	"setrlimit times sched_yield sched_getaffinity sched_getparam sched_getscheduler getcpu arch_prctl "
	/* the machine */
	"uname sysinfo getrandom clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time";
static const char starts[] = "execve fork vfork wait4 waitid setuid setgid setpgid";
static const char writes[] = "rename renameat renameat2 unlink unlinkat";

/* Terminals are asked, and never changed or typed into. */
static const unsigned int ioctls[] = {TCGETS, TCGETS2_ANY, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};
/* No signals are sent by files, and no leases are taken. */
static const unsigned int fcntls[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
				      F_SETFL,     F_GETLK,         F_SETLK,      F_SETLKW,    F_OFD_GETLK,
				      F_OFD_SETLK, F_OFD_SETLKW,    F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS};
static const unsigned int prctls[] = {PR_SET_NAME,         PR_GET_NAME,     PR_SET_PDEATHSIG,    PR_GET_PDEATHSIG,
				      PR_GET_NO_NEW_PRIVS, PR_CAPBSET_READ, PR_SET_NO_NEW_PRIVS, PR_SET_VMA};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/*
 * A rule for a call; mask: of the lower half of the argument, which is all that the kernel looks at, these bits are
 * `bits`. A rule that cannot be added leaves the call to what refuses it.
 */
static void rule(scmp_filter_ctx f, unsigned int action, const char *call, unsigned int arg, unsigned int mask,
		 unsigned int bits)
{
	int nr = seccomp_syscall_resolve_name(call);

	if (nr >= 0)
		seccomp_rule_add(f, action, nr, mask ? 1 : 0, SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, bits));
}

static void allow_calls(scmp_filter_ctx f, const char *names)
{
	char name[32];

	for (int len; sscanf(names, "%31s%n", name, &len) == 1; names += len)
		rule(f, SCMP_ACT_ALLOW, name, 0, 0, 0);
}

static void allow_words(scmp_filter_ctx f, const char *call, unsigned int arg, const unsigned int *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule(f, SCMP_ACT_ALLOW, call, arg, UINT32_MAX, words[i]);
}

/*
 * Files are opened for reading; with `may_write`, also for writing, and none is made that gives rights to who runs it.
 * The mode is the argument behind the flags, and none where no file can be made.
 */
static void allow_open(scmp_filter_ctx f, const char *call, unsigned int flags_at, bool may_write)
{
	const unsigned int changes = O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE_ALONE;

	if (may_write) {
		rule(f, SCMP_ACT_ALLOW, call, flags_at, O_CREAT | O_TMPFILE_ALONE, 0);
		rule(f, SCMP_ACT_ALLOW, call, flags_at + 1, S_ISUID | S_ISGID | S_ISVTX, 0);
		return;
	}
	rule(f, SCMP_ACT_ALLOW, call, flags_at, changes, 0);
	for (unsigned int bit = 1; bit; bit <<= 1)
		if (changes & bit)
			rule(f, SCMP_ACT_ERRNO(EACCES), call, flags_at, bit, bit);
}

/* False: there is no list. */
static bool allow_listed_calls(unsigned how)
{
	/* calls of x86-64's second set of numbers (x32) are of another machine for libseccomp, too */
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	unsigned int me = (unsigned int)getpid();
	bool allowed;

	if (!f)
		return false;
	seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	allow_calls(f, reads);
	if (how & JAIL_WRITES)
		allow_calls(f, writes);
	if (how & JAIL_BELOW)
		allow_calls(f, "openat2");
	if (how & JAIL_STARTS) {
		allow_calls(f, starts);
		rule(f, SCMP_ACT_ALLOW, "clone", 0,
		     CLONE_NEWTIME | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
			     CLONE_NEWPID | CLONE_NEWNET,
		     0);
	}
	allow_open(f, "openat", 2, how & JAIL_WRITES);
	allow_open(f, "open", 1, how & JAIL_WRITES);
	allow_words(f, "tgkill", 0, &me, 1); /* abort(3) */
	allow_words(f, "prlimit64", 0, &(unsigned int){0}, 1);
	allow_words(f, "prctl", 0, prctls, COUNT(prctls));
	allow_words(f, "fcntl", 1, fcntls, COUNT(fcntls));
	allow_words(f, "ioctl", 1, ioctls, COUNT(ioctls));
	for (int nr = NEW_FROM; nr < NEW_TO; nr++)
		seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), nr, 0); /* one that is allowed stays so */
	allowed = !seccomp_load(f);
	seccomp_release(f);
	return allowed;
}

/* ---- its files and capabilities ---- */

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

void jail_lower_capabilities(uint64_t keep, bool inherited)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(keep >> 32 * i);
		data[i].effective = inherited ? data[i].permitted : data[i].effective & data[i].permitted;
		data[i].inheritable = inherited ? data[i].permitted : data[i].inheritable & (uint32_t)(keep >> 32 * i);
	}
	syscall(SYS_capset, &head, data);
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
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION), fd = -1;
	struct landlock_path_beneath_attr below = {.parent_fd = dir_fd};
	struct ruleset r = {.fs = FS_WRITES};
	int dies_with_parent = 0;
	uid_t uid;
	gid_t gid;

	keep |= JAIL_CAP(CAP_DAC_READ_SEARCH);
	leave_bounding_set(keep);
	/*
	 * root becomes the caller of sudo, else nobody, and has the capabilities `keep` still, as have the programs
	 * that it starts. What takes a capability to become another user is done first. In a container where no other
	 * user is, root stays. Capabilities stay, and count for access(2), too.
	 */
	prctl(PR_GET_PDEATHSIG, &dies_with_parent, 0, 0, 0);
	if (!(how & JAIL_AS_ROOT) && jail_user(&uid, &gid) &&
	    !prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0)) {
		if (setgroups(0, NULL)) {
			/* a user namespace may forbid it, and then a process has no groups to lose */
		}
		if (!setresgid(gid, gid, gid) && !setresuid(uid, uid, uid)) {
			jail_lower_capabilities(keep, true);
			for (unsigned long cap = 0; cap < 64; cap++)
				if (keep >> cap & 1)
					prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
			/* a new user is parted from its parent */
			prctl(PR_SET_PDEATHSIG, dies_with_parent, 0, 0, 0);
		}
	}
	jail_drop_capabilities(keep);
	/* None of these accesses is allowed anywhere, but for those to files below dir_fd (-1: nowhere). */
	if (abi >= 1) {
		r.fs |= (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0);
		r.net = abi >= 4 ? NET_TCP : 0;
		r.scoped = abi >= 6 ? SCOPES : 0;
		below.allowed_access = r.fs & FS_FILES;
		fd = syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	}
	if (fd >= 0 && (dir_fd < 0 || !syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0)))
		syscall(SYS_landlock_restrict_self, fd, 0);
	if (fd >= 0)
		close((int)fd);
	if (allow_listed_calls(how | (dir_fd >= 0 ? JAIL_WRITES : 0)) || geteuid())
		return 0;
	return diag_set(d, -EOPNOTSUPP,
			"root does not read untrusted files here: the kernel lacks seccomp, and has no other user "
			"for it; run this as an ordinary user");
}

void jail_drop_capabilities(uint64_t keep)
{
	leave_bounding_set(keep);
	jail_lower_capabilities(keep, false);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
