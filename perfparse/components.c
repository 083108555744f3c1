// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfparse/perfparse.h"

/* The rule file of the source tree is built in, so that a copy of the program needs no other file. */
__asm__(".section .rodata\n"
	".global components_conf_text\n"
	"components_conf_text: .incbin \"perfparse/components.conf\"\n"
	".byte 0\n"
	".previous\n");
extern const char components_conf_text[];

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
	uint64_t *sets; /* ninfos * nwords: a bit per glob, set if the glob matches the symbol */
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

struct components {
	struct component_rules rules;
	size_t nwords; /* 64-bit words of one symbol's set of globs */
	struct glob_use *uses;
	uint32_t *starts;
	uint32_t *by_first; /* globs with the first character c: by_first[firsts[c] .. firsts[c + 1]) */
	uint32_t firsts[ANY_FIRST + 2];
	struct cache *cache;
};

static unsigned int first_of(const char *glob)
{
	return *glob == '*' || *glob == '?' ? ANY_FIRST : (unsigned char)*glob;
}

static void sort_globs(struct components *f)
{
	uint32_t at[ANY_FIRST + 1];
	size_t i;

	for (i = 0; i < f->rules.nglobs; i++)
		f->firsts[first_of(f->rules.globs[i]) + 1]++;
	for (i = 0; i <= ANY_FIRST; i++) {
		at[i] = f->firsts[i];
		f->firsts[i + 1] += f->firsts[i];
	}
	for (i = 0; i < f->rules.nglobs; i++)
		f->by_first[at[first_of(f->rules.globs[i])]++] = (uint32_t)i;
}

/* The rules that a glob begins: counted, then listed. */
static void list_starts(struct components *f)
{
	const struct component_rules *r = &f->rules;
	uint32_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < r->nrules; i++) {
			const struct rule_place *place = &r->places[r->rules[i].first];

			for (uint32_t k = 0; k < place->n; k++) {
				struct glob_use *use = &f->uses[r->words[place->first + k]];

				if (pass)
					f->starts[use->first + use->nrules] = (uint32_t)i;
				use->nrules++;
			}
		}
		for (size_t i = 0; i < r->nglobs && !pass; i++) {
			f->uses[i].first = n;
			n += f->uses[i].nrules;
			f->uses[i].nrules = 0;
		}
	}
}

/* Turns the rules round: from a glob to what it is used for. False: no memory. */
static bool index_rules(struct components *f)
{
	const struct component_rules *r = &f->rules;

	f->uses = calloc(r->nglobs + 1, sizeof(*f->uses));
	f->starts = calloc(r->nwords + 1, sizeof(*f->starts));
	f->by_first = calloc(r->nglobs + 1, sizeof(*f->by_first));
	if (!f->uses || !f->starts || !f->by_first)
		return false;
	sort_globs(f);
	list_starts(f);
	for (size_t i = r->nhelpers; i; i--)
		f->uses[r->helpers[i - 1].glob].helper = (uint32_t)i;
	for (size_t i = 0; i < r->nenablers; i++)
		f->uses[r->enablers[i]].enabler = true;
	for (size_t tag = 0; tag < r->ntags; tag++)
		for (uint32_t i = 0; i < r->tags[tag].n; i++)
			f->uses[r->tag_globs[r->tags[tag].first + i]].tags |= 1u << tag;
	return true;
}

/* A file of the user's, or one below a file: that of an entry of a history. */
static FILE *open_rules(const char *path)
{
	FILE *in = fopen(path, "re");

	if (!in && errno == ENOTDIR)
		foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, NULL);
	return in;
}

int components_read(struct components **out, const char *path, struct diag *d)
{
	struct components *f = calloc(1, sizeof(*f));
	FILE *in;
	int err;

	*out = NULL;
	if (!f)
		return diag_set(d, -ENOMEM, "out of memory");
	in = path ? open_rules(path) : fmemopen((void *)components_conf_text, strlen(components_conf_text), "r");
	if (!in) {
		err = -errno;
		free(f);
		return diag_set(d, err, "%s: %s", path ? path : "components", strerror(-err));
	}
	err = component_rules_read(&f->rules, in, path ? path : "components.conf", d);
	fclose(in);
	if (!err && (!index_rules(f) || !(f->cache = calloc(1, sizeof(*f->cache))) ||
		     !(f->cache->missed = calloc(f->rules.nrules + 1, sizeof(*f->cache->missed)))))
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err) {
		components_free(f);
		return err;
	}
	f->nwords = (f->rules.nglobs + 63) / 64;
	*out = f;
	return 0;
}

