// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

int loaded_run_components(struct components **f, const char *dir, const char *path, struct diag *d)
{
	struct diag why = {};
	char own[4200];
	struct stat st;
	FILE *in;
	int err;

	if (path || !stat(dir, &st) || errno != ENOTDIR)
		return components_read(f, path, d);
	*f = NULL;
	snprintf(own, sizeof(own), "%.4096s/" HISTORY_COMPONENTS, dir);
	err = foreign_file_open(&in, AT_FDCWD, own, true, FOREIGN_MAX_BYTES, &why);
	if (err == -ENOENT)
		return components_read(f, NULL, d);
	if (err)
		return diag_set(d, err, "%s", why.text);
	fclose(in);
	return components_read(f, own, d);
}

/* By the components that are there, or by those of a file. That may be a pipe, which can be read once only. */
static int read_loaded(struct loaded_run *l, const char *dir, const char *file, const struct analysis_options *o,
		       struct diag *d)
{
	char counts[sizeof(l->dir) + sizeof(EXACT_FILE)];
	int err = 0;

	run_init(&l->run);
	l->shared = l->components;
	if (!*dir)
		return diag_set(d, -EINVAL, "the run directory's name is empty");
	snprintf(l->dir, sizeof(l->dir), "%s", dir);
	if (!l->shared)
		err = loaded_run_components(&l->components, dir, file, d);
	snprintf(counts, sizeof(counts), "%s/" EXACT_FILE, l->dir);
	/* else exact_read() tells what is missing */
	if (!err && l->exact && !exact_is(l->dir) && !access(counts, F_OK))
		err = diag_set(d, -EINVAL,
			       "%s is no exact run: its costs are in ns and cannot be compared with instructions",
			       l->dir);
	else if (!err && l->exact)
		err = exact_read(&l->counted, l->dir, l->components, d);
	else if (!err)
		err = run_read(&l->run, l->dir, d)
			      ?: analysis_build(&l->analysis, &l->run, l->dir, l->components, o, d);
	if (err)
		loaded_run_release(l);
	return err;
}

int loaded_run_open(struct loaded_run *l, const char *dir, const char *components, const struct analysis_options *o,
		    struct diag *d)
{
	*l = (struct loaded_run){.exact = !o};
	return read_loaded(l, dir, components, o, d);
}

int loaded_run_open_beside(struct loaded_run *l, const char *dir, bool exact, const struct loaded_run *first,
			   const struct analysis_options *o, struct diag *d)
{
	*l = (struct loaded_run){.exact = exact, .components = first->components};
	return read_loaded(l, dir, NULL, o, d);
}

int loaded_run_open_crossing(struct loaded_run *crossing, const struct loaded_run *l, const struct analysis_options *o,
			     struct diag *d)
{
	char dir[sizeof(l->dir) + sizeof(RUN_CROSSING)], path[4200];
	FILE *in;
	int err;

	memset(crossing, 0, sizeof(*crossing));
	snprintf(dir, sizeof(dir), "%s/" RUN_CROSSING, l->dir);
	if (access(dir, F_OK)) { /* it may be in an entry of a history, whether it can be read or not */
		if (errno != ENOTDIR)
			return -ENOENT;
		snprintf(path, sizeof(path), "%.4160s/run.json", dir);
		err = foreign_file_open(&in, AT_FDCWD, path, true, RUN_MAX_BYTES, NULL);
		if (!err)
			fclose(in);
		if (err == -ENOENT)
			return err;
	}
	return loaded_run_open_beside(crossing, dir, false, l, o, d);
}

void loaded_run_release(struct loaded_run *l)
{
	analysis_release(&l->analysis);
	run_release(&l->run);
	exact_release(&l->counted);
	if (!l->shared)
		components_free(l->components);
	l->components = NULL;
}

size_t loaded_run_count(const struct loaded_run *l)
{
	return l->exact ? l->counted.nvariants : l->analysis.nvariants;
}

const char *loaded_run_id(const struct loaded_run *l, size_t i)
{
	return l->exact ? l->counted.variants[i].id : l->analysis.variants[i].variant->id;
}

/*
 * What people type: "drop/no-touch@native", and "@drv", "@generic", "drop", "drop@skb", "@skb", "udp-recv", "before".
 */
struct typed {
	size_t head; /* length */
	const char *words, *mode;
};

