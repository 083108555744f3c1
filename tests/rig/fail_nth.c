// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fail_nth - lets the Nth call of a kind fail in a program that it is preloaded into
 *
 * in:    FAIL_KIND: "memory" (malloc, calloc, realloc), "files" (open, openat, fopen, fdopen), "writes" (write, fsync,
 *        rename, fflush, fclose); FAIL_NTH: which call fails, from 1 on; 0: none; FAIL_COUNT: a file that gets the
 *        number of calls at the end
 * law:   one call fails, as the kernel or libc would let it fail; all others are done
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static long nth = -1, calls;
static char kind; /* the first letter */

__attribute__((constructor)) static void begin(void)
{
	const char *k = getenv("FAIL_KIND"), *n = getenv("FAIL_NTH");

	kind = k ? *k : 0;
	nth = n ? atol(n) : 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	char text[32];
	int fd;

	kind = 0;
	fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	if (fd < 0)
		return;
	if (write(fd, text, (size_t)snprintf(text, sizeof(text), "%ld\n", calls)) < 0)
		abort();
	close(fd);
}

static int fails(char k, int err)
{
	if (k != kind || ++calls != nth)
		return 0;
	errno = err;
	return 1;
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
