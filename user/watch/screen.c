// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <ncurses.h>
#include "user/watch/watch.h"

#define KEYS   "?: help  q: quit  d: dump  s: sort  /: filter  p: pause  arrows, tab: device"
#define TITLES 2  /* lines above the devices */
#define BELOW  9  /* lines that devices leave to what stands below them */
#define MINUTE 60 /* seconds of a sparkline, which has 60 cells at most */

/* The orders of devices, and the columns with the width of the terminal that each of them needs. */
static const char *const orders[] = {"device", "packets/s", "ns/packet", "drops/s", "CPU"};
enum column_kind { DEVICE, PROGRAM, PPS, NS, PER_POLL, FULL, CPU, DROPS, LAST_MINUTE, COLUMNS };
static const struct {
	const char *head;
	int width, least;
} columns[COLUMNS] = {
	[DEVICE] = {"DEVICE", 9, 0},  [PROGRAM] = {"PROGRAM", 10, 80}, [PPS] = {"PPS", 8, 0},
	[NS] = {"NS/PKT   ±", 12, 0}, [PER_POLL] = {"PK/POLL", 8, 48}, [FULL] = {"FULL%", 6, 60},
	[CPU] = {"CPU%", 6, 54},      [DROPS] = {"DROP/S  ", 10, 0},   [LAST_MINUTE] = {" last minute", 11, 70},
};

bool screen_open(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8"); /* "±" is no ASCII */
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return false;
	set_term(s->terminal);
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	if (start_color() == OK && use_default_colors() == OK)
		init_pair(1, COLOR_RED, -1);
	return s->on = true;
}

void screen_close(struct screen *s)
{
	if (s->terminal) {
		endwin();
		delscreen(s->terminal);
		fputs(s->frame ?: "", stdout); /* the last state stays */
	}
	free(s->frame);
	memset(s, 0, sizeof(*s));
}

void screen_event(struct screen *s, const char *fmt, ...)
{
	time_t now = time(NULL);
	char text[256], clock[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strftime(clock, sizeof(clock), "%F %T", localtime(&now));
	if (!s->on || !isatty(STDERR_FILENO)) /* a log has it, too */
		complain("%s %s", clock, text);
	memmove(s->events[1], s->events[0], sizeof(s->events) - sizeof(s->events[0]));
	snprintf(s->events[0], sizeof(s->events[0]), "%s %.200s", clock + strlen("2026-11-28 "), text);
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

static double drops_pps(const struct watch_line *l)
{
	double sum = (double)l->backlog_drops;

	for (size_t i = 0; l->device && i < l->device->grown.n; i++)
		if (counter_is_loss(&l->device->grown.list[i]) && l->device->grown.list[i].known)
			sum += (double)l->device->grown.list[i].value;
	return sum / l->seconds;
}

/* What devices are sorted by: the highest comes first, NaN last. */
static double rank_of(const struct screen *s, const struct watch_line *l)
{
	return fmax(-1, (double[]){0, (double)l->polls.packets, l->cost.ns, drops_pps(l), l->busy_pct}[s->order]);
}

/* The lines that are shown, in their order. */
static size_t screen_rows(const struct screen *s, const struct watch_line *rows[WATCH_SLOTS])
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t at = n;

		if (!strstr(show_device(&s->lines[i]), s->filter))
			continue;
		for (n++; at && rank_of(s, rows[at - 1]) < rank_of(s, &s->lines[i]); at--)
			rows[at] = rows[at - 1];
		rows[at] = &s->lines[i];
	}
	return n;
}

/* The number of the chosen device; the first one where it has gone. */
static size_t chosen_row(const struct screen *s, const struct watch_line *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->slot == s->chosen)
			return i;
	return 0;
}

/* "13.5 k" */
static void put_rate(const struct text *t, double per_s, int width)
{
	static const char *const units[] = {"", " k", " M", " G"};
	int k = per_s >= 1e9 ? 3 : per_s >= 1e6 ? 2 : per_s >= 1e4 ? 1 : 0;

	text_number(t, per_s / pow(1000, k), width - (int)strlen(units[k]), k ? 1 : 0, false);
	fputs(units[k], t->out);
}

