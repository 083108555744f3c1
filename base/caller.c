// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

static int id_of(const char *name, double *id)
{
	const char *text = getenv(name);

	return text ? number_parse(text, 1, 4294967294.0, id) : -1;
}

bool caller_find(uid_t *uid, gid_t *gid)
{
	double u, g;

	if (geteuid() || id_of("SUDO_UID", &u) || id_of("SUDO_GID", &g))
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

bool caller_owns(int parent_fd, uid_t *uid, gid_t *gid)
{
	struct stat st;

	return caller_find(uid, gid) && !fstatat(parent_fd, "", &st, AT_EMPTY_PATH) && st.st_uid == *uid;
}

void caller_give(int parent_fd, int fd)
{
	uid_t uid;
	gid_t gid;

	if (caller_owns(parent_fd, &uid, &gid) && fchown(fd, uid, gid)) {
		/* root keeps it */
	}
}
