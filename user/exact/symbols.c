// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/symbols.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "vm/plugin/count.h"

#define AT_ONCE 262144 /* bytes: what a write to the host carries */

/* The line of the program's only function; false: it has more functions, or the kernel does not show where they are. */
static bool line_of_program(const struct bench *b, char *line, size_t size)
{
	uint64_t address = 0;
	struct bpf_prog_info info = {.jited_ksyms = (uintptr_t)&address, .nr_jited_ksyms = 1};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(b->prog_fd, &info, &len) || info.nr_jited_ksyms != 1 || !address)
		return false;
	snprintf(line, size, "%016" PRIx64 " t bpf_prog_%s_%s\t[bpf]\n", address, b->tag, b->name);
	return true;
}

/* All functions but those of the program, which may be gone when the file is still in use. */
static void copy(FILE *from, FILE *to, const char *program, struct places *places)
{
	char line[1024];

	while (fgets(line, sizeof(line), from)) {
		const char *name = line + strlen("0123456789abcdef T ");

		if (!strchr("tTwW", line[17])) {
			if (places)
				places_symbol(places, line);
		} else if (strncmp(name, program, strlen(program)) != 0) {
			fputs(line, to);
		}
	}
}

static int refuse(const char *path, struct diag *d)
{
	return diag_set(d, -EIO, "cannot copy /proc/kallsyms to %s: %s", path, strerror(errno));
}

static int write_kernel(struct symbols *s, const char *path, const char *program, struct places *places, struct diag *d)
{
	FILE *from = fopen("/proc/kallsyms", "r"), *to = fopen(path, "w");
	bool failed = !from || !to;

	if (!failed) {
		setvbuf(from, NULL, _IOFBF, AT_ONCE);
		setvbuf(to, NULL, _IOFBF, AT_ONCE);
		copy(from, to, program, places);
		failed = ferror(from);
		s->kernel = ftell(to);
	}
	if (from)
		fclose(from);
	if (to && fclose(to))
		failed = true;
	return failed ? refuse(path, d) : 0;
}

int symbols_write(struct symbols *s, const char *dir, const struct bench *b, struct places *places, struct diag *d)
{
	char path[4200], line[128], program[64];
	bool one = line_of_program(b, line, sizeof(line));
	FILE *to;
	int err = 0;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	snprintf(program, sizeof(program), "bpf_prog_%s_%s", b->tag, b->name);
	if (!one || !s->kernel)
		err = write_kernel(s, path, one ? program : "\n", places, d); /* no name begins with "\n" */
	if (err)
		return err;
	to = one ? fopen(path, "r+") : NULL;
	if (one && (!to || ftruncate(fileno(to), s->kernel) || fseek(to, 0, SEEK_END) || fputs(line, to) < 0))
		err = refuse(path, d);
	if (to && fclose(to) && !err)
		err = refuse(path, d);
	if (!one)
		s->kernel = 0;
	COUNT_COMMAND(COUNT_SYMBOLS);
	return err;
}
