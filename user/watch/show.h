/*
 * show - what a watch tells, and whom: people, programs, a terminal, Prometheus, triggers, and who asks for a dump
 *
 * in:    struct watch_line (watch.h), flight_costs (flight.h), queue_seen (queues.h)
 * units: in the names; NaN, null: not known
 * law:   every number of the text is in the object. Triggers judge the object, and the screen shows the text
 * error: -errno, with one sentence where there is a diag
 */
#ifndef USER_WATCH_SHOW_H
#define USER_WATCH_SHOW_H

#include <jansson.h>
#include "user/watch/flight.h"
#include "user/watch/queues.h"
#include "user/watch/watch.h"

/* show.c: text of at most 80 columns but for names; objects, which the caller owns. NULL: no memory */

#define WATCH_SCHEMA           "xdpzoom.watch/1"
#define WATCH_FUNCTIONS_SCHEMA "xdpzoom.watch-functions/1"
#define WATCH_QUEUES_SCHEMA    "xdpzoom.watch-queues/1"

#define SHOW_HEAD "   time device            packets/s        ns/packet pk/poll empty  full   busy\n"

const char *show_device(const struct watch_line *line);
void show_programs(FILE *out, const struct watch_line *line);
void show_line(FILE *out, const struct watch_line *line);
json_t *show_line_object(const struct watch_line *line);
/* What a packet of a device costs by facility; most: how many facilities the text has. */
void show_functions(FILE *out, const char *device, const struct flight_costs *costs, size_t most);
json_t *show_functions_object(const char *device, const struct flight_costs *costs, double time_s);
/* "xzrx ring 0", "udp socket at port 9", "cpumap 12 on CPU 1" */
void show_queue_name(const struct queue_seen *s, char *to, size_t size);
/* Queues that held something, and, where all is true, those that nothing is known of. */
void show_queues(FILE *out, const struct queue_seen *list, size_t n, const struct queue_looks *looks, bool all);
json_t *show_queues_object(const struct queue_seen *list, size_t n, const struct queue_looks *looks, double time_s,
			   double seconds);
int show_put(FILE *out, json_t *o); /* a line of JSON Lines; the caller keeps o */

/* screen.c: the text on a terminal, refreshed in place */

struct screen {
	bool on, paused;
	void *terminal;
	struct {
		unsigned int slot;
		char *text;
	} devices[WATCH_SLOTS]; /* of this interval */
	size_t n;
	unsigned int chosen; /* a slot; 0: the first device */
	char message[200];   /* on the last line until the next key */
};

enum screen_wish { SCREEN_NOTHING, SCREEN_QUIT, SCREEN_DUMP, SCREEN_DRAW };

bool screen_open(struct screen *s);  /* false: ncurses does not know this terminal */
void screen_begin(struct screen *s); /* of an interval's lines; while it is paused, those of before stay */
void screen_line(struct screen *s, const struct watch_line *line);
enum screen_wish screen_key(struct screen *s);
void screen_draw(struct screen *s, const char *below); /* below: what stands below the devices */
void screen_close(struct screen *s);                   /* gives the terminal back; may be called twice */

/* metrics.c: OpenMetrics, in a file that is replaced as a whole, and at http://127.0.0.1:port/metrics */

struct metrics;

/* where: a port, or a file; NULL: *m is NULL, and the others do nothing with that. */
int metrics_open(struct metrics **m, const char *where, struct diag *d);
int metrics_add(struct metrics *m, const struct watch_line *line);
/* In a thread of its own, with the capabilities that the process has then. */
int metrics_serve(struct metrics *m, struct diag *d);
/* After each interval. unwatched: devices that there is no room for. */
int metrics_publish(struct metrics *m, size_t unwatched, struct diag *d);
void metrics_close(struct metrics *m);

/* triggers.c */

#define TRIGGERS_MAX   16
#define TRIGGERS_KEEP  100
#define TRIGGER_FAR    4 /* times the scatter: what is learnt to be unusual */
#define TRIGGER_LEARN  300
#define TRIGGER_ENOUGH 30

