// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/fields.h"
#include "reports/run/run.h"

/* Only an import has one text for all blocks. A text that stood for several blocks would count its samples for each. */
static int by_script(const void *a, const void *b)
{
	return strcmp((*(const struct run_block *const *)a)->script, (*(const struct run_block *const *)b)->script);
}

/*
 * The blocks that a killed recorder did not come to put into run.json. Those before them are there too; what it was
 * writing when it died is no whole block.
 */
static void read_part(struct json_in *rd, struct run *r, const char *dir)
{
	const char *was = rd->path;
	char path[4096 + 32];
	struct diag d = {""};
	json_t *o;
	FILE *f;

	if (rd->err || strcmp(r->ended, "killed"))
		return;
	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	rd->err = foreign_file_open(&f, AT_FDCWD, path, true, RUN_MAX_BYTES, &d);
	if (rd->err) {
		rd->err = rd->err == -ENOENT ? 0 : diag_set(rd->d, rd->err, "%s", d.text);
		return;
	}
	rd->path = path;
	for (size_t i = 0; !rd->err && r->nblocks < (size_t)run_blocks_field.list->most; i++) {
		int c = fgetc(f);

		while (c == ',' || isspace(c)) /* between two blocks */
			c = fgetc(f);
		if (c == EOF)
			break;
		ungetc(c, f);
		o = json_loadf(f, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, NULL);
		if (!o)
			break;
		if (i >= r->nblocks)
			fields_read_one(rd, o, r, run_blocks_field.list);
		json_decref(o);
	}
	fclose(f);
	rd->path = was;
}

int run_read(struct run *r, const char *dir, struct diag *d)
{
	char path[4096 + 16];
	struct json_in rd = {.path = path, .d = d};
	json_error_t error;
	json_t *o = NULL;
	FILE *f;

	run_init(r);
	if (strlen(dir) > 4096)
		return diag_set(d, -ENAMETOOLONG, "the directory's name is too long");
	snprintf(path, sizeof(path), "%s/run.json", dir);
	rd.err = foreign_file_open(&f, AT_FDCWD, path, true, RUN_MAX_BYTES, d);
	if (rd.err)
		return rd.err;
	o = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!o)
		return diag_set(d, -EINVAL, "%s: line %d: %s", path, error.line, error.text);
	const char *schema = json_string_value(json_object_get(o, "schema"));
	if (!schema)
		rd.err = diag_set(d, -EINVAL, "%s: schema is missing, so this is not a recorded run", path);
	else if (!strncmp(schema, "xdpzoom.exact/", strlen("xdpzoom.exact/")))
		rd.err = diag_set(d, -EINVAL, "%s holds exact counts (xdpzoom exact), and no measured run", path);
	else if (strcmp(schema, RUN_SCHEMA))
		rd.err = diag_set(d, -EINVAL, "%s: schema is %.64s, this program reads %s", path, schema, RUN_SCHEMA);
	r->tracers_known = json_object_get(o, "tracers");
	fields_read(&rd, o, r, &run_head_fields);
	fields_read(&rd, o, r, &run_tail_fields);
	fields_read(&rd, o, r, &run_blocks_field);
	run_take_facts(r);
	json_decref(o);
	read_part(&rd, r, dir);
	strcpy(rd.where, "blocks[].");
	const struct run_block **sorted;
	size_t n = 0;
	if (!rd.err && !run_is_imported(r)) {
		sorted = calloc(r->nblocks + 1, sizeof(*sorted));
		if (!sorted)
			rd.err = diag_set(rd.d, -ENOMEM, "%s: out of memory", rd.path);
		for (size_t i = 0; sorted && i < r->nblocks; i++)
			if (r->blocks[i].script[0])
				sorted[n++] = &r->blocks[i];
		if (n)
			qsort(sorted, n, sizeof(*sorted), by_script);
		for (size_t i = 1; i < n && !rd.err; i++)
			if (!by_script(&sorted[i - 1], &sorted[i]))
				fields_refuse(&rd, "script", "is that of another block too");
		free(sorted);
	}
	for (size_t i = 0; i < r->nblocks && !rd.err; i++) {
		snprintf(rd.where, sizeof(rd.where), "blocks[%zu].", i);
		if (r->blocks[i].variant >= r->nvariants)
			fields_refuse(&rd, "variant", "is not one of the variants");
	}
	if (rd.err)
		run_release(r);
	return rd.err;
}
