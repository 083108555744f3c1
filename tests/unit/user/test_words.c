// SPDX-License-Identifier: GPL-2.0-or-later
/* What the recorder writes of other people's words: a command line. */
#include "user/cli/cli.h"
#include "tests/unit/unit.h"

static void test_command_line_of_any_bytes(void **state)
{
	char record[] = "record", name[] = "a\xff\xfe", text[] = "\xc3\xa4";
	char *argv[] = {record, name, text};
	json_t *words = command_line(3, argv);

	assert_int_equal(json_array_size(words), 4);
	assert_string_equal(json_string_value(json_array_get(words, 0)), "xdpzoom");
	assert_string_equal(json_string_value(json_array_get(words, 2)), "a??");
	assert_string_equal(json_string_value(json_array_get(words, 3)), text);
	json_decref(words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_line_of_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
