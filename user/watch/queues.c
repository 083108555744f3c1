// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/queues.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/array.h"
#include "base/stats.h"
#include "bpf/queues.skel.h"
#include "user/machine/clock.h"
#include "user/machine/kernel_words.h"

#define MEAN_NS 10000000 /* from look to look */
#define FORGET  10       /* intervals after which a queue that is not found any more is forgotten */

const char *const queue_words[QUEUE_KINDS] = {"ring",      "qdisc",      "bql",    "packet socket", "af_xdp rx",
					      "af_xdp tx", "udp socket", "cpumap", "backlog"};

const char *queue_unit(enum queue_kind kind)
{
	return kind == QUEUE_BQL || kind == QUEUE_PACKET || kind == QUEUE_UDP ? "bytes" : "packets";
}

bool queue_is_socket(enum queue_kind kind)
{
	return kind == QUEUE_PACKET || kind == QUEUE_XSK_RX || kind == QUEUE_XSK_TX || kind == QUEUE_UDP;
}

void queues_init(struct queues *q)
{
	memset(q, 0, sizeof(*q));
}

void queues_release(struct queues *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->list[i].fills);
	free(q->list);
	bpf_link__destroy(q->udp);
	bpf_link__destroy(q->cpumap);
	queues_bpf__destroy(q->skel);
	queues_init(q);
}

static uint32_t read_backlog_most(void)
{
	FILE *f = fopen("/proc/sys/net/core/netdev_max_backlog", "re");
	uint32_t most = 0;

	if (f && fscanf(f, "%u", &most) != 1)
		most = 0;
	if (f)
		fclose(f);
	return most;
}

int queues_open(struct queues *q, struct diag *d)
{
	int err;

	kernel_words_clear();
	q->skel = queues_bpf__open_and_load();
	if (!q->skel) {
		err = errno;
		return diag_set(d, -EOPNOTSUPP, "this kernel lets nobody look at queues: %s",
				*kernel_words_first_warning() ? kernel_words_first_warning() : strerror(err));
	}
	q->udp = bpf_program__attach_iter(q->skel->progs.look_udp, NULL);
	q->cpumap = bpf_program__attach_iter(q->skel->progs.look_cpumap, NULL);
	q->backlog_most = read_backlog_most();
	q->since_ns = now_ns();
	return 0;
}

static int of_one(const struct queue_look *a, const struct queue_look *b)
{
	return a->kind == b->kind && a->ifindex == b->ifindex && a->number == b->number && a->object == b->object;
}

static struct queue *queue_of(struct queues *q, const struct queue_look *look)
{
	struct queue *one;

	for (size_t i = 0; i < q->n; i++)
		if (of_one(&q->list[i].last, look))
			return &q->list[i];
	if (!array_grow(&q->list, &q->cap, q->n, 1, sizeof(*q->list)))
		return NULL;
	one = &q->list[q->n++];
	*one = (struct queue){.last = *look, .first_passed = look->passed};
	return one;
}

static int add_fill(struct queue *one, const struct queue_look *look)
{
	if (look->fill == QUEUE_UNTOLD) {
		one->untold++;
		return 0;
	}
	if (!one->fills)
		one->fills = malloc(QUEUE_SAMPLES * sizeof(*one->fills));
	if (!one->fills)
		return -ENOMEM;
	if (one->n < QUEUE_SAMPLES)
		one->fills[one->n++] = look->fill;
	one->looks++;
	one->sum += look->fill;
	one->most = look->fill > one->most ? look->fill : one->most;
	one->full += look->size && look->fill >= look->size;
	one->near += look->size && look->fill >= QUEUE_NEAR * look->size;
	return 0;
}

static int take(struct queues *q, const struct queue_look *look)
{
	struct queue *one = queue_of(q, look);

	if (!one)
		return -ENOMEM;
	one->last = *look;
	one->found = true;
	one->idle = 0;
	return add_fill(one, look);
}

/* What the programs have found; searched: for UDP sockets, too, of which those that were not found are empty. */
static int take_all(struct queues *q, bool searched)
{
	const struct queues_looked *l = &q->skel->bss->looked;
	int err = 0;

	if (l->left_out > q->missed[searched])
		q->missed[searched] = l->left_out;
	for (size_t i = 0; i < q->n; i++)
		q->list[i].found = false;
	for (uint32_t i = 0; i < l->n && i < QUEUES_MOST && !err; i++)
		err = take(q, &l->list[i]);
	for (size_t i = 0; searched && i < q->n && !err; i++) {
		struct queue_look none = q->list[i].last;

		none.fill = 0;
		if (!q->list[i].found && none.kind == QUEUE_UDP)
			err = add_fill(&q->list[i], &none);
	}
	return err;
}

int queues_look(struct queues *q)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);
	int err = bpf_prog_test_run_opts(bpf_program__fd(q->skel->progs.look), &o);

	return err ? err : take_all(q, false);
}

static void iterate(struct bpf_link *link)
{
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[16];

	while (fd >= 0 && read(fd, nothing, sizeof(nothing)) > 0)
		;
	if (fd >= 0)
		close(fd);
}

