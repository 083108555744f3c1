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
 * error: -ENOMEM, sticky; -EINVAL for limits that are not gates or not numbers
 */
#ifndef REPORTS_QUALITY_H
#define REPORTS_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"

#define GATE(gate, ...) QUALITY_##gate,
enum quality_gate {
#include "reports/analysis/quality_rules.def"
	QUALITY_GATES
};
#undef GATE

/* What a gate is like. TELLING: its note is printed even when it holds. COUNTS: its value is a number of things. */
enum { AT_LEAST = 1, MAY_BE_UNKNOWN = 2, TELLING = 4, COUNTS = 8 };

struct quality_rule {
	const char *name, *unit;
	double limit;
	unsigned int is;    /* AT_LEAST (else at most), ... */
	const char *advice; /* what to do when the gate fails, one clause */
	/* For readers who do not know the gate: what was found ('#' stands for the value), and what follows from it. */
	const char *found, *consequence;
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
	int err; /* sticky: -ENOMEM; what is added behind it is dropped */
};

/* These add one row, and return err. note (printf-style, may be "") describes what was found. */
int quality_add(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		double value, const char *note, ...) __attribute__((format(printf, 6, 7)));
/* A value that nobody can know here: it does not fail, whatever the rule says. */
int quality_add_unknown(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant);
/*
 * A value with the interval value +- half. NaN: the interval is not known, so a value within the limit cannot tell, and
 * one beyond the limit fails.
 */
int quality_add_spread(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		       double value, double half);
/* The row added last is "cannot tell", although its value is within the limit; words before its note. */
void quality_leave_open(struct quality *q);
void quality_explain(struct quality *q, const char *words);
/* Copies of the rows of `from`. */
int quality_append(struct quality *q, const struct quality *from, const char *side);
const char *quality_verdict_name(enum quality_verdict verdict); /* "holds" "not known" "cannot tell" "fails" */
enum quality_verdict quality_verdict(const struct quality_row *row);
size_t quality_failed(const struct quality *q);
/* Appends "saturation of drop/no-touch@native, ..." to text, which has room for size bytes; what is more is cut off. */
void quality_name_failed(const struct quality *q, char *text, size_t size);
/* Is it the first row of its gate? */
bool quality_is_first(const struct quality *q, size_t row);
void quality_release(struct quality *q);

#endif
