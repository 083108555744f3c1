// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* ---- the rule file: rules in its order, each glob once; component 0 is "rest" ----------------------------------- */

/* One place in a chain of callers: one of the globs words[first .. first + n) has to match. */
struct rule_place {
	uint32_t first, n;
};

struct rule {
	unsigned int component;
	bool any;                /* an "any" rule: its first place may match any frame of the stack */
	uint32_t first, nplaces; /* places[first] is for the leaf; each following place is for a frame further out */
};

struct rule_helper {
	uint32_t glob;
	unsigned int alone; /* its component where no caller is known; COMPONENT_REST without "alone" in the file */
};

/* The rules and components of one symbol, found by matching its name with every glob once. */
struct symbol_info {
	uint32_t first, nrules; /* range in candidates[]: rules whose first place matches the symbol, in file order */
	bool starts_any;        /* one of these rules is an "any" rule */
	bool enabler;
	uint32_t helper; /* its number, from 1 on; 0: it is none */
	uint32_t tags;
};

/* The results per symbol of the profile marked by (the rules, stamp). */
struct cache {
	const struct profile *profile;
	uint64_t stamp;
	struct symbol_info *infos;
	size_t ninfos, cap_infos, cap_sets;
	uint64_t *sets; /* ninfos * set_words: a bit per glob, set if the glob matches the symbol */
	uint32_t *candidates;
	size_t ncandidates, cap_candidates;

	/* Per rule: the last look (one stack) in which its chain was not found. */
	uint32_t *missed;
	uint32_t look;
};

/* What a glob makes of a symbol that it matches. */
struct glob_use {
	uint32_t first, nrules; /* range in starts[]: rules with the glob in their first place, in file order */
	uint32_t helper;        /* the first helper with the glob, from 1 on; 0: none */
	uint32_t tags;
	bool enabler;
};

/* Globs by their first character; those that begin with "*" or "?" fit to any, and are behind the others. */
#define ANY_FIRST 256

struct component_rules {
	char **globs;
	size_t nglobs;
	uint32_t *words; /* glob numbers */
	size_t nwords;
	struct rule_place *places;
	size_t nplaces;
	struct rule *rules;
	size_t nrules;
	struct rule_helper *helpers;
	size_t nhelpers;
	uint32_t *enablers; /* glob numbers of functions that let interrupts in again */
	size_t nenablers;
	uint32_t *tag_globs; /* glob numbers */
	size_t ntag_globs;
	size_t set_words; /* 64-bit words of one symbol's set of globs */
	struct glob_use *uses;
	uint32_t *starts;
	uint32_t *by_first; /* globs with the first character c: by_first[firsts[c] .. firsts[c + 1]) */
	uint32_t firsts[ANY_FIRST + 2];
	struct cache cache;
};

struct parser {
	struct components *f;
	struct component_rules *r; /* its rules */
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

static int no_memory(struct parser *ps)
{
	return diag_set(ps->d, -ENOMEM, "out of memory");
}

static int find_component(const struct components *f, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strlen(f->list[i].name) == len && !memcmp(f->list[i].name, name, len))
			return (int)i;
	return -1;
}

/* The number of the component with this name; adds the component where there is none. */
static int add_component(struct parser *ps, const char *name, size_t len)
{
	struct component *c;
	int id = find_component(ps->f, name, len);

	if (id >= 0)
		return id;
	if (!len || len >= COMPONENT_NAME_BYTES)
		return bad(ps, "a component's name has 1 to 63 characters");
	c = array_add(&ps->f->list, &ps->f->n, sizeof(*c));
	if (!c)
		return no_memory(ps);
	memcpy(c->name, name, len);
	c->kind = COMPONENT_COST;
	return (int)ps->f->n - 1;
}

