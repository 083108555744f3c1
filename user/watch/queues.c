// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include "bpf/queues.skel.h"

#define MEAN_NS       10000000 /* from look to look */
#define LATE_NS       100000   /* that a look of the clock takes at most, nearly always */
#define LATE          20       /* times that is waited for it */
#define FORGET        10       /* intervals after which a queue that is not found any more is forgotten */
#define BTF_OF_KERNEL "/sys/kernel/btf/vmlinux"

const char *const queue_words[QUEUE_KINDS] = {"ring",      "qdisc",      "bql",    "packet socket", "af_xdp rx",
					      "af_xdp tx", "udp socket", "cpumap", "backlog",       "tap"};

const char *queue_unit(enum queue_kind kind)
{
	return kind == QUEUE_BQL || kind == QUEUE_PACKET || kind == QUEUE_UDP ? "bytes" : "packets";
}

bool queue_is_socket(enum queue_kind kind)
{
	return kind == QUEUE_PACKET || kind == QUEUE_XSK_RX || kind == QUEUE_XSK_TX || kind == QUEUE_UDP;
}

struct queue_seen queue_unseen(enum queue_kind kind, int ifindex, unsigned int number, uint64_t object)
{
	return (struct queue_seen){kind, ifindex, number, object, 0,   NAN, NAN, NAN, NAN,
				   NAN,  NAN,     NAN,    NAN,    NAN, NAN, NAN, NAN, NULL};
}

void queues_release(struct queues *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->list[i].fills);
	free(q->list);
	free(q->seen);
	bpf_link__destroy(q->udp);
	bpf_link__destroy(q->cpumap);
	bpf_link__destroy(q->taken);
	for (size_t i = 0; i < q->nclocks; i++)
		bpf_link__destroy(q->clocks[i].link); /* and its event */
	queues_bpf__destroy(q->skel);
	*q = (struct queues){};
}

/* vmlinux NULL: the types of modules are looked at, too, which takes CAP_SYS_ADMIN where there are modules. */
static struct queues_bpf *load(const char *vmlinux)
{
	LIBBPF_OPTS(bpf_object_open_opts, o, .btf_custom_path = vmlinux);
	struct queues_bpf *skel = queues_bpf__open_opts(&o);
	int err = skel ? queues_bpf__load(skel) : -errno;

	if (!err)
		return skel;
	queues_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

static int look_now(struct queues *q)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);

	return bpf_prog_test_run_opts(bpf_program__fd(q->skel->progs.look), &o);
}

/*
 * Clocks of this CPU, so that a look comes in an interrupt: where receivers and senders of a queue share the CPU with
 * this process, it gets the CPU when they have emptied the queue. Many, so that looks go on while it gets none. They
 * need the namespace, which a first look finds.
 */
static void open_clocks(struct queues *q)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_CPU_CLOCK,
				    .size = sizeof(a),
				    .sample_period = QUEUES_CLOCKS * MEAN_NS};

	if (look_now(q))
		return;
	while (q->nclocks < QUEUES_CLOCKS) {
		struct queue_clock *c = &q->clocks[q->nclocks];
		LIBBPF_OPTS(bpf_perf_event_opts, o, .bpf_cookie = q->nclocks);

		c->fd = (int)syscall(SYS_perf_event_open, &a, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);
		if (c->fd < 0)
			return;
		c->link = bpf_program__attach_perf_event_opts(q->skel->progs.look_in_time, c->fd, &o);
		if (!c->link) {
			close(c->fd);
			return;
		}
		q->nclocks++;
	}
}

void queues_clocks_anew(struct queues *q)
{
	if (!q->skel)
		return;
	while (q->nclocks) {
		bpf_link__destroy(q->clocks[--q->nclocks].link); /* and its event */
		q->clocks[q->nclocks] = (struct queue_clock){};
		q->skel->bss->clock_does[q->nclocks] = QUEUES_CLOCK_NOTHING;
	}
	q->first = 0;
	open_clocks(q);
}