/* proc_pid_net(5), softnet_stat: the 12th column is the number of packets in a CPU's queues, the 13th the CPU. */
static int look_backlog(struct queues *q)
{
	FILE *f = fopen("/proc/net/softnet_stat", "re");
	char line[256];
	int err = 0;

	while (f && !err && fgets(line, sizeof(line), f)) {
		struct queue_look look = {.kind = QUEUE_BACKLOG, .size = q->backlog_most};
		unsigned int v[13];

		if (sscanf(line, "%x %x %x %x %x %x %x %x %x %x %x %x %x", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
			   &v[6], &v[7], &v[8], &v[9], &v[10], &v[11], &v[12]) != 13)
			continue; /* before Linux 5.10 it is not told */
		look.number = v[12];
		look.fill = v[11];
		look.passed = v[0];
		err = take(q, &look);
	}
	if (f)
		fclose(f);
	return err;
}

int queues_look_slow(struct queues *q)
{
	int err;

	q->skel->bss->looked.n = 0;
	q->skel->bss->looked.left_out = 0;
	iterate(q->udp);
	iterate(q->cpumap);
	err = take_all(q, true);
	return err ? err : look_backlog(q);
}

uint64_t queues_next_ns(struct queues *q)
{
	uint64_t now = now_ns();

	if (q->next_ns <= now)
		q->next_ns = now + (uint64_t)(-log(1 - drand48()) * MEAN_NS);
	return q->next_ns;
}

/* ---- what was seen ---------------------------------------------------------------------------------------------- */

static int less(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Packets that passed per second. */
static double rate_of(const struct queue *one, double seconds, double (*pps)(void *arg, int ifindex), void *arg)
{
	if (one->last.kind == QUEUE_RING)
		return pps(arg, (int)one->last.ifindex);
	if (!one->last.passed || one->last.passed < one->first_passed)
		return NAN;
	return (double)(uint32_t)(one->last.passed - one->first_passed) / seconds;
}

static double half_of(const struct queue *one)
{
	double means[QUEUE_GROUPS];

	if (one->n < 2 * QUEUE_GROUPS)
		return NAN;
	for (size_t g = 0; g < QUEUE_GROUPS; g++) {
		size_t from = g * one->n / QUEUE_GROUPS, to = (g + 1) * one->n / QUEUE_GROUPS;

		means[g] = 0;
		for (size_t i = from; i < to; i++)
			means[g] += (double)one->fills[i] / (double)(to - from);
	}
	return stats_mean(means, QUEUE_GROUPS).half;
}

static const char *why_untold(enum queue_kind kind)
{
	return kind == QUEUE_PACKET ? "its ring is in memory of the process, which keeps no count"
				    : "this qdisc counts on each CPU, where no program can look";
}

/* rate: the mean fill of all rings of the device counts, as its packets are those of all of them. */
static void see(const struct queue *one, double rate, struct queue_seen *s)
{
	double per_us = 1e6 / rate;

	*s = (struct queue_seen){.kind = one->last.kind,
				 .ifindex = (int)one->last.ifindex,
				 .number = one->last.number,
				 .object = one->last.object,
				 .looks = one->looks,
				 .size = one->last.size ? one->last.size : NAN,
				 .p50 = NAN,
				 .p99 = NAN,
				 .most = NAN,
				 .mean = NAN,
				 .full_pct = NAN,
				 .near_pct = NAN,
				 .wait_us = NAN,
				 .wait_half_us = NAN};
	if (!one->looks) {
		s->why = why_untold(one->last.kind);
		return;
	}
	s->wait_half_us = half_of(one) * per_us; /* before the fills are sorted */
	qsort(one->fills, one->n, sizeof(*one->fills), less);
	s->p50 = one->fills[(one->n - 1) / 2];
	s->p99 = one->fills[(size_t)ceil(0.99 * (double)one->n) - 1];
	s->most = one->most;
	s->mean = one->sum / (double)one->looks;
	if (one->last.size) {
		s->full_pct = 100 * (double)one->full / (double)one->looks;
		s->near_pct = 100 * (double)one->near / (double)one->looks;
	}
	if (rate > 0)
		s->wait_us = s->mean * per_us;
}

static int in_order(const void *a, const void *b)
{
	const struct queue_seen *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number != y->number ? (x->number < y->number ? -1 : 1)
				      : (x->object > y->object) - (x->object < y->object);
}

static size_t rings_of(const struct queues *q, uint32_t ifindex)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		n += q->list[i].last.kind == QUEUE_RING && q->list[i].last.ifindex == ifindex;
	return n;
}

static void begin_anew(struct queues *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct queue *one = &q->list[i];

		if (one->idle++ >= FORGET) {
			free(one->fills);
			continue;
		}
		one->looks = one->untold = one->full = one->near = one->n = 0;
		one->sum = one->most = 0;
		one->first_passed = one->last.passed;
		q->list[kept++] = *one;
	}
	q->n = kept;
	q->left_out = q->missed[0] + q->missed[1];
	q->missed[0] = q->missed[1] = 0;
	q->since_ns = now_ns();
}

int queues_end(struct queues *q, double (*pps)(void *arg, int ifindex), void *arg, struct queue_seen **seen, size_t *n)
{
	double seconds = (double)(now_ns() - q->since_ns) / 1e9;
	struct queue_seen *list = calloc(q->n + 1, sizeof(*list));

	*n = 0;
	*seen = list;
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < q->n; i++) {
		struct queue *one = &q->list[i];
		double rate = rate_of(one, seconds, pps, arg);

		if (!one->looks && !one->untold)
			continue;
		if (one->last.kind == QUEUE_RING && rings_of(q, one->last.ifindex) > 1)
			rate = NAN; /* whose packets are whose is not known */
		see(one, rate, &list[(*n)++]);
	}
	qsort(list, *n, sizeof(*list), in_order);
	begin_anew(q);
	return 0;
}