/* "component NAME [: KIND]" */
static int read_component(struct parser *ps, const char *s, const char *end)
{
	static const char *const kinds[] = {
		[COMPONENT_COST] = "cost", [COMPONENT_IDLE] = "idle", [COMPONENT_EXCLUDED] = "excluded"};
	const char *colon = memchr(s, ':', (size_t)(end - s)), *stop = colon ? colon : end,
		   *word = colon ? colon + 1 : end;
	enum component_kind kind = COMPONENT_COST;
	struct span w, more;
	int id;

	s = span_skip_blanks(s, stop);
	if (colon) {
		if (!span_next_word(&word, end, &w) || span_next_word(&word, end, &more))
			kind = sizeof(kinds) / sizeof(*kinds);
		while (kind < sizeof(kinds) / sizeof(*kinds) && !span_is(&w, kinds[kind]))
			kind++;
		if (kind == sizeof(kinds) / sizeof(*kinds))
			return bad(ps, "behind a component's name: \": idle\", \": excluded\" or \": cost\"");
	}
	id = add_component(ps, s, (size_t)(span_trim_end(s, stop) - s));
	if (id < 0)
		return id;
	if (colon && id == COMPONENT_REST && kind != COMPONENT_COST)
		return bad(ps, "\"rest\" is always a cost");
	if (colon)
		ps->f->list[id].kind = kind;
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
		return no_memory(ps);
	for (s = hash_table_first(&ps->globs, h, &i); ps->globs.slots[s]; s = hash_table_next(&ps->globs, s, h, &i))
		if (!strncmp(ps->r->globs[i], w->s, w->len) && !ps->r->globs[i][w->len])
			return (int)i;
	slot = array_add(&ps->r->globs, &ps->r->nglobs, sizeof(*slot));
	if (!slot)
		return no_memory(ps);
	*slot = strndup(w->s, w->len);
	if (!*slot)
		return no_memory(ps);
	hash_table_put(&ps->globs, s, h, ps->r->nglobs - 1);
	return (int)ps->r->nglobs - 1;
}

/* Adds the number of a glob to a list of them. */
static int add_number(struct parser *ps, uint32_t **list, size_t *n, const struct span *w)
{
	int glob = add_glob(ps, w);
	uint32_t *slot;

	if (glob < 0)
		return glob;
	slot = array_add(list, n, sizeof(*slot));
	if (!slot)
		return no_memory(ps);
	*slot = (uint32_t)glob;
	return 0;
}

/* "GLOB... [alone NAME]" */
static int read_helpers(struct parser *ps, struct span w, const char *s, const char *end)
{
	size_t first = ps->r->nhelpers;
	struct rule_helper *h;
	bool more = true;
	int id, glob;

	for (; more && !span_is(&w, "alone"); more = span_next_word(&s, end, &w)) {
		glob = add_glob(ps, &w);
		if (glob < 0)
			return glob;
		h = array_add(&ps->r->helpers, &ps->r->nhelpers, sizeof(*h));
		if (!h)
			return no_memory(ps);
		h->glob = (uint32_t)glob;
	}
	if (!more)
		return 0;
	s = span_skip_blanks(s, end);
	id = find_component(ps->f, s, (size_t)(span_trim_end(s, end) - s));
	if (id < 0)
		return bad(ps, "\"alone\" needs the name of a component from a line above");
	for (; first < ps->r->nhelpers; first++)
		ps->r->helpers[first].alone = (unsigned int)id;
	return 0;
}

/* Adds the globs of a line to a list of their numbers. */
static int read_globs(struct parser *ps, uint32_t **list, size_t *n, struct span w, const char *s, const char *end)
{
	int err;

	do
		err = add_number(ps, list, n, &w);
	while (!err && span_next_word(&s, end, &w));
	return err;
}

/* "tag NAME": the lines below name its functions. Each tag has one such line, so that its globs stand together. */
static int read_tag(struct parser *ps, const char *s, const char *end)
{
	struct component_tag *tag;
	size_t len, i;

	s = span_skip_blanks(s, end);
	len = (size_t)(span_trim_end(s, end) - s);
	if (!len || len >= COMPONENT_NAME_BYTES)
		return bad(ps, "a tag's name has 1 to 63 characters");
	for (i = 0; i < ps->f->ntags; i++)
		if (strlen(ps->f->tags[i].name) == len && !memcmp(ps->f->tags[i].name, s, len))
			return bad(ps, "this tag stands further up too");
	if (ps->f->ntags == COMPONENTS_TAGS_MAX)
		return bad(ps, "more than 32 tags");
	tag = array_add(&ps->f->tags, &ps->f->ntags, sizeof(*tag));
	if (!tag)
		return no_memory(ps);
	memcpy(tag->name, s, len);
	tag->first = (uint32_t)ps->r->ntag_globs;
	ps->section = TAGS;
	return 0;
}

