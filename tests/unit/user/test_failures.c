// SPDX-License-Identifier: GPL-2.0-or-later
/* What the recorder and its helpers do when something fails: the error that was, nothing released twice. */
#include <fcntl.h>
#include <sys/resource.h>
#include "user/gen/gen.h"
#include "user/programs/programs.h"
#include "user/record/record.h"
#include "tests/unit/unit.h"

/* From here on, n more files can be opened, and no more; returns the limit that was. */
static rlim_t leave_files(rlim_t n)
{
	struct rlimit limit;
	rlim_t was;
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	was = limit.rlim_cur;
	limit.rlim_cur = (rlim_t)lowest + n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return was;
}

static void restore_files(rlim_t was)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = was;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int count_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* No file at all, none for the first pipe, none for the second one. */
static void test_remote_without_files(void **state)
{
	int before = count_files();

	for (rlim_t n = 0; n < 4; n++) {
		struct gen_options o = {.host = "nowhere.invalid", .netns_fd = -1};
		struct diag d = {""};
		struct remote f;
		rlim_t was;
		int err;

		remote_init(&f);
		was = leave_files(n);
		err = remote_start(&f, &o, &d);
		restore_files(was);
		assert_int_equal(err, -EMFILE);
		assert_string_equal(d.text, "cannot start ssh: Too many open files");
		remote_release(&f);
		remote_release(&f);
		assert_int_equal(count_files(), before);
	}
}

static void test_perf_without_files(void **state)
{
	const int cpu = 0;
	const struct perf_options o = {.event = "cpu-clock",
				       .cpus = &cpu,
				       .ncpus = 1,
				       .hz = 97,
				       .data_path = "/dev/null",
				       .stderr_path = "/dev/null"};
	int before = count_files();

	for (rlim_t n = 0; n < 4; n++) {
		struct diag d = {""};
		struct perf p;
		rlim_t was;
		int err;

		perf_init(&p);
		was = leave_files(n);
		err = perf_launch(&p, &o, &d);
		restore_files(was);
		assert_int_equal(err, -EMFILE);
		assert_string_equal(d.text, "cannot start perf: Too many open files");
		perf_release(&p);
		assert_int_equal(count_files(), before);
	}
}

static void test_block_is_released_twice(void **state)
{
	struct recorder *r = calloc(1, sizeof(*r));
	const struct record_options o = {};
	struct block b;

	assert_non_null(r);
	recorder_init(r, &o);
	block_init(&b);
	b.from.counts = calloc(4, sizeof(*b.from.counts));
	b.to.counts = calloc(4, sizeof(*b.to.counts));
	assert_true(b.from.counts && b.to.counts);
	block_release(r, &b);
	assert_true(!b.from.counts && !b.to.counts);
	block_release(r, &b);
	recorder_release(r);
	recorder_release(r);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remote_without_files),
		cmocka_unit_test(test_perf_without_files),
		cmocka_unit_test(test_block_is_released_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
