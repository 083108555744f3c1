// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read of a machine's files: is a module there, so that a question does not load it? */
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

static void make(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command), "mkdir -p '%s/%s'", folder, path);
	assert_int_equal(system(command), 0);
}

static void test_modules(void **state)
{
	struct diag d = {""};
	struct facts f;

	facts_init(&f);
	assert_int_equal(facts_open(&f, folder, &d), 0);
	assert_false(facts_module_is_out(&f, "nf_tables")); /* nothing is known */
	make("proc/sys/kernel");
	write_text("proc/sys/kernel/osrelease", "6.1.0-1\n");
	assert_false(facts_module_is_out(&f, "nf_tables"));
	make("lib/modules/6.1.0-1");
	write_text("lib/modules/6.1.0-1/modules.builtin", "kernel/net/core/some.ko\nkernel/net/old_nf_tables.ko\n");
	assert_true(facts_module_is_out(&f, "nf_tables"));
	assert_false(facts_module_is_out(&f, "some"));
	make("sys/module/nf_tables");
	assert_false(facts_module_is_out(&f, "nf_tables"));
	write_text("proc/sys/kernel/osrelease", "../6.1.0-1\n");
	assert_false(facts_module_is_out(&f, "other"));
	facts_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_modules)};

	return cmocka_run_group_tests_name("facts", tests, make_folder, remove_folder);
}
