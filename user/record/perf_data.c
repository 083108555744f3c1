// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds up the records of a perf.data file that report lost samples; perf.h has the contract. The kernel writes
 * PERF_RECORD_LOST; from 6.1 on, perf adds PERF_RECORD_LOST_SAMPLES for the same samples at its end. So the larger sum
 * counts.
 * src: linux tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "user/record/perf.h"

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data;
};

/* PERF_RECORD_LOST: id, lost. PERF_RECORD_LOST_SAMPLES: lost. */
static uint64_t lost_in(const struct perf_event_header *h, FILE *f)
{
	uint64_t v[2] = {0, 0};
	size_t n = h->type == PERF_RECORD_LOST ? 2 : 1;

	if (h->size < sizeof(*h) + n * sizeof(*v) || fread(v, sizeof(*v), n, f) != n)
		return 0;
	return v[n - 1];
}

int64_t perf_data_lost(const char *data_path)
{
	struct perf_event_header h;
	struct file_header head;
	int64_t lost = 0, samples = 0;
	uint64_t at, end;
	FILE *f = fopen(data_path, "r");

	if (!f)
		return -1;
	if (fread(&head, sizeof(head), 1, f) != 1 || memcmp(head.magic, "PERFILE2", 8)) {
		fclose(f);
		return -1;
	}
	end = head.data.offset + head.data.size;
	for (at = head.data.offset; at + sizeof(h) <= end; at += h.size) {
		if (fseek(f, at, SEEK_SET) || fread(&h, sizeof(h), 1, f) != 1 || h.size < sizeof(h))
			break;
		if (h.type == PERF_RECORD_LOST)
			lost += lost_in(&h, f);
		else if (h.type == PERF_RECORD_LOST_SAMPLES)
			samples += lost_in(&h, f);
	}
	fclose(f);
	return lost > samples ? lost : samples;
}
