// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/watch/watch.h"

#define KEYS "up down: device   p: pause   d: dump   q: quit"
#define TIME 8 /* columns of a line's time, which the screen does not show */

bool screen_open(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return false;
	set_term(s->terminal);
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	curs_set(0);
	return s->on = true;
}

void screen_begin(struct screen *s)
{
	while (!s->paused && s->n)
		free(s->devices[--s->n].text);
}

void screen_close(struct screen *s)
{
	s->paused = false;
	screen_begin(s);
	if (!s->terminal)
		return;
	endwin();
	delscreen(s->terminal);
	memset(s, 0, sizeof(*s));
}

void screen_line(struct screen *s, const struct watch_line *line)
{
	size_t size;
	FILE *out = s->paused ? NULL : open_memstream(&s->devices[s->n].text, &size);

	if (!out)
		return;
	show_line(out, line);
	show_programs(out, line);
	s->devices[s->n].slot = line->slot;
	s->n += !fclose(out);
}

/* The number of the chosen device; the first one where it has gone. */
static size_t chosen(const struct screen *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->devices[i].slot == s->chosen)
			return i;
	return 0;
}

enum screen_wish screen_key(struct screen *s)
{
	int key = getch(), step = key == KEY_DOWN || key == 'j' ? 1 : key == KEY_UP || key == 'k' ? -1 : 0;

	if (key == ERR)
		return SCREEN_NOTHING;
	s->message[0] = '\0';
	if (s->n)
		s->chosen = s->devices[(chosen(s) + s->n + (size_t)step) % s->n].slot;
	s->paused ^= key == 'p' || key == ' ';
	return key == 'q' ? SCREEN_QUIT : key == 'd' ? SCREEN_DUMP : SCREEN_DRAW;
}

/* Lines without so many columns at their beginning, within the terminal. Returns the next row. */
static int put(int row, attr_t style, size_t without, const char *text)
{
	attron(style);
	for (size_t n; *text && row < LINES - 1; text += n + (text[n] == '\n'), row++) {
		n = strcspn(text, "\n");
		if (n > without)
			mvaddnstr(row, 0, text + without, (int)(n - without) < COLS ? (int)(n - without) : COLS);
	}
	attroff(style);
	return row;
}

void screen_draw(struct screen *s, const char *below)
{
	size_t at = chosen(s);
	int row;

	s->chosen = s->n ? s->devices[at].slot : 0;
	erase();
	row = put(0, A_BOLD, TIME, SHOW_HEAD);
	for (size_t i = 0; i < s->n; i++)
		row = put(row, i == at ? A_REVERSE : 0, TIME, s->devices[i].text);
	put(row + 1, 0, 0, below);
	mvaddnstr(LINES - 1, 0, *s->message ? s->message : s->paused ? "paused   " KEYS : KEYS, COLS);
	redrawwin(stdscr); /* messages on standard error may stand there */
	refresh();
}
