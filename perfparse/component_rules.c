// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfparse/perfparse.h"

struct parser {
	struct component_rules *r;
	struct linescan lines;
	struct hash_table globs; /* finds those of r->globs */
	const char *path;
	struct diag *d;
	int component; /* the component of the current section; -1: none yet */
	enum { RULES, HELPERS, ENABLERS, TAGS } section;
};

static int bad(struct parser *ps, const char *what)
{
	return diag_set(ps->d, -EINVAL, "%s:%llu: %s", ps->path, (unsigned long long)ps->lines.line, what);
}

static int component_rules_no_memory(struct parser *ps)
{
	return diag_set(ps->d, -ENOMEM, "out of memory");
}

static int find_component(const struct component_rules *r, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < r->ncomponents; i++)
		if (strlen(r->components[i].name) == len && !memcmp(r->components[i].name, name, len))
			return (int)i;
	return -1;
}

/* The number of the component with this name; adds the component where there is none. */
static int add_component(struct parser *ps, const char *name, size_t len)
{
	struct component *f;
	int id = find_component(ps->r, name, len);

	if (id >= 0)
		return id;
	if (!len || len >= COMPONENT_NAME_BYTES)
		return bad(ps, "a component's name has 1 to 63 characters");
	f = array_add(&ps->r->components, &ps->r->ncomponents, sizeof(*f));
	if (!f)
		return component_rules_no_memory(ps);
	memcpy(f->name, name, len);
	f->kind = COMPONENT_COST;
	return (int)ps->r->ncomponents - 1;
}

static const char *trim_end(const char *s, const char *end)
{
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end;
}

static int read_kind(struct parser *ps, const char *s, const char *end, enum component_kind *kind)
{
	struct span w, more;

	if (span_next_word(&s, end, &w) && !span_next_word(&s, end, &more)) {
		if (span_is(&w, "idle"))
			*kind = COMPONENT_IDLE;
		else if (span_is(&w, "excluded"))
			*kind = COMPONENT_EXCLUDED;
		else if (span_is(&w, "cost"))
			*kind = COMPONENT_COST;
		else
			return bad(ps, "behind a component's name: \": idle\", \": excluded\" or \": cost\"");
		return 0;
	}
	return bad(ps, "behind a component's name: \": idle\", \": excluded\" or \": cost\"");
}

/* "component NAME [: KIND]" */
static int read_component(struct parser *ps, const char *s, const char *end)
{
	const char *colon = memchr(s, ':', (size_t)(end - s)), *stop = colon ? colon : end;
	enum component_kind kind = COMPONENT_COST;
	int id, err;

	while (s < stop && (*s == ' ' || *s == '\t'))
		s++;
	if (colon) {
		err = read_kind(ps, colon + 1, end, &kind);
		if (err)
			return err;
	}
	id = add_component(ps, s, (size_t)(trim_end(s, stop) - s));
	if (id < 0)
		return id;
	if (colon && id == COMPONENT_REST && kind != COMPONENT_COST)
		return bad(ps, "\"rest\" is always a cost");
	if (colon)
		ps->r->components[id].kind = kind;
	ps->component = id;
	ps->section = RULES;
	return 0;
}

/* The number of a glob; a glob is stored once. */
static int add_glob(struct parser *ps, const struct span *w)
{
	uint32_t h = (uint32_t)hash_bytes(w->s, w->len, 0);
	char **slot;
	size_t s, i;

	if (hash_table_reserve(&ps->globs, ps->r->nglobs))
		return component_rules_no_memory(ps);
	for (s = hash_table_first(&ps->globs, h, &i); ps->globs.slots[s]; s = hash_table_next(&ps->globs, s, h, &i))
		if (!strncmp(ps->r->globs[i], w->s, w->len) && !ps->r->globs[i][w->len])
			return (int)i;
	slot = array_add(&ps->r->globs, &ps->r->nglobs, sizeof(*slot));
	if (!slot)
		return component_rules_no_memory(ps);
	*slot = strndup(w->s, w->len);
	if (!*slot)
		return component_rules_no_memory(ps);
	hash_table_put(&ps->globs, s, h, ps->r->nglobs - 1);
	return (int)ps->r->nglobs - 1;
}

