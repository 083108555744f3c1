// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

int spill_open(struct spill *s, const char *path)
{
	unlink(path);
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	s->is_open = s->fd >= 0;
	s->size = 0;
	return s->is_open ? 0 : -errno;
}

FILE *spill_begin(const struct spill *s)
{
	int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	FILE *piece = fd >= 0 && lseek(fd, s->size, SEEK_SET) >= 0 ? fdopen(fd, "w") : NULL;

	if (!piece && fd >= 0)
		close(fd);
	errno = 0;
	return piece;
}

int spill_end(struct spill *s, FILE *piece, int err)
{
	if (!err && (fflush(piece) || ferror(piece)))
		err = errno ? -errno : -EIO;
	if (fclose(piece) && !err)
		err = -errno;
	if (!err)
		s->size = lseek(s->fd, 0, SEEK_CUR); /* both descriptors have one place in the file */
	else if (ftruncate(s->fd, s->size)) {
		/* its part stays, and the next piece takes its place */
	}
	return err;
}

void spill_release(struct spill *s)
{
	if (s->is_open)
		close(s->fd);
	memset(s, 0, sizeof(*s));
}