static int component_rules_read_line(struct parser *ps, const char *s, size_t len)
{
	const char *hash = memchr(s, '#', len), *end = hash ? hash : s + len;
	struct component_tag *tag;
	struct span w;
	int err;

	if (!span_next_word(&s, end, &w))
		return 0;
	if (span_is(&w, "component"))
		return read_component(ps, s, end);
	if (span_is(&w, "helper") || span_is(&w, "enabler")) {
		ps->section = *w.s == 'h' ? HELPERS : ENABLERS;
		if (!span_next_word(&s, end, &w))
			return 0;
		return bad(ps, ps->section == HELPERS ? "\"helper\" stands alone on its line"
						      : "\"enabler\" stands alone on its line");
	}
	if (span_is(&w, "tag"))
		return read_tag(ps, s, end);
	switch (ps->section) {
	case HELPERS:
		return read_helpers(ps, w, s, end);
	case ENABLERS:
		return read_globs(ps, &ps->r->enablers, &ps->r->nenablers, w, s, end);
	case TAGS:
		tag = &ps->f->tags[ps->f->ntags - 1];
		err = read_globs(ps, &ps->r->tag_globs, &ps->r->ntag_globs, w, s, end);
		tag->n = (uint32_t)ps->r->ntag_globs - tag->first;
		return err;
	case RULES:
		break;
	}
	struct rule *rule;
	if (ps->component < 0)
		return bad(ps, "a rule before the first \"component\"");
	rule = array_add(&ps->r->rules, &ps->r->nrules, sizeof(*rule));
	if (!rule)
		return no_memory(ps);
	rule->component = (unsigned int)ps->component;
	rule->first = (uint32_t)ps->r->nplaces;
	if (span_is(&w, "any")) {
		if (ps->f->list[ps->component].kind == COMPONENT_COST)
			return bad(ps, "\"any\" is for idle and excluded components");
		rule->any = true;
		if (!span_next_word(&s, end, &w))
			return bad(ps, "\"any\" needs a symbol");
	}
	/* Reads "GLOB... [under GLOB...]...", of which w is the first word. */
	struct rule_place *place;
	bool more = true;
	while (more) {
		place = array_add(&ps->r->places, &ps->r->nplaces, sizeof(*place));
		if (!place)
			return no_memory(ps);
		place->first = (uint32_t)ps->r->nwords;
		rule->nplaces++;
		for (; more && !span_is(&w, "under"); more = span_next_word(&s, end, &w)) {
			err = add_number(ps, &ps->r->words, &ps->r->nwords, &w);
			if (err)
				return err;
			place->n++;
		}
		if (!place->n || (more && !span_next_word(&s, end, &w)))
			return bad(ps, "a symbol has to stand on both sides of \"under\"");
	}
	return 0;
}

/* ---- what a stack is ------------------------------------------------------------------------------------- */

/* The rule file of the source tree is built in, so that a copy of the program needs no other file. */
__asm__(".section .rodata\n"
	".global components_conf_text\n"
	"components_conf_text: .incbin \"perfparse/components.conf\"\n"
	".byte 0\n"
	".previous\n");
extern const char components_conf_text[];

static unsigned int first_of(const char *glob)
{
	return *glob == '*' || *glob == '?' ? ANY_FIRST : (unsigned char)*glob;
}

