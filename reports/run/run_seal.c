// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/foreign_file.h"

void run_script_name(char *name, size_t size, int block)
{
	snprintf(name, size, "blocks/%03d.script", block);
}

static struct run_seal seal_of(FILE *f)
{
	struct run_seal s = {.digest = 0xcbf29ce484222325ull};
	unsigned char bytes[65536];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0) {
		for (size_t i = 0; i < n; i++)
			s.digest = (s.digest ^ bytes[i]) * 0x100000001b3ull;
		s.bytes += (int64_t)n;
	}
	return s;
}

static int seal(struct run_seal *s, const char *path, bool inside, struct diag *d)
{
	FILE *f;
	int err = foreign_file_open(&f, AT_FDCWD, path, inside, FOREIGN_MAX_BYTES, d);

	if (err)
		return err;
	*s = seal_of(f);
	if (ferror(f))
		err = diag_set(d, -EIO, "%s cannot be read", path);
	/* A power cut must not leave a run.json whose scripts are empty. A file system that cannot sync is no error. */
	if (inside)
		fsync(fileno(f));
	fclose(f);
	return err;
}

int run_seal_file(struct run_seal *s, const char *path, struct diag *d)
{
	return seal(s, path, false, d);
}

int run_seal_script(struct run_block *b, const char *dir, struct diag *d)
{
	char path[4096 + sizeof(b->script)];

	if (!b->script[0])
		return 0;
	snprintf(path, sizeof(path), "%.4000s/%s", dir, b->script);
	return seal(&b->seal, path, true, d);
}

int run_check_seal(const struct run_block *b, FILE *script, const char *path, struct diag *d)
{
	struct run_seal now;

	if (b->seal.bytes < 0)
		return 0;
	now = seal_of(script);
	if (now.bytes != b->seal.bytes)
		return diag_set(d, -EILSEQ, "%s has %" PRId64 " bytes, and %" PRId64 " when it was recorded", path,
				now.bytes, b->seal.bytes);
	if (now.digest != b->seal.digest)
		return diag_set(d, -EILSEQ, "%s was changed since it was recorded", path);
	return 0;
}
