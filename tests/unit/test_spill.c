// SPDX-License-Identifier: GPL-2.0-or-later
/* Text on disk instead of memory: pieces whole or not there, runs and turns that are written as without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include "base/spill.h"
#include "reports/run/run.h"
#include "reports/run/turns.h"
#include "tests/unit/unit.h"

#define RECORDED "tests/golden/recorded/run"

static char *text_of(const char *name, size_t *size)
{
	char path[128], *text;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	text = calloc(*size + 1, 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *size, f), *size);
	fclose(f);
	return text;
}

static char *written(const struct run *r)
{
	struct diag d = {""};
	size_t size;

	assert_int_equal(run_write(r, folder, &d), 0);
	return text_of("run.json", &size);
}

static void holds(const struct spill *s, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(spill_copy(s, f), 0);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void test_pieces(void **state)
{
	struct rlimit unlimited, few;
	struct spill s = {};

	(void)state;
	holds(&s, "");
	assert_int_equal(spill_add(&s, folder, "one ", 4), 0);
	getrlimit(RLIMIT_FSIZE, &unlimited);
	few = unlimited;
	few.rlim_cur = 7;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	assert_int_equal(spill_add(&s, folder, "lost ", 5), -EFBIG); /* three bytes of it have room */
	setrlimit(RLIMIT_FSIZE, &unlimited);
	holds(&s, "one ");
	assert_int_equal(spill_add(&s, folder, "two", 3), 0);
	holds(&s, "one two");
	spill_release(&s);
	spill_release(&s);
	holds(&s, "");
	assert_int_not_equal(spill_add(&s, "/proc", "x", 1), 0);
	assert_null(s.file);
}

/* Some blocks on disk, all of them, and none because that did not work: each time the same run.json. */
static void test_run(void **state)
{
	struct diag d = {""};
	struct run r;
	char *whole, *text;
	size_t n;

	(void)state;
	assert_int_equal(run_read(&r, RECORDED, &d), 0);
	n = r.nblocks;
	assert_true(n > 2 && r.blocks[0].nwindows > 0);
	whole = written(&r);
	assert_int_not_equal(run_spill(&r, "/proc"), 0);
	assert_int_equal(r.nspilled, 0);
	assert_true(r.blocks[0].nwindows > 0);
	for (size_t spilled = 1; spilled <= n; spilled += n - 1) {
		r.nblocks = spilled;
		assert_int_equal(run_spill(&r, folder), 0);
		r.nblocks = n;
		assert_int_equal(r.nspilled, spilled);
		assert_int_equal(r.blocks[0].nwindows, 0);
		assert_int_equal(r.blocks[n - 1].nwindows > 0, spilled < n);
		text = written(&r);
		assert_string_equal(text, whole);
		free(text);
	}
	free(whole);
	run_release(&r);
}

static void add_turns(struct run_turns *t, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++) {
		struct run_turn turn = {5000 + 100ULL * i, 90, 80, 64, i % 3, i / 4, (uint16_t)(i % 2), 1, TURN_BASE};

		assert_int_equal(turns_add(t, &turn, 1), 0);
	}
}

static void test_turns(void **state)
{
	char *whole, *text;
	struct run_turns t;
	struct diag d = {};
	size_t size, again;

	(void)state;
	turns_init(&t);
	add_turns(&t, 0, 100);
	assert_int_equal(turns_write(&t, folder, &d), 0);
	whole = text_of("turns", &size);
	turns_release(&t);

	add_turns(&t, 0, 40);
	assert_int_not_equal(turns_spill(&t, "/proc"), 0);
	assert_int_equal(t.n, 40);
	assert_int_equal(turns_spill(&t, folder), 0);
	add_turns(&t, 40, 30);
	assert_int_equal(turns_spill(&t, folder), 0);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.nspilled, 70);
	add_turns(&t, 70, 30);
	assert_int_equal(turns_write(&t, folder, &d), 0);
	text = text_of("turns", &again);
	assert_int_equal(again, size);
	assert_string_equal(text, whole);
	turns_release(&t);
	free(text);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_turns),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
