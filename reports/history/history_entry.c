// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of entries, for readers of run directories: an entry's compressed files are kept in memory under the path
 * that leads to it, and unpacked while they are read.
 */
#include <zlib.h>
#include "reports/history/history.h"

/* zlib never makes a thousandth of a file, and of texts of perf not a hundredth. So memory and time follow the file. */
#define MOST_TIMES 256
#define ALWAYS     (1 << 20) /* bytes that any file may have */

struct kept_file {
	char *name;
	int64_t bytes;
	unsigned char *data;
	size_t packed;
};

struct kept_entry {
	char *dir;
	struct kept_file *files;
	size_t nfiles;
};

/* One reader asks for a file, by a path alone, after another one. */
static struct {
	struct kept_entry *entries;
	size_t n;
} kept;

static void entry_release(struct kept_entry *e)
{
	for (size_t i = 0; i < e->nfiles; i++) {
		free(e->files[i].name);
		free(e->files[i].data);
	}
	free(e->files);
	free(e->dir);
	*e = (struct kept_entry){};
}

void history_forget(void)
{
	for (size_t i = 0; i < kept.n; i++)
		entry_release(&kept.entries[i]);
	free(kept.entries);
	kept.entries = NULL;
	kept.n = 0;
}

/* ---- unpacking --------------------------------------------------------------------------------------- */

/* A file while it is read. */
struct unpacked {
	char *bytes;
	size_t n, at;
};

static ssize_t read_unpacked(void *cookie, char *out, size_t size)
{
	struct unpacked *u = cookie;
	size_t n = size < u->n - u->at ? size : u->n - u->at;

	memcpy(out, u->bytes + u->at, n);
	u->at += n;
	return (ssize_t)n;
}

static int release_unpacked(void *cookie)
{
	struct unpacked *u = cookie;

	if (u)
		free(u->bytes);
	free(u);
	return 0;
}

/* The file has as many bytes as it should, and the digest that zlib has put behind it. */
static int open_kept(FILE **file, const struct kept_file *f, const char *path, struct diag *d)
{
	struct unpacked *u = calloc(1, sizeof(*u));
	unsigned long n = (unsigned long)f->bytes;
	int got = Z_MEM_ERROR;

	if (u)
		u->bytes = malloc(n + 1);
	if (u && u->bytes)
		got = uncompress((unsigned char *)u->bytes, &n, f->data, f->packed);
	if (got == Z_OK && n == (unsigned long)f->bytes) {
		u->n = n;
		*file = fopencookie(u, "r", (cookie_io_functions_t){.read = read_unpacked, .close = release_unpacked});
	}
	if (*file)
		return 0;
	release_unpacked(u);
	return got == Z_OK || got == Z_MEM_ERROR ? diag_set(d, -ENOMEM, "%s: out of memory", path)
						 : diag_set(d, -EBADMSG, "%s is damaged: it cannot be unpacked", path);
}

/* ---- entries ----------------------------------------------------------------------------------------- */

/* Puts the run's files under this path. */
static int keep_entry(struct history *h, enum history_kind kind, int64_t run, const char *dir, struct diag *d)
{
	int64_t files = history_count(h, d, "SELECT files FROM entry WHERE kind = ?1 AND run = ?2", kind, run);
	struct kept_entry e = {}, *place = NULL;
	sqlite3_stmt *s = files < 0 ? NULL
				    : history_ask(h, d,
						  "SELECT name, bytes, data FROM file WHERE kind = ? AND run = ?"
						  " ORDER BY rowid",
						  "ti", history_kinds[kind], run);
	int err = files < 0 ? (int)files : s ? 0 : -EIO;

	while (!err && (err = history_next(h, s, "tib", d)) > 0) {
		struct kept_file *f = array_add(&e.files, &e.nfiles, sizeof(*f));
		const void *data = sqlite3_column_blob(s, 2);

		if (f) {
			f->name = strdup(history_text(s, 0));
			f->bytes = sqlite3_column_int64(s, 1);
			f->packed = (size_t)sqlite3_column_bytes(s, 2);
			f->data = malloc(f->packed + 1);
		}
		err = f && f->name && f->data ? 0 : diag_set(d, -ENOMEM, "out of memory");
		if (!err && f->packed)
			memcpy(f->data, data, f->packed);
		if (!err && (f->bytes < 0 || f->bytes > FOREIGN_MAX_BYTES ||
			     f->bytes > ALWAYS + MOST_TIMES * (int64_t)f->packed))
			err = diag_set(d, -EBADMSG, "%s is damaged: the file %.64s of a run would have %lld bytes",
				       h->path, f->name, (long long)f->bytes);
	}
	sqlite3_finalize(s);
	if (!err && (int64_t)e.nfiles != files)
		err = diag_set(d, -EBADMSG, "%s is damaged: %s %lld has %zu files instead of %lld", h->path,
			       kind == HISTORY_EXACT ? "exact run" : "run", (long long)run, e.nfiles, (long long)files);
	e.dir = err ? NULL : strdup(dir);
	if (e.dir)
		place = array_add(&kept.entries, &kept.n, sizeof(*place));
	if (!err && !place)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err)
		entry_release(&e);
	else
		*place = e;
	return err;
}

