// SPDX-License-Identifier: GPL-2.0-or-later
/* Text on disk instead of memory: pieces whole or not there, runs and turns that are written as without it. */
#include <signal.h>
#include <sys/resource.h>
#include "base/base.h"
#include "reports/run/run.h"
#include "tests/unit/unit.h"

#define RECORDED "build/runs/recorded"

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static char *text_of(const char *name, size_t *size)
{
	FILE *f = fopen(in_folder(name), "re");
	char *text;

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

static int spill_add(struct spill *s, const char *text, size_t n)
{
	FILE *f = spill_begin(s);

	assert_non_null(f);
	fwrite(text, 1, n, f);
	return spill_end(s, f, 0);
}

static void test_pieces(void **state)
{
	struct rlimit unlimited, few;
	struct spill s = {};
	const char *path = in_folder("pieces");

	holds(&s, "");
	assert_int_equal(spill_sync(&s), 0);
	assert_int_equal(symlink("elsewhere", path), 0); /* removed, and not followed */
	assert_int_equal(spill_open(&s, path), 0);
	assert_int_equal(spill_add(&s, "one ", 4), 0);
	getrlimit(RLIMIT_FSIZE, &unlimited);
	few = unlimited;
	few.rlim_cur = 7;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	assert_int_equal(spill_add(&s, "lost ", 5), -EFBIG); /* three bytes of it have room */
	setrlimit(RLIMIT_FSIZE, &unlimited);
	holds(&s, "one ");
	assert_int_equal(spill_end(&s, spill_begin(&s), -EILSEQ), -EILSEQ);
	assert_int_equal(spill_add(&s, "two", 3), 0);
	assert_int_equal(spill_put(&s, 0, "ONE", 3), 0);
	holds(&s, "ONE two");
	assert_int_equal(spill_sync(&s), 0);
	spill_release(&s);
	spill_release(&s);
	holds(&s, "");
	assert_int_equal(spill_open(&s, "/proc/spill"), -ENOENT);
	assert_false(s.is_open);
}

/* Some blocks on disk, all of them, and none because that did not work: each time the same run.json. */
static void test_run(void **state)
{
	struct diag d = {""};
	struct run r;
	char *whole, *text;
	size_t n;

	assert_int_equal(run_read(&r, RECORDED, &d), 0);
	n = r.nblocks;
	assert_true(n > 2 && r.blocks[0].nwindows > 0);
	whole = written(&r);
	assert_int_not_equal(run_spill(&r, "/proc"), 0);
	run_forget(&r);
	assert_true(!r.nspilled && r.blocks[0].nwindows > 0);
	for (size_t spilled = 1; spilled <= n; spilled += n - 1) {
		r.nblocks = spilled;
		assert_int_equal(run_spill(&r, folder), 0);
		r.nblocks = n;
		assert_int_equal(r.nspilled, spilled);
		assert_true(r.blocks[spilled - 1].nwindows > 0);
		run_forget(&r);
		assert_int_equal(r.blocks[spilled - 1].nwindows, 0);
		assert_int_equal(r.blocks[n - 1].nwindows > 0, spilled < n);
		text = written(&r);
		assert_string_equal(text, whole);
		free(text);
	}
	run_end_spill(&r, folder);
	assert_int_equal(access(in_folder(RUN_PART), F_OK), -1);
	free(whole);
	run_release(&r);
}

/* Writes run.json with so many blocks, and as many bytes of the part as are asked for; returns those it has. */
static size_t leave(const char *ended, size_t in_run, size_t bytes)
{
	struct diag d = {""};
	size_t all, size;
	struct run r;
	char *text;
	FILE *f;

	assert_int_equal(run_read(&r, RECORDED, &d), 0);
	snprintf(r.ended, sizeof(r.ended), "%s", ended);
	assert_int_equal(run_spill(&r, folder), 0);
	text = text_of(RUN_PART, &size);
	f = fopen(in_folder(RUN_PART), "we");
	fwrite(text, 1, bytes < size ? bytes : size, f);
	fclose(f);
	free(text);
	all = r.nblocks;
	r.nspilled = 0;
	spill_release(&r.spilled);
	for (r.nblocks = in_run; all > in_run; all--)
		run_block_release(&r.blocks[all - 1]);
	assert_int_equal(run_write(&r, folder, &d), 0);
	run_release(&r);
	return size;
}

static size_t blocks_read(void)
{
	struct diag d = {""};
	struct run r;
	size_t n;

	if (run_read(&r, folder, &d))
		fail_msg("%s", d.text);
	n = r.nblocks;
	for (size_t i = 0; i < n; i++)
		assert_true(r.blocks[i].index == (int)i && r.blocks[i].nwindows > 0);
	run_release(&r);
	return n;
}

/* What a killed recorder had written: each block that is whole in run.json or behind it. */
static void test_killed(void **state)
{
	struct diag d = {""};
	size_t size = leave("killed", 1, SIZE_MAX), all = blocks_read();
	struct run r;
	FILE *f;

	assert_int_equal(run_read(&r, RECORDED, &d), 0);
	assert_int_equal(all, r.nblocks);
	run_release(&r);
	leave("killed", 3, size - 1); /* the last brace is missing */
	assert_int_equal(blocks_read(), all - 1);
	leave("killed", 3, 10);
	assert_int_equal(blocks_read(), 3);
	leave("complete", 3, SIZE_MAX);
	assert_int_equal(blocks_read(), 3);
	leave("killed", 3, SIZE_MAX);
	f = fopen(in_folder(RUN_PART), "ae");
	fputs(",{\"index\": 1}", f);
	fclose(f);
	assert_int_equal(run_read(&r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, RUN_PART));
}

static void add_turns(struct run_turns *t, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++) {
		struct run_turn turn = {5000 + 100ULL * i, 90, 80,       64, i % 3, 0, i / 4,
					(uint16_t)(i % 2), 1,  TURN_BASE};

		assert_int_equal(turns_add(t, &turn, 1), 0);
	}
}

static void test_turns(void **state)
{
	char *whole, *text;
	struct run_turns t = {};
	struct diag d = {};
	size_t size, again;

	add_turns(&t, 0, 100);
	assert_int_equal(turns_write(&t, folder, &d), 0);
	assert_int_equal(t.n, 0);
	whole = text_of("turns", &size);
	turns_release(&t);

	add_turns(&t, 0, 40);
	assert_int_not_equal(turns_write(&t, "/proc", &d), 0);
	assert_int_equal(t.n, 40);
	assert_int_equal(turns_write(&t, folder, &d), 0);
	add_turns(&t, 40, 30);
	t.left_out = 123456;
	assert_int_equal(turns_write(&t, folder, &d), 0);
	assert_int_equal(t.nwritten, 70);
	t.left_out = 0;
	add_turns(&t, 70, 30);
	assert_int_equal(turns_write(&t, folder, &d), 0);
	assert_int_equal(turns_sync(&t, folder, &d), 0);
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
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_turns),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
