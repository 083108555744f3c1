// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* The rename file of the source tree is built in. */
__asm__(".section .rodata\n"
	".global renames_conf_text\n"
	"renames_conf_text: .incbin \"perfparse/renames.conf\"\n"
	".byte 0\n"
	".previous\n");
extern const char renames_conf_text[];

struct rename {
	char *name, *key;
};

struct symkeys {
	struct rename *renames; /* sorted by name */
	size_t n;
};

static int symkey_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct rename *)a)->name, ((const struct rename *)b)->name);
}

/* Lines "KEY NAME..." */
static int symkey_read_all(struct symkeys *k, FILE *in, const char *path, struct diag *d)
{
	struct linescan lines = {.in = in, .path = path};
	int err = 0, more, names;
	char *line, *save, *key, *name;
	struct rename *new;
	size_t len;

	while (!err && (more = linescan_next(&lines, &line, &len, d))) {
		if (more < 0) {
			err = more;
			break;
		}
		line[strcspn(line, "#")] = '\0';
		key = strtok_r(line, " \t", &save);
		for (names = 0; key && !err && (name = strtok_r(NULL, " \t", &save)); names++) {
			new = array_add(&k->renames, &k->n, sizeof(*new));
			if (!new || !(new->name = strdup(name)) || !(new->key = strdup(key)))
				err = diag_set(d, -ENOMEM, "out of memory");
		}
		if (key && !names)
			err = diag_set(d, -EINVAL, "%s:%llu: a key without names", path,
				       (unsigned long long)lines.line);
	}
	linescan_release(&lines);
	if (err)
		return err;
	if (k->n)
		qsort(k->renames, k->n, sizeof(*k->renames), symkey_compare_names);
	for (size_t i = 1; i < k->n; i++)
		if (!strcmp(k->renames[i - 1].name, k->renames[i].name))
			return diag_set(d, -EINVAL, "%s: %s has two keys", path, k->renames[i].name);
	return 0;
}

int symkeys_read(struct symkeys **out, const char *path, struct diag *d)
{
	struct symkeys *k;
	FILE *in;
	int err;

	*out = NULL;
	in = path ? fopen(path, "re") : fmemopen((void *)renames_conf_text, strlen(renames_conf_text), "r");
	if (!in) {
		err = errno;
		return diag_set(d, -err, "%s: %s", path ? path : "renames", strerror(err));
	}
	k = calloc(1, sizeof(*k));
	err = k ? symkey_read_all(k, in, path ? path : "renames.conf", d) : diag_set(d, -ENOMEM, "out of memory");
	fclose(in);
	if (err)
		symkeys_free(k);
	else
		*out = k;
	return err;
}

void symkeys_free(struct symkeys *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->n; i++) {
		free(k->renames[i].name);
		free(k->renames[i].key);
	}
	free(k->renames);
	free(k);
}

#define PROGRAM          "bpf_prog_"
#define TAG_DIGITS       16
#define TAG_DIGITS_SHORT 6 /* fewer hex digits may be a word */

/*
 * The number of hex digits of the tag behind "bpf_prog_"; 0: none. People shorten a tag in mails, and so do narrow
 * columns; a short one needs a decimal digit, because a program may be called "bpf_prog_decade".
 */
static size_t tag_digits(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	if (n > TAG_DIGITS || n < TAG_DIGITS_SHORT || (n < TAG_DIGITS && strcspn(s, "0123456789") >= n))
		return 0;
	return s[n] && s[n] != '_' && s[n] != '.' && s[n] != '~' ? 0 : n;
}

bool symkey_has_tag(const char *name)
{
	const size_t n = strlen(PROGRAM);

	return !strncmp(name, PROGRAM, n) && tag_digits(name + n);
}

void symkey(const struct symkeys *k, const char *name, const char *dso, char key[SYMKEY_BYTES])
{
	const size_t n = strlen(PROGRAM);
	size_t len = symname_fold(name, strlen(name)), digits;

	if (len >= SYMKEY_BYTES)
		len = SYMKEY_BYTES - 1;
	memcpy(key, name, len);
	key[len] = '\0';
	/* "bpf_prog_0123456789abcdef_name" -> "bpf_prog_name"; kernels before 4.15 print no name behind the tag */
	digits = symkey_has_tag(key) ? tag_digits(key + n) : 0;
	if (digits && key[n + digits] == '_') {
		memmove(key + n, key + n + digits + 1, len - n - digits);
		len -= digits + 1;
	} else if (digits) {
		len = n - 1;
		key[len] = '\0';
	}
	if (*dso == '/' && profile_space_of_dso(dso, strlen(dso)) == SPACE_USER) /* a program or library */
		snprintf(key + len, SYMKEY_BYTES - len, " %s", dso);
	else {
		struct rename want = {key, NULL}, *have;

		have = k && k->n ? bsearch(&want, k->renames, k->n, sizeof(*k->renames), symkey_compare_names) : NULL;
		if (have)
			snprintf(key, SYMKEY_BYTES, "%s", have->key);
	}
}

/* Cuts at the first ".word" that a compiler adds; numbers and more words may follow this word. */
size_t symname_fold(const char *name, size_t len)
{
	static const char *const words[] = {"isra",     "constprop",  "part",  "cold", "llvm",
					    "lto_priv", "localalias", "clone", "warm", "hot"};
	const char *end = name + len, *next;

	for (const char *dot = name; (dot = memchr(dot, '.', (size_t)(end - dot))); dot++) {
		next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
		if (!next)
			next = end;
		for (size_t i = 0; dot > name && i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i]) == (size_t)(next - dot - 1) &&
			    !memcmp(words[i], dot + 1, strlen(words[i])))
				return (size_t)(dot - name);
	}
	return len;
}