static void put_device(const struct text *t, const struct watch_line *l, const struct screen_view *v, const int *widths)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double packets[MINUTE] = {0}, seconds[MINUTE] = {0}, most = 0;
	double polls = l->polls.polls ? (double)l->polls.polls : NAN, drops = drops_pps(l);
	int cells = widths[LAST_MINUTE] - 1;
	bool full = l->queue_pct >= 100, few = !(l->cost.half <= l->cost.ns);
	char program[80] = "-";

	if (l->device && l->device->nprograms)
		snprintf(program, sizeof(program), "%s#%u", l->device->programs[0].name, l->device->programs[0].id);
	text_name(t, show_device(l), (size_t)widths[DEVICE] - 1);
	fputc(' ', t->out);
	if (widths[PROGRAM])
		text_name(t, program, (size_t)widths[PROGRAM]);
	put_rate(t, (double)l->polls.packets / l->seconds, widths[PPS]);
	text_column(t, few ? NAN : l->cost.ns, few ? NAN : l->cost.half, widths[NS] - 7, false);
	if (widths[PER_POLL])
		text_number(t, (double)l->polls.packets / polls, widths[PER_POLL], 1, false);
	if (widths[FULL])
		text_number(t, 100 * (double)l->polls.full / polls, widths[FULL], 0, false);
	if (widths[CPU])
		text_number(t, l->busy_pct, widths[CPU], 1, false);
	text_begin(t, drops > 0 || full ? TEXT_BAD : TEXT_PLAIN);
	put_rate(t, drops, widths[DROPS] - 2);
	fputs(full ? " !" : "  ", t->out);
	text_end(t, drops > 0 || full ? TEXT_BAD : TEXT_PLAIN);
	/* Packets of the last minute, a cell for so many seconds of it; the highest cell is full. */
	for (size_t i = 0; i < v->w->past.n && cells > 0; i++) {
		const struct past_second *second = past_at(&v->w->past, i);
		int cell = cells - 1 - (int)((double)(v->w->look_ns - second->to_ns) / 1e9 * cells / MINUTE);

		if (cell < 0)
			continue;
		seconds[cell] += (double)(second->to_ns - second->from_ns) / 1e9;
		for (size_t e = 0; e < second->n; e++)
			if (second->entries[e].slot == l->slot)
				packets[cell] += (double)second->entries[e].polls.packets;
	}
	for (int i = 0; i < cells; i++)
		most = fmax(most, seconds[i] > 0 ? packets[i] / seconds[i] : 0);
	if (cells > 0)
		fputc(' ', t->out);
	for (int i = 0; i < cells; i++) /* without a measurement a cell is blank */
		fputs(seconds[i] > 0 ? bars[most > 0 ? (int)(7 * packets[i] / seconds[i] / most) : 0] : " ", t->out);
	fputc('\n', t->out);
}

/* ---- the frame -------------------------------------------------------------------------------------------------- */

/* The fullest ones. */
static void put_queues(const struct text *t, const struct screen_view *v)
{
	const struct queue_seen *first = NULL, *second = NULL;

	for (const struct queue_seen *q = v->queues->seen; q < v->queues->seen + v->queues->nseen; q++) {
		if (q->why || !(q->most > 0))
			continue;
		if (!first || q->most / q->size > first->most / first->size) {
			second = first;
			first = q;
		} else if (!second || q->most / q->size > second->most / second->size) {
			second = q;
		}
	}
	for (const struct queue_seen *list[] = {first, second}, **q = list; q < list + 2 && *q; q++) {
		char name[64], text[200], wait[64];

		show_queue_name(*q, name, sizeof(name));
		snprintf(text, sizeof(text), "%s  %.0f/%.0f %s%s, median %.0f, full %.3g %%, wait %s us", name,
			 (*q)->most, (*q)->size, queue_unit((*q)->kind), (*q)->most >= (*q)->size ? " FULL" : "",
			 (*q)->p50, isnan((*q)->full_pct) ? 0 : (*q)->full_pct,
			 digits_interval((*q)->wait_half_us > (*q)->wait_us ? NAN : (*q)->wait_us, (*q)->wait_half_us,
					 wait, sizeof(wait)));
		fputs(q == list ? "QUEUES   " : "         ", t->out);
		text_last(t, text, t->columns - 9);
		fputc('\n', t->out);
	}
}