/* Turns the rules round: from a glob to what it is used for. False: no memory. */
static bool index_rules(struct components *f)
{
	struct component_rules *r = f->rules;
	uint32_t at[ANY_FIRST + 1], n = 0;
	size_t i;

	r->uses = calloc(r->nglobs + 1, sizeof(*r->uses));
	r->starts = calloc(r->nwords + 1, sizeof(*r->starts));
	r->by_first = calloc(r->nglobs + 1, sizeof(*r->by_first));
	if (!r->uses || !r->starts || !r->by_first)
		return false;
	for (i = 0; i < r->nglobs; i++)
		r->firsts[first_of(r->globs[i]) + 1]++;
	for (i = 0; i <= ANY_FIRST; i++) {
		at[i] = r->firsts[i];
		r->firsts[i + 1] += r->firsts[i];
	}
	for (i = 0; i < r->nglobs; i++)
		r->by_first[at[first_of(r->globs[i])]++] = (uint32_t)i;
	for (int pass = 0; pass < 2; pass++) { /* the rules that a glob begins: counted, then listed */
		for (i = 0; i < r->nrules; i++) {
			const struct rule_place *place = &r->places[r->rules[i].first];

			for (uint32_t k = 0; k < place->n; k++) {
				struct glob_use *use = &r->uses[r->words[place->first + k]];

				if (pass)
					r->starts[use->first + use->nrules] = (uint32_t)i;
				use->nrules++;
			}
		}
		for (i = 0; i < r->nglobs && !pass; i++) {
			r->uses[i].first = n;
			n += r->uses[i].nrules;
			r->uses[i].nrules = 0;
		}
	}
	for (i = r->nhelpers; i; i--)
		r->uses[r->helpers[i - 1].glob].helper = (uint32_t)i;
	for (i = 0; i < r->nenablers; i++)
		r->uses[r->enablers[i]].enabler = true;
	for (size_t tag = 0; tag < f->ntags; tag++)
		for (i = 0; i < f->tags[tag].n; i++)
			r->uses[r->tag_globs[f->tags[tag].first + i]].tags |= 1u << tag;
	return true;
}

int components_read(struct components **out, const char *path, struct diag *d)
{
	struct component_rules *r = calloc(1, sizeof(*r));
	struct components *f = calloc(1, sizeof(*f));
	struct parser ps = {.f = f, .r = r, .path = path ? path : "components.conf", .d = d, .component = -1};
	int err, more;
	char *line;
	size_t len;
	FILE *in;

	*out = NULL;
	if (!f || !r) {
		free(f);
		free(r);
		return diag_set(d, -ENOMEM, "out of memory");
	}
	f->rules = r;
	in = path ? fopen(path, "re") : fmemopen((void *)components_conf_text, strlen(components_conf_text), "r");
	/* A file of the user's, or one below a file: that of an entry of a history. */
	if (!in && path && errno == ENOTDIR)
		foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, NULL);
	if (!in) {
		err = -errno;
		components_free(f);
		return diag_set(d, err, "%s: %s", path ? path : "components", strerror(-err));
	}
	ps.lines = (struct linescan){.in = in, .path = ps.path};
	err = add_component(&ps, "rest", 4);
	while (err >= 0 && (more = linescan_next(&ps.lines, &line, &len, d)))
		err = more < 0 ? more : component_rules_read_line(&ps, line, len);
	linescan_release(&ps.lines);
	hash_table_release(&ps.globs);
	fclose(in);
	if (err >= 0)
		r->cache.missed = calloc(r->nrules + 1, sizeof(*r->cache.missed));
	if (err >= 0 && (!index_rules(f) || !r->cache.missed))
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err < 0) {
		components_free(f);
		return err;
	}
	r->set_words = (r->nglobs + 63) / 64;
	*out = f;
	return 0;
}

void components_free(struct components *f)
{
	struct component_rules *r = f ? f->rules : NULL;

	if (!f)
		return;
	for (size_t i = 0; i < r->nglobs; i++)
		free(r->globs[i]);
	free(r->globs);
	free(r->words);
	free(r->places);
	free(r->rules);
	free(r->helpers);
	free(r->enablers);
	free(r->tag_globs);
	free(r->uses);
	free(r->starts);
	free(r->by_first);
	free(r->cache.infos);
	free(r->cache.sets);
	free(r->cache.candidates);
	free(r->cache.missed);
	free(r);
	free(f->list);
	free(f->tags);
	free(f);
}

