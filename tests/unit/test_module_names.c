// SPDX-License-Identifier: GPL-2.0-or-later
/* What perf leaves unknown in a module gets its name, and nothing else changes. */
#include "perfparse/perfparse.h"
#include "tests/unit/unit.h"

#define MODULES                                                                                                        \
	"virtio_net 73728 0 - Live 0xffffffffc0330000\n"                                                               \
	"virtio_ring 49152 6 virtio_net, Live 0xffffffffc0201000\n"
#define KALLSYMS                                                                                                       \
	"ffffffff81000000 T _text\n"                                                                                   \
	"ffffffffc0338f00 t virtnet_poll\t[virtio_net]\n"                                                              \
	"ffffffffc0336f00 t receive_buf\t[virtio_net]\n"                                                               \
	"ffffffffc0338f40 d some_data\t[virtio_net]\n"                                                                 \
	"ffffffffc02042a0 T virtqueue_get_buf\t[virtio_ring]\n"

static char text[128], kallsyms[128], modules[128];

static const char *filled(const char *words, const char *symbols)
{
	static char got[2000];
	FILE *f;

	write_at(in_dir(text, sizeof(text), "000.script"), words);
	write_at(in_dir(kallsyms, sizeof(kallsyms), "kallsyms"), symbols);
	write_at(in_dir(modules, sizeof(modules), "modules"), MODULES);
	assert_int_equal(module_names_fill(text, kallsyms, modules), 0);
	f = fopen(text, "r");
	got[fread(got, 1, sizeof(got) - 1, f)] = 0;
	fclose(f);
	return got;
}

static void names_what_is_in_a_module(void **state)
{
	assert_string_equal(filled("napi/rx0 7 [001] 1.5: 100 cpu-clock: \n"
				   "\tffffffff81aed969 memset ([kernel.kallsyms])\n"
				   "\tffffffffc0336f58 [unknown] ([unknown])\n"
				   "\tffffffffc0338f61 [unknown] ([unknown])\n"
				   "\tffffffffc02042a0 [unknown] ([unknown])\n\n",
				   KALLSYMS),
			    "napi/rx0 7 [001] 1.5: 100 cpu-clock: \n"
			    "\tffffffff81aed969 memset ([kernel.kallsyms])\n"
			    "\tffffffffc0336f58 receive_buf ([virtio_net])\n"
			    "\tffffffffc0338f61 virtnet_poll ([virtio_net])\n"
			    "\tffffffffc02042a0 virtqueue_get_buf ([virtio_ring])\n\n");
}

static void leaves_the_rest(void **state)
{
	static const char words[] = "\tffffffffc0342000 [unknown] ([unknown])\n" /* behind the module's end */
				    "\tffffffffc0330010 [unknown] ([unknown])\n" /* before its first symbol */
				    "\tffffffffc0205000 data [unknown] ([virtio_ring])\n"
				    "\t    7f0000000000 [unknown] ([unknown])\n"
				    "\tffffffffc0338f61 [unknown] ([unknown])";

	assert_string_equal(filled(words, KALLSYMS), words);
	assert_string_equal(
		filled("\tffffffffc0338f61 [unknown] ([unknown])\n", "0000000000000000 t virtnet_poll\t[virtio_net]\n"),
		"\tffffffffc0338f61 [unknown] ([unknown])\n");
}

static void a_kernel_without_lists_names_nothing(void **state)
{
	filled("\tffffffffc0338f61 [unknown] ([unknown])\n", KALLSYMS);
	write_at(in_dir(text, sizeof(text), "000.script"), "\tffffffffc0338f61 [unknown] ([unknown])\n");
	assert_int_equal(module_names_fill(text, "/none", modules), 0);
	assert_int_equal(module_names_fill(text, kallsyms, "/none"), 0);
	assert_int_equal(module_names_fill("/none", kallsyms, modules), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_in_a_module),
		cmocka_unit_test(leaves_the_rest),
		cmocka_unit_test(a_kernel_without_lists_names_nothing),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
