// SPDX-License-Identifier: GPL-2.0-or-later
/* What a jailed process can and cannot do; each test jails a child of its own. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "base/base.h"
#include "tests/unit/unit.h"

#define NOBODY   65534
#define SOMEBODY 65533

static char dir[] = "/tmp/xdpzoom-jail-XXXXXX";
static char path[64], other[64], elsewhere[64];

enum who { AS_IS, ROOT, ORDINARY }; /* ROOT: with JAIL_AS_ROOT */

/* What the kernel of the jailed process lacks. */
enum { NO_LANDLOCK = 1, NO_SECCOMP = 2, NO_OTHER_USER = 4 };
static int lacks;

#define NO_JAIL 98

/*
 * What is refused in a jail, a call in each line. n: which line. fd: a file that is open for writing. NULL: there is no
 * such line.
 */
static const char *attempt(int n, int fd, long *result)
{
	const pid_t parent = getppid();
	struct rlimit limit = {0, 0};
	char *const args[] = {"true", NULL};
	char byte = 0;
	struct iovec here = {&byte, 1}, there = {path, 1};
	uint64_t how[3] = {O_WRONLY, 0, 0}, clone3[8] = {CLONE_NEWUSER};
	cpu_set_t cpus;
	int line = 0;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
#define LINE(...)                                                                                                      \
	if (n == line++) {                                                                                             \
		*result = (__VA_ARGS__);                                                                               \
		return #__VA_ARGS__;                                                                                   \
	}
	LINE(open(path, O_WRONLY | O_CLOEXEC))
	LINE(open(path, O_RDWR | O_CLOEXEC))
	LINE(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC))
	LINE(open(other, O_RDONLY | O_CREAT | O_CLOEXEC, 0600))
	LINE(open(dir, O_TMPFILE | O_WRONLY, 0600))
	LINE(syscall(SYS_openat2, AT_FDCWD, path, how, sizeof(how)))
	LINE(truncate(path, 0))
	LINE(unlink(path))
	LINE(rename(path, other))
	LINE(link(path, other))
	LINE(symlink(path, other))
	LINE(mkdir(other, 0700))
	LINE(rmdir(dir))
	LINE(mkfifo(other, 0600))
	LINE(chmod(path, 04755))
	LINE(fchmod(fd, 04755))
	LINE(fchmodat(AT_FDCWD, path, 04755, 0))
	LINE(syscall(452 /* fchmodat2 */, AT_FDCWD, path, 04755, 0))
	LINE(chown(path, geteuid(), getegid()))
	LINE(fchown(fd, geteuid(), getegid()))
	LINE(lchown(path, geteuid(), getegid()))
	LINE(fchownat(AT_FDCWD, path, geteuid(), getegid(), 0))
	LINE(setxattr(path, "user.a", "b", 1, 0))
	LINE(lsetxattr(path, "user.a", "b", 1, 0))
	LINE(fsetxattr(fd, "user.a", "b", 1, 0))
	LINE(removexattr(path, "user.a"))
	LINE(utimensat(AT_FDCWD, path, NULL, 0))
	LINE(futimens(fd, NULL))
	LINE(ioctl(fd, 0x40086602 /* FS_IOC_SETFLAGS */, &byte))
	LINE(syscall(SYS_umask, 0))
	LINE(kill(parent, 0))
	LINE(syscall(SYS_tgkill, parent, parent, 0))
	LINE(syscall(SYS_tkill, parent, 0))
	LINE(syscall(SYS_rt_sigqueueinfo, parent, 0, NULL))
	LINE(syscall(SYS_pidfd_open, parent, 0))
	LINE(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0))
	LINE(syscall(SYS_pidfd_getfd, fd, 0, 0))
	LINE(fcntl(fd, F_SETOWN, parent))
	LINE(fcntl(fd, F_SETSIG, SIGUSR1))
	LINE(fcntl(fd, F_SETLEASE, F_RDLCK))
	LINE(prlimit(parent, RLIMIT_CORE, NULL, &limit))
	LINE(setpriority(PRIO_PROCESS, (id_t)parent, 0))
	LINE(sched_setaffinity(parent, sizeof(cpus), &cpus))
	LINE(syscall(SYS_sched_setscheduler, parent, SCHED_OTHER, &byte))
	LINE(ptrace(PTRACE_SEIZE, parent, NULL, NULL))
	LINE(process_vm_readv(parent, &here, 1, &there, 1, 0))
	LINE(process_vm_writev(parent, &here, 1, &there, 1, 0))
	LINE(syscall(SYS_kcmp, parent, parent, 0, 0, 0))
	LINE(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
	LINE(ioctl(fd, TIOCSTI, "x"))
	LINE(ioctl(fd, TIOCLINUX, "x"))
	LINE(syscall(SYS_ioctl, fd, 1UL << 32 | TIOCSTI, "x"))
	LINE(ioctl(fd, TIOCSCTTY, 0))
	LINE(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL))
	LINE(syscall(SYS_clone3, clone3, sizeof(clone3)))
	LINE(unshare(CLONE_NEWUSER))
	LINE(unshare(CLONE_NEWNS))
	LINE(setns(fd, 0))
	LINE(mount("none", dir, "tmpfs", 0, NULL))
	LINE(umount2(dir, 0))
	LINE(syscall(SYS_fsopen, "tmpfs", 0))
	LINE(syscall(SYS_fsmount, fd, 0, 0))
	LINE(syscall(SYS_fspick, AT_FDCWD, dir, 0))
	LINE(syscall(SYS_open_tree, AT_FDCWD, dir, 0))
	LINE(syscall(SYS_move_mount, AT_FDCWD, dir, AT_FDCWD, dir, 0))
	LINE(syscall(SYS_mount_setattr, AT_FDCWD, dir, 0, NULL, 0))
	LINE(syscall(SYS_pivot_root, dir, dir))
	LINE(chroot(dir))
	LINE(socket(AF_UNIX, SOCK_STREAM, 0))
	LINE(socket(AF_INET, SOCK_DGRAM, 0))
	LINE(socket(AF_VSOCK, SOCK_STREAM, 0))
	LINE(socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){}))
	LINE(syscall(SYS_connect, fd, NULL, 0))
	LINE(syscall(SYS_bpf, 0, NULL, 0))
	LINE(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0))
	LINE(syscall(SYS_io_uring_setup, 1, NULL))
	LINE(syscall(SYS_io_uring_enter, fd, 0, 0, 0, NULL, 0))
	LINE(syscall(SYS_userfaultfd, 0))
	LINE(syscall(SYS_keyctl, 0, -3, 0))
	LINE(syscall(SYS_add_key, "user", "a", "b", 1, -3))
	LINE(syscall(SYS_request_key, "user", "a", NULL, 0))
	LINE(syscall(SYS_open_by_handle_at, fd, NULL, 0))
	LINE(syscall(SYS_name_to_handle_at, AT_FDCWD, path, NULL, NULL, 0))
	LINE(syscall(SYS_fanotify_init, 0, 0))
	LINE(syscall(SYS_init_module, NULL, 0, ""))
	LINE(syscall(SYS_finit_module, fd, "", 0))
	LINE(syscall(SYS_delete_module, "none", 0))
	LINE(syscall(SYS_kexec_load, 0, 0, NULL, 0))
	LINE(syscall(SYS_reboot, 0, 0, 0, NULL))
	LINE(syscall(SYS_swapon, path, 0))
	LINE(syscall(SYS_acct, path))
	LINE(syscall(SYS_quotactl, 0, NULL, 0, NULL))
	LINE(syscall(SYS_syslog, 10, NULL, 0))
	LINE(syscall(SYS_settimeofday, NULL, NULL))
	LINE(syscall(SYS_sethostname, "a", 1))
	LINE(syscall(SYS_shmget, 0, 4096, 01600))
	LINE(syscall(SYS_msgget, 0, 01600))
	LINE(syscall(SYS_semget, 0, 1, 01600))
	LINE(syscall(SYS_mq_open, "a", 0, 0, NULL))
	LINE(setresuid(0, 0, 0))
	LINE(setgroups(0, NULL))
	LINE(syscall(SYS_capset, NULL, NULL))
	LINE(fork())
	LINE(execv("/bin/true", args))
	LINE(syscall(SYS_execveat, AT_FDCWD, "/bin/true", args, NULL, 0))
	LINE(syscall(9999))
	return NULL;
}

