// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * turns - a live-frame generator that turns from one device to the next every few thousand frames, and the clock of
 * the receiver's work
 *
 * BPF_PROG_TEST_RUN runs the program `turns` for each frame. Frames leave only in whole batches, so the program decides
 * once per batch: which device, whether the batch may be sent, whether a turn begins or ends here. A turn is
 *
 *     lead frames | stamp | frames | stamp | wait until all frames of the turn are counted
 *
 * The lead fills caches and the receiver's ring, which hold the turn before. The stamps hold the time, the clock of the
 * receiver's work, and the frames counted so far; a turn's packets are those counted between its stamps.
 *
 * On one CPU (cfg_crossing is 0) the kernel runs the receiver's softirq at the end of each batch, before the next one
 * begins: generator and receiver run in lockstep, and the receiver's work is the time between entry and exit of NET_RX
 * softirqs. Should a softirq be put off to ksoftirqd, the program sends nothing until the frames are counted.
 * On two CPUs the program keeps cfg_window frames under way, and the receiver's work is the time that its NAPI kthread
 * is on the CPU, less the NET_RX softirqs inside (they poll other devices).
 */
#include "bpf/maps.bpf.h"
#include "bpf/frames.bpf.h"
#include "bpf/work_clock.bpf.h"

/*
 * No frame counted for so long: the frames under way are lost. Between two looks PATIENCE_STEP_NS count at most: a
 * machine that stands still, as a virtual one may for seconds, gives the receiver no time.
 */
#define PATIENCE_NS      200000000ULL
#define PATIENCE_STEP_NS 1000000ULL
#define WAIT_STEPS       (1 << 16) /* some ms; then the kernel may run other tasks before the next try */

const volatile __u32 cfg_batch = 64, cfg_lead = 512;
const volatile __u32 cfg_window = 0; /* with cfg_crossing: the most frames under way */
const volatile __u32 cfg_order = 1;  /* entries of turn_order in use */
const volatile __u32 cfg_group = 1;  /* turns end with a whole group, in which all arms have the same number of turns */
/* GRO and routers change a frame's headers, which stay changed when the page pool gives the frame's page out again. */
const volatile _Bool cfg_restore = 0;
const volatile __u64 cfg_headers[TURN_HEADERS] = {};

/* Written by user space between two rounds, except stop. */
struct turn_arm arms[TURN_ARMS] = {};
__u8 turn_order[TURN_ORDER] = {};
volatile __u32 stop = 0; /* asks for the end after the group of turns that runs now */

/* Written by the programs below, read by user space. */
volatile __u32 done = 0;    /* all turns have ended, no frame is under way */
volatile __u32 ended = 0;   /* turns that have ended, in turn_records */
__u64 sent[TURN_ARMS] = {}; /* frames handed to each device */

/*
 * The counts of the program under test on each arm. User space sets the inner maps. Linux 6.1 takes only inner maps
 * that have types, as this one has.
 */
struct any_counts {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bench_counts);
} any_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, TURN_ARMS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct any_counts);
} arm_counts SEC(".maps");

/* Called instead of a device by arms that have floor set. */
MAP(floor_program, PROG_ARRAY, 1, __u32, __u32);
SHARED_ARRAY(turn_records, TURN_RECORDS, struct turn_record);

struct turn {
	__u32 arm, place; /* place in turn_order */
	__u32 frames;     /* between its stamps */
	__u32 sent;       /* with those before */
	__u32 lost;
	__u64 base;      /* counted before the first frame of this turn, and lost frames as if they were counted */
	__u64 counted;   /* of this turn, at the last look */
	__u64 looked_ns; /* when; 0: no frame is waited for */
	__u64 waited_ns; /* since that changed */
	__u64 start_ns, end_ns, start_own_ns, end_own_ns, start_stamps, end_stamps;
	__u64 start_injected_ns, end_injected_ns;
	__u32 start_counted, end_counted;
	__u32 to;       /* send_ifindex */
	__u32 in_batch; /* frames left of this batch */
	_Bool begun, go, floor;
};
static volatile struct turn turn;
static volatile __u64 seq;
static __u64 next_frame[TURN_ARMS]; /* of the list: each device gets all frames in their order, over all its turns */

static __always_inline struct bench_count *counts_of(__u32 arm)
{
	void *map = bpf_map_lookup_elem(&arm_counts, &arm);
	__u32 key = 0;
	struct bench_counts *counts = map ? bpf_map_lookup_elem(map, &key) : NULL;

	return counts ? &counts->cpus[cfg_rx_cpu & (BENCH_CPUS - 1)] : NULL;
}

static __always_inline __u64 injected_by(__u32 arm)
{
	struct bench_count *c = counts_of(arm);

	return c ? *(volatile __u64 *)&c->injected_ns : 0;
}

static __always_inline __u64 counted_by(__u32 arm)
{
	struct bench_count *c = counts_of(arm);
	__u64 sum = 0;

	if (!c)
		return 0;
	for (int v = 0; v < BENCH_VERDICTS; v++)
		sum += *(volatile __u64 *)&c->verdicts[v];
	return sum;
}

