// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <bpf/bpf.h>

#define BPF_MODULE "bpf"
#define MOST_TEXTS 16
#define KEEP_NS    600000000000ULL /* a program that is gone is forgotten after that time */

void ksyms_release(struct ksyms *k)
{
	for (size_t i = 0; i < k->ntexts; i++)
		free(k->texts[i]);
	free(k->texts);
	free(k->list);
	free(k->programs);
	*k = (struct ksyms){};
}

static bool is_bpf(const struct ksym *s)
{
	return !strcmp(s->module, BPF_MODULE);
}

static int by_start(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return ORDER(x->start, y->start) ?: ORDER(x->from_ns, y->from_ns);
}

/*
 * Appends the functions of text: all of them, or the BPF programs alone. A line is "ffffffff81000000 T name" or
 * "ffffffffc0000000 t name\t[module]".
 */
static int ksyms_take(struct ksyms *k, char *text, bool bpf_alone, uint64_t now)
{
	for (char *line = text, *next, *end, *module; line && *line; line = next) {
		struct ksym s = {.module = ""};

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (bpf_alone && !strstr(line, "[" BPF_MODULE "]"))
			continue;
		s.start = strtoull(line, &end, 16);
		if (end == line || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
			continue; /* no function */
		s.name = end + 3;
		module = strpbrk(end + 3, "\t ");
		if (module) {
			*module++ = '\0';
			module += *module == '[';
			module[strcspn(module, "]")] = '\0';
			s.module = module;
		}
		if (!strncmp(s.name, "__pfx_", 6))
			continue; /* padding before a function */
		if (is_bpf(&s))
			s.from_ns = now;
		if (!array_grow(&k->list, &k->cap, k->n, 1, sizeof(s)))
			return -ENOMEM;
		k->list[k->n++] = s;
	}
	return 0;
}

/* Are other BPF programs there than before? Where the kernel does not show them, the list of those seen counts. */
static bool programs_changed(struct ksyms *k)
{
	uint32_t *ids = NULL;
	size_t n = 0, cap = 0;
	__u32 id = 0;
	bool same;

	while (!bpf_prog_get_next_id(id, &id) && array_grow(&ids, &cap, n, 1, sizeof(*ids)))
		ids[n++] = id;
	same = n == k->nprograms && (!n || !memcmp(ids, k->programs, n * sizeof(*ids)));
	if (!same) {
		free(k->programs);
		k->programs = ids;
		k->nprograms = n;
	} else {
		free(ids);
	}
	return !same;
}

/* Keeps only the names that the functions need: kallsyms is three times as long. */
static char *shrink(struct ksyms *k, size_t from)
{
	size_t bytes = 1, at = 0;
	char *small;

	for (size_t i = from; i < k->n; i++)
		bytes += strlen(k->list[i].name) + strlen(k->list[i].module) + 2;
	small = malloc(bytes);
	for (size_t i = from; i < k->n && small; i++) {
		struct ksym *s = &k->list[i];
		size_t name = strlen(s->name) + 1, module = strlen(s->module) + 1;

		s->name = memcpy(small + at, s->name, name);
		at += name;
		if (module == 1) {
			s->module = "";
			continue;
		}
		s->module = memcpy(small + at, s->module, module);
		at += module;
	}
	return small;
}

/* Appends functions, with a text that has their names. The size of the file is not known before. */
static int read_names(struct ksyms *k, bool bpf_alone, struct diag *d)
{
	FILE *f = facts_file(&facts_here, "proc/kallsyms");
	char *text = NULL, *names = NULL, **slot = NULL;
	size_t from = k->n, cap = 0, n = 0;
	int err = 0;

	if (f) {
		do {
			if (!array_grow(&text, &cap, n, 1 << 20, 1)) {
				err = diag_set(d, -ENOMEM, "no memory");
				break;
			}
			n += fread(text + n, 1, cap - n - 1, f);
			text[n] = '\0';
		} while (n == cap - 1 && !ferror(f));
		fclose(f);
	} else {
		err = diag_set(d, -ENOENT, "there is no /proc/kallsyms here, so functions are not shown; all else is");
	}
	k->read_ns = now_ns();
	if (!err && ksyms_take(k, text, bpf_alone, k->read_ns))
		err = diag_set(d, -ENOMEM, "no memory");
	if (!err)
		names = shrink(k, from);
	if (names)
		slot = array_add(&k->texts, &k->ntexts, sizeof(*slot));
	free(text);
	if (slot) {
		*slot = names;
		return 0;
	}
	free(names);
	k->n = from;
	return err ? err : diag_set(d, -ENOMEM, "no memory");
}

int ksyms_open(struct ksyms *k, struct diag *d)
{
	int err;

	programs_changed(k);
	err = read_names(k, false, d);
	if (err)
		return err;
	if (k->n)
		qsort(k->list, k->n, sizeof(*k->list), by_start);
	if (!k->n || !k->list[k->n - 1].start)
		return diag_set(d, -EPERM,
				"the kernel hides addresses here (kernel.kptr_restrict, kernel.perf_event_paranoid "
				"above 1 without CAP_SYSLOG, or a masked /proc/kallsyms), so functions are not shown; "
				"all else is");
	for (size_t i = 0; i < k->n; i++)
		k->list[i].from_ns = 0; /* what was there before, was there */
	return 0;
}

/*
 * The programs that are read now stand behind those of before. Programs that were known and are not among them are
 * gone; those that were known keep the time that they were seen first.
 */
int ksyms_refresh(struct ksyms *k, struct diag *d)
{
	size_t from = k->n, n = 0;
	uint64_t now;
	char *all;
	int err;

	if (now_ns() - k->read_ns < KSYMS_PAUSE_S * 1000000000ULL || !programs_changed(k))
		return 0;
	err = read_names(k, true, d);
	if (err)
		return err;
	now = now_ns();
	for (size_t i = 0; i < from; i++) {
		struct ksym *s = &k->list[i];
		bool here = !is_bpf(s) || s->to_ns;

		for (size_t j = from; j < k->n && !here; j++)
			if (k->list[j].start == s->start && !strcmp(k->list[j].name, s->name)) {
				here = true;
				k->list[j].module = ""; /* known already */
			}
		if (!here)
			s->to_ns = now;
	}
	for (size_t i = 0; i < k->n; i++) {
		const struct ksym *s = &k->list[i];

		if (i < from ? !s->to_ns || now - s->to_ns < KEEP_NS : is_bpf(s))
			k->list[n++] = *s;
	}
	k->n = n;
	qsort(k->list, k->n, sizeof(*k->list), by_start);
	/* Joins all texts, so that names of programs that were forgotten take no memory. */
	all = k->ntexts < MOST_TEXTS ? NULL : shrink(k, 0);
	if (!all)
		return 0;
	for (size_t i = 0; i < k->ntexts; i++)
		free(k->texts[i]);
	k->texts[0] = all;
	for (; k->ntexts > 1; k->ntexts--)
		k->texts[k->ntexts - 1] = NULL;
	return 0;
}

const struct ksym *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t at_ns)
{
	size_t low = 0, high = k->n;

	while (low < high) { /* the first one that begins after the address */
		size_t middle = low + (high - low) / 2;

		if (k->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Back to one that was there at that time; programs of other times may lie in between. */
	for (size_t i = low; i-- > 0;) {
		const struct ksym *s = &k->list[i];

		if (!is_bpf(s))
			return s;
		if (s->from_ns <= at_ns + KSYMS_PAUSE_S * 1000000000ULL && (!s->to_ns || at_ns < s->to_ns))
			return s;
	}
	return NULL;
}
