/*
 * screen - watch on a terminal: devices, and what functions cost on the one that is chosen, refreshed in place
 *
 * in:    the lines of an interval, the costs by facility; keys
 * out:   a screen by ncurses; what the keys ask for
 * law:   nothing is drawn beyond the terminal as it is now. screen_close() gives the terminal back; it is called on
 *        every way out but SIGKILL. While the screen is paused, counting goes on
 * error: -ENOTTY standard output is no terminal that ncurses knows
 */
#ifndef USER_WATCH_SCREEN_H
#define USER_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "user/watch/flight.h"
#include "user/watch/queues.h"
#include "user/watch/watch.h"

#define SCREEN_ROWS WATCH_SLOTS

struct screen {
	bool on, paused;
	void *terminal;
	struct watch_line lines[SCREEN_ROWS]; /* of this interval, copied */
	char names[SCREEN_ROWS][20], programs[SCREEN_ROWS][48];
	double losses[SCREEN_ROWS];
	size_t n;
	unsigned int chosen; /* a slot; 0: the first device */
	char message[200];   /* on the last line until the next key */
};

enum screen_wish { SCREEN_NOTHING, SCREEN_QUIT, SCREEN_DUMP, SCREEN_DRAW };

int screen_open(struct screen *s, struct diag *d);
void screen_begin(struct screen *s); /* of an interval's lines */
void screen_line(struct screen *s, const struct watch_line *line);
/* Takes one key. Returns what it asks for. */
enum screen_wish screen_key(struct screen *s);
void screen_draw(struct screen *s, const struct flight_costs costs[WATCH_SLOTS], const struct queue_seen *queues,
		 size_t nqueues);
void screen_close(struct screen *s); /* may be called twice */

#endif
