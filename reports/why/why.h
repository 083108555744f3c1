/* why.h - the root cause of what happened to a device's packets, from facts */
#ifndef REPORTS_WHY_WHY_H
#define REPORTS_WHY_WHY_H

#include "base/base.h"
#include "reports/compare/compare.h"

/*
 * why - the first cause of what became of a device's packets between two times: a walk from what is lost or full, to
 * who takes it up, to what that one did, to what somebody changed
 *
 * units: in the names; [0]: before, [1]: after. NaN: not known
 * law:   what no counter tells is not known, and never zero. A verdict is sure only if something was seen that the
 *        named cause explains, and nothing else that was seen explains it, too. All else is "inconclusive"
 */

enum { WHY_BEFORE, WHY_AFTER, WHY_SIDES };

/* Where a packet can be lost or wait, in the order of its way. */
enum why_hop { WHY_DEVICE, WHY_BACKLOG, WHY_IP, WHY_SOCKET, WHY_REDIRECT, WHY_QDISC, WHY_HOPS };
extern const char *const why_hop_words[WHY_HOPS];

struct why_loss {
	enum why_hop hop;
	char name[96], meaning[64];
	double per_s[WHY_SIDES];
};

/* in = out + lost + change of what waits, of the after side. */
struct why_ledger {
	enum why_hop hop;
	char of[64], counters[160]; /* which counters were used */
	/* NaN: not known; what is lost or waits is in the rest then. most_rest: how far a rest of rounding goes */
	double in, out, lost, waiting, rest, most_rest;
};

struct why_queue {
	enum why_hop hop;
	char name[64], unit[16], not_known[96], tap[16]; /* tap: the device whose reader it waits for, or "" */
	int64_t socket, map, number;                     /* -1: none */
	double size[WHY_SIDES], p50[WHY_SIDES], p99[WHY_SIDES], full_pct[WHY_SIDES], near_pct[WHY_SIDES],
		wait_us[WHY_SIDES];
};

struct why_task {
	char name[96], role[16], state[WHY_SIDES][4], affinity[WHY_SIDES][64], group[64];
	bool there[WHY_SIDES];
	int cpu;
	int64_t sockets[64];
	char taps[8][16];
	size_t nsockets, ntaps;
	double on_cpu_pct[WHY_SIDES], waited_pct[WHY_SIDES], throttled_pct[WHY_SIDES], quota[WHY_SIDES];
};

struct why_cpu {
	int cpu;
	double packets_pct[WHY_SIDES]; /* of the device's */
	double user_pct[WHY_SIDES], system_pct[WHY_SIDES], irq_pct[WHY_SIDES], idle_pct[WHY_SIDES],
		steal_pct[WHY_SIDES];
};

struct why_queue_share { /* of the packets of the device */
	int queue;
	double pct[WHY_SIDES];
};

struct why_change {
	char of[64], name[96], from[96], to[96];
	double after_s, before_s; /* it came between both, since the moment; NaN: between two runs */
};

struct why_component {
	char name[64];
	double ns[WHY_SIDES], delta_ns, half_ns; /* half_ns: 99.5 % */
	bool slower, faster;                     /* beyond it */
};

struct why_facts {
	char device[32], about[WHY_SIDES][RUN_ID_BYTES]; /* what both sides are called */
	bool two_sides, two_runs;                        /* two_runs: of two recordings, and not of one dump */
	bool rig;                                        /* the load was ours, so that its rate says nothing */
	double seconds[WHY_SIDES];
	double pps[WHY_SIDES], pps_p;
	double ns[WHY_SIDES], delta_ns, half_ns; /* half_ns: 99.5 % */
	double busy_pct[WHY_SIDES], per_poll[WHY_SIDES], full_pct[WHY_SIDES], squeezed_per_s[WHY_SIDES];
	/* Packets that IP received, that were queued for a CPU, and that statistics of BPF programs counted. */
	double ip_per_s[WHY_SIDES], queued_per_s[WHY_SIDES], counted_per_s[WHY_SIDES];
	double xdp_per_s[WHY_SIDES]; /* that the driver counts as dropped, sent or redirected by XDP */
	struct why_loss *losses;
	struct why_ledger *ledger;
	struct why_queue *queues;
	struct why_task *tasks;
	struct why_cpu *cpus;
	struct why_queue_share *queue_shares;
	struct why_change *changes;
	struct why_component *components;
	size_t nlosses, nledger, nqueues, ntasks, ncpus, nqueue_shares, nchanges, ncomponents;
	bool state_known, samples_known; /* the machine's settings were read; functions were sampled */
};

