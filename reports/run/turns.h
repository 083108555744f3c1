/*
 * turns - the single turns of a run whose variants take turns: which variant had the load when, and what it cost
 *
 * In the views "work" and "crossing" (run.h) every variant of a round is attached to a pair of devices of its own, and
 * one generator turns from device to device every few thousand frames. A round is a stretch of such turns. The blocks
 * of run.json hold the sums of a round; this file holds each turn. In the view "turns" there is one device, number 0,
 * whose program is exchanged every few ten ms.
 *
 * in:    turns in the order in which they ran
 * out:   DIR/turns, a text: the line "xdpzoom.turns/1 FROM_NS LEFT_OUT", then a line for each turn:
 *        round, variant, device, use, start, wall, own, packets, lost; separated by blanks; and what the clock around
 *        a plant read, where it read something. FROM_NS is the start of the first turn; starts are counted from there.
 *        use is one letter: b base, p profile, s switching
 * units: ns of CLOCK_MONOTONIC; packets are those between the turn's two stamps, the first frames of a turn (lead)
 *        are in none
 * law:   turns and their rounds are in order, and do not overlap. At most TURNS_MAX turns are kept, 256 MB of text: the
 *        first rounds; left_out counts the others. A file that is read and written again is the same
 * error: 0 / -errno with one sentence in diag; -ENOENT: the run has no turns
 */
#ifndef REPORTS_TURNS_H
#define REPORTS_TURNS_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/spill.h"

#define TURNS_FILE         "turns"
#define TURNS_MAX          (1u << 22)
#define TURNS_MAX_VARIANTS 64 /* so many take turns at most */

/*
 * TURN_BASE: nothing else ran; TURN_PROFILE: perf took samples during the whole turn; TURN_SWITCHING: perf was being
 * switched on or off, so the turn is in no window.
 */
enum turn_use { TURN_BASE, TURN_PROFILE, TURN_SWITCHING, TURN_USES };

struct run_turn {
	uint64_t start_ns;
	uint32_t wall_ns; /* from the first stamp to the last */
	/* the receiver's part of wall_ns: in softirqs (work), on the CPU (crossing), or either (turns) */
	uint32_t own_ns;
	uint32_t packets; /* counted between the stamps */
	uint32_t lost;    /* sent in this turn, and never counted */
	/* the part of own_ns that the clock around a planted cost read; 0: there is none, or it is not known */
	uint32_t plant_ns;
	uint32_t round;
	uint16_t variant; /* index into run.variants */
	uint8_t device;   /* number of the pair of devices that the variant was attached to in this round */
	uint8_t use;      /* enum turn_use */
};

struct run_turns {
	struct run_turn *list;
	size_t n, cap;
	uint64_t left_out, from_ns; /* from_ns: start of the first turn */
	/* So many turns before those of list are in the file that turns_write() made, and in this list no more. */
	size_t nwritten;
	struct spill file;
};

void turns_release(struct run_turns *t); /* may be called twice */
int turns_add(struct run_turns *t, const struct run_turn *turns,
	      size_t n); /* -ENOMEM; counts what is beyond TURNS_MAX */
/* The turn that holds this time, in list[0..n); NULL: none does. The list is in order. */
const struct run_turn *turns_find(const struct run_turn *list, size_t n, uint64_t at_ns);

int turns_read(struct run_turns *t, const char *dir, struct diag *d);
/*
 * Moves the turns of the list to the end of DIR/turns, which the first call makes anew. On error they stay in the list.
 * A recorder that dies meanwhile leaves a part of a line at the end, which turns_read() leaves out.
 */
int turns_write(struct run_turns *t, const char *dir, struct diag *d);
int turns_sync(const struct run_turns *t, const char *dir, struct diag *d); /* what turns_write() has written */

#endif
