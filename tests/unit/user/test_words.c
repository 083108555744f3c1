// SPDX-License-Identifier: GPL-2.0-or-later
/* What the recorder writes of other people's words and numbers: losses of a perf.data file, a command line. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/cli/command_line.h"
#include "user/record/perf.h"

/* A perf.data file with these losses of each kind, between other records; cut: bytes that its end lacks. */
static int64_t lost_of(const uint64_t *lost, size_t nlost, const uint64_t *samples, size_t nsamples, size_t cut)
{
	uint64_t head[8] = {0, sizeof(head), 0, 0, 0, sizeof(head), 0, 0};
	uint64_t data[64];
	char path[] = "/tmp/xdpzoom-perf-XXXXXX";
	int fd = mkstemp(path);
	int64_t sum;
	size_t n = 0;

	assert_true(fd >= 0);
	memcpy(&head[0], "PERFILE2", 8);
	for (size_t i = 0; i < nlost; i++) {
		struct perf_event_header other = {PERF_RECORD_SAMPLE, 0, 16}, h = {PERF_RECORD_LOST, 0, 24};

		memcpy(&data[n], &other, 8);
		data[n + 1] = 1000; /* no loss */
		memcpy(&data[n + 2], &h, 8);
		data[n + 3] = 77; /* the event's number */
		data[n + 4] = lost[i];
		n += 5;
	}
	for (size_t i = 0; i < nsamples; i++) {
		struct perf_event_header h = {PERF_RECORD_LOST_SAMPLES, 0, 16};

		memcpy(&data[n], &h, 8);
		data[n + 1] = samples[i];
		n += 2;
	}
	head[6] = 8 * n;
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, data, 8 * n - cut), 8 * n - cut);
	close(fd);
	sum = perf_data_lost(path);
	unlink(path);
	return sum;
}

/* perf from 6.1 on reports one loss twice, the second time in a record of another kind. */
static void test_lost_samples(void **state)
{
	static const uint64_t lost[] = {3, 4}, same[] = {7}, more[] = {9, 2};

	(void)state;
	assert_int_equal(lost_of(lost, 2, NULL, 0, 0), 7);
	assert_int_equal(lost_of(lost, 2, same, 1, 0), 7);
	assert_int_equal(lost_of(lost, 2, more, 2, 0), 11);
	assert_int_equal(lost_of(NULL, 0, same, 1, 0), 7);
	assert_int_equal(lost_of(lost, 2, NULL, 0, 8), 3);
	assert_int_equal(lost_of(NULL, 0, NULL, 0, 0), 0);
	assert_int_equal(perf_data_lost("/dev/null"), -1);
	assert_int_equal(perf_data_lost("/nonexistent"), -1);
}

static void test_command_line_of_any_bytes(void **state)
{
	char record[] = "record", name[] = "a\xff\xfe", text[] = "\xc3\xa4";
	char *argv[] = {record, name, text};
	json_t *words = command_line(3, argv);

	(void)state;
	assert_int_equal(json_array_size(words), 4);
	assert_string_equal(json_string_value(json_array_get(words, 0)), "xdpzoom");
	assert_string_equal(json_string_value(json_array_get(words, 2)), "a??");
	assert_string_equal(json_string_value(json_array_get(words, 3)), text);
	json_decref(words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_samples),
		cmocka_unit_test(test_command_line_of_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