#define WHY_EVIDENCE 40

struct why_evidence {
	const char *step; /* "drops", "consumer" or "state" (of the consumer): a table of the answer */
	char what[160];
	double value[WHY_SIDES], half; /* half: of the difference */
	char words[WHY_SIDES][96];     /* instead of numbers */
	char unit[32];
};

struct why_verdict {
	bool sure, nothing; /* nothing: no difference was found that asks for a cause */
	char cause[48];     /* a word for programs: "program", "reader-stopped"; "": not known */
	char sentences[3][400];
	char refuted_by[400], undo[400]; /* undo: the command that undoes the change that is the cause, or "" */
	struct why_evidence evidence[WHY_EVIDENCE];
	size_t nevidence;
};

/* Both sides of a comparison; of one side alone, `one` instead. before, after: what event.json holds, or NULL. */
struct why_sources {
	const struct compare *compare;
	const struct analysis_variant *one;
	bool silent;                  /* it is what was before the moment, and nothing was polled after it */
	const json_t *before, *after; /* the same for both parts of one dump */
};

int why_read(struct why_facts *f, const struct why_sources *s);
void why_judge(const struct why_facts *f, struct why_verdict *v);
void why_release(struct why_facts *f); /* may be called twice */

struct why {
	struct why_facts facts;
	struct why_verdict verdict;
	const struct run *runs[WHY_SIDES]; /* the second one NULL: both sides are of one */
};

/* DIR/event.json; *moment NULL: there is none. To be released by json_decref(). */
int why_load(json_t **moment, const char *dir, struct diag *d);

/* why_walk - what the files of this folder share: readers of facts, and the walk; nobody else includes this */

/* ---- readers: facts are added to those that are there. The sides and states of event.json; NULL: not known */

struct why_moments {
	const json_t *side[WHY_SIDES], *state[WHY_SIDES];
};

/* An amount of one side; NaN: not known. What did not grow is not in the object. */
double why_amount(const json_t *side, const char *of, const char *name);
enum why_hop why_hop_of_queue(const char *kind); /* by its word in event.json */
int why_read_ledger(struct why_facts *f, const json_t *side);
int why_read_moments(struct why_facts *f, const struct why_moments *m);
int why_add_change(struct why_facts *f, const char *of, const char *name, const char *from, const char *to);
/* The same for values of JSON, of each member that json_differences() finds. */
int why_add_difference(void *facts, const char *of, const char *name, json_t *from, json_t *to);

/* ---- the walk */

#define CLEARLY 3.0 /* so many times as much as before is more */

enum {
	COST = 0x01,  /* packets are slower, or faster */
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
	bool slower, faster, more, busy;
	const struct why_loss *loss;
	const struct why_queue *full;
	const struct why_ledger *open;
	const struct why_task *reader; /* of the queue that is full; NULL: not known */
	enum why_hop hop;              /* of the first of these; WHY_HOPS: there is none */
};

/* why_words.c */
__attribute__((format(printf, 2, 3))) void say(struct walk *w, const char *fmt, ...);
const char *why_known(char words[24], int decimals, double value); /* "12", or "not known" */
__attribute__((format(printf, 5, 6))) struct why_evidence *show(struct walk *w, const char *step, const char *unit,
								const double value[WHY_SIDES], const char *fmt, ...);
__attribute__((format(printf, 3, 4))) void conclude(struct walk *w, const char *cause, const char *fmt, ...);

/* why_acts.c */
bool why_takes_step(const struct why_facts *f, const struct why_change *c); /* each packet, since this change */
/* Does the reader's CPU take the packets up now, which others did before? */
bool came_to_reader(const struct walk *w);
bool judge_changes(struct walk *w); /* true: a change is the cause, or several may be */

/* why_undo.c: v->undo of a change, and of what was done to a task or control group (name), which was `from` before */
void undo_change(struct why_verdict *v, const struct why_change *c);
void undo_task(struct why_verdict *v, const char *name, const char *command, const char *from);

#endif