static bool means(const struct typed *t, const char *id)
{
	const char *at = strrchr(id, '@'), *slash;
	size_t head = at ? (size_t)(at - id) : strlen(id);

	if (t->mode && (!at || strcmp(at + 1, t->mode)))
		return false;
	if (!t->head || (head == t->head && !memcmp(id, t->words, head)))
		return true;
	slash = memchr(id, '/', head);
	if (slash && (size_t)(slash - id) == t->head && !memcmp(id, t->words, t->head)) /* an action */
		return true;
	return head > t->head && strchr(":/", id[head - t->head - 1]) &&
	       !memcmp(id + head - t->head, t->words, t->head) &&
	       !strncmp(id, id[head - t->head - 1] == ':' ? "layer:" : "watch:", strlen("layer:"));
}

/* The id that was meant; NULL after a sentence. Of an action alone, the operation no-touch goes before others. */
static const char *loaded_run_meant(const struct loaded_run *l, const char *words, struct diag *d)
{
	const char *at = strrchr(words, '@');
	struct typed t = {at ? (size_t)(at - words) : strlen(words), words, at ? at + 1 : NULL};

	if (t.mode && !strcmp(t.mode, "drv"))
		t.mode = "native";
	else if (t.mode && !strcmp(t.mode, "generic"))
		t.mode = "skb";
	const char *found = NULL, *plain = NULL;
	size_t n = 0, plains = 0;
	struct nearest near = {};
	char ids[400] = "";

	for (size_t i = 0; i < loaded_run_count(l); i++) {
		const char *id = loaded_run_id(l, i);

		if (!strcmp(id, words))
			return id;
		nearest_try(&near, words, id);
		if (!means(&t, id))
			continue;
		found = id;
		n++;
		listed_add(ids, sizeof(ids), " or ", "%s", id);
		if (strstr(id, "/no-touch@"))
			plain = id, plains++;
	}
	if (n == 1 || plains == 1)
		return n == 1 ? found : plain;
	if (n)
		diag_set(d, -ENOENT, "%.200s: %.64s is %s; name one", l->dir, words, ids);
	else if (near.word)
		diag_set(d, -ENOENT, "%.200s has no variant %.64s; did you mean %s?", l->dir, words, near.word);
	return n || near.word ? NULL : words;
}

int loaded_run_find(const struct loaded_run *l, const char *id, struct loaded_variant *v, struct diag *d)
{
	const char *only = !id && loaded_run_count(l) == 1 ? loaded_run_id(l, 0) : NULL;
	const char *meant = id ? loaded_run_meant(l, id, d) : only;

	*v = (struct loaded_variant){.run = l};
	if (!id && !only)
		return diag_set(d, -EDESTADDRREQ, "%.200s has %zu variants; name one, e.g. %.200s:%s", l->dir,
				loaded_run_count(l), l->dir,
				loaded_run_count(l) ? loaded_run_id(l, 0) : "drop/no-touch@native");
	if (!meant)
		return -ENOENT;
	if (l->exact)
		v->counted = exact_find(&l->counted, meant, d);
	else
		v->measured = analysis_find(&l->analysis, meant, d);
	return v->counted || v->measured ? 0 : -ENOENT;
}

const char *loaded_variant_id(const struct loaded_variant *v)
{
	return v->counted ? v->counted->id : v->measured->variant->id;
}

size_t loaded_run_complain(const struct loaded_run *l, const struct exact_variant *only)
{
	char open[512];
	size_t n = 0;

	for (size_t i = 0; i < l->counted.nvariants; i++) {
		const struct exact_variant *v = &l->counted.variants[i];

		if ((only && only != v) || !exact_open_words(v, open, sizeof(open)))
			continue;
		complain("%s: %s: do not sum to an independent count, and are left out: %s", l->dir, v->id, open);
		n++;
	}
	return n;
}

/*
 * The colon before the variant is looked for. A variant can contain colons too, "redirect-cpu:1/no-touch@native", and
 * so can a path. "run1:drop": what stands before the colon is a run.
 */
const char *loaded_run_split(const char *arg, char *dir, size_t size)
{
	const char *colon = NULL;
	char before[4096];
	struct run_variant v;
	struct stat st;

	if (stat(arg, &st) && run_variant_parse(&v, arg, NULL)) { /* neither a path nor a variant alone */
		for (colon = strchr(arg, ':'); colon; colon = strchr(colon + 1, ':')) {
			snprintf(before, sizeof(before), "%.*s", (int)(colon - arg), arg);
			if (!run_variant_parse(&v, colon + 1, NULL) || !access(before, F_OK))
				break;
		}
		colon = colon ?: strrchr(arg, ':'); /* no valid variant follows; the caller will report that */
	}
	if (!colon) {
		snprintf(dir, size, "%s", arg);
		return NULL;
	}
	snprintf(dir, size, "%.*s", (int)(colon - arg), arg);
	return colon + 1;
}