static void become(enum who who)
{
	if (who == ORDINARY && (setresgid(SOMEBODY, SOMEBODY, SOMEBODY) || setresuid(SOMEBODY, SOMEBODY, SOMEBODY)))
		_exit(99);
}

/* From now on this call fails; arg >= 0: with this first argument alone. */
static void take_away(unsigned int call, int arg, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | (arg < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, arg < 0 ? 0 : (unsigned int)arg, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(97);
}

static void lack(void)
{
	if (lacks & NO_LANDLOCK)
		take_away(SYS_landlock_create_ruleset, -1, ENOSYS);
	if (lacks & NO_OTHER_USER)
		take_away(SYS_setresuid, -1, EINVAL);
	if (lacks & NO_SECCOMP) {
		take_away(SYS_seccomp, -1, ENOSYS);
		take_away(SYS_prctl, PR_SET_SECCOMP, EINVAL);
	}
}

/* The exit status of a child that does this in the jail, with a file that was open for writing before. */
static int in_jail(enum who who, unsigned how, int below, int (*what)(int fd, int n), int n)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), status;
	pid_t pid;

	assert_true(fd >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		become(who);
		lack();
		_exit(jail_enter(how | (who == ROOT ? JAIL_AS_ROOT : 0), below, 0, NULL) ? NO_JAIL : what(fd, n));
	}
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int reads_and_writes_what_is_open(int fd, int n)
{
	char text[8] = "";

	(void)n;
	if (pwrite(fd, "word", 4, 0) != 4 || pread(fd, text, 4, 0) != 4 || strcmp(text, "word"))
		return 1;
	if (n == ORDINARY) /* the file is root's */
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, text, 4) != 4 || access(path, R_OK);
}