/* As many components as there is room for, the slowest first. */
static void put_cost(const struct text *t, const struct screen_view *v, const struct watch_line *l)
{
	const struct flight_costs *c = &v->costs[l->slot];
	char text[1024], one[120], ns[64];
	size_t told = 0;

	if (!c->n)
		return;
	snprintf(text, sizeof(text), "COST     %.20s, last %.0f s:", show_device(l), c->seconds);
	for (size_t i = 0; i < c->n; i++) {
		if (!(c->list[i].half <= c->list[i].ns))
			continue;
		snprintf(one, sizeof(one), "%s %.40s %s", told++ ? "," : "", c->list[i].component,
			 digits_interval(c->list[i].ns, c->list[i].half, ns, sizeof(ns)));
		if ((told > 1 && text_width(text) + text_width(one) > t->columns) ||
		    strlen(text) + strlen(one) >= sizeof(text))
			break;
		strcat(text, one);
	}
	text_last(t, told ? text : strcat(text, " too few samples"), t->columns);
	fputc('\n', t->out);
}

static const char help_text[] = "up down tab   choose the device of the COST line\n"
				"s             sort by device, packets/s, ns/packet, drops/s, CPU\n"
				"/             show devices with this in their names; Esc: all\n"
				"p             pause the screen; counting goes on\n"
				"d             dump: keep the last minute as a run directory\n"
				"q             quit; the last state stays\n"
				"NS/PKT: CPU time of a packet, 95 % interval; -: too few samples\n"
				"FULL%: polls that used up their budget\n"
				"!: a queue of the device was full\n";

static void put_frame(struct screen *s, const struct text *t, const struct screen_view *v)
{
	const struct watch_line *rows[WATCH_SLOTS];
	size_t n = screen_rows(s, rows), at = chosen_row(s, rows, n), from, most;
	int widths[COLUMNS], left = (int)t->columns, more;

	for (int i = 0; i < COLUMNS; i++)
		left -= widths[i] = (int)t->columns >= columns[i].least ? columns[i].width : 0;
	if (widths[LAST_MINUTE]) { /* what is left goes to names and to the minute */
		widths[DEVICE] += more = left / 4 < 7 ? left / 4 : 7;
		widths[PROGRAM] += widths[PROGRAM] ? left / 4 < 16 ? left / 4 : 16 : 0;
		left -= more + widths[PROGRAM] - (widths[PROGRAM] ? columns[PROGRAM].width : 0);
		widths[LAST_MINUTE] += left < MINUTE - 10 ? left : MINUTE - 10;
	} else {
		widths[DEVICE] += left;
	}
	unsigned int passed_s = (unsigned int)((v->w->look_ns - v->w->start_ns) / 1000000000);
	char host[68] = "", text[400], clock[16];
	time_t now = time(NULL);
	gethostname(host, 64);
	strftime(clock, sizeof(clock), "%T", localtime(&now));
	snprintf(text, sizeof(text), "xdpzoom watch  %s  %s  %s  up %02u:%02u:%02u  triggers %zu armed, %zu fired",
		 host, v->of, clock, passed_s / 3600, passed_s / 60 % 60, passed_s % 60, v->armed, s->fired);
	text_begin(t, TEXT_TITLE);
	text_last(t, text, t->columns);
	text_end(t, TEXT_TITLE);
	fputc('\n', t->out);
	for (int i = 0; i < COLUMNS; i++) {
		int pad = widths[i] - (int)text_width(columns[i].head);
		bool on_left = i == DEVICE || i == PROGRAM || i == LAST_MINUTE;

		if (widths[i])
			fprintf(t->out, "%*s%s%*s", on_left || pad < 0 ? 0 : pad, "",
				i == LAST_MINUTE && pad < 0 ? " last 60 s" : columns[i].head,
				on_left && pad > 0 ? pad : 0, "");
	}
	fputc('\n', t->out);
	most = LINES > BELOW + TITLES ? (size_t)(LINES - BELOW) : 1;
	from = at < most ? 0 : at - most + 1;
	s->chosen = n ? rows[at]->slot : 0;
	s->row = n ? TITLES + (int)(at - from) : -1;
	for (size_t i = from; i < n && i < from + most; i++)
		put_device(t, rows[i], v, widths);
	if (n > most)
		fprintf(t->out, "%zu of %zu devices\n", most, n);
	*text = '\0';
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++) {
		const struct watched *w = &v->w->devices.list[slot];
		bool has_line = !watched_is(w);

		for (size_t i = 0; i < s->n; i++)
			has_line |= s->lines[i].slot == slot && s->lines[i].polls.packets;
		if (!has_line)
			listed_add(text, sizeof(text), ", ", "%s", w->nd.name);
	}
	if (*text) {
		fputs("IDLE     ", t->out);
		text_last(t, text, t->columns - 9);
		fputc('\n', t->out);
	}
	if (s->help) {
		fputs(help_text, t->out);
		return;
	}
	put_queues(t, v);
	if (n)
		put_cost(t, v, rows[at]);
	for (size_t i = 0; i < SCREEN_EVENTS && *s->events[i]; i++) {
		fputs(i ? "         " : "EVENTS   ", t->out);
		text_last(t, s->events[i], t->columns - 9);
		fputc('\n', t->out);
	}
}

