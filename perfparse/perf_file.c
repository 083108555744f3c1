// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <linux/perf_event.h>

#define AUXTRACE 71 /* PERF_RECORD_AUXTRACE: the trace stands behind the record, and is not in its size */

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data;
};

/* A place among the records of a file. */
struct records {
	struct file_header head;
	uint64_t at, end;
	struct perf_event_header h;
	unsigned char bytes[UINT16_MAX];
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

static bool records_begin(struct records *r, int fd)
{
	if (!read_at(fd, &r->head, sizeof(r->head), 0) || memcmp(r->head.magic, "PERFILE2", 8) ||
	    r->head.size < sizeof(r->head) || r->head.data.offset > INT64_MAX ||
	    r->head.data.size > INT64_MAX - r->head.data.offset)
		return false;
	r->h = (struct perf_event_header){};
	r->at = r->head.data.offset;
	r->end = r->at + r->head.data.size;
	return true;
}

/* Reads the head of the next record; records_body() reads the rest. */
static bool records_next(struct records *r, int fd)
{
	r->at += r->h.size;
	return r->h.type != AUXTRACE && r->at + sizeof(r->h) <= r->end && read_at(fd, &r->h, sizeof(r->h), r->at) &&
	       r->h.size >= sizeof(r->h) && r->h.size <= r->end - r->at;
}

static bool records_body(struct records *r, int fd)
{
	return read_at(fd, r->bytes, r->h.size, r->at);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* PERF_RECORD_LOST: id, lost. PERF_RECORD_LOST_SAMPLES: lost. */
static uint64_t lost_in(struct records *r, int fd)
{
	size_t n = r->h.type == PERF_RECORD_LOST ? 2 : 1;
	uint64_t lost;

	if (r->h.size < sizeof(r->h) + n * sizeof(lost) || !records_body(r, fd))
		return 0;
	memcpy(&lost, r->bytes + sizeof(r->h) + (n - 1) * sizeof(lost), sizeof(lost));
	return lost;
}

int64_t perf_file_lost(const char *path)
{
	struct records *r = malloc(sizeof(*r));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t lost = 0, samples = 0;
	bool is_one = r && fd >= 0 && records_begin(r, fd);

	while (is_one && records_next(r, fd)) {
		if (r->h.type == PERF_RECORD_LOST)
			lost += lost_in(r, fd);
		else if (r->h.type == PERF_RECORD_LOST_SAMPLES)
			samples += lost_in(r, fd);
	}
	free(r);
	if (fd >= 0)
		close(fd);
	if (!is_one)
		return -1;
	return lost > samples ? lost : samples;
}

/* ---- records that are too long ----------------------------------------------------------------------------------- */

/* The bytes of struct sample_id, which each record of the kernel ends with; 0: not there. */
static size_t id_size(const struct records *r, int fd)
{
	static const uint64_t fields[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					  PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};
	struct perf_event_attr attr = {};
	size_t size = 0;

	if (!read_at(fd, &attr, PERF_ATTR_SIZE_VER0, r->head.attrs.offset) || !attr.sample_id_all)
		return 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		size += attr.sample_type & fields[i] ? 8 : 0;
	return size;
}

static size_t round_up(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* Reads a record of a BPF program or of changed code: its bytes before its end; SIZE_MAX: another kind, or broken. */
static size_t size_before_id(struct records *r, int fd)
{
	enum { KSYMBOL_NAME = 24, BPF_EVENT_SIZE = 24, TEXT_POKE_LENGTHS = 16, TEXT_POKE_BYTES = 20 };
	size_t size = r->h.size;
	uint16_t lengths[2];

	switch (r->h.type) {
	case PERF_RECORD_KSYMBOL:
		if (size <= KSYMBOL_NAME || !records_body(r, fd) ||
		    !memchr(r->bytes + KSYMBOL_NAME, 0, size - KSYMBOL_NAME))
			return SIZE_MAX;
		return KSYMBOL_NAME + round_up(strlen((const char *)r->bytes + KSYMBOL_NAME) + 1);
	case PERF_RECORD_BPF_EVENT:
		return records_body(r, fd) ? BPF_EVENT_SIZE : SIZE_MAX;
	case PERF_RECORD_TEXT_POKE:
		if (size < TEXT_POKE_BYTES || !records_body(r, fd))
			return SIZE_MAX;
		memcpy(lengths, r->bytes + TEXT_POKE_LENGTHS, sizeof(lengths));
		return round_up(TEXT_POKE_BYTES + lengths[0] + lengths[1]);
	default:
		return SIZE_MAX;
	}
}

int perf_file_fix(int *fd)
{
	struct records *r = malloc(sizeof(*r));
	size_t id, before;
	int in = *fd, err = r ? 0 : -ENOMEM;

	id = !err && records_begin(r, in) ? id_size(r, in) : 0;
	while (id && !err && records_next(r, in)) {
		before = size_before_id(r, in);
		if (before == SIZE_MAX || r->h.size <= before + id)
			continue;
		if (*fd == in) {
			/* A copy without a name; < 0: -errno. */
			FILE *file = tmpfile();
			int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
			char buf[65536];
			off_t at = 0;
			ssize_t n = copy < 0 ? -1 : 0;

			while (copy >= 0 && (n = pread(in, buf, sizeof(buf), at)) > 0 &&
			       pwrite(copy, buf, (size_t)n, at) == n)
				at += n;
			if (n) {
				n = n < 0 && errno ? -errno : -ENOSPC;
				if (copy >= 0)
					close(copy);
			}
			if (file)
				fclose(file);
			err = n ? (int)n : copy;
			if (err < 0)
				break;
			*fd = err;
			err = 0;
		}
		if (pwrite(*fd, r->bytes + before, id, (off_t)(r->at + r->h.size - id)) != (ssize_t)id)
			err = -errno;
	}
	free(r);
	if (*fd != in)
		close(in);
	return err;
}
