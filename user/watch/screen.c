// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/screen.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <ncurses.h>
#include <stdio.h>
#include <string.h>
#include "base/sheet/digits.h"

#define KEYS "up down: device   p: pause   d: dump   q: quit"

int screen_open(struct screen *s, struct diag *d)
{
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return diag_set(d, -ENOTTY, "ncurses does not know this terminal");
	set_term(s->terminal);
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	curs_set(0);
	s->on = true;
	return 0;
}

void screen_close(struct screen *s)
{
	if (!s->terminal)
		return;
	endwin();
	delscreen(s->terminal);
	memset(s, 0, sizeof(*s));
}

void screen_begin(struct screen *s)
{
	if (!s->paused)
		s->n = 0;
}

static double losses_of(const struct watch_line *line)
{
	double sum = (double)line->backlog_drops;

	for (size_t i = 0; line->device && i < line->device->grown.n; i++) {
		const struct counter *c = &line->device->grown.list[i];

		sum += counter_is_loss(c) && c->known ? (double)c->value : 0;
	}
	return sum;
}

void screen_line(struct screen *s, const struct watch_line *line)
{
	size_t i = s->n;

	if (s->paused || i == SCREEN_ROWS)
		return;
	s->lines[i] = *line;
	s->losses[i] = losses_of(line);
	snprintf(s->names[i], sizeof(s->names[i]), "%s", line->device ? line->device->nd.name : "(backlog)");
	s->programs[i][0] = '\0';
	if (line->device && line->device->nprograms)
		snprintf(s->programs[i], sizeof(s->programs[i]), "%s %s", line->device->programs[0].hook,
			 line->device->programs[0].name);
	s->lines[i].device = NULL; /* it may go */
	s->n++;
}

static void choose(struct screen *s, int step)
{
	size_t at = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i].slot == s->chosen)
			at = i;
	if (s->n)
		s->chosen = s->lines[(at + s->n + (size_t)step) % s->n].slot;
}

enum screen_wish screen_key(struct screen *s)
{
	int key = getch();

	if (key == ERR)
		return SCREEN_NOTHING;
	s->message[0] = '\0';
	if (key == KEY_DOWN || key == 'j')
		choose(s, 1);
	else if (key == KEY_UP || key == 'k')
		choose(s, -1);
	else if (key == 'p' || key == ' ')
		s->paused = !s->paused;
	return key == 'q' ? SCREEN_QUIT : key == 'd' ? SCREEN_DUMP : SCREEN_DRAW;
}

/* One row, cut at the terminal's edge. Returns the next row. */
static int screen_put(int row, bool chosen, const char *text)
{
	if (row >= LINES - 1)
		return row;
	if (chosen)
		attron(A_REVERSE);
	mvaddnstr(row, 0, text, COLS);
	if (chosen)
		attroff(A_REVERSE);
	return row + 1;
}

static int put_devices(const struct screen *s, int row)
{
	char text[200], pps[32], ns[64], of_poll[16], full[16], busy[16], losses[32];

	snprintf(text, sizeof(text), "%-12s %11s %16s %7s %5s %6s %11s", "device", "packets/s", "ns/packet", "pk/poll",
		 "full", "busy", "lost");
	attron(A_BOLD);
	row = screen_put(row, false, text);
	attroff(A_BOLD);
	for (size_t i = 0; i < s->n; i++) {
		const struct watch_line *l = &s->lines[i];
		double polls = l->polls.polls ? (double)l->polls.polls : NAN;

		snprintf(text, sizeof(text), "%-12.12s %11s %16s %7s %4s%% %5s%% %11s", s->names[i],
			 digits_count((double)l->polls.packets / l->seconds, pps, sizeof(pps)),
			 digits_interval(l->cost.ns, l->cost.half, ns, sizeof(ns)),
			 digits_number((double)l->polls.packets / polls, 1, false, of_poll, sizeof(of_poll)),
			 digits_number(100 * (double)l->polls.full / polls, 0, false, full, sizeof(full)),
			 digits_number(l->busy_pct, 1, false, busy, sizeof(busy)),
			 digits_count(s->losses[i], losses, sizeof(losses)));
		row = screen_put(row, l->slot == s->chosen, text);
		if (*s->programs[i]) {
			snprintf(text, sizeof(text), "  %s", s->programs[i]);
			row = screen_put(row, false, text);
		}
	}
	return row + 1;
}

static int put_costs(int row, const struct flight_costs *c)
{
	char text[200], ns[64];

	if (!c->n)
		return screen_put(row, false, "no samples of its functions yet");
	snprintf(text, sizeof(text), "%16s  facility, of the last %.0f s", "ns/packet", c->seconds);
	attron(A_BOLD);
	row = screen_put(row, false, text);
	attroff(A_BOLD);
	for (size_t i = 0; i < c->n; i++) {
		snprintf(text, sizeof(text), "%16s  %s",
			 digits_interval(c->list[i].ns, c->list[i].half, ns, sizeof(ns)), c->list[i].facility);
		row = screen_put(row, false, text);
	}
	return row;
}

void screen_draw(struct screen *s, const struct flight_costs costs[WATCH_SLOTS], const struct queue_seen *queues,
		 size_t nqueues)
{
	char text[200], most[32], size[32];
	bool is_there = false;
	int row;

	for (size_t i = 0; i < s->n; i++)
		is_there |= s->lines[i].slot == s->chosen;
	if (!is_there)
		s->chosen = s->n ? s->lines[0].slot : 0;
	erase();
	row = put_devices(s, 0);
	for (size_t i = 0; i < nqueues && queues; i++) {
		if (!(queues[i].most > 0))
			continue;
		snprintf(text, sizeof(text), "queue %s %u: most %s of %s %s", queue_words[queues[i].kind],
			 queues[i].number, digits_count(queues[i].most, most, sizeof(most)),
			 digits_count(queues[i].size, size, sizeof(size)), queue_unit(queues[i].kind));
		row = screen_put(row, false, text);
	}
	if (costs)
		put_costs(row, &costs[s->chosen]);
	mvaddnstr(LINES - 1, 0, *s->message ? s->message : s->paused ? "paused   " KEYS : KEYS, COLS);
	redrawwin(stdscr); /* messages on standard error may stand there */
	refresh();
}