int queues_open(struct queues *q, struct diag *d)
{
	kernel_words_clear();
	q->skel = load(NULL);
	if (!q->skel && errno == EPERM) {
		q->skel = load(BTF_OF_KERNEL);
		if (q->skel)
			diag_set(d, 0,
				 "without CAP_SYS_ADMIN, queues of drivers and protocols that are modules are not "
				 "looked at; all else is");
	}
	if (!q->skel)
		return diag_set(d, -EOPNOTSUPP, "this kernel does not allow sampling of queues: %s",
				*kernel_words_first_warning() ? kernel_words_first_warning() : strerror(errno));
	q->udp = bpf_program__attach_iter(q->skel->progs.search_udp, NULL);
	q->cpumap = bpf_program__attach_iter(q->skel->progs.search_cpumap, NULL);
	long long most = 0;

	facts_number(&facts_here, &most, "proc/sys/net/core/netdev_max_backlog");
	q->backlog_most = (uint32_t)most;
	q->look_ns = now_ns();
	open_clocks(q);
	return 0;
}

static struct queue *queues_queue_of(struct queues *q, const struct queue_look *look)
{
	struct queue *one;

	for (size_t i = 0; i < q->n; i++) { /* looks find queues in the same order, nearly always */
		size_t at = (q->hint + i) % q->n;

		if (q->list[at].last.kind == look->kind && q->list[at].last.ifindex == look->ifindex &&
		    q->list[at].last.number == look->number && q->list[at].last.object == look->object) {
			q->hint = at + 1;
			return &q->list[at];
		}
	}
	if (!array_grow(&q->list, &q->cap, q->n, 1, sizeof(*q->list)))
		return NULL;
	one = &q->list[q->n++];
	*one = (struct queue){.last = *look, .first_ns = q->look_ns, .last_ns = q->look_ns};
	return one;
}

/* Many counters of the kernel have 32 bits. One that went back is another one by now, or was put to 0 by somebody. */
static void add_passed(struct queue *one, uint64_t now, uint64_t now_ns)
{
	uint32_t more = (uint32_t)(now - one->last.passed);

	one->rate_unknown |= !now || !one->last.passed || more > INT32_MAX;
	one->passed += more;
	one->last_ns = now_ns;
}