/* A symbol is matched by a glob, whose rules join those of the symbol that comes last: in file order, each once. */
static bool add_use(const struct components *f, struct symbol_info *info, const struct glob_use *use)
{
	struct cache *c = &f->rules->cache;

	for (uint32_t i = 0; i < use->nrules; i++) {
		uint32_t rule = f->rules->starts[use->first + i], *list, at = info->nrules;

		if (!array_grow(&c->candidates, &c->cap_candidates, c->ncandidates, 1, sizeof(*c->candidates)))
			return false;
		info->starts_any |= f->rules->rules[rule].any;
		list = c->candidates + info->first;
		while (at && list[at - 1] > rule)
			at--;
		if (at && list[at - 1] == rule)
			continue;
		memmove(list + at + 1, list + at, (info->nrules - at) * sizeof(*list));
		list[at] = rule;
		info->nrules++;
		c->ncandidates++;
	}
	if (use->helper && (!info->helper || use->helper < info->helper))
		info->helper = use->helper;
	info->enabler |= use->enabler;
	info->tags |= use->tags;
	return true;
}

/* Matches a symbol's name with every glob that may match it, once. */
static bool components_classify(const struct components *f, const char *name, struct symbol_info *info, uint64_t *set)
{
	struct component_rules *r = f->rules;
	const unsigned int firsts[2] = {(unsigned char)*name, ANY_FIRST};
	size_t len = symname_fold(name, strlen(name));

	memset(set, 0, r->set_words * sizeof(*set));
	*info = (struct symbol_info){.first = (uint32_t)r->cache.ncandidates};
	for (int k = 0; k < 2; k++)
		for (uint32_t i = r->firsts[firsts[k]]; i < r->firsts[firsts[k] + 1]; i++) {
			uint32_t glob = r->by_first[i];

			if (!symname_glob(r->globs[glob], name, len))
				continue;
			set[glob / 64] |= 1ull << (glob % 64);
			if (!add_use(f, info, &r->uses[glob]))
				return false;
		}
	return true;
}

/* Brings the cache up to date with p. A profile without a mark is classified again in each call. */
static bool components_prepare(const struct components *f, const struct profile *p)
{
	struct profile_mark *mark = profile_mark_of(p);

	if (!mark || f->rules->cache.profile != p || mark->owner != f || mark->stamp != f->rules->cache.stamp) {
		f->rules->cache.ninfos = f->rules->cache.ncandidates = 0;
		f->rules->cache.profile = p;
		f->rules->cache.stamp++;
		if (mark)
			*mark = (struct profile_mark){f, f->rules->cache.stamp};
	}
	if (f->rules->cache.ninfos >= p->nsymbols)
		return true;
	if (!array_grow(&f->rules->cache.infos, &f->rules->cache.cap_infos, 0, p->nsymbols,
			sizeof(*f->rules->cache.infos)) ||
	    !array_grow(&f->rules->cache.sets, &f->rules->cache.cap_sets, 0, p->nsymbols,
			(f->rules->set_words ?: 1) * sizeof(*f->rules->cache.sets)))
		return false;
	for (; f->rules->cache.ninfos < p->nsymbols; f->rules->cache.ninfos++)
		if (!components_classify(f, p->symbols[f->rules->cache.ninfos].name,
					 &f->rules->cache.infos[f->rules->cache.ninfos],
					 f->rules->cache.sets + f->rules->cache.ninfos * f->rules->set_words))
			return false;
	return true;
}

/*
 * True if the rule's places after the first match frames[], in this order; frames between the matches do not
 * matter. A chain that is not found from one frame outward is not found from a frame further out either, so that a look
 * at a stack searches it once for each rule, however deep it is.
 */
