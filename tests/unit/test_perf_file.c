// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a perf.data: losses, and what the kernel wrote for several perfs. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include "perfparse/perfparse.h"
#include "tests/unit/unit.h"

/* A perf.data file with these losses of each kind, between other records; cut: bytes that its end lacks. */
static int64_t lost_of(const uint64_t *lost, size_t nlost, const uint64_t *samples, size_t nsamples, size_t cut)
{
	uint64_t head[8] = {0, sizeof(head), 0, 0, 0, sizeof(head), 0, 0};
	uint64_t data[64];
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	char path[40];
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
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sum = perf_file_lost(path);
	close(fd);
	return sum;
}

/* perf from 6.1 on reports one loss twice, the second time in a record of another kind. */
static void test_lost_samples(void **state)
{
	static const uint64_t lost[] = {3, 4}, same[] = {7}, more[] = {9, 2};

	assert_int_equal(lost_of(lost, 2, NULL, 0, 0), 7);
	assert_int_equal(lost_of(lost, 2, same, 1, 0), 7);
	assert_int_equal(lost_of(lost, 2, more, 2, 0), 11);
	assert_int_equal(lost_of(NULL, 0, same, 1, 0), 7);
	assert_int_equal(lost_of(lost, 2, NULL, 0, 8), 3);
	assert_int_equal(lost_of(NULL, 0, NULL, 0, 0), 0);
	assert_int_equal(perf_file_lost("/dev/null"), -1);
	assert_int_equal(perf_file_lost("/nonexistent"), -1);
}

/* The kernel told perfs of a program, this one last: behind the end of its record stands what was there before. */
static size_t put_told(uint64_t *to, uint16_t type, size_t perfs, const char *name)
{
	size_t before = 3 + (name ? strlen(name) / 8 + 1 : 0), n = before + 2 * perfs;
	struct perf_event_header h = {type, 0, (uint16_t)(8 * n)};

	memset(to, 0, 8 * n);
	memcpy(to, &h, 8);
	if (name)
		memcpy(to + 3, name, strlen(name));
	to[before] = 1111;  /* time */
	to[before + 1] = 5; /* event */
	for (size_t i = before + 2; i < n; i++)
		to[i] = 0x6261676261670000 + i;
	return n;
}

static void test_record_for_several_perfs(void **state)
{
	uint64_t file[100] = {0, 104, 128, 104, 128, 232, 0}, want[100];
	struct perf_event_attr attr = {.size = 128,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
				       .sample_id_all = 1};
	FILE *f = tmpfile();
	size_t n = 29, at[4];
	int given, fd;

	memcpy(file, "PERFILE2", 8);
	memcpy(file + 13, &attr, sizeof(attr));
	at[0] = n += put_told(file + n, PERF_RECORD_KSYMBOL, 1, "bpf_prog_6deef7357e7b4530_drop");
	at[1] = n += put_told(file + n, PERF_RECORD_KSYMBOL, 3, "bpf_prog_6deef7357e7b4530_name16");
	at[2] = n += put_told(file + n, PERF_RECORD_BPF_EVENT, 2, NULL);
	at[3] = n += put_told(file + n, PERF_RECORD_MMAP, 2, NULL); /* of another kind */
	file[6] = 8 * (n - 29);
	memcpy(want, file, sizeof(want));
	for (int i = 1; i < 3; i++) {
		want[at[i] - 2] = 1111;
		want[at[i] - 1] = 5;
	}
	assert_int_equal(fwrite(file, 8, n, f), n);
	fflush(f);
	fd = given = dup(fileno(f));
	assert_int_equal(perf_file_mend(&fd), 0);
	assert_int_not_equal(fd, given);
	assert_int_equal(pread(fd, file, sizeof(file), 0), 8 * n);
	assert_memory_equal(file, want, 8 * n);
	close(fd);
	/* A file in which nothing is wrong is taken as it is. */
	file[6] = 0;
	fd = given = dup(fileno(f));
	assert_int_equal(pwrite(fd, file, 64, 0), 64);
	assert_int_equal(perf_file_mend(&fd), 0);
	assert_int_equal(fd, given);
	close(fd);
	fclose(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_samples),
		cmocka_unit_test(test_record_for_several_perfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