enum trigger_measure {
	TRIGGER_LOSSES,
	TRIGGER_SQUEEZED,
	TRIGGER_BACKLOG_DROPS,
	TRIGGER_PPS,
	TRIGGER_NS,
	TRIGGER_PER_POLL,
	TRIGGER_EMPTY_PCT,
	TRIGGER_FULL_PCT,
	TRIGGER_BUSY_PCT,
	TRIGGER_QUEUE_PCT,
	TRIGGER_PROGRAMS, /* 1 in an interval in which the device's programs came or went */
	TRIGGER_MEASURES
};

enum trigger_kind { TRIGGER_NUMBER, TRIGGER_PERCENT, TRIGGER_LEARNT };

struct trigger {
	char name[32];
	enum trigger_measure measure;
	enum trigger_kind kind;
	bool below;
	double threshold, for_s;
	double held_s[WATCH_SLOTS]; /* how long it has been true by now */
	bool fired[WATCH_SLOTS];
};

/* What one device did in one interval. */
struct trigger_values {
	unsigned int slot;
	uint64_t since_ns; /* since when the device has the slot; of one before nothing is known */
	double seconds, values[TRIGGER_MEASURES];
};

struct triggers {
	struct trigger list[TRIGGERS_MAX];
	size_t n;
	double pause_s; /* no trigger makes a dump so soon after another one */
	int keep;       /* how many dumps of triggers are kept */
	struct trigger_past *past[WATCH_SLOTS];
};

/*
 * A line of the file for each trigger: NAME MEASURE > THRESHOLD [for TIME], or <. "#" begins a comment. THRESHOLD is a
 * number, "N%" of what is usual, or "learnt". "pause TIME", "keep N". path NULL: the triggers of default_text.
 */
int triggers_read(struct triggers *t, const char *path, struct diag *d);
/*
 * The first trigger that came true: its condition has held for its time, and was false before; NULL: none. words: the
 * condition with its numbers. What is usual is the median of the last TRIGGER_LEARN intervals, for ns_per_packet of
 * those with as many packets per poll, to an octave; while fewer than TRIGGER_ENOUGH are known, nothing is unusual.
 * What holds a trigger true is not learnt. Scatter is 1.4826 times the median absolute deviation: seconds of a shared
 * machine have heavy tails.
 */
const struct trigger *triggers_judge(struct triggers *t, const struct trigger_values *v, char *words, size_t size);
/* The same for an object of show_line_object() of the device that has this slot since then. */
const struct trigger *triggers_object(struct triggers *t, const json_t *o, unsigned int slot, uint64_t since_ns,
				      char *words, size_t size);
/* For a file of such objects, a line each: prints which came true, and counts them. */
int triggers_replay(struct triggers *t, const char *path, unsigned long *count, struct diag *d);
void triggers_release(struct triggers *t); /* may be called twice */

/* ask.c: a dump is asked for by SIGUSR2, or over a socket without a file, which one watch of a namespace has */

struct ask_request {
	double after_s; /* go on for so long before the dump */
	char dir[4096]; /* "": the watch chooses */
};

struct ask {
	int listen_fd, client_fd; /* -1: none; the client waits for an answer */
};

/* In the namespace where others will ask. A process of another user, root aside, is neither heard nor believed. */
int ask_listen(struct ask *a, struct diag *d);
/* Returns whether somebody asked, without waiting. A signal's request has no directory and the default time. */
bool ask_next(struct ask *a, double default_after_s, struct ask_request *r);
void ask_answer(struct ask *a, int err, const char *sentence);
void ask_release(struct ask *a); /* may be called twice */
/* For another process: waits for the answer, which is put into d. -ESRCH: no watch listens; or what it failed with */
int ask_dump(const struct ask_request *r, struct diag *d);
/* "READY=1", "WATCHDOG=1", as sd_notify(3) has it. Without NOTIFY_SOCKET nothing is done. */
void ask_notify(const char *words);

#endif
