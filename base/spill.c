// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int spill_open(struct spill *s, const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return errno == EISDIR || errno == ENOENT ? -EOPNOTSUPP : -errno; /* so says a kernel without them */
	s->file = fdopen(fd, "w+");
	if (s->file)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

int spill_add(struct spill *s, const char *dir, const char *text, size_t n)
{
	int err = s->file ? 0 : spill_open(s, dir);

	if (err)
		return err;
	clearerr(s->file);
	errno = 0;
	if (fseeko(s->file, s->size, SEEK_SET) || fwrite(text, 1, n, s->file) != n || fflush(s->file))
		return errno ? -errno : -EIO;
	s->size += (off_t)n;
	return 0;
}

int spill_copy(const struct spill *s, FILE *to)
{
	char part[1 << 16];

	for (off_t at = 0; at < s->size;) {
		off_t left = s->size - at;
		ssize_t n = pread(fileno(s->file), part, left < (off_t)sizeof(part) ? (size_t)left : sizeof(part), at);

		if (n <= 0)
			return n ? -errno : -EIO;
		fwrite(part, 1, (size_t)n, to);
		at += n;
	}
	return 0;
}

void spill_release(struct spill *s)
{
	if (s->file)
		fclose(s->file);
	memset(s, 0, sizeof(*s));
}
