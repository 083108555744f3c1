// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE 262144 /* bytes: what a write to the host carries */

/* Where the program is, 0: the kernel does not show that; *n: how many functions it has. */
static uint64_t find_program(const struct bench *b, __u32 *n)
{
	uint64_t address = 0;
	struct bpf_prog_info info = {.jited_ksyms = (uintptr_t)&address, .nr_jited_ksyms = 1};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(b->prog_fd, &info, &len))
		return 0;
	*n = info.nr_jited_ksyms;
	return address;
}

/* Is this the name in a line of kallsyms, or what the compiler made of a function of this name? */
static bool is_called(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) &&
	       (strchr("\t\n", line[n]) || !strncmp(line + n, ".isra.", 6) || !strncmp(line + n, ".constprop.", 11));
}

/*
 * Without the functions of the program under test when only one is left out: that program may be gone while the file is
 * still in use. Else the name of the function at this address is noted: the kernel cuts names in other places.
 */
static void copy(struct symbols *s, FILE *from, FILE *to, uint64_t noted, struct places *places)
{
	const size_t at = strlen("0123456789abcdef T "), len = strlen(s->program);
	char line[1024];

	while (fgets(line, sizeof(line), from)) {
		if (!strchr("tTwW", line[17])) {
			if (places)
				places_symbol(places, line);
		} else if (noted || strncmp(line + at, s->program, strlen(s->program)) != 0) {
			fputs(line, to);
			if (s->poll && is_called(line + at, s->poll)) {
				fprintf(to, "%.16s z %s\n", line, s->poll);
				s->polls = true;
			}
			if (strcspn(line + at, "\t\n") == len && !strncmp(line + at, s->program, len))
				s->address = strtoull(line, NULL, 16);
			if (noted && strtoull(line, NULL, 16) == noted)
				snprintf(s->program, sizeof(s->program), "%.*s", (int)strcspn(line + at, "\t\n"),
					 line + at);
		}
	}
}

static int symbols_refuse(const char *path, struct diag *d)
{
	return diag_set(d, -EIO, "cannot copy /proc/kallsyms to %s: %s", path, strerror(errno));
}

static int write_kernel(struct symbols *s, const char *path, uint64_t noted, struct places *places, struct diag *d)
{
	FILE *from = fopen("/proc/kallsyms", "r"), *to;
	bool failed;

	if (!from)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no /proc/kallsyms (CONFIG_KALLSYMS): %s",
				strerror(errno));
	to = fopen(path, "w");
	failed = !to;
	if (!failed) {
		setvbuf(from, NULL, _IOFBF, AT_ONCE);
		setvbuf(to, NULL, _IOFBF, AT_ONCE);
		copy(s, from, to, noted, places);
		failed = ferror(from);
		s->kernel = noted ? 0 : ftell(to);
	}
	fclose(from);
	if (to && fclose(to))
		failed = true;
	if (!failed && s->poll && !s->polls)
		return diag_set(d, -EOPNOTSUPP,
				"this kernel has no function %s, whose calls are the polls of this driver", s->poll);
	return failed ? symbols_refuse(path, d) : 0;
}

/*
 * keep: bytes of the file that stay; 0: all, and they have the program's function. type: of the line that names the
 * program (vm/plugin/plugin.h).
 */
static int symbols_append(const struct symbols *s, const char *path, long keep, char type, uint64_t address,
			  struct diag *d)
{
	FILE *to = fopen(path, "r+");
	int err = 0;

	if (!to || (keep && ftruncate(fileno(to), keep)) || fseek(to, 0, SEEK_END) ||
	    (keep && fprintf(to, "%016" PRIx64 " t %s\t[bpf]\n", address, s->program) < 0) ||
	    fprintf(to, "%016" PRIx64 " %c %s\n", address, type, s->program) < 0)
		err = symbols_refuse(path, d);
	if (to && fclose(to) && !err)
		err = symbols_refuse(path, d);
	return err;
}

int symbols_write(struct symbols *s, const char *dir, const struct bench *b, struct places *places, struct diag *d)
{
	__u32 functions = 0;
	uint64_t address = find_program(b, &functions);
	bool ours = b->skel && functions == 1 && address;
	char path[4200];
	int err = 0;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	snprintf(s->program, sizeof(s->program), "bpf_prog_%s_%s", b->tag, b->name);
	if (!ours || !s->kernel)
		err = write_kernel(s, path, ours ? 0 : address ? address : UINT64_MAX, places, d);
	if (!err && address)
		err = symbols_append(s, path, ours ? s->kernel : 0, 'x', address, d);
	return err;
}

int symbols_write_common(struct symbols *s, const char *dir, const char *function, struct places *places,
			 struct diag *d)
{
	char path[4200];
	int err;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	snprintf(s->program, sizeof(s->program), "%s", function);
	s->address = 0;
	err = write_kernel(s, path, UINT64_MAX, places, d);
	if (err)
		return err;
	if (!s->address)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no function %s, by which frames are counted",
				function);
	return symbols_append(s, path, 0, 'y', s->address, d);
}
