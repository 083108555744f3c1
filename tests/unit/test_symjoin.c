// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of two sides, joined by their keys. */
#include "perfparse/symjoin.h"
#include "tests/unit/unit.h"

/* The groups as one text: names of the base in order, "|", names of new, ";" behind each group. */
static const char *groups(const struct symjoin *j, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t from = 0, to; from < j->n; from = to) {
		bool new = false;

		to = symjoin_end(j, from);
		for (size_t i = from; i < to; i++) {
			if (j->entries[i].is_new && !new)
				len += (size_t)snprintf(text + len, size - len, "|");
			new = j->entries[i].is_new;
			len += (size_t)snprintf(text + len, size - len, "%s ", j->entries[i].name);
		}
		len += (size_t)snprintf(text + len, size - len, ";");
	}
	return text;
}

static int by_first_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void test_order(void **state)
{
	struct symjoin j = {};
	char text[256];

	assert_int_equal(symjoin_room(&j, 5), 0);
	symjoin_add(&j, true, NULL, "f.constprop.0", "");
	symjoin_add(&j, true, NULL, "f", "");
	symjoin_add(&j, true, NULL, "a", "");
	symjoin_add(&j, false, NULL, "f.cold", "");
	symjoin_add(&j, false, NULL, "z", "");
	symjoin_sort(&j);
	assert_string_equal(groups(&j, text, sizeof(text)), "|a ;f.cold |f.constprop.0 f ;z ;");
	assert_int_equal(j.entries[0].index, 2);
	assert_int_equal(j.entries[1].index, 3);
	symjoin_release(&j);
	symjoin_release(&j);
	assert_int_equal(j.n, 0);
}

static void test_apart(void **state)
{
	struct symjoin j = {.apart = by_first_number};
	const int one = 1, two = 2;
	char text[256];

	assert_int_equal(symjoin_room(&j, 4), 0);
	symjoin_add(&j, false, &two, "f.part.0", "");
	symjoin_add(&j, false, &one, "f.part.1", "");
	symjoin_add(&j, true, &two, "f.part.2", "");
	symjoin_add(&j, true, &one, "f.part.3", "");
	symjoin_sort(&j);
	assert_string_equal(groups(&j, text, sizeof(text)), "f.part.1 |f.part.3 ;f.part.0 |f.part.2 ;");
	symjoin_release(&j);
}

/* A user program's symbol is not the kernel's of the same name, and renames are the kernel's. */
static void test_keys(void **state)
{
	struct symjoin j = {};
	struct symkeys *keys;
	char text[256];

	assert_int_equal(symkeys_read(&keys, NULL, NULL), 0);
	j.keys = keys;
	assert_int_equal(symjoin_room(&j, 4), 0);
	symjoin_add(&j, false, NULL, "kfree_skb_reason", "[kernel.kallsyms]");
	symjoin_add(&j, false, NULL, "main", "/usr/bin/a");
	symjoin_add(&j, true, NULL, "sk_skb_reason_drop", "[kernel.kallsyms]");
	symjoin_add(&j, true, NULL, "main", "/usr/bin/b");
	symjoin_sort(&j);
	assert_string_equal(groups(&j, text, sizeof(text)), "kfree_skb_reason |sk_skb_reason_drop ;main ;|main ;");
	symjoin_release(&j);
	symkeys_free(keys);
}

/* A cut tag belongs to the program that it begins, on either side; a cut name without a tag to none. */
static void test_cut_programs(void **state)
{
	struct symjoin j = {};
	char text[256];

	assert_int_equal(symjoin_room(&j, 5), 0);
	symjoin_add(&j, false, NULL, "bpf_prog_0123456789abcdef_drop", "");
	symjoin_add(&j, false, NULL, "bpf_prog_fedcba9876543210_pass", "");
	symjoin_add(&j, true, NULL, "bpf_prog_fedcba98", "");
	symjoin_add(&j, true, NULL, "bpf_prog_01234567", "");
	symjoin_add(&j, true, NULL, "bpf_prog_", "");
	symjoin_sort(&j);
	assert_string_equal(groups(&j, text, sizeof(text)),
			    "|bpf_prog_ ;bpf_prog_0123456789abcdef_drop |bpf_prog_01234567 ;"
			    "bpf_prog_fedcba9876543210_pass |bpf_prog_fedcba98 ;");
	symjoin_release(&j);
}

static void test_none(void **state)
{
	struct symjoin j = {};

	assert_int_equal(symjoin_room(&j, 0), 0);
	symjoin_sort(&j);
	assert_int_equal(j.n, 0);
	symjoin_release(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),        cmocka_unit_test(test_apart), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_cut_programs), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("symjoin", tests, NULL, NULL);
}
