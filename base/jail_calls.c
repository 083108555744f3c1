// SPDX-License-Identifier: GPL-2.0-or-later
/* The system calls of a jailed process: what it may call, and with which arguments. */
#include "base/base.h"

#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

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

bool jail_allow_calls(unsigned how)
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