/* Greedy; a mismatch goes back to the last star only, so there is no recursion and the time stays bounded. */
bool symname_glob(const char *glob, const char *s, size_t len)
{
	const char *end = s + len, *star = NULL, *star_s = NULL;

	while (s < end) {
		if (*glob == '*') {
			star = ++glob;
			star_s = s;
		} else if (*glob && (*glob == '?' || *glob == *s)) {
			glob++;
			s++;
		} else if (star) {
			glob = star;
			s = ++star_s;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

/* ---- symjoin ---- */

int symjoin_room(struct symjoin *j, size_t most)
{
	j->n = 0;
	j->entries = calloc(most + 1, sizeof(*j->entries));
	j->sorted = calloc(most + 1, sizeof(*j->sorted));
	j->longer = calloc(most + 1, sizeof(*j->longer));
	if (j->entries && j->sorted && j->longer)
		return 0;
	symjoin_release(j);
	return -ENOMEM;
}

void symjoin_release(struct symjoin *j)
{
	free(j->entries);
	free(j->sorted);
	free(j->longer);
	j->entries = NULL;
	j->sorted = NULL;
	j->longer = NULL;
	j->n = 0;
}

void symjoin_add(struct symjoin *j, bool is_new, const void *row, const char *name, const char *dso)
{
	struct symjoin_entry *e = &j->entries[j->n];

	e->row = row;
	e->name = name;
	e->dso = dso;
	e->is_new = is_new;
	e->index = j->n++;
	symkey(j->keys, name, dso, e->key);
}

static int symjoin_by_name(const void *pa, const void *pb)
{
	const struct symjoin_entry *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}

/*
 * Only a name with a part of the tag can say which program it is: the first of the entries whose name is longer, and
 * begins with it. Names with the same beginning are side by side, so all of these walks together take no more steps
 * than the names have bytes.
 */
static void join_cut_programs(struct symjoin *j)
{
	const struct symjoin_entry **sorted = j->sorted, **longer = j->longer, *first;

	for (size_t i = 0; i < j->n; i++)
		sorted[i] = &j->entries[i];
	qsort(sorted, j->n, sizeof(*sorted), symjoin_by_name);
	for (size_t i = 0; i < j->n; i++) {
		const char *name = sorted[i]->name;
		size_t len = strlen(name);

		if (i && !strcmp(sorted[i - 1]->name, name)) {
			longer[sorted[i]->index] = longer[sorted[i - 1]->index];
		} else if (symkey_has_tag(name)) {
			first = NULL;
			for (size_t at = i; at < j->n && !strncmp(sorted[at]->name, name, len); at++)
				if (sorted[at]->name[len] && (!first || sorted[at]->index < first->index))
					first = sorted[at];
			longer[sorted[i]->index] = first;
		}
	}
	for (size_t i = 0; i < j->n; i++)
		if (longer[i])
			memcpy(j->entries[i].key, longer[i]->key, sizeof(j->entries[i].key));
}

static int by_index(const void *pa, const void *pb)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return ORDER(a->index, b->index);
}

static int by_key_and_side(const void *pa, const void *pb)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return strcmp(a->key, b->key) ?: a->is_new - b->is_new ?: ORDER(a->index, b->index);
}

/* 0 for two entries of one group. */
static int order(const struct symjoin *j, const struct symjoin_entry *a, const struct symjoin_entry *b)
{
	int by_key = strcmp(a->key, b->key);

	return by_key || !j->apart ? by_key : j->apart(a->row, b->row);
}

static int by_group(const void *pa, const void *pb, void *j)
{
	const struct symjoin_entry *a = pa, *b = pb;

	return order(j, a, b) ?: a->is_new - b->is_new ?: ORDER(a->index, b->index);
}

void symjoin_sort(struct symjoin *j)
{
	/* Takes the renames back of a key under which one side has several names. */
	char key[2][SYMKEY_BYTES];
	size_t from, to, i;
	bool apart;

	if (j->keys) {
		qsort(j->entries, j->n, sizeof(*j->entries), by_key_and_side);
		for (from = 0; from < j->n; from = to) {
			apart = false;
			for (to = from + 1; to < j->n && !strcmp(j->entries[to].key, j->entries[from].key); to++) {
				const struct symjoin_entry *e = &j->entries[to];

				if (apart || e->is_new != e[-1].is_new || !strcmp(e->name, e[-1].name))
					continue;
				symkey(NULL, e->name, e->dso, key[0]);
				symkey(NULL, e[-1].name, e[-1].dso, key[1]);
				apart = strcmp(key[0], key[1]) != 0;
			}
			for (i = from; apart && i < to; i++)
				symkey(NULL, j->entries[i].name, j->entries[i].dso, j->entries[i].key);
		}
		qsort(j->entries, j->n, sizeof(*j->entries), by_index);
	}
	join_cut_programs(j);
	qsort_r(j->entries, j->n, sizeof(*j->entries), by_group, j);
}

size_t symjoin_end(const struct symjoin *j, size_t from)
{
	size_t to = from + 1;

	while (to < j->n && !order(j, &j->entries[from], &j->entries[to]))
		to++;
	return to;
}