static int is_refused(int fd, int n)
{
	long result = 0;
	const char *name = attempt(n, fd, &result);
	int err = errno;

	if (!name)
		return 2;
	if (result == -1 && (err == EPERM || err == EACCES || err == ENOSYS))
		return 0;
	dprintf(STDERR_FILENO, "not refused: %s: %ld, %s\n", name, result, strerror(err));
	return 1;
}

static int is_another_user(int fd, int n)
{
	uid_t uid[3];
	gid_t gid[3];

	(void)fd;
	if (getresuid(&uid[0], &uid[1], &uid[2]) || getresgid(&gid[0], &gid[1], &gid[2]))
		return 1;
	for (int i = 0; i < 3; i++)
		if (uid[i] != (uid_t)n || gid[i] != (gid_t)n)
			return 1;
	return getgroups(0, NULL) != 0;
}

static int starts_programs(int fd, int n)
{
	char command[300];

	(void)fd;
	(void)n;
	if (system("exit 7") != 7 << 8)
		return 1;
	snprintf(command, sizeof(command),
		 "exec 2>&-; chmod 4755 %s || kill -0 $PPID || unshare -Ur true || echo x >%s", path, elsewhere);
	if (!system(command))
		return 2;
	return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) != -1;
}

/* In a directory that is given: a file, and one in the place of another; but no program that gives rights. */
static int makes_files_below(int fd, int n)
{
	(void)n;
	fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || rename(other, path) || unlink(path))
		return 1;
	if (open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 04755) >= 0 || open(elsewhere, O_WRONLY | O_CLOEXEC) >= 0 ||
	    chmod(dir, 0777) == 0 || mkdir(other, 0700) == 0)
		return 2;
	return 0;
}

static void test_reads(void **state)
{
	assert_int_equal(in_jail(AS_IS, 0, -1, reads_and_writes_what_is_open, AS_IS), 0);
	if (!geteuid())
		assert_int_equal(in_jail(ORDINARY, 0, -1, reads_and_writes_what_is_open, ORDINARY), 0);
}

static void refuses_all(enum who who)
{
	int status = 0, refused = 0, n = 0;

	while ((status = in_jail(who, 0, -1, is_refused, n)) != 2) {
		refused += !status;
		n++;
	}
	assert_true(n > 100);
	assert_int_equal(refused, n);
}

static void test_calls(void **state)
{
	refuses_all(AS_IS);
}

static void test_calls_of_a_jail_as_root(void **state)
{
	refuses_all(ROOT);
}

static void test_calls_of_an_ordinary_user(void **state)
{
	if (geteuid())
		skip();
	refuses_all(ORDINARY);
}

