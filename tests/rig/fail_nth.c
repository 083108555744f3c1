// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fail_nth - lets the Nth call of a kind fail in a program that it is preloaded into
 *
 * in:    FAIL_KIND: "memory" (malloc, calloc, realloc), "files" (open, openat, fopen, fdopen), "writes" (write, fsync,
 *        rename, fflush, fclose), "kernel" (syscall, by which libbpf calls bpf() and perf_event_open(); socket, bind,
 *        sendto, sendmsg, recvmsg, ioctl, setsockopt, mmap), "processes" (fork, pipe, dup2, pthread_create, setns,
 *        unshare, sched_setaffinity); FAIL_NTH: which call fails, from 1 on; 0: none; FAIL_COUNT: a file that gets the
 *        number of calls at the end; FAIL_CHILDREN: processes that the program forks count, too
 * law:   one call fails, as the kernel or libc would let it fail; all others are done. Programs that this one starts
 *        are left alone
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static long nth = -1;
static _Atomic long *calls; /* shared with children */
static int children;
static char kind; /* the first letter */
static char count_path[4096];
static pid_t self;

__attribute__((constructor)) static void begin(void)
{
	const char *k = getenv("FAIL_KIND"), *n = getenv("FAIL_NTH"), *path = getenv("FAIL_COUNT");

	nth = n ? atol(n) : 0;
	snprintf(count_path, sizeof(count_path), "%s", path ? path : "");
	self = getpid();
	children = getenv("FAIL_CHILDREN") != NULL;
	calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	kind = k ? *k : 0; /* from here on calls count: that mmap() was one of a kind */
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int fd;

	kind = 0;
	fd = *count_path && getpid() == self ? open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	if (fd < 0)
		return;
	if (write(fd, text, (size_t)snprintf(text, sizeof(text), "%ld\n", *calls)) < 0)
		abort();
	close(fd);
}

static int fails(char k, int err)
{
	if (k != kind || (!children && getpid() != self) || ++*calls != nth)
		return 0;
	errno = err;
	return 1;
}

/* The process that waits for its child ends like this. */
void _exit(int status)
{
	end();
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

void *malloc(size_t size)
{
	return fails('m', ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails('m', ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails('m', ENOMEM) ? NULL : __libc_realloc(p, size);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN_MODE(mode, flags)                                                                                         \
	do {                                                                                                           \
		va_list args;                                                                                          \
		va_start(args, flags);                                                                                 \
		mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                                     \
		va_end(args);                                                                                          \
	} while (0)

int open(const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	return fails('f', EMFILE) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	return fails('f', EMFILE) ? -1 : REAL(openat)(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return fails('f', EMFILE) ? NULL : REAL(fopen)(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	return fails('f', ENOMEM) ? NULL : REAL(fdopen)(fd, mode);
}

ssize_t write(int fd, const void *data, size_t len)
{
	return fails('w', ENOSPC) ? -1 : REAL(write)(fd, data, len);
}

int fsync(int fd)
{
	return fails('w', EIO) ? -1 : REAL(fsync)(fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return fails('w', ENOSPC) ? -1 : REAL(renameat)(from_dir, from, to_dir, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	return fails('w', ENOSPC) ? -1 : REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

int fflush(FILE *f)
{
	return fails('w', ENOSPC) ? EOF : REAL(fflush)(f);
}

int fclose(FILE *f)
{
	int failed = fails('w', ENOSPC), err = REAL(fclose)(f);

	if (!failed)
		return err;
	errno = ENOSPC;
	return EOF;
}

long syscall(long number, ...)
{
	va_list args;
	long a[6];

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return fails('k', ENOMEM) ? -1 : REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int socket(int domain, int type, int protocol)
{
	return fails('k', EMFILE) ? -1 : REAL(socket)(domain, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	return fails('k', ENOBUFS) ? -1 : REAL(bind)(fd, address, len);
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t to_len)
{
	return fails('k', ENOBUFS) ? -1 : REAL(sendto)(fd, data, len, flags, to, to_len);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	return fails('k', ENOBUFS) ? -1 : REAL(sendmsg)(fd, m, flags);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	return fails('k', ENOMEM) ? -1 : REAL(recvmsg)(fd, m, flags);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return fails('k', ENOMEM) ? -1 : REAL(setsockopt)(fd, level, name, value, len);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return fails('k', ENOMEM) ? -1
				  : ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(fd, request, arg);
}

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	return fails('k', ENOMEM) ? MAP_FAILED : REAL(mmap)(at, len, protection, flags, fd, offset);
}

pid_t fork(void)
{
	return fails('p', EAGAIN) ? -1 : REAL(fork)();
}

int pipe(int fds[2])
{
	return fails('p', EMFILE) ? -1 : REAL(pipe)(fds);
}

int pipe2(int fds[2], int flags)
{
	return fails('p', EMFILE) ? -1 : REAL(pipe2)(fds, flags);
}

int dup2(int from, int to)
{
	return fails('p', EMFILE) ? -1 : REAL(dup2)(from, to);
}

int setns(int fd, int kinds)
{
	return fails('p', ENOMEM) ? -1 : REAL(setns)(fd, kinds);
}

int unshare(int kinds)
{
	return fails('p', ENOSPC) ? -1 : REAL(unshare)(kinds);
}

int sched_setaffinity(pid_t pid, size_t len, const cpu_set_t *cpus)
{
	return fails('p', EINVAL) ? -1 : REAL(sched_setaffinity)(pid, len, cpus);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *arg)
{
	return fails('p', EAGAIN) ? EAGAIN : REAL(pthread_create)(thread, how, start, arg);
}