/* The entry that this path leads into, and the rest of the path; NULL: none that is kept. */
static struct kept_entry *history_entry_of(const char *path, const char **name)
{
	for (size_t i = 0; i < kept.n; i++) {
		size_t len = strlen(kept.entries[i].dir);

		if (strncmp(path, kept.entries[i].dir, len) || path[len] != '/')
			continue;
		*name = path + len + 1;
		return &kept.entries[i];
	}
	return NULL;
}

int history_lay_out(struct history *h, enum history_kind kind, int64_t run, char *dir, size_t size, struct diag *d)
{
	const char *name;
	char file[4200];

	snprintf(dir, size, "%s/%s%lld", h->path, kind == HISTORY_EXACT ? HISTORY_EXACT_BELOW : "", (long long)run);
	snprintf(file, sizeof(file), "%.4160s/", dir);
	return history_entry_of(file, &name) ? 0 : keep_entry(h, kind, run, dir, d);
}

int history_open_below(FILE **file, const char *path, struct diag *d)
{
	struct history *h = NULL;
	const char *name, *slash = NULL, *from;
	struct kept_entry *e = history_entry_of(path, &name);
	struct diag why = {""}, first = {""};
	char ref[4096], dir[4096];
	struct stat st;
	int64_t run;
	int err = 0;

	*file = NULL;
	while (!e && !h && !err) { /* the first part of the path that is a file is the history */
		slash = strchr(slash ? slash + 1 : path, '/');
		if (!slash)
			return diag_set(d, -ENOTDIR, "%s: %s", path, strerror(ENOTDIR));
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		if (*dir && !stat(dir, &st) && S_ISREG(st.st_mode))
			err = history_open(&h, dir, HISTORY_READ, d);
	}
	if (h) {
		bool exact = !strncmp(slash + 1, HISTORY_EXACT_BELOW, strlen(HISTORY_EXACT_BELOW));
		enum history_kind kind = exact ? HISTORY_EXACT : HISTORY_MEASURED;
		bool found = false;

		from = slash + 1 + (exact ? strlen(HISTORY_EXACT_BELOW) : 0);
		slash = strchr(from, '/');
		err = slash ? -ENOENT
			    : diag_set(d, -ENOTDIR, "%s is a history; %s/last is the last run in it", h->path, h->path);
		/* The name of a run may have slashes: the first part of the path that is one counts. */
		for (; slash && !found && err == -ENOENT; slash = strchr(slash + 1, '/')) {
			snprintf(ref, sizeof(ref), "%.*s", (int)(slash - from), from);
			snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
			why.text[0] = '\0';
			err = history_find(h, kind, ref, &run, &why);
			found = !err;
			if (!first.text[0])
				first = why;
		}
		snprintf(ref, sizeof(ref), "%.*s", (int)strcspn(from, "/"), from);
		if (found)
			err = keep_entry(h, kind, run, dir, d);
		else if (!exact && err == -ENOENT && !history_find(h, HISTORY_EXACT, ref, &run, NULL))
			diag_set(d, err, "%s has no run \"%.64s\", but an exact run: %s/" HISTORY_EXACT_BELOW "%.64s",
				 h->path, ref, h->path, ref);
		else
			diag_set(d, err, "%s", first.text);
	}
	history_close(h);
	if (err)
		return err;
	e = history_entry_of(path, &name);
	for (size_t i = 0; i < e->nfiles; i++)
		if (!strcmp(e->files[i].name, name))
			return open_kept(file, &e->files[i], path, d);
	return diag_set(d, -ENOENT, "%s: %s", path, strerror(ENOENT));
}
