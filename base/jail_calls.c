// SPDX-License-Identifier: GPL-2.0-or-later
/* The system calls of a jailed process: what it may call, and with which arguments. */
#include "base/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

/* Machines differ in their old calls. Newer kernels than the headers of Debian 12 number theirs from here on. */
#define UNKNOWN_FROM 424 /* from here on, all machines have the same numbers, and C libraries can do without */

#define O_TMPFILE_ALONE 020000000 /* O_TMPFILE holds O_DIRECTORY, too */
#define TCGETS2_ANY     0x802c542a

static const unsigned short reads[] = {
	/* files */
	SYS_read,
	SYS_readv,
	SYS_pread64,
	SYS_preadv,
	SYS_preadv2,
	SYS_lseek,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_faccessat,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_statfs,
	SYS_fstatfs,
	SYS_getcwd,
	SYS_chdir,
	SYS_fchdir,
	SYS_fadvise64,
	SYS_readahead,
	/* what is open for writing already */
	SYS_write,
	SYS_writev,
	SYS_pwrite64,
	SYS_pwritev,
	SYS_pwritev2,
	SYS_fsync,
	SYS_fdatasync,
	SYS_sync_file_range,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_sendfile,
	SYS_copy_file_range,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_memfd_create,
	SYS_pipe2,
	SYS_dup,
	SYS_dup3,
	SYS_ppoll,
	SYS_pselect6,
	/* memory */
	SYS_brk,
	SYS_mmap,
	SYS_munmap,
	SYS_mprotect,
	SYS_mremap,
	SYS_madvise,
	SYS_mincore,
	SYS_membarrier,
	SYS_get_mempolicy,
	SYS_set_mempolicy,
	/* this process */
	SYS_exit,
	SYS_exit_group,
	SYS_futex,
	SYS_set_robust_list,
	SYS_get_robust_list,
	SYS_rseq,
	SYS_set_tid_address,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_rt_sigpending,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
	SYS_sigaltstack,
	SYS_restart_syscall,
	SYS_getpid,
	SYS_getppid,
	SYS_gettid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getresuid,
	SYS_getresgid,
	SYS_getgroups,
	SYS_getpgid,
	SYS_getsid,
	SYS_capget,
	SYS_getrusage,
	SYS_times,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_sched_getparam,
	SYS_sched_getscheduler,
	SYS_getcpu,
	/* the machine */
	SYS_uname,
	SYS_sysinfo,
	SYS_getrandom,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
/* names of the same that new machines lack */
#ifdef SYS_open
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_getdents,
	SYS_poll,
	SYS_select,
	SYS_dup2,
	SYS_pipe,
	SYS_time,
	SYS_getrlimit,
	SYS_setrlimit,
	SYS_getpgrp,
	SYS_arch_prctl,
#endif
#ifdef SYS_close_range
	SYS_close_range,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
};

static const unsigned short starts[] = {
	SYS_execve, SYS_wait4, SYS_waitid, SYS_setuid, SYS_setgid, SYS_setpgid,
#ifdef SYS_fork
	SYS_fork,   SYS_vfork,
#endif
};

static const unsigned short writes[] = {
	SYS_renameat2, SYS_unlinkat,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_rename
	SYS_rename,    SYS_unlink,
#endif
};

static const unsigned short trees[] = {
	SYS_mkdirat, SYS_symlinkat, SYS_umask,
#ifdef SYS_mkdir
	SYS_mkdir,   SYS_symlink,
#endif
};

static const unsigned short below[] = {
#ifdef SYS_openat2
	SYS_openat2,
#endif
};

/* Terminals are asked, and never changed or typed into. */
static const unsigned int ioctls[] = {TCGETS, TCGETS2_ANY, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};
/* No signals are sent by files, and no leases are taken. */
static const unsigned int fcntls[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
				      F_SETFL,     F_GETLK,         F_SETLK,      F_SETLKW,    F_OFD_GETLK,
				      F_OFD_SETLK, F_OFD_SETLKW,    F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS};
static const unsigned int prctls[] = {PR_SET_NAME,         PR_GET_NAME,     PR_SET_PDEATHSIG,    PR_GET_PDEATHSIG,
				      PR_GET_NO_NEW_PRIVS, PR_CAPBSET_READ, PR_SET_NO_NEW_PRIVS, PR_SET_VMA};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

struct filter {
	struct sock_filter code[512];
	unsigned short len;
};

#define CALL       offsetof(struct seccomp_data, nr)
#define ARG(n)     (offsetof(struct seccomp_data, args) + 8 * (n)) /* its lower half: both machines are little-endian */
#define REFUSE(no) (SECCOMP_RET_ERRNO | (no))

static void jail_calls_put(struct filter *f, unsigned short code, unsigned int k, unsigned char yes, unsigned char no)
{
	f->code[f->len++] = (struct sock_filter){code, yes, no, k};
}

static void jail_calls_load(struct filter *f, unsigned int at)
{
	jail_calls_put(f, BPF_LD | BPF_W | BPF_ABS, at, 0, 0);
}

