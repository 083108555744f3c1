// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_turns - a thread in which the layers of the sending ladder take turns; turns.h has the contract
 *
 *     thread -> sender -> xzarmN -- veth --> xzsendN: a sink (bed.h) counts and drops the frame
 *
 * A turn is lead frames, then frames between two stamps. They leave in bursts. The peer's polls run in a NAPI kthread
 * on the same CPU, which never takes the CPU from the sender: it works off a burst while the thread waits for the
 * sink's count. The cost of a turn is the time by the thread's CPU clock in its bursts; the waits and the polls are
 * not in it. A sender that is nonstop sends all frames in one call; the peer is then polled in softirqs.
 *
 * law:   at the end of a turn each frame that the kernel took is counted at the sink, or lost, and each completion that
 *        the kernel owed has come, or the turns end with -EIO
 */
#include <sys/mman.h>
#include "user/ladder/ladder.h"
#include "user/turns/turns.h"

#define BURST       192 /* frames; a veth's ring has room for 256 */
#define YIELDS      64  /* then the thread sleeps, as the CPU may have other tasks */
#define SLEEP_NS    50000
#define PATIENCE_NS 1000000000ULL /* no frame counted for so long: those under way are lost */
#define OWED_NS     2000000000ULL /* no completion for so long: it will not come */
#define READINGS    1000
#define ROOM_BYTES  (TURN_RECORDS * sizeof(struct turn_record) + TURN_FOREIGN * sizeof(struct turn_foreign))

struct lane {
	struct sender *sender;
	const struct bench_counts *sink; /* mapped */
	uint64_t base;                   /* counted before the first frame of the turn, less the lost ones */
};

struct send_turns {
	struct turner_options o;
	struct lane lanes[TURN_ARMS];
	int ncpus;
	uint8_t order[TURN_ORDER];
	size_t norder;
	struct turn_record *records;
	struct turn_foreign *waits;
	__u32 ended, nwaits, keep; /* as in struct turner */
	__u64 sent[TURN_ARMS];
	struct worker worker; /* stop: at once */
	atomic_bool stop;     /* after the group of turns that runs */
	atomic_int failed;    /* -errno */
	atomic_bool done;
	double stamp_ns;
};

/* ---- in the thread ------------------------------------------------------------------------------------------- */

struct turn {
	struct lane *lane;
	struct turn_record record;
	uint32_t sent; /* frames of this turn */
};

static uint64_t counted(const struct send_turns *t, const struct lane *lane)
{
	return bench_counts_sum(lane->sink->cpus, t->ncpus) - lane->base;
}

static void keep_wait(void *arg, uint64_t from_ns)
{
	struct send_turns *t = arg;
	__u32 n = t->nwaits;

	if (!__atomic_load_n(&t->keep, __ATOMIC_RELAXED) || n == TURN_FOREIGN)
		return;
	t->waits[n] = (struct turn_foreign){from_ns, now_ns()};
	__atomic_store_n(&t->nwaits, n + 1, __ATOMIC_RELEASE);
}

/* Sends in bursts, and waits after each until the sink has counted all frames of the turn. */
static int send_frames(struct send_turns *t, struct turn *turn, uint32_t frames, bool stamped)
{
	struct sender *sender = turn->lane->sender;
	uint32_t end = turn->sent + frames, burst = sender->kind->nonstop ? frames : BURST;

	while (turn->sent < end && !atomic_load_explicit(&t->worker.stop, memory_order_relaxed)) {
		uint64_t from = sender_own_ns(sender), own, seen;
		int sent = sender_send(sender, end - turn->sent < burst ? end - turn->sent : burst);
		struct patience patience;

		own = sender_own_ns(sender) - from;
		if (sent < 0)
			return sent;
		turn->sent += (uint32_t)sent;
		__atomic_fetch_add(&t->sent[turn->record.arm], (__u64)sent, __ATOMIC_RELEASE);
		if (stamped) {
			turn->record.own_ns += own;
			turn->record.stamps++;
			turn->record.packets += (uint32_t)sent;
		}
		if (sender->kind->awaits)
			continue;
		patience = patience_of(PATIENCE_NS);
		from = now_ns();
		seen = counted(t, turn->lane);
		for (int i = 0; seen < turn->sent && !atomic_load_explicit(&t->worker.stop, memory_order_relaxed);
		     i++) {
			uint64_t before = seen;

			if (i % YIELDS == YIELDS - 1)
				sleep_until_ns(now_ns() + SLEEP_NS);
			else
				sched_yield();
			seen = counted(t, turn->lane);
			if (seen != before) {
				patience = patience_of(PATIENCE_NS);
			} else if (patience_ends(&patience)) {
				turn->record.lost += turn->sent - (uint32_t)seen;
				turn->lane->base -= turn->sent - seen;
				seen = turn->sent;
			}
		}
		keep_wait(t, from);
	}
	return 0;
}