static int is_no_longer_root(int fd, int n)
{
	(void)fd;
	return is_another_user(fd, n) || !chmod(path, 04755) || open(path, O_WRONLY | O_CLOEXEC) >= 0 ||
	       !kill(getppid(), 0);
}

/* One wall may be missing, and the other one stands; root without both reads nothing. */
static void test_kernels_that_lack(void **state)
{
	lacks = NO_LANDLOCK;
	refuses_all(AS_IS);
	lacks = NO_LANDLOCK | NO_OTHER_USER;
	refuses_all(AS_IS);
	lacks = NO_LANDLOCK | NO_SECCOMP;
	if (!geteuid()) {
		assert_int_equal(in_jail(ORDINARY, 0, -1, reads_and_writes_what_is_open, ORDINARY), 0);
		assert_int_equal(in_jail(AS_IS, 0, -1, is_no_longer_root, NOBODY), 0);
		assert_int_equal(in_jail(ROOT, 0, -1, reads_and_writes_what_is_open, AS_IS), NO_JAIL);
		lacks = NO_SECCOMP | NO_OTHER_USER;
		assert_int_equal(in_jail(AS_IS, 0, -1, reads_and_writes_what_is_open, AS_IS), NO_JAIL);
	}
	lacks = 0;
}

static void test_user(void **state)
{
	if (geteuid())
		skip();
	unsetenv("SUDO_UID");
	assert_int_equal(in_jail(AS_IS, 0, -1, is_another_user, NOBODY), 0);
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "1234", 1);
	assert_int_equal(in_jail(AS_IS, 0, -1, is_another_user, 1234), 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(in_jail(ROOT, 0, -1, is_another_user, 0), 0);
}

static void test_programs(void **state)
{
	assert_int_equal(in_jail(AS_IS, JAIL_STARTS, -1, starts_programs, 0), 0);
	assert_int_equal(in_jail(ROOT, JAIL_STARTS, -1, starts_programs, 0), 0);
	assert_int_equal(access(elsewhere, F_OK), -1);
}

static void test_directory(void **state)
{
	struct stat st;
	int below = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	fd = open(elsewhere, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	if (!geteuid() && (chown(dir, NOBODY, NOBODY) || fchown(fd, NOBODY, NOBODY)))
		fail();
	assert_int_equal(in_jail(AS_IS, 0, below, makes_files_below, 0), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	unlink(elsewhere);
	close(fd);
	close(below);
}

/* A keeper does what it is asked for, which its child may not, and ends as its child ends. */
static int answer(void *arg, int what, int detail)
{
	if (what == KEEPER_END)
		return detail == 5 && *(int *)arg == 3 ? 6 : 1;
	*(int *)arg = what;
	return what == 1 ? -ENOTTY : truncate(path, 3);
}

static void keep_one(void)
{
	int channel, asked = 0;

	if (keeper_begin(&channel, answer, &asked, NULL))
		_exit(90);
	jail_enter(0, -1, 0, NULL);
	if (keeper_ask(channel, 1) != -ENOTTY || keeper_ask(channel, 3))
		_exit(91);
	if (keeper_ask(channel, -1) != -EINVAL)
		_exit(92);
	_exit(5);
}

static void test_keeper(void **state)
{
	pid_t pid = fork();
	struct stat st;
	int status;

	assert_true(pid >= 0);
	if (!pid)
		keep_one();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 6);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
}

static uint64_t effective_after_exec(void)
{
	FILE *f = popen("sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status", "r");
	unsigned long long caps = ~0ULL;

	if (!f || fscanf(f, "%llx", &caps) != 1)
		caps = ~0ULL;
	if (f)
		pclose(f);
	return caps;
}

/* root, and root that has started another program. */
static void test_capabilities(void **state)
{
	const uint64_t keep = 1ULL << CAP_DAC_READ_SEARCH;
	pid_t pid;
	int status;

	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		jail_drop_capabilities(keep);
		_exit((effective_after_exec() & ~keep) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int begin(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s.elsewhere", dir);
	return 0;
}

static int end(void **state)
{
	unlink(path);
	unlink(other);
	return rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_calls_of_a_jail_as_root),
		cmocka_unit_test(test_calls_of_an_ordinary_user),
		cmocka_unit_test(test_kernels_that_lack),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_keeper),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_capabilities),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
