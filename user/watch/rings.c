// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FIRST_CONTEXT ((uint64_t)-4095) /* from here on, a number in a stack is a mark and no address */

static size_t map_bytes(void)
{
	return RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(const char *event, double hz, int cpu)
{
	bool cycles = !strcmp(event, "cycles");
	struct perf_event_attr a = {
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(a),
		.freq = cycles,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_LOST,
		.exclude_user = 1,
		.exclude_idle = !cycles, /* no PMU knows when the CPU idles, and none counts cycles then */
		.exclude_callchain_user = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.write_backward = 1,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = ~0U,
	};
	int fd;

	if (cycles)
		a.sample_freq = (uint64_t)hz;
	else
		a.sample_period = (uint64_t)(1e9 / hz);
	fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == EINVAL) { /* Linux before 6.0 */
		a.read_format = 0;
		fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

int rings_open(struct rings *r, int ncpus, struct diag *d)
{
	static const char *const events[] = {"cycles", "cpu-clock"};
	int err = 0;

	r->list = calloc((size_t)ncpus, sizeof(*r->list));
	if (!r->list)
		return diag_set(d, -ENOMEM, "no memory");
	r->ncpus = ncpus;
	for (int i = 0; i < ncpus; i++)
		r->list[i].fd = -1;
	for (int i = 0; i < 2; i++) {
		int fd = open_event(events[i], 99, 0);

		err = fd < 0 ? -errno : 0;
		if (fd < 0)
			continue;
		close(fd);
		strcpy(r->event, events[i]);
		return 0;
	}
	return diag_set(d, err == -EACCES || err == -EPERM ? -EPERM : -EOPNOTSUPP,
			"this kernel takes no samples (perf_event_open: %s%s), so functions are not shown; all else is",
			strerror(-err), err == -EACCES ? ", by kernel.perf_event_paranoid" : "");
}

int rings_add(struct rings *r, int cpu, struct diag *d)
{
	struct ring *ring = &r->list[cpu];
	int err = 0;

	if (ring->fd >= 0 || !r->event[0])
		return 0;
	ring->fd = open_event(r->event, r->hz, cpu);
	if (ring->fd < 0)
		return diag_set(d, -errno, "CPU %d cannot be sampled: %s", cpu, strerror(errno));
	ring->map = mmap(NULL, map_bytes(), PROT_READ, MAP_SHARED, ring->fd, 0);
	if (ring->map == MAP_FAILED || ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0))
		err = diag_set(d, -errno, "no ring for the samples of CPU %d: %s", cpu, strerror(errno));
	if (!err)
		return 0;
	if (ring->map != MAP_FAILED)
		munmap(ring->map, map_bytes());
	close(ring->fd);
	*ring = (struct ring){.fd = -1};
	return err;
}

/* The kernel writes backwards, so that the newest record is at the head, and the older ones behind it. */
int rings_copy(const struct rings *r, int cpu, struct ring_copy *copy)
{
	const struct ring *ring = &r->list[cpu];
	const struct perf_event_mmap_page *page = ring->map;
	uint64_t head, used;
	size_t at;

	copy->n = 0;
	if (ring->fd < 0)
		return 0;
	if (!copy->bytes)
		copy->bytes = malloc(RING_BYTES);
	if (!copy->bytes)
		return -ENOMEM;
	ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	used = -head;
	at = head & (RING_BYTES - 1);
	copy->n = used < RING_BYTES ? used : RING_BYTES;
	memcpy(copy->bytes, (const char *)page + page->data_offset + at,
	       RING_BYTES - at < copy->n ? RING_BYTES - at : copy->n);
	if (RING_BYTES - at < copy->n)
		memcpy(copy->bytes + RING_BYTES - at, (const char *)page + page->data_offset,
		       copy->n - (RING_BYTES - at));
	ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	return 0;
}

/* The layout of PERF_RECORD_SAMPLE for the members in open_event(). */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
	uint64_t period, depth;
	uint64_t stack[];
};

int rings_next(const struct ring_copy *copy, size_t *at, struct ring_sample *s)
{
	while (*at + sizeof(struct sample_record) <= copy->n) {
		const struct sample_record *r = (const void *)(copy->bytes + *at);

		/* The oldest record may be cut. */
		if (r->header.size < sizeof(r->header) || *at + r->header.size > copy->n)
			return 0;
		*at += r->header.size;
		if (r->header.type != PERF_RECORD_SAMPLE || r->header.size < sizeof(*r) ||
		    r->depth > (r->header.size - sizeof(*r)) / sizeof(uint64_t))
			continue;
		*s = (struct ring_sample){r->time, r->period, (int)r->tid, (int)r->cpu, r->stack, r->depth};
		while (s->depth && s->stack[0] >= FIRST_CONTEXT) {
			s->stack++;
			s->depth--;
		}
		for (size_t i = 0; i < s->depth; i++)
			if (s->stack[i] >= FIRST_CONTEXT)
				s->depth = i;
		if (s->depth)
			return 1;
	}
	return 0;
}

uint64_t rings_lost(const struct rings *r)
{
	uint64_t lost = 0, v[2];

	for (int cpu = 0; cpu < r->ncpus; cpu++)
		if (r->list[cpu].fd >= 0 && read(r->list[cpu].fd, v, sizeof(v)) == sizeof(v))
			lost += v[1];
	return lost;
}

void rings_drop(struct rings *r, int cpu)
{
	if (r->list[cpu].fd < 0)
		return;
	munmap(r->list[cpu].map, map_bytes());
	close(r->list[cpu].fd);
	r->list[cpu] = (struct ring){.fd = -1};
}

void rings_release(struct rings *r)
{
	for (int cpu = 0; cpu < r->ncpus; cpu++)
		rings_drop(r, cpu);
	free(r->list);
	*r = (struct rings){};
}