static bool chain_holds(const struct components *f, uint32_t n, const uint32_t *frames, unsigned int depth)
{
	struct component_rules *r = f->rules;
	const struct rule *rule = &r->rules[n];
	const struct rule_place *place = &r->places[rule->first + 1];
	const struct rule_place *end = place + rule->nplaces - 1;
	uint32_t i, k, glob;

	if (r->cache.missed[n] == r->cache.look)
		return false;
	for (i = 0; place < end && i < depth; i++) {
		const uint64_t *set = r->cache.sets + frames[i] * r->set_words;

		for (k = 0; k < place->n; k++) {
			glob = r->words[place->first + k];
			if (set[glob / 64] >> (glob % 64) & 1)
				break;
		}
		place += k < place->n;
	}
	if (place < end)
		r->cache.missed[n] = r->cache.look;
	return place == end;
}

enum pass { WHOLE_STACK, LEAF, ANYWHERE };

#define ALL_RULES INT64_MAX

/*
 * The number of the first rule below end, in file order, that matches frames[0] and the frames further out; -1: none.
 */
static int64_t first_rule(const struct components *f, const uint32_t *frames, unsigned int depth, enum pass pass,
			  int64_t end)
{
	struct component_rules *r = f->rules;
	const struct symbol_info *info = &r->cache.infos[frames[0]];
	const struct rule *rule;
	uint32_t i, n;
	bool cost;

	for (i = 0; i < info->nrules; i++) {
		n = r->cache.candidates[info->first + i];
		if (n >= end)
			break;
		rule = &r->rules[n];
		cost = f->list[rule->component].kind == COMPONENT_COST;
		if ((pass == ANYWHERE ? rule->any : !rule->any && (pass == LEAF || !cost)) &&
		    chain_holds(f, n, frames + 1, depth - 1))
			return n;
	}
	return -1;
}

static unsigned int of_frames(const struct components *f, const uint32_t *frames, unsigned int depth)
{
	struct component_rules *r = f->rules;
	int64_t best, n;
	unsigned int i;

	r->cache.look++;
	if (!r->cache.look) { /* after 2^32 looks the marks mean nothing any more */
		memset(r->cache.missed, 0, r->nrules * sizeof(*r->cache.missed));
		r->cache.look = 1;
	}
	/* The idle or excluded rule that decides about the whole stack. */
	best = first_rule(f, frames, depth, WHOLE_STACK, ALL_RULES);
	for (i = 0; i < depth; i++) {
		if (!r->cache.infos[frames[i]].starts_any)
			continue;
		n = first_rule(f, frames + i, depth - i, ANYWHERE, best < 0 ? ALL_RULES : best);
		best = n >= 0 ? n : best;
	}
	if (best < 0)
		best = first_rule(f, frames, depth, LEAF, ALL_RULES);
	if (best >= 0)
		return r->rules[best].component;
	if (!r->cache.infos[frames[0]].helper)
		return COMPONENT_REST;
	for (i = 1; i < depth; i++) {
		n = first_rule(f, frames + i, depth - i, LEAF, ALL_RULES);
		if (n >= 0)
			return r->rules[n].component;
	}
	return depth == 1 ? r->helpers[r->cache.infos[frames[0]].helper - 1].alone : COMPONENT_REST;
}

unsigned int components_of_stack(const struct components *f, const struct profile *p, const struct profile_stack *s)
{
	if (!s->depth || !components_prepare(f, p))
		return COMPONENT_REST;
	return of_frames(f, p->frames + s->first, s->depth);
}

int components_strip_enablers(const struct components *f, struct profile *p)
{
	if (!p->nsymbols)
		return 0;
	if (!components_prepare(f, p))
		return -ENOMEM;
	for (size_t i = 0; i < p->nstacks; i++) {
		struct profile_stack *s = &p->stacks[i];

		while (s->depth > 1 && f->rules->cache.infos[p->frames[s->first]].enabler) {
			s->first++;
			s->depth--;
			s->irqs_off = true;
		}
	}
	return 0;
}

unsigned int components_of_symbol(const struct components *f, const struct profile *p, uint32_t symbol)
{
	return components_prepare(f, p) ? of_frames(f, &symbol, 1) : COMPONENT_REST;
}

uint32_t components_tags_of_symbol(const struct components *f, const struct profile *p, uint32_t symbol)
{
	return components_prepare(f, p) ? f->rules->cache.infos[symbol].tags : 0;
}
