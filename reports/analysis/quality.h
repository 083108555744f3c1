/*
 * quality - gates: can a measured number be trusted?
 *
 * in:    a value per gate, from analysis.h or compare.h; limits, from quality_rules[] or from the caller
 * out:   one row per gate and variant, in the order added, owned by the caller
 * units: the unit of each gate, in quality_rules[]
 * law:   three answers. A gate holds when its value is at most, or at least, the limit, and the whole interval of the
 *        value is too, where it has one. It fails when the value, or the whole interval, is beyond the limit. It cannot
 *        tell in all other cases. A value that is not known (NaN) does not fail where the rule has may_be_unknown,
 *        because some machines cannot report it; it does not hold either. The note of a row that fails contains the
 *        rule's advice
 * error: -ENOMEM, -EINVAL for limits that are not gates or not numbers
 */
#ifndef REPORTS_QUALITY_H
#define REPORTS_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"

enum quality_gate {
	/* of a variant */
	QUALITY_MODE,
	QUALITY_SATURATION,
	QUALITY_RATE,
	QUALITY_PLACEMENT,
	QUALITY_PACE,
	QUALITY_CPUS,
	QUALITY_OVERHEAD,
	QUALITY_LOST_SAMPLES,
	QUALITY_SAMPLED_BUSY,
	QUALITY_CLOSURE,
	QUALITY_IRQS_OFF,
	QUALITY_SHARES_ALIKE,
	QUALITY_TRACERS,
	QUALITY_CONSERVATION,
	QUALITY_STRAY,
	QUALITY_TOLD,
	QUALITY_TX_RETURNED,
	QUALITY_SECOND_STAGE,
	QUALITY_STAGE_DROPS,
	QUALITY_STAGE_PACE,
	QUALITY_STEAL,
	QUALITY_FREQUENCY,
	QUALITY_DRIFT,
	QUALITY_OUTLIERS,
	QUALITY_BLOCKS,
	/* of a run */
	QUALITY_ENDED,
	QUALITY_APART,
	/* of a comparison */
	QUALITY_PAIRS,
	QUALITY_SYMBOL_BLOCKS,
	QUALITY_BUSY_ALIKE,
	QUALITY_POLLS_ALIKE,
	QUALITY_REFUSED_ALIKE,
	QUALITY_PLACEMENT_ALIKE,
	QUALITY_SPEED_ALIKE,
	QUALITY_CPUS_ALIKE,
	QUALITY_FREQUENCY_ALIKE,
	QUALITY_EVENT_ALIKE,
	QUALITY_MACHINE_ALIKE,
	QUALITY_LOAD_ALIKE,
	QUALITY_SLABS_ALIKE,
	QUALITY_TRACERS_ALIKE,
	QUALITY_CLOSURE_ALIKE,
	QUALITY_GATES
};

struct quality_rule {
	const char *name, *unit;
	double limit;
	bool at_least; /* else at most */
	bool may_be_unknown;
	bool telling;       /* print the note even when the gate holds */
	const char *advice; /* what to do when the gate fails, one clause */
	/* For readers who do not know the gate: what was found ('#' stands for the value), and what follows from it. */
	const char *found, *consequence;
	bool counts; /* the value is a number of things, printed without decimals */
};
extern const struct quality_rule quality_rules[QUALITY_GATES];
/* NULL: no gate has that name. */
const struct quality_rule *quality_rule_find(const char *gate);

/* All zero: the limits of quality_rules[]. */
struct quality_limits {
	bool given[QUALITY_GATES];
	double limit[QUALITY_GATES];
};
int quality_limits_parse(struct quality_limits *l, const char *text, struct diag *d); /* "overhead=5" */
/*
 * Sets the limits that follow from others, unless they were given: that of overhead from budget_pct, which sampling was
 * allowed to take (-1: not known), and those of closure, in which overhead and missing samples add up.
 */
void quality_limits_derive(struct quality_limits *l, double budget_pct);
double quality_limit(const struct quality_limits *l, enum quality_gate gate);

struct quality_row {
	const char *gate, *unit;
	char variant[RUN_ID_BYTES]; /* "" for a run or a comparison */
	const char *side;           /* "base " or "new " where both sides of a comparison have that name, else "" */
	double value, limit;        /* value NaN: not known */
	double half;                /* of the value's interval; NaN: it has none */
	bool at_least, ok;          /* ok: it does not fail */
	bool open;                  /* ok, and cannot tell: its interval reaches over the limit, or is not known */
	bool tell;                  /* print the note for people even when ok */
	char note[400];
};

/*
 * QUALITY_CANNOT_TELL: the limit is within the interval of the value, or the row was left open
 * QUALITY_NOT_KNOWN:   there is no value, and the rule allows that
 */
enum quality_verdict { QUALITY_HOLDS, QUALITY_NOT_KNOWN, QUALITY_CANNOT_TELL, QUALITY_FAILS };
#define QUALITY_VERDICTS (QUALITY_FAILS + 1)

struct quality {
	struct quality_row *rows;
	size_t nrows;
};

/* Adds one row. note (printf-style, may be "") describes what was found. 0 or -ENOMEM. */
int quality_add(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		double value, const char *note, ...) __attribute__((format(printf, 6, 7)));
/* Adds one row whose value nobody can know here: it does not fail, whatever the rule says. */
int quality_add_unknown(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant);
/* Marks the row added last as "cannot tell", although its value is within the limit. The note of the row says why. */
void quality_leave_open(struct quality *q);
/*
 * Adds one row for a value with the interval value +- half. NaN: the interval is not known, so a value within the
 * limit cannot tell, and one beyond the limit fails. note: see quality_add()
 */
int quality_add_spread(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		       double value, double half);
/* Words about what was found, before the note of the row added last. */
void quality_explain(struct quality *q, const char *words);
const char *quality_verdict_name(enum quality_verdict verdict); /* "holds" "not known" "cannot tell" "fails" */
/* Appends copies of the rows of `from`. */
int quality_append(struct quality *q, const struct quality *from, const char *side);
enum quality_verdict quality_verdict(const struct quality_row *row);
size_t quality_failed(const struct quality *q);
/* Appends "saturation of drop/no-touch@native, ..." to text, which has room for size bytes; what is more is cut off. */
void quality_name_failed(const struct quality *q, char *text, size_t size);
/* Is it the first row of its gate? */
bool quality_is_first(const struct quality *q, size_t row);
void quality_release(struct quality *q);

#endif
