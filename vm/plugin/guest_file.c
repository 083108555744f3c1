// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/guest_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/printable.h"

FILE *guest_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *in = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= GUEST_FILE_BYTES)
		in = fdopen(fd, "r");
	if (!in)
		close(fd);
	return in;
}

/* A byte that is not to be shown becomes "?"; the line keeps its length, and its end. */
char *guest_file_line(char *line, int size, FILE *in)
{
	char *from, *end;

	if (!fgets(line, size, in))
		return NULL;
	for (from = line; *from; from = end) {
		char kept = *(end = from + strcspn(from, "\t\n"));

		*end = '\0';
		printable_in_place(from);
		*end = kept;
		end += kept != '\0';
	}
	return line;
}