/* ---- the terminal ----------------------------------------------------------------------------------------------- */

enum screen_wish screen_key(struct screen *s)
{
	const struct watch_line *rows[WATCH_SLOTS];
	size_t n = screen_rows(s, rows), length = strlen(s->filter);
	int key = getch(), step = 0;

	if (key == ERR)
		return SCREEN_NOTHING;
	s->message[0] = '\0';
	if (s->typing || key == 27) {
		s->typing = s->typing && key != '\n' && key != KEY_ENTER && key != 27;
		if (key == 27 || ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length))
			s->filter[key == 27 ? 0 : length - 1] = '\0';
		else if (key > ' ' && key < 127 && length < sizeof(s->filter) - 1)
			s->filter[length] = (char)key; /* the rest is 0 */
		return SCREEN_DRAW;
	}
	step = key == KEY_DOWN || key == 'j' || key == '\t' ? 1 : key == KEY_UP || key == 'k' ? -1 : 0;
	if (n)
		s->chosen = rows[(chosen_row(s, rows, n) + n + (size_t)step) % n]->slot;
	s->paused ^= key == 'p' || key == ' ';
	s->help ^= key == '?' || key == 'h';
	s->order = (s->order + (key == 's')) % (sizeof(orders) / sizeof(*orders));
	if (key == '/') {
		memset(s->filter, 0, sizeof(s->filter));
		s->typing = true;
	} else if (key == 's') {
		snprintf(s->message, sizeof(s->message), "sorted by %s", orders[s->order]);
	}
	return key == 'q' ? SCREEN_QUIT : key == 'd' ? SCREEN_DUMP : SCREEN_DRAW;
}

void screen_draw(struct screen *s, const struct screen_view *v)
{
	const char *no_color = getenv("NO_COLOR");
	struct text t = {.colour = !(no_color && *no_color), .columns = COLS < TEXT_LEAST ? TEXT_LEAST : (size_t)COLS};
	size_t size;

	free(s->frame);
	s->frame = NULL;
	t.out = open_memstream(&s->frame, &size);
	if (!t.out)
		return;
	put_frame(s, &t, v);
	if (fclose(t.out))
		return;
	erase();
	/* The frame's lines within the terminal, with the styles that they have (text_begin()). */
	const char *at = s->frame;
	int row = 0;
	while (*at && row < LINES - 1) {
		size_t n = strcspn(at, "\033\n");
		attr_t chosen = row == s->row ? A_REVERSE : A_NORMAL;

		if (!strncmp(at, "\033[", 2)) {
			attrset(chosen | (at[2] == '1' ? A_BOLD : 0) | (at[3] == ';' ? COLOR_PAIR(1) : 0));
			at += strcspn(at, "m") + 1;
		} else if (*at == '\n') {
			move(++row, 0);
			attrset(row == s->row ? A_REVERSE : A_NORMAL);
			at++;
		} else {
			addnstr(at, (int)n);
			at += n;
		}
	}
	attrset(A_NORMAL);
	if (s->typing || *s->filter)
		mvprintw(LINES - 1, 0, "/%s%s", s->filter, s->typing ? "_" : "   Esc: all devices");
	else
		mvaddnstr(LINES - 1, 0, *s->message ? s->message : s->paused ? "paused   " KEYS : KEYS, COLS);
	redrawwin(stdscr); /* messages on standard error may stand there */
	refresh();
}
