// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define NET_RX        "net_rx_action"
#define EFFECT        1.4               /* samples that are worth one independent one, at a steady load */
#define RING_BYTES    (1u << 20)        /* of each CPU: a minute and more at 99 Hz */
#define FIRST_CONTEXT ((uint64_t)-4095) /* from here on, a number in a stack is a mark and no address */

static const double rates_hz[] = {99, 49, 19, 9}; /* in step with no timer of the kernel */

/* ---- rings that are written over again and again ---------------------------------------------------------------- */

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

void flight_forget_cpus(struct flight *f)
{
	for (struct flight_cpu *c = f->cpus; c < f->cpus + f->ncpus; c++) {
		if (!c->since_ns)
			continue;
		munmap(c->map, map_bytes());
		close(c->fd);
		*c = (struct flight_cpu){};
	}
}

/* The kernel writes backwards, so that the newest record is at the head, and the older ones behind it. */
static int copy_ring(struct flight *f, const struct flight_cpu *ring)
{
	const struct perf_event_mmap_page *page = ring->map;
	struct ring_copy *copy = &f->copy;
	uint64_t head, used;
	size_t at;

	copy->n = 0;
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

/* The next sample behind *at, which is 0 at first. */
static bool next_sample(const struct ring_copy *copy, size_t *at, struct ring_sample *s)
{
	while (*at + sizeof(struct sample_record) <= copy->n) {
		const struct sample_record *r = (const void *)(copy->bytes + *at);

		/* The oldest record may be cut. */
		if (r->header.size < sizeof(r->header) || *at + r->header.size > copy->n)
			return false;
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
			return true;
	}
	return false;
}

uint64_t flight_lost(const struct flight *f)
{
	uint64_t lost = 0, v[2];

	for (int cpu = 0; cpu < f->ncpus && f->on; cpu++)
		if (f->cpus[cpu].since_ns && read(f->cpus[cpu].fd, v, sizeof(v)) == sizeof(v))
			lost += v[1];
	return lost;
}

/* ---- the recorder ----------------------------------------------------------------------------------------------- */

void flight_release(struct flight *f)
{
	flight_forget_cpus(f);
	free(f->cpus);
	ksyms_release(&f->names);
	components_free(f->components);
	free(f->copy.bytes);
	*f = (struct flight){};
}

int flight_open(struct flight *f, const struct watcher *w, double budget_pct, struct diag *d)
{
	static const char *const events[] = {"cycles", "cpu-clock"};
	int err = -1, fd;

	for (size_t i = 0; i < 2 && err; i++) {
		fd = open_event(events[i], 99, 0);
		err = fd < 0 ? -errno : 0;
		if (fd < 0)
			continue;
		close(fd);
		strcpy(f->event, events[i]);
	}
	if (err)
		err = diag_set(&f->why, err == -EACCES || err == -EPERM ? -EPERM : -EOPNOTSUPP,
			       "this kernel takes no samples (perf_event_open: %s%s), so functions are not shown; all "
			       "else is",
			       strerror(-err), err == -EACCES ? ", by kernel.perf_event_paranoid" : "");
	else
		err = ksyms_open(&f->names, &f->why);
	f->budget_pct = budget_pct;
	if (err == -EPERM || err == -EOPNOTSUPP || err == -ENOENT)
		return 0;
	if (err)
		return diag_set(d, err, "%s", f->why.text);
	f->cpus = calloc((size_t)w->probe.ncpus, sizeof(*f->cpus));
	if (!f->cpus)
		return diag_set(d, -ENOMEM, "no memory");
	f->ncpus = w->probe.ncpus;
	err = components_read(&f->components, NULL, d);
	if (err)
		return err;
	f->sample_cost_ns = sample_cost_spin_ns(f->event, sched_getcpu());
	/* The highest rate whose samples the budget pays for. */
	for (size_t i = 0; i < sizeof(rates_hz) / sizeof(*rates_hz) && !(f->hz > 0); i++)
		if (rates_hz[i] * f->sample_cost_ns * 1e-9 <= budget_pct / 100)
			f->hz = rates_hz[i];
	if (!(f->hz > 0)) {
		diag_set(&f->why, -ERANGE,
			 "a sample costs %.0f us here, so that even %.0f of them a second pass the budget of %g %%; "
			 "--overhead raises it",
			 f->sample_cost_ns / 1000, rates_hz[sizeof(rates_hz) / sizeof(*rates_hz) - 1], budget_pct);
		return 0;
	}
	for (size_t i = 0; i < f->names.n && !f->net_rx_action; i++)
		if (!strcmp(f->names.list[i].name, NET_RX))
			f->net_rx_action = f->names.list[i].start;
	f->on = true;
	if (!facts_is_kthread(&facts_here, 2)) /* kthreadd */
		complain("kernel threads are not visible in this PID namespace (a container), so functions of NAPI "
			 "threads are not shown; all else is");
	return 0;
}

int flight_refresh(struct flight *f, struct watcher *w, struct diag *d)
{
	const struct past_second *last = past_last(&w->past);

	if (!f->on || !last)
		return 0;
	for (size_t i = 0; i < last->n; i++) {
		const struct past_entry *e = &last->entries[i];
		int cpu = (int)e->cpu, fd;
		struct diag why = {};
		void *map;

		if (e->slot <= WATCH_BACKLOG || f->cpus[cpu].since_ns)
			continue;
		fd = open_event(f->event, f->hz, cpu);
		if (fd < 0) {
			diag_set(&why, -errno, "CPU %d cannot be sampled: %s", cpu, strerror(errno));
		} else {
			map = mmap(NULL, map_bytes(), PROT_READ, MAP_SHARED, fd, 0);
			if (map == MAP_FAILED || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
				diag_set(&why, -errno, "no ring for the samples of CPU %d: %s", cpu, strerror(errno));
				if (map != MAP_FAILED)
					munmap(map, map_bytes());
				close(fd);
			} else {
				f->cpus[cpu] = (struct flight_cpu){fd, map, now_ns()};
			}
		}
		if (why.text[0] && !f->told) /* it may have gone just now, and is tried again */
			complain("%s; functions of what it polls are not shown", why.text);
		f->told |= why.text[0];
	}
	return ksyms_refresh(&f->names, d);
}

/* ---- whose sample it is ------------------------------------------------------------------------------------- */

/* So many of these frames reach up to the function that begins there, that one included; 0: it is not among them. */
static size_t frames_up_to(const struct flight *f, uint64_t function, const struct ring_sample *s, size_t frames)
{
	for (size_t i = 0; i < frames; i++) {
		const struct ksym *name = ksyms_find(&f->names, s->stack[i], s->time_ns);

		if (name && name->start == function)
			return i + 1;
	}
	return 0;
}

/* Divides a softirq's sample among the devices that may have been polled. */
static int divide(const struct flight *f, const struct past_second *second, const struct ring_sample *s, size_t frames,
		  flight_fn *fn, void *arg)
{
	double weight[WATCH_SLOTS] = {0}, by_function = 0, all = 0;
	bool fits[WATCH_SLOTS] = {false};
	int err = 0;

	for (size_t i = 0; i < second->n; i++) {
		const struct past_entry *e = &second->entries[i];

		if (e->cpu != (uint32_t)s->cpu || !e->polls.softirq_polls)
			continue;
		/*
		 * What the polls in softirqs of one slot weigh: their busy time, or their packets where no clock was
		 * read.
		 */
		weight[e->slot] = e->polls.timed_polls ? fmax(0, polled_softirqs_ns(&e->polls))
						       : (double)e->polls.softirq_packets;
		fits[e->slot] = frames_up_to(f, e->polls.poll_ip, s, frames);
		all += weight[e->slot];
		by_function += fits[e->slot] ? weight[e->slot] : 0;
	}
	/* Where no function tells, as in net_rx_action itself, it is of all of them. */
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS && !err; slot++)
		if (weight[slot] > 0 && (fits[slot] || !(by_function > 0)))
			err = fn(arg, slot, weight[slot] / (by_function > 0 ? by_function : all), s, frames);
	return err;
}

