/* why_walk - what the files of this folder share: readers of facts, and the walk; nobody else includes this */
#ifndef REPORTS_WHY_WALK_H
#define REPORTS_WHY_WALK_H

#include "reports/why/why.h"

/* ---- readers: facts are added to those that are there. The sides and states of moment.json; NULL: not known */

struct why_moments {
	const json_t *side[WHY_SIDES], *state[WHY_SIDES];
};

/* An amount of one side; NaN: not known. What did not grow is not in the object. */
double why_amount(const json_t *side, const char *of, const char *name);
enum why_hop why_hop_of_queue(const char *kind); /* by its word in moment.json */
int why_read_ledger(struct why_facts *f, const json_t *side);
int why_read_moments(struct why_facts *f, const struct why_moments *m);
int why_add_change(struct why_facts *f, const char *of, const char *name, const char *from, const char *to);
/* The same for values of JSON, of each member that json_differences() finds. */
int why_add_difference(void *facts, const char *of, const char *name, json_t *from, json_t *to);

/* ---- the walk */

#define CLEARLY 3.0 /* so many times as much as before is more */

/* What can be seen. */
enum {
	COST = 0x01,  /* packets are dearer, or cheaper */
	LOSS = 0x02,  /* at the device: a ring that is full, or frames lost */
	FEWER = 0x04, /* packets that arrive */
	MOVED = 0x08, /* to another queue */
	POLLS = 0x10, /* more or fewer packets in each poll */
	STACK = 0x20, /* lost on the way through IP */
	QDISC = 0x40, /* lost at a qdisc */
	READ = 0x80,  /* lost at a socket */
	ALL = 0xff,
	TAP = 0x100,  /* a packet socket that is full */
	STEP = 0x200, /* nothing of these; but a counter says that packets take a step more */
};

struct walk {
	const struct why_facts *f;
	struct why_verdict *v;
	size_t nsentences;
	unsigned int seen;
	bool dearer, cheaper, more, busy;
	const struct why_loss *loss;
	const struct why_queue *full;
	const struct why_ledger *open;
	const struct why_task *reader; /* of the queue that is full; NULL: not known */
	enum why_hop hop;              /* of the first of these; WHY_HOPS: there is none */
};

/* why_words.c */
__attribute__((format(printf, 2, 3))) void say(struct walk *w, const char *fmt, ...);
const char *known(char words[24], int decimals, double value); /* "12", or "not known" */
__attribute__((format(printf, 5, 6))) struct why_evidence *show(struct walk *w, const char *step, const char *unit,
								const double value[WHY_SIDES], const char *fmt, ...);
__attribute__((format(printf, 3, 4))) void conclude(struct walk *w, const char *cause, const char *fmt, ...);

/* why_acts.c */
bool why_takes_step(const struct why_facts *f, const struct why_change *c); /* each packet, since this change */
/* Does the reader's CPU take the packets up now, which others did before? */
bool came_to_reader(const struct walk *w);
void show_changes(struct walk *w);
bool judge_changes(struct walk *w); /* true: a change is the cause, or several may be */

#endif
