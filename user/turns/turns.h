/* turns.h - the generator's turns: which variant gets the next frames */
#ifndef USER_TURNS_TURNS_H
#define USER_TURNS_TURNS_H

#include <linux/types.h>
#include "base/base.h"
#include "bpf/layout.h"
#include "user/gen/gen.h"
#include "user/machine/machine.h"

/*
 * turn_order - the order in which the arms of a round take their turns
 *
 * law:   every turn_group(arms) entries in a row, counted from the first, hold each arm equally often, and their mean
 *        place is the same for each arm: a drift that is steady for the length of a group cancels out. The same seed
 *        gives the same order on every machine
 * src:   two arms: Thue-Morse, in which groups of 4, 16, 64 ... entries cancel drifts of the next higher order as well;
 *        more arms: a shuffled row of all arms (base/random.h), then the same row backwards
 */

size_t turn_group(size_t arms); /* entries of a group: 2 for each arm */
/* size: a multiple of turn_group(arms) is filled, the largest that fits; returns it. arms: 1 .. 255 */
size_t turn_order_fill(uint8_t *order, size_t size, size_t arms, uint64_t seed);

/*
 * turner - a live-frame generator that turns from arm to arm of the lab, and keeps time and packets of each turn
 *
 * The order, for whoever opens a turner:
 *   turner_open()       loads the generator and the clock of the receiver's work
 *   turner_arm()        says what is attached to an arm, before each round
 *   kind->calibrate()   what the clock's own stamps add to a softirq, on one CPU
 *   kind->begin()       a round: turns begin
 *   kind->end()         asks for the end after the group of turns that runs, waits for it, stops the generator
 *   records             the turns of the round
 *
 * law:   a round has whole groups of turns. When end() has returned 0, every frame that was sent
 *        has been counted or is in the turn's lost frames. When this process ends, however it ends, the generator ends
 *        and the clock's programs are gone
 */

/* A batch divides the frames of a turn, and those before it. */
#define TURNER_BATCH     64
#define TURNER_BATCH_MAX 128

/* Frames of a turn, and those before it that are left out; what crosses to another CPU fills a ring first. */
struct turner_length {
	uint32_t frames, lead;
};
extern const struct turner_length turner_short, turner_long;

struct turner_options {
	size_t arms;
	bool crossing; /* generator and receiver on two CPUs; false: on one */
	bool split;    /* other devices are polled in the receiver's softirqs */
	bool restore;  /* the receiver changes the frames' headers */
	bool sends;    /* the arms have senders, which a thread of this process calls (send_turns.c); no generator */
	int rx_cpu;
	struct turner_length length;
	uint64_t seed;
	struct gen_options
		load; /* device, namespace and destination of arm 0; CPU, size, flows, write, batch (0: TURNER_BATCH) */
};

struct sender;
struct send_turns;
struct turner_kind;
struct turns_bpf;

struct turner {
	struct turner_options o;
	const struct turner_kind *kind;               /* NULL: not open */
	struct turns_bpf *skel;                       /* NULL with o.sends */
	struct send_turns *send;                      /* NULL without, */
	struct worker *worker;                        /* and so is the thread of it */
	const volatile struct turn_record *records;   /* mapped */
	const volatile struct turn_foreign *foreigns; /* mapped: polls of other devices, or waits of the thread */
	const volatile __u32 *ended, *nforeigns;      /* in this round; TURN_FOREIGN of them at most are kept, */
	volatile __u32 *keep;                         /* while this is 1 */
	const volatile __u64 *sent;                   /* frames of this round, by arm */
	struct gen gen;
	double stamp_ns; /* what one pair of readings adds to own_ns */
};

void turner_init(struct turner *t);
int turner_open(struct turner *t, const struct turner_options *o, struct diag *d);
/* counts_fd: -1 when a->blind; floor_fd: the program that arms with floor set call */
int turner_arm(struct turner *t, size_t arm, const struct turn_arm *a, int counts_fd, int floor_fd, struct diag *d);
/* o.sends, instead of turner_arm(). The caller keeps the sender until the turns have ended; the turner unmaps sink. */
void turner_sender(struct turner *t, size_t arm, struct sender *s, const struct bench_counts *sink);
/* Ends the turns at once, without a result. The arms may then change. */
void turner_stop(struct turner *t);
void turner_release(struct turner *t); /* may be called twice */

/* Generators: that of live frames, and senders in a thread. open() may fail half-way; close() undoes it. */
struct turner_kind {
	int (*open)(struct turner *t, struct diag *d); /* sets records and foreigns */
	int (*begin)(struct turner *t, struct diag *d);
	int (*check)(struct turner *t, struct diag *d); /* does it still run? */
	int (*end)(struct turner *t, struct diag *d);
	void (*close)(struct turner *t);
	/* Attach and detach the second stamp; after detaching, stamp_ns is what it measured. */
	int (*calibrate)(struct turner *t, bool on, struct diag *d);
};

extern const struct turner_kind turner_sends; /* send_turns.c */

#endif