int flight_samples(struct flight *f, const struct watcher *w, uint64_t from_ns, flight_fn *fn, void *arg,
		   struct diag *d)
{
	int err = 0;

	for (int cpu = 0; cpu < f->ncpus && f->on && !err; cpu++) {
		struct ring_sample s;
		size_t at = 0;

		if (!f->cpus[cpu].since_ns)
			continue;
		err = copy_ring(f, &f->cpus[cpu]);
		while (!err && next_sample(&f->copy, &at, &s)) {
			const struct past_second *second = NULL;
			unsigned int slot;
			size_t frames; /* up to net_rx_action; 0: it is no softirq's sample */

			if (s.time_ns < from_ns || s.time_ns >= w->look_ns)
				continue;
			frames = frames_up_to(f, f->net_rx_action, &s, s.depth);
			slot = frames ? WATCH_OTHER : devices_slot_of(&w->devices, s.tid);
			for (size_t i = w->past.n; i-- > 0 && frames && !second;)
				if (s.time_ns >= past_at(&w->past, i)->from_ns)
					second = past_at(&w->past, i);
			if (second && s.time_ns >= second->to_ns)
				second = NULL;
			if (slot != WATCH_OTHER)
				err = fn(arg, slot, 1, &s, s.depth);
			else if (second)
				err = divide(f, second, &s, frames, fn, arg);
		}
	}
	return err ? diag_set(d, err, "%s", err == -ENOMEM ? "no memory" : strerror(-err)) : 0;
}

uint64_t flight_kept_ns(struct flight *f)
{
	uint64_t latest = 0, kept;

	for (int cpu = 0; cpu < f->ncpus && f->on; cpu++) {
		struct ring_sample s;
		size_t at = 0;

		if (!f->cpus[cpu].since_ns || copy_ring(f, &f->cpus[cpu]))
			continue;
		kept = 0; /* a ring that is full has lost what was before its oldest sample */
		while (f->copy.n == RING_BYTES && next_sample(&f->copy, &at, &s))
			kept = s.time_ns;
		latest = kept > latest ? kept : latest;
	}
	return latest;
}

