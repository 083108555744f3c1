// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of rules and renames of which one word or line is missing, doubled or another one: refused with a
 * sentence, or what stacks and names belong to then. Kept in tests/golden/cut/. After a change that is meant:
 * UPDATE=1 build/tests/unit/test_rule_words, and read the difference.
 */
#include "perfparse/perfparse.h"
#include "tests/unit/kept.h"
#include "tests/unit/unit.h"

static const char rules[] = "# rules\n"
			    "facility sink : taken-out\n"
			    "\tany net_rx* under poll_*\n"
			    "facility idle : idle\n"
			    "\thalt\n"
			    "facility page pool\n"
			    "\tpool_* under rcv? build under outer\n"
			    "\tpool_get\n"
			    "facility driver # RX\n"
			    "\trcv? *_xmit build\n"
			    "helper\n"
			    "\tmemset* lock alone page pool\n"
			    "\tpool_*\n"
			    "enabler\n"
			    "\tirq_on* unlock\n"
			    "tag locks\n"
			    "\tlock unlock irq_*\n"
			    "tag copies\n"
			    "\tmem*\n";

static const char *const stacks[] = {
	"rcv1",
	"rcv12",
	"rcv1.isra.0 poll_it",
	"net_rx_action x poll_it",
	"rcv1 net_rx_action y poll_it",
	"poll_it net_rx_action",
	"halt rcv1",
	"rcv1 halt",
	"pool_put rcv1 outer",
	"pool_put x build y outer",
	"pool_put rcv1",
	"pool_get",
	"pool_put",
	"memset_orig",
	"memset_orig rcv1",
	"lock memset pool_get x",
	"a_xmit",
	"irq_on lock rcv1",
	"unlock halt",
	"other rcv1",
};

/* A changed text. Words are numbered over the whole text; what: 0 nothing, 1 without, 2 twice, 3 another one. */
static void write_changed(const char *path, const char *text, size_t number, int what)
{
	FILE *f = fopen(path, "w");
	size_t n = 0;

	assert_non_null(f);
	for (const char *s = text; *s;) {
		size_t len = strcspn(s, " \t\n"), times = 1;

		if (len && n++ == number && what)
			times = what == 1 ? 0 : what == 2 ? 2 : 1;
		for (size_t i = 0; i < times && len; i++)
			if (what == 3 && n - 1 == number)
				fputs("other", f);
			else
				fprintf(f, "%s%.*s", i ? " " : "", (int)len, s);
		s += len;
		if (*s)
			fputc(*s++, f);
	}
	fclose(f);
}

static void put_stack(struct facilities *f, const char *frames, FILE *out)
{
	uint32_t symbols[8];
	unsigned int depth = 0, id;
	char copy[100], *left = copy, *name;
	struct profile p;

	profile_init(&p);
	snprintf(copy, sizeof(copy), "%s", frames);
	while ((name = strsep(&left, " ")))
		assert_int_equal(profile_add_symbol(&p, name, strlen(name), "", 0, SPACE_KERNEL, &symbols[depth++]), 0);
	assert_int_equal(profile_add_stack(&p, symbols, depth, 1, 1), 0);
	id = facilities_of_stack(f, &p, &p.stacks[0]);
	fprintf(out, " %s", facilities_name(f, id));
	if (facilities_kind(f, id) != FACILITY_COST)
		fputs(facilities_kind(f, id) == FACILITY_IDLE ? "(idle)" : "(out)", out);
	for (unsigned int i = 0; i < depth; i++)
		if (facilities_tags_of_symbol(f, &p, symbols[i]))
			fprintf(out, "/%u", facilities_tags_of_symbol(f, &p, symbols[i]));
	assert_int_equal(facilities_strip_enablers(f, &p), 0);
	if (p.stacks[0].depth != depth)
		fprintf(out, "-%u", depth - p.stacks[0].depth);
	profile_release(&p);
}

static void put_rules(const char *path, FILE *out)
{
	struct diag d = {""};
	struct facilities *f;

	if (facilities_read(&f, path, &d)) {
		fprintf(out, "refused%s", d.text + strlen(path));
		return;
	}
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		put_stack(f, stacks[i], out);
	facilities_free(f);
}

static const char renames[] = "# names\n"
			      "free_skb  kfree_skb consume_skb # one name\n"
			      "poll  __napi_poll napi_poll\n";

static void put_renames(const char *path, FILE *out)
{
	static const char *const names[] = {"free_skb",    "kfree_skb.isra.0", "consume_skb", "poll",
					    "__napi_poll", "napi_poll",        "other"};
	struct diag d = {""};
	char key[SYMKEY_BYTES];
	struct symkeys *k;

	if (symkeys_read(&k, path, &d)) {
		fprintf(out, "refused%s", d.text + strlen(path));
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		symkey(k, names[i], "", key);
		fprintf(out, " %s", key);
	}
	symkeys_free(k);
}

static void check(const char *name, const char *text, void (*put)(const char *path, FILE *out))
{
	static const char *const whats[] = {"as it is", "without", "twice", "another"};
	char path[128], file[128];
	FILE *out = kept_begin();

	snprintf(file, sizeof(file), "%s/rules", folder);
	for (int what = 0; what < 4; what++) {
		size_t number = 0;

		for (const char *s = text; *s && (what || !number); s += strspn(s, " \t\n"), number++) {
			size_t len = strcspn(s, " \t\n");

			write_changed(file, text, number, what);
			fprintf(out, "%s %.*s:", whats[what], what ? (int)len : 0, s);
			put(file, out);
			fputc('\n', out);
			s += len;
		}
	}
	snprintf(path, sizeof(path), "tests/golden/cut/%s.txt", name);
	kept_end(path);
}

static void test_rules(void **state)
{
	check("rules", rules, put_rules);
}

static void test_renames(void **state)
{
	check("renames", renames, put_renames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_renames),
	};

	return cmocka_run_group_tests_name("rule_words", tests, make_folder, remove_folder);
}