void components_free(struct components *f)
{
	if (!f)
		return;
	component_rules_release(&f->rules);
	if (f->cache) {
		free(f->cache->infos);
		free(f->cache->sets);
		free(f->cache->candidates);
		free(f->cache->missed);
	}
	free(f->cache);
	free(f->uses);
	free(f->starts);
	free(f->by_first);
	free(f);
}

unsigned int components_count(const struct components *f)
{
	return (unsigned int)f->rules.ncomponents;
}

const char *components_name(const struct components *f, unsigned int id)
{
	return f->rules.components[id].name;
}

enum component_kind components_kind(const struct components *f, unsigned int id)
{
	return f->rules.components[id].kind;
}

static bool names_it(const struct components *f, const uint64_t *set, const struct rule_place *place)
{
	uint32_t i, glob;

	for (i = 0; i < place->n; i++) {
		glob = f->rules.words[place->first + i];
		if (set[glob / 64] >> (glob % 64) & 1)
			return true;
	}
	return false;
}

/* Adds a rule to those of the symbol that comes last, which stay in file order, each once. */
static bool add_candidate(struct cache *c, struct symbol_info *info, uint32_t rule)
{
	uint32_t *list, at = info->nrules;

	if (!array_grow(&c->candidates, &c->cap_candidates, c->ncandidates, 1, sizeof(*c->candidates)))
		return false;
	list = c->candidates + info->first;
	while (at && list[at - 1] > rule)
		at--;
	if (at && list[at - 1] == rule)
		return true;
	memmove(list + at + 1, list + at, (info->nrules - at) * sizeof(*list));
	list[at] = rule;
	info->nrules++;
	c->ncandidates++;
	return true;
}