static int queues_take(struct queues *q, const struct queue_look *look)
{
	struct queue *one = queues_queue_of(q, look);
	uint64_t passed = look->passed;

	if (!one)
		return -ENOMEM;
	/* See count_*(). A look may have been made before one that was taken, and its count is older then. */
	if (look->kind == QUEUE_TAP || look->kind == QUEUE_UDP || q->look_ns < one->last_ns)
		passed = one->last.passed;
	else
		add_passed(one, passed, q->look_ns);
	one->last = *look;
	one->last.passed = passed;
	if (look->kind != QUEUE_UDP || look->fill)
		one->idle = 0;
	if (look->fill == QUEUE_UNTOLD) {
		one->unreported++;
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
	one->held += look->held;
	one->most = look->fill > one->most ? look->fill : one->most;
	one->full += look->size && look->fill >= look->size;
	one->near += look->size && look->fill >= QUEUE_NEAR * look->size;
	return 0;
}

static void iterate(struct bpf_link *link)
{
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[16];

	while (fd >= 0 && read(fd, nothing, sizeof(nothing)) > 0)
		;
	fd_close(fd);
}

/* Takes the look that is due first, whoever made it. */
static int take_first(struct queues *q)
{
	uint64_t due_ns = q->nclocks ? q->clocks[q->first].due_ns : q->due_ns;
	__u32 *clock_does = &q->skel->bss->clock_does[q->first], does;
	unsigned int looker = QUEUES_CLOCKS;
	const struct queues_looked *l;
	int err = 0;

	/* Has the clock made the look that was due? If not, it does not make it any more. */
	for (int i = 0; q->nclocks; i++) {
		does = __atomic_load_n(clock_does, __ATOMIC_ACQUIRE);
		if (does == QUEUES_CLOCK_NOTHING) {
			looker = q->first;
			break;
		}
		if (does == QUEUES_CLOCK_DUE && i >= LATE &&
		    __atomic_compare_exchange_n(clock_does, &does, QUEUES_CLOCK_NOTHING, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			break;
		sleep_until_ns(now_ns() + LATE_NS);
	}
	if (looker == QUEUES_CLOCKS)
		err = look_now(q);
	if (q->nclocks) {
		q->clocks[q->first].due_ns = 0;
		q->first = (q->first + 1) % q->nclocks;
	} else {
		q->due_ns = 0;
	}
	if (err)
		return err;
	l = &q->skel->bss->looked[looker];
	q->looks.due++;
	q->looks.late += l->at_ns > due_ns + LATE_NS;
	/* What a look has found. */
	q->look_ns = l->at_ns;
	if (l->left_out > q->missed[0])
		q->missed[0] = l->left_out;
	for (uint32_t i = 0; i < l->n && i < QUEUES_MOST && !err; i++)
		err = queues_take(q, &l->list[i]);
	return err;
}

int queues_look(struct queues *q)
{
	int err = take_first(q);

	while (!err && q->nclocks && q->clocks[q->first].due_ns && q->clocks[q->first].due_ns + LATE_NS < now_ns())
		err = take_first(q);
	return err;
}

/* What only iterators find. Of datagrams there is one count. */
static int search(struct queues *q)
{
	static const struct {
		const char *file, *line;
	} counts[] = {{"proc/net/snmp", "Udp: %" SCNu64}, {"proc/net/snmp6", "Udp6InDatagrams %" SCNu64}};
	struct queues_looked *l = &q->skel->bss->searched;
	uint64_t of_udp, one_count;
	char line[512];

	q->searches++;
	l->n = l->left_out = l->udp_sockets = 0;
	iterate(q->udp);
	iterate(q->cpumap);
	/* The datagrams that this network namespace's socket has handed on; 0: it has several. */
	of_udp = l->udp_sockets == 1;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && of_udp; i++)
		file_scan (line, "%s", counts[i].file)
			if (sscanf(line, counts[i].line, &one_count) == 1)
				of_udp += one_count;
	q->look_ns = now_ns();
	q->missed[1] = l->left_out;
	for (uint32_t i = 0; i < l->n && i < QUEUES_MOST; i++) {
		struct queue_look look = l->list[i];
		struct queue *one;

		if (look.kind == QUEUE_UDP)
			look.passed = of_udp;
		one = queues_queue_of(q, &look);
		if (!one)
			return -ENOMEM;
		one->idle = 0;
		one->search = q->searches;
	}
	for (size_t i = 0; i < q->n; i++)
		if (q->list[i].last.kind == QUEUE_UDP) {
			add_passed(&q->list[i], of_udp, q->look_ns);
			q->list[i].last.passed = of_udp;
		}
	return 0;
}

int queues_look_slow(struct queues *q)
{
	int err = search(q);

	for (size_t i = 0; i < q->n && !q->taken && !q->no_taken; i++)
		if (q->list[i].last.kind == QUEUE_CPUMAP) {
			q->taken = bpf_program__attach(q->skel->progs.count_cpumap);
			q->no_taken = !q->taken;
		}
	/*
	 * Looks find these queues from now on: those that were found just now, and older ones as far as there is room.
	 */
	struct queue_known *known = q->skel->bss->known;
	uint32_t n = 0;
	for (int before = 0; before < 2; before++)
		for (size_t i = 0; i < q->n; i++) {
			const struct queue_look *l = &q->list[i].last;

			if (l->at && (q->list[i].search != q->searches) == before && n++ < QUEUES_KNOWN)
				known[n - 1] = (struct queue_known){l->kind, l->number, l->object, l->at};
		}
	q->skel->bss->nknown = n;
	if (n > QUEUES_KNOWN)
		q->missed[1] += n - QUEUES_KNOWN;
	/*
	 * proc_pid_net(5), softnet_stat: the 12th column is the number of packets in a CPU's queues, the 13th the CPU.
	 * The first one counts what NAPI polls, too.
	 */
	if (err)
		return err;
	char line[256];
	file_scan (line, "proc/net/softnet_stat") {
		struct queue_look look = {.kind = QUEUE_BACKLOG, .size = q->backlog_most};
		unsigned int v[13];

		if (sscanf(line, "%x %x %x %x %x %x %x %x %x %x %x %x %x", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
			   &v[6], &v[7], &v[8], &v[9], &v[10], &v[11], &v[12]) != 13)
			continue; /* before Linux 5.10 it is not told */
		look.number = v[12];
		look.fill = look.held = v[11];
		err = queues_take(q, &look);
		if (err)
			return err;
	}
	return 0;
}

/* When the next one is due after those that are. */
static uint64_t draw_due(struct queues *q)
{
	uint64_t now = now_ns();

	if (q->due_ns < now) {
		uint64_t unmade = q->due_ns ? (now - q->due_ns) / MEAN_NS : 0;

		q->looks.due += unmade;
		q->looks.late += unmade;
		q->due_ns = now;
	}
	q->due_ns += (uint64_t)(-log(1 - drand48()) * MEAN_NS);
	return q->due_ns;
}

uint64_t queues_next_ns(struct queues *q)
{
	if (!q->nclocks)
		return q->due_ns ? q->due_ns : draw_due(q);
	for (unsigned int k = 0; k < q->nclocks; k++) {
		unsigned int i = (q->first + k) % q->nclocks;

		if (q->clocks[i].due_ns)
			continue;
		q->clocks[i].due_ns = draw_due(q);
		/*
		 * It ticks again and again at that distance, and looks when it is due. So the distance has a bound,
		 * which makes no look late. One that cannot be set has not looked.
		 */
		struct queue_clock *c = &q->clocks[i];
		uint64_t now = now_ns(), wait_ns = c->due_ns > now + LATE_NS ? c->due_ns - now : LATE_NS;
		ioctl(c->fd, PERF_EVENT_IOC_PERIOD, &wait_ns); /* first, as it may be about to tick */
		__atomic_store_n(&q->skel->bss->clock_does[i], QUEUES_CLOCK_DUE, __ATOMIC_RELEASE);
	}
	return q->clocks[q->first].due_ns + LATE_NS;
}

/* ---- what was seen ---------------------------------------------------------------------------------------------- */

static int less(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(x, y);
}

static void queues_see(const struct queue *one, const struct watcher *w, struct queue_seen *s)
{
	enum queue_kind kind = one->last.kind;
	unsigned int cpu = one->last.number;
	double rate = NAN, means[QUEUE_GROUPS] = {0}, half = NAN; /* rate: what passed per second */

	if (kind != QUEUE_BACKLOG && !one->rate_unknown && one->last_ns > one->first_ns)
		rate = (double)one->passed * 1e9 / (double)(one->last_ns - one->first_ns);
	else if (kind == QUEUE_BACKLOG && cpu < (unsigned int)w->probe.ncpus) /* taken from it in this interval */
		rate = (double)w->interval[(size_t)cpu * WATCH_SLOTS + WATCH_BACKLOG].packets * 1e9 /
		       (double)(w->look_ns - w->interval_ns);
	*s = queue_unseen(kind, (int)one->last.ifindex, one->last.number, one->last.object);
	s->looks = one->looks;
	s->size = one->last.size ? one->last.size : NAN;
	s->rate = rate;
	s->passed = isnan(rate) || kind == QUEUE_BACKLOG ? NAN : (double)one->passed;
	if (!one->looks) {
		s->why = kind == QUEUE_TAP
				 ? "the driver tun is unlike those that are known, or was loaded after the watch began"
			 : kind == QUEUE_PACKET ? "its ring is in memory of the process, which keeps no count"
						: "this qdisc counts on each CPU, which no program can read";
		return;
	}
	s->mean = one->sum / (double)one->looks;
	s->held = one->held / (double)one->looks;
	if (rate > 0)
		s->wait_us = s->held * 1e6 / rate;
	for (size_t g = 0; g < QUEUE_GROUPS && one->n >= 2 * QUEUE_GROUPS; g++) { /* before the fills are sorted */
		size_t from = g * one->n / QUEUE_GROUPS, to = (g + 1) * one->n / QUEUE_GROUPS;

		for (size_t i = from; i < to; i++)
			means[g] += (double)one->fills[i] / (double)(to - from);
	}
	if (one->n >= 2 * QUEUE_GROUPS)
		half = stats_mean(means, QUEUE_GROUPS).half;
	s->wait_half_us = s->mean > 0 ? half / s->mean * s->wait_us : 0;
	qsort(one->fills, one->n, sizeof(*one->fills), less);
	s->p50 = one->fills[(one->n - 1) / 2];
	s->p99 = one->fills[(size_t)ceil(0.99 * (double)one->n) - 1];
	s->most = one->most;
	if (one->last.size) {
		s->full_pct = 100 * (double)one->full / (double)one->looks;
		s->near_pct = 100 * (double)one->near / (double)one->looks;
	}
}

static int in_order(const void *a, const void *b)
{
	const struct queue_seen *x = a, *y = b;

	return ORDER(x->ifindex, y->ifindex) ?: ORDER(x->kind, y->kind) ?: ORDER(x->number, y->number)
					     ?: ORDER(x->object, y->object);
}

int queues_end(struct queues *q, const struct watcher *w)
{
	free(q->seen);
	q->nseen = 0;
	q->seen = calloc(q->n + 1, sizeof(*q->seen));
	if (!q->seen)
		return -ENOMEM;
	/* A tap's device counts what was read, of all queues together: only one that is alone has a rate. */
	uint64_t now = now_ns();
	for (size_t i = 0; i < q->n; i++) {
		struct queue *one = &q->list[i];
		char name[IF_NAMESIZE];
		int64_t sent = -1;
		bool alone = true;

		if (one->last.kind != QUEUE_TAP)
			continue;
		for (size_t k = 0; k < q->n; k++)
			alone &= k == i || q->list[k].last.kind != QUEUE_TAP ||
				 q->list[k].last.ifindex != one->last.ifindex;
		if (alone && if_indextoname(one->last.ifindex, name))
			sent = netdev_packets(name, true);
		add_passed(one, (uint64_t)(sent + 1), now);
		one->last.passed = (uint64_t)(sent + 1);
	}
	for (size_t i = 0; i < q->n; i++)
		if (q->list[i].looks || q->list[i].unreported)
			queues_see(&q->list[i], w, &q->seen[q->nseen++]);
	qsort(q->seen, q->nseen, sizeof(*q->seen), in_order);
	size_t kept = 0;
	for (size_t i = 0; i < q->n; i++) {
		struct queue *one = &q->list[i];

		if (one->idle++ >= FORGET) {
			free(one->fills);
			continue;
		}
		one->looks = one->unreported = one->full = one->near = one->n = 0;
		one->sum = one->held = one->most = 0;
		one->passed = 0;
		one->rate_unknown = false;
		one->first_ns = one->last_ns;
		q->list[kept++] = *one;
	}
	q->n = kept;
	q->looks.left_out = q->missed[0] + q->missed[1];
	q->missed[0] = q->missed[1] = 0;
	q->ended = q->looks;
	q->looks = (struct queue_looks){};
	return 0;
}