bool flight_sampled(const struct flight *f, const struct past_second *s, unsigned int slot)
{
	for (size_t i = 0; i < s->n && f->on; i++) {
		const struct past_entry *e = &s->entries[i];

		if (e->slot == slot && (!f->cpus[e->cpu].since_ns || f->cpus[e->cpu].since_ns > s->from_ns))
			return false;
	}
	return true;
}

/* ---- what a packet costs by component ------------------------------------------------------------------------- */

struct profiles {
	struct flight *f;
	struct profile list[WATCH_SLOTS];
	uint32_t *frames;
	size_t cap;
};

static int flight_add_sample(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames)
{
	static const char unknown[] = "[unknown]", kernel[] = "[kernel.kallsyms]";
	struct profiles *p = arg;

	if (frames > p->cap) {
		uint32_t *more = reallocarray(p->frames, frames, sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->frames = more;
		p->cap = frames;
	}
	for (size_t i = 0; i < frames; i++) {
		const struct ksym *k = ksyms_find(&p->f->names, s->stack[i], s->time_ns);
		const char *name = k ? k->name : unknown, *dso = k && *k->module ? k->module : kernel;

		if (profile_add_symbol(&p->list[slot], span_of(name), span_of(dso), SPACE_KERNEL, &p->frames[i]))
			return -ENOMEM;
	}
	return profile_add_stack(&p->list[slot], p->frames, (unsigned int)frames, 1, (double)s->period * part);
}

static int dearer(const void *a, const void *b)
{
	const struct flight_cost *x = a, *y = b;

	return ORDER(y->ns, x->ns);
}

static int sum_up(const struct flight *f, struct profile *p, double busy_ns, struct flight_costs *c)
{
	unsigned int n = (unsigned int)f->components->n;
	/* Nanoseconds that a unit of a sample's weight stands for. */
	double ns = strcmp(f->event, "cycles") ? 1 : busy_ns / p->weight;
	struct flight_cost *list = calloc(n, sizeof(*list));

	c->list = list;
	if (!list || (!strcmp(f->event, "cpu-clock") && components_strip_enablers(f->components, p)))
		return -ENOMEM;
	for (size_t i = 0; i < p->nstacks; i++) {
		unsigned int id = components_of_stack(f->components, p, &p->stacks[i]);

		if (f->components->list[id].kind != COMPONENT_COST)
			continue;
		list[id].ns += p->stacks[i].weight * ns / c->packets;
		list[id].samples += p->stacks[i].samples;
	}
	for (unsigned int id = 0; id < n; id++) {
		if (!list[id].samples)
			continue;
		list[c->n] = list[id];
		list[c->n].component = f->components->list[id].name;
		list[c->n].half = STATS_Z95 * sqrt(EFFECT / (double)list[id].samples) * list[id].ns;
		c->n++;
	}
	qsort(list, c->n, sizeof(*list), dearer);
	return 0;
}

int flight_cost(struct flight *f, const struct watcher *w, double seconds, struct flight_costs costs[WATCH_SLOTS],
		struct diag *d)
{
	uint64_t covered = flight_kept_ns(f), from_ns = w->look_ns - (uint64_t)(seconds * 1e9), first_ns = 0;
	struct watch_polls sums[WATCH_SLOTS] = {};
	struct profiles p = {.f = f};
	int err;

	memset(costs, 0, WATCH_SLOTS * sizeof(*costs));
	/* From then on the rings have all samples of all their CPUs. */
	for (int cpu = 0; cpu < f->ncpus && f->on; cpu++)
		covered = f->cpus[cpu].since_ns > covered ? f->cpus[cpu].since_ns : covered;
	from_ns = from_ns > covered ? from_ns : covered;
	/* Packets and busy time of whole seconds that begin then or later. */
	for (size_t i = 0; i < w->past.n; i++) {
		const struct past_second *s = past_at(&w->past, i);

		if (s->from_ns < from_ns)
			continue;
		first_ns = first_ns ? first_ns : s->from_ns;
		for (size_t k = 0; k < s->n; k++)
			polled_add(&sums[s->entries[k].slot], &s->entries[k].polls);
	}
	err = first_ns && covered ? flight_samples(f, w, first_ns, flight_add_sample, &p, d) : 0;
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS && !err; slot++) {
		if (!p.list[slot].samples || !sums[slot].packets)
			continue;
		costs[slot].packets = (double)sums[slot].packets;
		costs[slot].seconds = (double)(w->look_ns - first_ns) / 1e9;
		err = sum_up(f, &p.list[slot], polled_busy_ns(&sums[slot]), &costs[slot]);
	}
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		profile_release(&p.list[slot]);
	free(p.frames);
	return err ? diag_set(d, err, "no memory") : 0;
}

void flight_costs_release(struct flight_costs costs[WATCH_SLOTS])
{
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		free(costs[slot].list);
	memset(costs, 0, WATCH_SLOTS * sizeof(*costs));
}