static int add_word(struct parser *ps, struct rule_place *place, const struct span *w)
{
	int glob = add_glob(ps, w);
	uint32_t *slot;

	if (glob < 0)
		return glob;
	slot = array_add(&ps->r->words, &ps->r->nwords, sizeof(*slot));
	if (!slot)
		return component_rules_no_memory(ps);
	*slot = (uint32_t)glob;
	place->n++;
	return 0;
}

/* Reads "GLOB... [under GLOB...]...", of which w is the first word. */
static int read_places(struct parser *ps, struct rule *rule, struct span w, const char *s, const char *end)
{
	struct rule_place *place;
	bool more = true;
	int err;

	while (more) {
		place = array_add(&ps->r->places, &ps->r->nplaces, sizeof(*place));
		if (!place)
			return component_rules_no_memory(ps);
		place->first = (uint32_t)ps->r->nwords;
		rule->nplaces++;
		for (; more && !span_is(&w, "under"); more = span_next_word(&s, end, &w)) {
			err = add_word(ps, place, &w);
			if (err)
				return err;
		}
		if (!place->n)
			return bad(ps, "a symbol has to stand on both sides of \"under\"");
		if (more && !span_next_word(&s, end, &w))
			return bad(ps, "a symbol has to stand on both sides of \"under\"");
	}
	return 0;
}

static int read_rule(struct parser *ps, struct span w, const char *s, const char *end)
{
	struct rule *rule;

	if (ps->component < 0)
		return bad(ps, "a rule before the first \"component\"");
	rule = array_add(&ps->r->rules, &ps->r->nrules, sizeof(*rule));
	if (!rule)
		return component_rules_no_memory(ps);
	rule->component = (unsigned int)ps->component;
	rule->first = (uint32_t)ps->r->nplaces;
	if (span_is(&w, "any")) {
		if (ps->r->components[ps->component].kind == COMPONENT_COST)
			return bad(ps, "\"any\" is for idle and excluded components");
		rule->any = true;
		if (!span_next_word(&s, end, &w))
			return bad(ps, "\"any\" needs a symbol");
	}
	return read_places(ps, rule, w, s, end);
}

static int add_helper(struct parser *ps, const struct span *w)
{
	struct rule_helper *h;
	int glob = add_glob(ps, w);

	if (glob < 0)
		return glob;
	h = array_add(&ps->r->helpers, &ps->r->nhelpers, sizeof(*h));
	if (!h)
		return component_rules_no_memory(ps);
	h->glob = (uint32_t)glob;
	return 0;
}

/* "GLOB... [alone NAME]" */
static int read_helpers(struct parser *ps, struct span w, const char *s, const char *end)
{
	size_t first = ps->r->nhelpers;
	bool more = true;
	int id, err;

	for (; more && !span_is(&w, "alone"); more = span_next_word(&s, end, &w)) {
		err = add_helper(ps, &w);
		if (err)
			return err;
	}
	if (!more)
		return 0;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	id = find_component(ps->r, s, (size_t)(trim_end(s, end) - s));
	if (id < 0)
		return bad(ps, "\"alone\" needs the name of a component from a line above");
	for (; first < ps->r->nhelpers; first++)
		ps->r->helpers[first].alone = (unsigned int)id;
	return 0;
}

/* Adds the globs of a line to a list of their numbers. */
static int read_globs(struct parser *ps, uint32_t **list, size_t *n, struct span w, const char *s, const char *end)
{
	uint32_t *slot;
	int glob;

	do {
		glob = add_glob(ps, &w);
		if (glob < 0)
			return glob;
		slot = array_add(list, n, sizeof(*slot));
		if (!slot)
			return component_rules_no_memory(ps);
		*slot = (uint32_t)glob;
	} while (span_next_word(&s, end, &w));
	return 0;
}

