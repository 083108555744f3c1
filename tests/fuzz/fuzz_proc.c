// SPDX-License-Identifier: GPL-2.0-or-later
/* What watch reads of the kernel's texts: tasks that take packets up, packet sockets, and the names of functions. */
#include <jansson.h>
#include "tests/fuzz/fuzz_root.h"
#include "user/watch/watch.h"

static char dir[200];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_root_init(dir);
	return 0;
}

static void check_state(void)
{
	static struct devices none;
	json_t *state = state_read(&none, &(struct state_wanted){});
	char *text = state ? json_dumps(state, 0) : NULL;

	fuzz_law(text != NULL, "whatever the kernel's texts are, a state can be written");
	free(text);
	json_decref(state);
}

static void check_ksyms(void)
{
	struct ksyms k = {};
	struct diag d = {""};
	int err = ksyms_open(&k, &d);

	fuzz_law(err ? d.text[0] != '\0' : k.n > 0, "functions, or a sentence");
	for (size_t i = 1; !err && i < k.n; i++)
		fuzz_law(k.list[i - 1].start <= k.list[i].start, "functions are in the order of their addresses");
	ksyms_release(&k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facts machine = facts_here;

	fuzz_root_make(dir, data, size, &facts_here);
	check_state();
	check_ksyms();
	facts_release(&facts_here);
	facts_here = machine;
	fuzz_root_clear(dir);
	return 0;
}
