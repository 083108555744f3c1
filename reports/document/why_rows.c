// SPDX-License-Identifier: GPL-2.0-or-later
/* The first cause, what it rests on, and what would refute it. */
#include "reports/document/document.h"

static const struct column evidence_columns[] = {
	{"what", "what", CELL_WORDS, IN_JSON | IN_TABLE, FROM(why_evidence, what)},
	{"before", "before", CELL_NUMBER, IN_JSON},
	{"after", "after", CELL_NUMBER, IN_JSON},
	{"half", NULL, CELL_NUMBER, IN_JSON, FROM(why_evidence, half)},
	{"before_words", "before", CELL_WORDS, IN_JSON | IN_TABLE},
	{"after_words", "after", CELL_WORDS, IN_JSON | IN_TABLE},
	{"unit", "unit", CELL_WORDS, IN_JSON | IN_TABLE, FROM(why_evidence, unit)},
};

static const struct column ledger_columns[] = {
	{"hop", "", CELL_NAME, IN_JSON | IN_TABLE},
	{"of", "way", CELL_WORDS, IN_JSON | IN_TABLE, FROM(why_ledger, of)},
	{"in", "in", CELL_RATE, IN_JSON | IN_TABLE, FROM(why_ledger, in)},
	{"out", "out", CELL_RATE, IN_JSON | IN_TABLE, FROM(why_ledger, out)},
	{"dropped", "dropped", CELL_RATE, IN_JSON | IN_TABLE, FROM(why_ledger, lost)},
	{"waiting", "queue growth", CELL_RATE, IN_JSON | IN_TABLE, FROM(why_ledger, waiting)},
	{"unaccounted", "unaccounted", CELL_RATE, IN_JSON | IN_TABLE, FROM(why_ledger, rest)},
	{"counters", "counters", CELL_WORDS, IN_JSON | IN_WIDE, FROM(why_ledger, counters)},
};

static const struct column change_columns[] = {
	{"object", "of", CELL_NAME, IN_JSON | IN_TABLE},
	{"name", "setting", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST, FROM(why_change, name)},
	{"from", "was", CELL_WORDS, IN_JSON | IN_TABLE, FROM(why_change, from)},
	{"to", "is", CELL_WORDS, IN_JSON | IN_TABLE, FROM(why_change, to)},
	{"after_s", "earliest s", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(why_change, after_s), .decimals = 1},
	{"before_s", "latest s", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(why_change, before_s), .decimals = 1},
};

static const struct column sentence_columns[] = {{"", NULL, CELL_WORDS, IN_JSON}};

static const struct column why_columns[] = {
	{"device", "device", CELL_NAME, IN_JSON | IN_FACTS},
	{"before", "before", CELL_WORDS, IN_JSON | IN_FACTS},
	{"after", "after", CELL_WORDS, IN_JSON | IN_FACTS},
	{"seconds", NULL, CELL_RANGE, IN_JSON},
	{"sure", NULL, CELL_FLAG, IN_JSON},
	{"cause", "cause", CELL_NAME, IN_JSON | IN_FACTS},
	{"sentences", NULL, CELL_TABLE, IN_JSON},
	{"undo", "undo", CELL_WORDS, IN_JSON | IN_FACTS},
	{"refuted_by", "falsified if", CELL_WORDS, IN_JSON | IN_FACTS},
	{"drops", "Drops and full queues", CELL_TABLE, IN_JSON | IN_TABLE},
	{"consumer", "Consumer", CELL_TABLE, IN_JSON | IN_TABLE},
	{"state", "Consumer state", CELL_TABLE, IN_JSON | IN_TABLE},
	{"changes", "Configuration changes", CELL_TABLE, IN_JSON | IN_TABLE,
	 "each between the earliest and the latest time, in seconds since the event"},
	{"accounting", "Packet accounting after the event, packets", CELL_TABLE, IN_JSON | IN_TABLE,
	 "in = out + dropped + queue growth + unaccounted; - is not known, and part of unaccounted"},
};

static void evidence_rows(struct rows *parent, const struct why_verdict *v, const char *step)
{
	struct rows *r = rows_table(parent, step, evidence_columns, COUNT(evidence_columns));

	for (size_t i = 0; i < v->nevidence; i++) {
		const struct why_evidence *e = &v->evidence[i];
		char words[WHY_SIDES][32], half[48] = "";

		if (strcmp(e->step, step))
			continue;
		rows_add_of(r, e);
		for (int side = 0; side < WHY_SIDES; side++)
			digits_number(e->value[side], fabs(e->value[side]) < 100 ? 1 : 0, false, words[side],
				      sizeof(words[side]));
		if (!isnan(e->half))
			snprintf(half, sizeof(half), " (change ± %.1f)", e->half);
		rows_value(r, "before", e->value[WHY_BEFORE]);
		rows_value(r, "after", e->value[WHY_AFTER]);
		rows_words(r, "before_words", "%s", *e->words[0] ? e->words[0] : words[0]);
		rows_words(r, "after_words", "%s%s", *e->words[1] ? e->words[1] : words[1], half);
	}
}

int why_rows(struct rows *r, const struct why *w)
{
	const struct why_facts *f = &w->facts;
	const struct why_verdict *v = &w->verdict;
	struct rows *sentences, *changes, *ledger;

	rows_init(r, why_columns, COUNT(why_columns));
	rows_add(r);
	rows_text(r, "device", f->device);
	if (*f->about[0])
		rows_text(r, "before", f->about[0]);
	rows_text(r, "after", f->about[1]);
	rows_range(r, "seconds", f->seconds);
	rows_value(r, "sure", v->sure);
	rows_text(r, "cause", *v->cause ? v->cause : "inconclusive");
	if (*v->undo)
		rows_text(r, "undo", v->undo);
	if (*v->refuted_by)
		rows_text(r, "refuted_by", v->refuted_by);
	sentences = rows_table(r, "sentences", sentence_columns, COUNT(sentence_columns));
	for (size_t i = 0; i < 3 && *v->sentences[i]; i++) {
		rows_add(sentences);
		rows_text(sentences, "", v->sentences[i]);
	}
	evidence_rows(r, v, "drops");
	evidence_rows(r, v, "consumer");
	evidence_rows(r, v, "state");
	changes = rows_table(r, "changes", COLUMNS_OF(change_columns));
	for (size_t i = 0; i < f->nchanges; i++) {
		rows_add_of(changes, &f->changes[i]);
		rows_text(changes, "object", *f->changes[i].of ? f->changes[i].of : "the machine");
	}
	ledger = rows_table(r, "accounting", COLUMNS_OF(ledger_columns));
	for (size_t i = 0; i < f->nledger; i++) {
		rows_add_of(ledger, &f->ledger[i]);
		rows_text(ledger, "hop", why_hop_words[f->ledger[i].hop]);
	}
	return rows_error(r);
}
