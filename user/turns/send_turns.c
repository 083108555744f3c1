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

/* Waits until the sink has counted all frames of the turn. */
static void await_sink(struct send_turns *t, struct turn *turn)
{
	struct patience patience = patience_of(PATIENCE_NS);
	uint64_t from = now_ns(), seen = counted(t, turn->lane);

	for (int i = 0; seen < turn->sent && !atomic_load_explicit(&t->worker.stop, memory_order_relaxed); i++) {
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

static int send_burst(struct send_turns *t, struct turn *turn, unsigned int frames, bool stamped)
{
	uint64_t from = sender_own_ns(turn->lane->sender);
	int sent = sender_send(turn->lane->sender, frames);
	uint64_t own = sender_own_ns(turn->lane->sender) - from;

	if (sent < 0)
		return sent;
	turn->sent += (uint32_t)sent;
	__atomic_fetch_add(&t->sent[turn->record.arm], (__u64)sent, __ATOMIC_RELEASE);
	if (stamped) {
		turn->record.own_ns += own;
		turn->record.stamps++;
		turn->record.packets += (uint32_t)sent;
	}
	if (!turn->lane->sender->kind->awaits)
		await_sink(t, turn);
	return 0;
}

static int send_turns_send_frames(struct send_turns *t, struct turn *turn, uint32_t frames, bool stamped)
{
	uint32_t end = turn->sent + frames, burst = turn->lane->sender->kind->nonstop ? frames : BURST;
	int err = 0;

	while (!err && turn->sent < end && !atomic_load_explicit(&t->worker.stop, memory_order_relaxed))
		err = send_burst(t, turn, end - turn->sent < burst ? end - turn->sent : burst, stamped);
	return err;
}

/* The last completions of a turn come when the sink has freed the frames. */
static int await_completions(struct send_turns *t, struct turn *turn)
{
	const struct sender_counts *c = &turn->lane->sender->counts;
	struct patience patience = patience_of(OWED_NS);
	uint64_t from = now_ns();
	int err = turn->lane->sender->kind->complete ? turn->lane->sender->kind->complete(turn->lane->sender) : 0;

	while (!err && c->completions < c->awaited && !atomic_load_explicit(&t->worker.stop, memory_order_relaxed)) {
		sleep_until_ns(now_ns() + SLEEP_NS);
		err = turn->lane->sender->kind->complete ? turn->lane->sender->kind->complete(turn->lane->sender) : 0;
		if (!err && patience_ends(&patience))
			err = -EIO;
	}
	keep_wait(t, from);
	return err;
}

static int take_turn(struct send_turns *t, size_t at)
{
	struct turn turn = {.record.arm = t->order[at % t->norder]};
	__u32 n = t->ended;
	int err;

	turn.lane = &t->lanes[turn.record.arm];
	turn.lane->base = 0;
	turn.lane->base = counted(t, turn.lane);
	err = send_turns_send_frames(t, &turn, t->o.length.lead, false);
	turn.record.start_ns = now_ns();
	if (!err)
		err = send_turns_send_frames(t, &turn, t->o.length.frames, true);
	turn.record.end_ns = now_ns();
	if (!err)
		err = await_completions(t, &turn);
	t->records[n] = turn.record;
	__atomic_store_n(&t->ended, n + 1, __ATOMIC_RELEASE);
	return err;
}

static bool send_turns_goes_on(const struct send_turns *t, size_t at)
{
	bool group_ends = at % turn_group(t->o.arms) == 0;

	return !atomic_load(&t->worker.stop) && !(group_ends && atomic_load(&t->stop)) &&
	       !(group_ends && at + turn_group(t->o.arms) > TURN_RECORDS);
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
	for (size_t at = 0; !err && send_turns_goes_on(t, at); at++)
		err = take_turn(t, at);
	if (err)
		atomic_store(&t->failed, err);
	atomic_store(&t->done, true);
	return NULL;
}

/* ---- in the caller's thread ---------------------------------------------------------------------------------- */

static void *room_for(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* NULL: does nothing. */
static void turns_free(struct send_turns *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < TURN_ARMS; i++)
		if (t->lanes[i].sink)
			munmap((void *)t->lanes[i].sink, sizeof(*t->lanes[i].sink));
	if (t->records)
		munmap(t->records, TURN_RECORDS * sizeof(*t->records));
	if (t->waits)
		munmap(t->waits, TURN_FOREIGN * sizeof(*t->waits));
	free(t);
}

static int sends_open(struct turner *turner, struct diag *d)
{
	const struct turner_options *o = &turner->o;
	struct send_turns *t = calloc(1, sizeof(*t));

	if (!t)
		return diag_set(d, -ENOMEM, "no memory");
	t->o = *o;
	t->ncpus = cpu_possible();
	t->norder = turn_order_fill(t->order, TURN_ORDER, o->arms, o->seed);
	t->records = room_for(TURN_RECORDS * sizeof(*t->records));
	t->waits = room_for(TURN_FOREIGN * sizeof(*t->waits));
	if (!t->records || !t->waits) {
		turns_free(t);
		return diag_set(d, -ENOMEM, "no memory for the turns");
	}
	turner->send = t;
	turner->records = t->records;
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

static void sends_stop(struct turner *turner)
{
	if (turner->send)
		worker_stop(&turner->send->worker);
}

/* After the group of turns that runs. */
static int sends_end(struct turner *turner, struct diag *d)
{
	atomic_store(&turner->send->stop, true);
	while (!atomic_load(&turner->send->done))
		sleep_until_ns(now_ns() + 1000000);
	sends_stop(turner);
	return sends_check(turner, d);
}

static void sends_close(struct turner *turner)
{
	turns_free(turner->send);
}

/* Measured when the thread began. */
static int sends_calibrate(struct turner *turner, bool on, struct diag *d)
{
	(void)on;
	(void)d;
	turner->stamp_ns = turner->send->stamp_ns;
	return 0;
}

pid_t turner_sender_tid(const struct turner *turner)
{
	return turner->send ? atomic_load(&turner->send->worker.tid) : -1;
}

const struct turner_kind turner_sends = {
	.open = sends_open,
	.begin = sends_begin,
	.check = sends_check,
	.end = sends_end,
	.stop = sends_stop,
	.close = sends_close,
	.calibrate = sends_calibrate,
};
