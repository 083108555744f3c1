// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

static const struct run_seal nothing = {.digest = 0xcbf29ce484222325ull};

static size_t read_on(struct run_seal *s, FILE *f, char *bytes, size_t size)
{
	size_t n = fread(bytes, 1, size, f);

	for (size_t i = 0; i < n; i++)
		s->digest = (s->digest ^ (unsigned char)bytes[i]) * 0x100000001b3ull;
	s->bytes += (int64_t)n;
	return n;
}

int run_seal_file(struct run_seal *s, const char *path, bool inside, struct diag *d)
{
	char bytes[65536];
	FILE *f;
	int err = foreign_file_open(&f, AT_FDCWD, path, inside, FOREIGN_MAX_BYTES, d);

	if (err)
		return err;
	*s = nothing;
	while (read_on(s, f, bytes, sizeof(bytes)))
		;
	if (ferror(f))
		err = diag_set(d, -EIO, "%s cannot be read", path);
	/* A power cut must not leave a run.json whose scripts are empty. A file system that cannot sync is no error. */
	if (inside)
		fsync(fileno(f));
	fclose(f);
	return err;
}

int run_seal_script(struct run_block *b, const char *dir, struct diag *d)
{
	char path[4096 + sizeof(b->script)];

	if (!b->script[0])
		return 0;
	snprintf(path, sizeof(path), "%.4000s/%s", dir, b->script);
	return run_seal_file(&b->seal, path, true, d);
}

static ssize_t read_sealed(void *cookie, char *bytes, size_t size)
{
	struct run_sealed *s = cookie;
	size_t n = read_on(&s->now, s->in, bytes, size);

	return n || !ferror(s->in) ? (ssize_t)n : -1;
}

int run_sealed_begin(struct run_sealed *s, FILE *in, struct diag *d)
{
	*s = (struct run_sealed){.in = in, .now = nothing};
	s->text = fopencookie(s, "r", (cookie_io_functions_t){.read = read_sealed});
	if (s->text)
		return 0;
	fclose(in);
	return diag_set(d, -ENOMEM, "out of memory");
}

int run_sealed_end(struct run_sealed *s, const struct run_block *b, const char *path, struct diag *d)
{
	char rest[4096];

	while (fread(rest, 1, sizeof(rest), s->text))
		;
	fclose(s->text);
	fclose(s->in);
	if (b->seal.bytes < 0)
		return 0;
	if (s->now.bytes != b->seal.bytes)
		return diag_set(d, -EILSEQ, "%s has %" PRId64 " bytes, and %" PRId64 " when it was recorded", path,
				s->now.bytes, b->seal.bytes);
	if (s->now.digest != b->seal.digest)
		return diag_set(d, -EILSEQ, "%s was changed since it was recorded", path);
	return 0;
}