/* "tag NAME": the lines below name its functions. Each tag has one such line, so that its globs stand together. */
static int read_tag(struct parser *ps, const char *s, const char *end)
{
	struct rule_tag *tag;
	size_t len, i;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	len = (size_t)(trim_end(s, end) - s);
	if (!len || len >= COMPONENT_NAME_BYTES)
		return bad(ps, "a tag's name has 1 to 63 characters");
	for (i = 0; i < ps->r->ntags; i++)
		if (strlen(ps->r->tags[i].name) == len && !memcmp(ps->r->tags[i].name, s, len))
			return bad(ps, "this tag stands further up too");
	if (ps->r->ntags == COMPONENTS_TAGS_MAX)
		return bad(ps, "more than 32 tags");
	tag = array_add(&ps->r->tags, &ps->r->ntags, sizeof(*tag));
	if (!tag)
		return component_rules_no_memory(ps);
	memcpy(tag->name, s, len);
	tag->first = (uint32_t)ps->r->ntag_globs;
	ps->section = TAGS;
	return 0;
}

static int read_tagged(struct parser *ps, struct span w, const char *s, const char *end)
{
	struct rule_tag *tag = &ps->r->tags[ps->r->ntags - 1];
	int err = read_globs(ps, &ps->r->tag_globs, &ps->r->ntag_globs, w, s, end);

	tag->n = (uint32_t)ps->r->ntag_globs - tag->first;
	return err;
}

static int component_rules_read_line(struct parser *ps, const char *s, size_t len)
{
	const char *hash = memchr(s, '#', len), *end = hash ? hash : s + len;
	struct span w;

	if (!span_next_word(&s, end, &w))
		return 0;
	if (span_is(&w, "component"))
		return read_component(ps, s, end);
	if (span_is(&w, "helper")) {
		ps->section = HELPERS;
		return span_next_word(&s, end, &w) ? bad(ps, "\"helper\" stands alone on its line") : 0;
	}
	if (span_is(&w, "enabler")) {
		ps->section = ENABLERS;
		return span_next_word(&s, end, &w) ? bad(ps, "\"enabler\" stands alone on its line") : 0;
	}
	if (span_is(&w, "tag"))
		return read_tag(ps, s, end);
	switch (ps->section) {
	case HELPERS:
		return read_helpers(ps, w, s, end);
	case ENABLERS:
		return read_globs(ps, &ps->r->enablers, &ps->r->nenablers, w, s, end);
	case TAGS:
		return read_tagged(ps, w, s, end);
	case RULES:
		break;
	}
	return read_rule(ps, w, s, end);
}

int component_rules_read(struct component_rules *r, FILE *in, const char *path, struct diag *d)
{
	struct parser ps = {.r = r, .path = path, .d = d, .component = -1};
	int err, more;
	char *line;
	size_t len;

	memset(r, 0, sizeof(*r));
	linescan_init(&ps.lines, in);
	ps.lines.path = path;
	err = add_component(&ps, "rest", 4);
	while (err >= 0 && (more = linescan_next(&ps.lines, &line, &len, d)))
		err = more < 0 ? more : component_rules_read_line(&ps, line, len);
	linescan_release(&ps.lines);
	hash_table_release(&ps.globs);
	if (err < 0)
		component_rules_release(r);
	return err < 0 ? err : 0;
}

void component_rules_release(struct component_rules *r)
{
	size_t i;

	for (i = 0; i < r->nglobs; i++)
		free(r->globs[i]);
	free(r->globs);
	free(r->components);
	free(r->words);
	free(r->places);
	free(r->rules);
	free(r->helpers);
	free(r->enablers);
	free(r->tags);
	free(r->tag_globs);
	memset(r, 0, sizeof(*r));
}