/* A symbol is matched by a glob. */
static bool add_use(const struct components *f, struct symbol_info *info, const struct glob_use *use)
{
	for (uint32_t i = 0; i < use->nrules; i++) {
		uint32_t rule = f->starts[use->first + i];

		if (!add_candidate(f->cache, info, rule))
			return false;
		info->starts_any |= f->rules.rules[rule].any;
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
	const unsigned int firsts[2] = {(unsigned char)*name, ANY_FIRST};
	size_t len = symname_fold(name, strlen(name));

	memset(set, 0, f->nwords * sizeof(*set));
	*info = (struct symbol_info){.first = (uint32_t)f->cache->ncandidates};
	for (int k = 0; k < 2; k++)
		for (uint32_t i = f->firsts[firsts[k]]; i < f->firsts[firsts[k] + 1]; i++) {
			uint32_t glob = f->by_first[i];

			if (!symname_glob(f->rules.globs[glob], name, len))
				continue;
			set[glob / 64] |= 1ull << (glob % 64);
			if (!add_use(f, info, &f->uses[glob]))
				return false;
		}
	return true;
}

static bool grow_cache(const struct components *f, size_t n)
{
	return array_grow(&f->cache->infos, &f->cache->cap_infos, 0, n, sizeof(*f->cache->infos)) &&
	       array_grow(&f->cache->sets, &f->cache->cap_sets, 0, n,
			  (f->nwords ? f->nwords : 1) * sizeof(*f->cache->sets));
}

/* Brings the cache up to date with p. A profile without a mark is classified again in each call. */
static bool components_prepare(const struct components *f, const struct profile *p)
{
	struct profile_mark *mark = profile_mark_of(p);

	if (!mark || f->cache->profile != p || mark->owner != f || mark->stamp != f->cache->stamp) {
		f->cache->ninfos = f->cache->ncandidates = 0;
		f->cache->profile = p;
		f->cache->stamp++;
		if (mark)
			*mark = (struct profile_mark){f, f->cache->stamp};
	}
	if (f->cache->ninfos >= p->nsymbols)
		return true;
	if (!grow_cache(f, p->nsymbols))
		return false;
	for (; f->cache->ninfos < p->nsymbols; f->cache->ninfos++)
		if (!components_classify(f, p->symbols[f->cache->ninfos].name, &f->cache->infos[f->cache->ninfos],
					 f->cache->sets + f->cache->ninfos * f->nwords))
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
	const struct rule *rule = &f->rules.rules[n];
	const struct rule_place *place = &f->rules.places[rule->first + 1];
	const struct rule_place *end = place + rule->nplaces - 1;
	unsigned int i;

	if (f->cache->missed[n] == f->cache->look)
		return false;
	for (i = 0; place < end && i < depth; i++)
		if (names_it(f, f->cache->sets + frames[i] * f->nwords, place))
			place++;
	if (place < end)
		f->cache->missed[n] = f->cache->look;
	return place == end;
}

enum pass { WHOLE_STACK, LEAF, ANYWHERE };

#define ALL_RULES INT64_MAX

static bool rule_takes_part(const struct components *f, const struct rule *rule, enum pass pass)
{
	bool cost = f->rules.components[rule->component].kind == COMPONENT_COST;

	if (pass == ANYWHERE)
		return rule->any;
	return !rule->any && (pass == LEAF || !cost);
}

/*
 * The number of the first rule below end, in file order, that matches frames[0] and the frames further out; -1: none.
 */
static int64_t first_rule(const struct components *f, const uint32_t *frames, unsigned int depth, enum pass pass,
			  int64_t end)
{
	const struct symbol_info *info = &f->cache->infos[frames[0]];
	const struct rule *rule;
	uint32_t i, n;

	for (i = 0; i < info->nrules; i++) {
		n = f->cache->candidates[info->first + i];
		if (n >= end)
			break;
		rule = &f->rules.rules[n];
		if (rule_takes_part(f, rule, pass) && chain_holds(f, n, frames + 1, depth - 1))
			return n;
	}
	return -1;
}

/* The number of the idle or excluded rule that decides about the whole stack; -1: none does. */
static int64_t whole_stack_rule(const struct components *f, const uint32_t *frames, unsigned int depth)
{
	int64_t best = first_rule(f, frames, depth, WHOLE_STACK, ALL_RULES), n;
	unsigned int i;

	for (i = 0; i < depth; i++) {
		if (!f->cache->infos[frames[i]].starts_any)
			continue;
		n = first_rule(f, frames + i, depth - i, ANYWHERE, best < 0 ? ALL_RULES : best);
		if (n >= 0)
			best = n;
	}
	return best;
}

static unsigned int of_frames(const struct components *f, const uint32_t *frames, unsigned int depth)
{
	unsigned int i;
	int64_t n;

	f->cache->look++;
	if (!f->cache->look) { /* after 2^32 looks the marks mean nothing any more */
		memset(f->cache->missed, 0, f->rules.nrules * sizeof(*f->cache->missed));
		f->cache->look = 1;
	}
	n = whole_stack_rule(f, frames, depth);
	if (n >= 0)
		return f->rules.rules[n].component;
	n = first_rule(f, frames, depth, LEAF, ALL_RULES);
	if (n >= 0)
		return f->rules.rules[n].component;
	if (!f->cache->infos[frames[0]].helper)
		return COMPONENT_REST;
	for (i = 1; i < depth; i++) {
		n = first_rule(f, frames + i, depth - i, LEAF, ALL_RULES);
		if (n >= 0)
			return f->rules.rules[n].component;
	}
	return depth == 1 ? f->rules.helpers[f->cache->infos[frames[0]].helper - 1].alone : COMPONENT_REST;
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

		while (s->depth > 1 && f->cache->infos[p->frames[s->first]].enabler) {
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

unsigned int components_tag_count(const struct components *f)
{
	return (unsigned int)f->rules.ntags;
}

const char *components_tag_name(const struct components *f, unsigned int tag)
{
	return f->rules.tags[tag].name;
}

uint32_t components_tags_of_symbol(const struct components *f, const struct profile *p, uint32_t symbol)
{
	return components_prepare(f, p) ? f->cache->infos[symbol].tags : 0;
}