static void end(struct filter *f, unsigned int word)
{
	jail_calls_put(f, BPF_RET | BPF_K, word, 0, 0);
}

/* What is loaded is in the list: allowed. */
static void allow_if_equal(struct filter *f, unsigned int value)
{
	jail_calls_put(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	end(f, SECCOMP_RET_ALLOW);
}

static void allow_calls(struct filter *f, const unsigned short *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allow_if_equal(f, list[i]);
}

/* Begins the rule of a call: what follows up to close_rule() decides. Returns where that begins. */
static unsigned short open_rule(struct filter *f, unsigned int call)
{
	jail_calls_put(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
	return f->len;
}

/* What was not allowed by now is refused. */
static void close_rule(struct filter *f, unsigned short begin, int no)
{
	end(f, REFUSE(no));
	f->code[begin - 1].jf = (unsigned char)(f->len - begin);
}

static void allow_words(struct filter *f, unsigned int call, unsigned int arg, const unsigned int *words, size_t n)
{
	unsigned short begin = open_rule(f, call);

	jail_calls_load(f, ARG(arg));
	for (size_t i = 0; i < n; i++)
		allow_if_equal(f, words[i]);
	close_rule(f, begin, EPERM);
}

/* Allowed if the argument has none of these bits. */
static void allow_without(struct filter *f, unsigned int call, unsigned int arg, unsigned int bits, int no)
{
	unsigned short begin = open_rule(f, call);

	jail_calls_load(f, ARG(arg));
	jail_calls_put(f, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
	end(f, SECCOMP_RET_ALLOW);
	close_rule(f, begin, no);
}

/*
 * Files are opened for reading; with `writes`, also for writing, and none is made that gives rights to who runs it. The
 * mode is the argument behind the flags, and none where no file can be made.
 */
static void allow_open(struct filter *f, unsigned int call, unsigned int flags_at, bool may_write)
{
	unsigned short begin;

	if (!may_write) {
		allow_without(f, call, flags_at, O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE_ALONE, EACCES);
		return;
	}
	begin = open_rule(f, call);
	jail_calls_load(f, ARG(flags_at));
	jail_calls_put(f, BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TMPFILE_ALONE, 1, 0);
	end(f, SECCOMP_RET_ALLOW);
	jail_calls_load(f, ARG(flags_at + 1));
	jail_calls_put(f, BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID | S_ISVTX, 1, 0);
	end(f, SECCOMP_RET_ALLOW);
	close_rule(f, begin, EPERM);
}

static void allow_this_process(struct filter *f)
{
	unsigned int me = (unsigned int)getpid();

	allow_words(f, SYS_tgkill, 0, &me, 1); /* abort(3) */
	allow_words(f, SYS_prlimit64, 0, &(unsigned int){0}, 1);
	allow_words(f, SYS_prctl, 0, prctls, COUNT(prctls));
	allow_words(f, SYS_fcntl, 1, fcntls, COUNT(fcntls));
	allow_words(f, SYS_ioctl, 1, ioctls, COUNT(ioctls));
}

static void allow_programs(struct filter *f)
{
	allow_calls(f, starts, COUNT(starts));
	allow_without(f, SYS_clone, 0,
		      CLONE_NEWTIME | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
			      CLONE_NEWPID | CLONE_NEWNET,
		      EPERM);
}

static void refuse_the_rest(struct filter *f)
{
	jail_calls_load(f, CALL);
	jail_calls_put(f, BPF_JMP | BPF_JGE | BPF_K, UNKNOWN_FROM, 0, 1);
	end(f, REFUSE(ENOSYS));
	end(f, REFUSE(EPERM));
}

bool jail_allow_calls(unsigned how)
{
	struct filter f = {.len = 0};
	struct sock_fprog program = {.filter = f.code};

	jail_calls_load(&f, offsetof(struct seccomp_data, arch));
	jail_calls_put(&f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	end(&f, REFUSE(ENOSYS));
	jail_calls_load(&f, CALL);
	/* x86-64 numbers its calls a second time from here on (x32); other machines have no such numbers */
	jail_calls_put(&f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	end(&f, REFUSE(ENOSYS));
	allow_calls(&f, reads, COUNT(reads));
	if (how & JAIL_WRITES)
		allow_calls(&f, writes, COUNT(writes));
	if (how & JAIL_TREES)
		allow_calls(&f, trees, COUNT(trees));
	if (how & JAIL_BELOW)
		allow_calls(&f, below, COUNT(below));
	if (how & JAIL_STARTS)
		allow_programs(&f);
	allow_open(&f, SYS_openat, 2, how & JAIL_WRITES);
#ifdef SYS_open
	allow_open(&f, SYS_open, 1, how & JAIL_WRITES);
#endif
	allow_this_process(&f);
	refuse_the_rest(&f);
	program.len = f.len;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
bool jail_allow_calls(unsigned how)
{
	(void)how;
	return false;
}
#endif
