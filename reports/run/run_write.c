// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/fields.h"
#include "reports/run/run.h"

json_t *run_counters_json(const struct counters *changed)
{
	struct json_out out = {};
	json_t *o = json_object();

	for (int source = 0; source < COUNTER_SOURCES; source++) {
		json_t *values = json_object();

		for (size_t i = 0; i < changed->n; i++) {
			const struct counter *c = &changed->list[i];

			if (c->source == (enum counter_source)source)
				json_out_put(&out, values, c->name,
					     c->known ? json_out_whole_value(c->value) : json_null());
		}
		json_out_put(&out, o, counter_source_names[source], values);
	}
	return json_out_end(&out, o);
}

struct piece {
	FILE *f;
	const char *indent; /* of its lines, less that of the first */
	size_t skip;        /* so many bytes at its beginning are left out */
};

static int put_bytes(const char *bytes, size_t n, void *data)
{
	struct piece *p = data;
	size_t skip = p->skip < n ? p->skip : n, len;

	p->skip -= skip;
	for (bytes += skip, n -= skip; n; bytes += len, n -= len) {
		const char *end = memchr(bytes, '\n', n);

		len = end ? (size_t)(end - bytes) + 1 : n;
		if (json_text_put(bytes, len, p->f, ""))
			return -1;
		if (end)
			fputs(p->indent, p->f);
	}
	return 0;
}

static int put_piece(json_t *o, const struct json_out *out, FILE *f, const char *indent, size_t skip)
{
	struct piece p = {f, indent, skip};
	int err = out->failed || json_dump_callback(o, put_bytes, &p, JSON_INDENT(1)) ? -EINVAL : 0;

	json_decref(o);
	return err;
}

static int put_block(const struct run *r, size_t i, FILE *f)
{
	struct json_out out = {};
	json_t *o = fields_json(&out, &r->blocks[i], run_blocks_field.list->of);

	fputs(i ? ",\n  " : "\n  ", f);
	return put_piece(o, &out, f, "  ", 0);
}

int run_spill(struct run *r, const char *dir)
{
	char path[4096 + 32];
	FILE *f = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	if (!r->spilled.is_open)
		err = spill_open(&r->spilled, path);
	if (!err)
		f = spill_begin(&r->spilled);
	if (!f)
		return err ? err : -ENOMEM;
	for (size_t i = r->nspilled; i < r->nblocks && !err; i++)
		err = put_block(r, i, f);
	err = spill_end(&r->spilled, f, err);
	if (!err)
		r->nspilled = r->nblocks;
	return err;
}

void run_end_spill(struct run *r, const char *dir)
{
	char path[4096 + 32];

	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	if (r->spilled.is_open)
		unlink(path);
	spill_release(&r->spilled);
}

static int write_failed(const char *path, int err, struct diag *d)
{
	if (err == ENOSPC || err == EDQUOT)
		return diag_set(d, -err, "no space left on the disk for %s", path);
	return diag_set(d, err ? -err : -EIO, "%s cannot be written: %s", path, strerror(err ? err : EIO));
}

/*
 * The blocks of the document are written one after the other: as trees, those of a long run would take four times the
 * memory of the run. What stands before and behind them are objects of their own, whose braces to the blocks are left
 * out. All goes under another name first: a process that is killed here leaves the file that was there.
 */
int run_write(const struct run *r, const char *dir, struct diag *d)
{
	char path[4096 + 16], new[4096 + 32], part[1 << 16];
	struct json_out out = {};
	FILE *f;
	int err = 0, unfit;

	if (strlen(dir) > 4096)
		return diag_set(d, -ENAMETOOLONG, "the directory's name is too long");
	snprintf(path, sizeof(path), "%s/run.json", dir);
	snprintf(new, sizeof(new), "%s" RUN_NEW, path);
	f = fopen(new, "we");
	if (!f)
		return write_failed(path, errno, d);
	errno = 0;
	json_t *o = json_pack("{s:s}", "schema", RUN_SCHEMA);
	out.failed |= json_object_update_new(o, fields_json(&out, r, &run_head_fields)) != 0;
	unfit = put_piece(o, &out, f, "", 0);
	fseek(f, -2, SEEK_CUR);
	fputs(",\n \"blocks\": [", f);
	for (off_t at = 0; at < r->spilled.size && !unfit;) {
		off_t left = r->spilled.size - at;
		ssize_t n = pread(r->spilled.fd, part, left < (off_t)sizeof(part) ? (size_t)left : sizeof(part), at);

		if (n <= 0)
			unfit = n ? -errno : -EIO;
		else
			fwrite(part, 1, (size_t)n, f);
		at += n;
	}
	for (size_t i = r->nspilled; i < r->nblocks && !unfit; i++)
		unfit = put_block(r, i, f);
	fputs(r->nblocks ? "\n ]," : "],", f);
	if (!unfit) {
		unfit = put_piece(fields_json(&out, r, &run_tail_fields), &out, f, "", 1);
		fputc('\n', f);
	}
	if (ferror(f) || fflush(f) || (fsync(fileno(f)) && errno != EINVAL))
		err = errno ? errno : EIO;
	if (fclose(f) && !err)
		err = errno;
	if (!err && !unfit && rename(new, path))
		err = errno;
	if (err || unfit)
		unlink(new);
	if (unfit == -EINVAL && !err)
		return diag_set(d, unfit, "%s: out of memory, or a text in it is not UTF-8", path);
	return err || unfit ? write_failed(path, err ? err : -unfit, d) : 0;
}
