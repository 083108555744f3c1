// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "user/programs/source_lines.h"

int lines_write(const char *dir, bool wanted, struct diag *d)
{
	struct source_lines all = {};
	char path[4200];
	int err = wanted ? source_lines_read(&all, d) : 0;
	FILE *to;

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/lines", dir);
	to = fopen(path, "w");
	for (size_t i = 0; to && i < all.n; i++)
		fprintf(to, "%" PRIx64 " %s\n", all.list[i].address, all.list[i].words);
	source_lines_release(&all);
	if (!to || fflush(to))
		err = -EIO;
	if (to && fclose(to))
		err = -EIO;
	return err ? diag_set(d, err, "cannot write %s: %s", path, strerror(errno)) : 0;
}