static int take_turn(struct send_turns *t, size_t at)
{
	struct turn turn = {.record.arm = t->order[at % t->norder]};
	struct sender *sender;
	__u32 n = t->ended;
	int err;

	turn.lane = &t->lanes[turn.record.arm];
	turn.lane->base = 0;
	turn.lane->base = counted(t, turn.lane);
	sender = turn.lane->sender;
	err = send_frames(t, &turn, t->o.length.lead, false);
	turn.record.start_ns = now_ns();
	if (!err)
		err = send_frames(t, &turn, t->o.length.frames, true);
	turn.record.end_ns = now_ns();
	if (!err) { /* the last completions of a turn come when the sink has freed the frames */
		struct patience patience = patience_of(OWED_NS);
		uint64_t from = now_ns();

		err = sender->kind->complete ? sender->kind->complete(sender) : 0;
		while (!err && sender->counts.completions < sender->counts.awaited &&
		       !atomic_load_explicit(&t->worker.stop, memory_order_relaxed)) {
			sleep_until_ns(now_ns() + SLEEP_NS);
			err = sender->kind->complete ? sender->kind->complete(sender) : 0;
			if (!err && patience_ends(&patience))
				err = -EIO;
		}
		keep_wait(t, from);
	}
	t->records[n] = turn.record;
	__atomic_store_n(&t->ended, n + 1, __ATOMIC_RELEASE);
	return err;
}

static void *send_main(void *arg)
{
	struct send_turns *t = arg;
	int err = worker_enter(t->o.rx_cpu);

	/* What a pair of readings adds to the time between them. */
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID), last = from;
	for (int i = 0; i < READINGS; i++)
		last = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	t->stamp_ns = (double)(last - from) / READINGS;
	atomic_store(&t->worker.tid, err ? err : gettid());
	for (size_t at = 0, group = turn_group(t->o.arms); !err && !atomic_load(&t->worker.stop); at++) {
		if (at % group == 0 && (atomic_load(&t->stop) || at + group > TURN_RECORDS))
			break;
		err = take_turn(t, at);
	}
	if (err)
		atomic_store(&t->failed, err);
	atomic_store(&t->done, true);
	return NULL;
}

/* ---- in the caller's thread ---------------------------------------------------------------------------------- */

static int sends_open(struct turner *turner, struct diag *d)
{
	const struct turner_options *o = &turner->o;
	struct send_turns *t = turner->send = calloc(1, sizeof(*t));
	void *p;

	if (!t)
		return diag_set(d, -ENOMEM, "no memory");
	turner->worker = &t->worker;
	t->o = *o;
	t->ncpus = cpu_possible();
	t->norder = turn_order_fill(t->order, TURN_ORDER, o->arms, o->seed);
	p = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return diag_set(d, -ENOMEM, "no memory for the turns");
	turner->records = t->records = p;
	t->waits = (void *)(t->records + TURN_RECORDS);
	turner->foreigns = t->waits;
	turner->ended = &t->ended;
	turner->sent = t->sent;
	turner->keep = &t->keep;
	turner->nforeigns = &t->nwaits;
	return 0;
}

void turner_sender(struct turner *turner, size_t arm, struct sender *s, const struct bench_counts *sink)
{
	struct lane *lane = &turner->send->lanes[arm];

	if (lane->sink)
		munmap((void *)lane->sink, sizeof(*lane->sink));
	lane->sink = sink;
	lane->sender = s;
	s->away = keep_wait;
	s->away_arg = turner->send;
}

static int sends_check(struct turner *turner, struct diag *d)
{
	int err = atomic_load(&turner->send->failed);

	if (err == -EBADMSG)
		return diag_set(d, err, "what arrived over TCP is not what was sent");
	return err ? diag_set(d, err, "sending failed: %s", strerror(-err)) : 0;
}

static int sends_begin(struct turner *turner, struct diag *d)
{
	struct send_turns *t = turner->send;
	int err;

	t->ended = t->nwaits = 0;
	memset(t->sent, 0, sizeof(t->sent));
	t->worker = (struct worker){};
	atomic_store(&t->stop, false);
	atomic_store(&t->done, false);
	atomic_store(&t->failed, 0);
	err = worker_start(&t->worker, send_main, t);
	if (err)
		return diag_set(d, err, "cannot start the thread that sends: %s", strerror(-err));
	return sends_check(turner, d);
}

/* After the group of turns that runs. */
static int sends_end(struct turner *turner, struct diag *d)
{
	atomic_store(&turner->send->stop, true);
	while (!atomic_load(&turner->send->done))
		sleep_until_ns(now_ns() + 1000000);
	worker_stop(&turner->send->worker);
	return sends_check(turner, d);
}

static void sends_close(struct turner *turner)
{
	struct send_turns *t = turner->send;

	for (size_t i = 0; t && i < TURN_ARMS; i++)
		if (t->lanes[i].sink)
			munmap((void *)t->lanes[i].sink, sizeof(*t->lanes[i].sink));
	if (t && t->records)
		munmap(t->records, ROOM_BYTES);
	free(t);
}

/* Measured when the thread began. */
static int sends_calibrate(struct turner *turner, bool on, struct diag *d)
{
	(void)on;
	(void)d;
	turner->stamp_ns = turner->send->stamp_ns;
	return 0;
}

const struct turner_kind turner_sends = {
	.open = sends_open,
	.begin = sends_begin,
	.check = sends_check,
	.end = sends_end,
	.close = sends_close,
	.calibrate = sends_calibrate,
};
