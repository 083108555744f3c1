// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

static foreign_below_fn *below; /* NULL: below a file there is nothing */

void foreign_file_below(foreign_below_fn *open)
{
	below = open;
}

int foreign_file_check(int fd, const char *path, long long max_bytes, struct diag *d)
{
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err = diag_set(d, -EISDIR, "%s: %s", path, strerror(EISDIR));
	else if (!S_ISREG(st.st_mode))
		err = diag_set(d, -EINVAL, "%s is no regular file", path);
	else if (st.st_size > max_bytes)
		err = diag_set(d, -EFBIG, "%s has %lld bytes, which is more than any such file has", path,
			       (long long)st.st_size);
	if (err)
		close(fd);
	return err;
}

int foreign_file_open(FILE **file, int dir_fd, const char *path, bool inside, long long max_bytes, struct diag *d)
{
	/* O_NONBLOCK: to open a FIFO waits for its other end; it means nothing for files */
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (inside ? O_NOFOLLOW : 0);
	int fd = openat(dir_fd, path, flags), err;

	*file = NULL;
	if (fd < 0 && errno == ENOTDIR && dir_fd == AT_FDCWD && below)
		return below(file, path, d);
	if (fd < 0 && errno == ELOOP && inside)
		return diag_set(d, -ELOOP, "%s is a link, which may lead anywhere", path);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	err = foreign_file_check(fd, path, max_bytes, d);
	if (err)
		return err;
	*file = fdopen(fd, "r");
	if (*file)
		return 0;
	err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	close(fd);
	return err;
}