/* Looks at the counter; true: at most `room` frames of this turn are under way. */
static __always_inline bool has_room(__u32 room)
{
	__u64 counted, now, step;

	if (arms[turn.arm & (TURN_ARMS - 1)].blind)
		counted = turn.sent;
	else
		counted = counted_by(turn.arm) - turn.base;
	if (turn.sent - counted <= room) {
		turn.counted = counted;
		turn.looked_ns = 0;
		return true;
	}
	now = bpf_ktime_get_ns();
	if (counted != turn.counted || !turn.looked_ns) {
		turn.counted = counted;
		turn.waited_ns = 0;
	} else {
		step = now - turn.looked_ns;
		turn.waited_ns += step < PATIENCE_STEP_NS ? step : PATIENCE_STEP_NS;
	}
	turn.looked_ns = now;
	if (turn.waited_ns > PATIENCE_NS) {
		turn.lost += turn.sent - counted;
		turn.base -= turn.sent - counted;
		turn.looked_ns = 0;
	}
	return false;
}

struct room {
	__u32 frames;
	__u32 found;
};

static long wait_step(__u32 step, void *ctx)
{
	struct room *r = ctx;

	r->found = has_room(r->frames);
	return r->found;
}

/* On one CPU it is of no use to wait: the softirq can only run when the batch is over. */
static __always_inline bool await_room(__u32 frames)
{
	struct room r = {.frames = frames};

	if (has_room(frames))
		return true;
	if (cfg_crossing)
		bpf_loop(WAIT_STEPS, wait_step, &r, 0);
	return r.found;
}

/* Frames of this turn that the receiver has done with. */
static __always_inline __u32 received(void)
{
	return arms[turn.arm & (TURN_ARMS - 1)].window ? turn.sent : turn.counted;
}

/* How many frames may be under way when a batch begins. */
static __always_inline __u32 most_under_way(void)
{
	__u32 window = arms[turn.arm & (TURN_ARMS - 1)].window;

	if (!window && cfg_crossing)
		window = cfg_window;
	return window ? window - cfg_batch : 0;
}

static __always_inline __u64 clock_of(__u32 arm, __u64 *now)
{
	__u64 own = own_clock(now);

	return arms[arm & (TURN_ARMS - 1)].floor ? *now : own;
}

static __always_inline void turn_end(void)
{
	__u32 key = ended;
	struct turn_record *r = bpf_map_lookup_elem(&turn_records, &key);

	if (r) {
		r->start_ns = turn.start_ns;
		r->end_ns = turn.end_ns;
		r->own_ns = turn.end_own_ns - turn.start_own_ns;
		r->packets = turn.end_counted - turn.start_counted;
		r->lost = turn.lost;
		r->arm = turn.arm;
		r->stamps = turn.end_stamps - turn.start_stamps;
		r->injected_ns = turn.end_injected_ns - turn.start_injected_ns;
	}
	turn.place++;
	turn.begun = false;
	ended = key + 1;
	if ((stop || key + 1 + cfg_group > TURN_RECORDS) && (key + 1) % cfg_group == 0)
		done = 1;
}

/* Decides for the next batch; false: its frames are dropped. */
static __always_inline bool batch_begin(void)
{
	__u64 now;

	if (turn.begun && turn.sent == cfg_lead + turn.frames) {
		if (!turn.end_ns) {
			if (!await_room(most_under_way()))
				return false;
			turn.end_own_ns = clock_of(turn.arm, &now);
			turn.end_ns = now;
			turn.end_stamps = work.stamps;
			turn.end_counted = received();
			turn.end_injected_ns = injected_by(turn.arm);
		}
		if (!await_room(0))
			return false;
		turn_end();
	}
	if (done)
		return false;
	if (!turn.begun) {
		__u32 arm = turn_order[turn.place % cfg_order & (TURN_ORDER - 1)] & (TURN_ARMS - 1);

		turn.arm = arm;
		turn.to = arms[arm].send_ifindex;
		turn.frames = arms[arm].frames;
		turn.floor = arms[arm].floor;
		receiver.tid = arms[arm].tid;
		receiver.ifindex = arms[arm].rx_ifindex;
		receiver.netns = arms[arm].rx_netns;
		turn.base = counted_by(arm);
		turn.sent = turn.lost = 0;
		turn.counted = turn.looked_ns = turn.end_ns = 0;
		turn.begun = true;
	}
	if (!await_room(most_under_way()))
		return false;
	if (turn.sent == cfg_lead) {
		turn.start_own_ns = clock_of(turn.arm, &now);
		turn.start_ns = now;
		turn.start_stamps = work.stamps;
		turn.start_counted = received();
		turn.start_injected_ns = injected_by(turn.arm);
	}
	turn.sent += cfg_batch;
	sent[turn.arm & (TURN_ARMS - 1)] += cfg_batch;
	return true;
}

SEC("xdp")
int turns(struct xdp_md *ctx)
{
	if (!turn.in_batch) {
		turn.in_batch = cfg_batch;
		turn.go = batch_begin();
	}
	turn.in_batch--;
	if (!turn.go)
		return XDP_DROP;
	if (turn.floor) {
		bpf_tail_call(ctx, &floor_program, 0);
		return XDP_ABORTED; /* there is no such program; the frame is missing in its count */
	}
	if (cfg_list_frames) {
		if (put_frame(ctx, next_frame[turn.arm & (TURN_ARMS - 1)]++))
			return XDP_ABORTED;
	} else {
		if (cfg_restore) {
			__u64 *to = (void *)(long)ctx->data;
			void *end = (void *)(long)ctx->data_end;

			if ((void *)(to + TURN_HEADERS) <= end)
				for (int i = 0; i < TURN_HEADERS; i++)
					to[i] = cfg_headers[i];
		}
		if (cfg_write || cfg_flows > 1) {
			write_frame(ctx, seq, true);
			seq = seq + 1;
		}
	}
	return bpf_redirect(turn.to, 0);
}
