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

/* libseccomp 2.5 crashes, or never ends, where an allocation of its own fails: those are left alone. */
static int fails_memory(const void *caller)
{
	Dl_info from;

	if (kind != 'm' || (dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libseccomp")))
		return 0;
	return fails('m', ENOMEM);
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
	return fails_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* One function: its call fails with that error and result, or is done. */
#define FAILING(kind, err, failed, type, name, parameters, ...)                                                        \
	type name parameters                                                                                           \
	{                                                                                                              \
		return fails(kind, err) ? failed : REAL(name)(__VA_ARGS__);                                            \
	}

FAILING('f', EMFILE, NULL, FILE *, fopen, (const char *path, const char *mode), path, mode)
FAILING('f', ENOMEM, NULL, FILE *, fdopen, (int fd, const char *mode), fd, mode)
FAILING('w', ENOSPC, -1, ssize_t, write, (int fd, const void *data, size_t len), fd, data, len)
FAILING('w', EIO, -1, int, fsync, (int fd), fd)
FAILING('w', ENOSPC, -1, int, renameat, (int a, const char *from, int b, const char *to), a, from, b, to)
FAILING('w', ENOSPC, -1, int, renameat2, (int a, const char *from, int b, const char *to, unsigned int flags), a, from,
	b, to, flags)
FAILING('w', ENOSPC, EOF, int, fflush, (FILE * f), f)
FAILING('k', EMFILE, -1, int, socket, (int domain, int type, int protocol), domain, type, protocol)
FAILING('k', ENOBUFS, -1, int, bind, (int fd, const struct sockaddr *to, socklen_t len), fd, to, len)
FAILING('k', ENOBUFS, -1, ssize_t, sendto,
	(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t n), fd, data, len, flags,
	to, n)
FAILING('k', ENOBUFS, -1, ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
FAILING('k', ENOMEM, -1, ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
FAILING('k', ENOMEM, -1, int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len), fd, level,
	name, value, len)
FAILING('k', ENOMEM, MAP_FAILED, void *, mmap, (void *at, size_t len, int protection, int flags, int fd, off_t offset),
	at, len, protection, flags, fd, offset)
FAILING('p', EAGAIN, -1, pid_t, fork, (void), )
FAILING('p', EMFILE, -1, int, pipe, (int fds[2]), fds)
FAILING('p', EMFILE, -1, int, pipe2, (int fds[2], int flags), fds, flags)
FAILING('p', EMFILE, -1, int, dup2, (int from, int to), from, to)
FAILING('p', ENOMEM, -1, int, setns, (int fd, int kinds), fd, kinds)
FAILING('p', ENOSPC, -1, int, unshare, (int kinds), kinds)
FAILING('p', EINVAL, -1, int, sched_setaffinity, (pid_t pid, size_t len, const cpu_set_t *cpus), pid, len, cpus)
FAILING('p', EAGAIN, EAGAIN, int, pthread_create,
	(pthread_t * thread, const pthread_attr_t *how, void *(*start)(void *), void *arg), thread, how, start, arg)

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
