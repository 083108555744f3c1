// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"

int trust_add(struct trust *trust, const struct quality *q, enum quality_gate first, enum quality_gate last,
	      const char *name)
{
	int err = 0;

	for (size_t i = 0; i < q->nrows && !err; i++) {
		const struct quality_rule *rule = quality_rule_find(q->rows[i].gate);

		struct quality one = {.rows = &q->rows[i], .nrows = 1};
		struct quality_row *added;

		if (!rule || rule < &quality_rules[first] || rule > &quality_rules[last])
			continue;
		err = quality_append(&trust->rows, &one, "");
		added = err ? NULL : &trust->rows.rows[trust->rows.nrows - 1];
		if (added && !*added->variant)
			snprintf(added->variant, sizeof(added->variant), "%s", name);
	}
	return err;
}

/* All rows of one gate. */
struct gate {
	const struct quality_row *worst; /* of those with the worst verdict, the one furthest beyond the limit */
	enum quality_verdict verdict;
	size_t failed;
};

static struct gate gather(const struct quality *q, size_t first)
{
	struct gate g = {&q->rows[first], quality_verdict(&q->rows[first]), 0};

	for (size_t i = first; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];
		enum quality_verdict verdict = quality_verdict(row);

		if (strcmp(row->gate, g.worst->gate))
			continue;
		g.failed += verdict == QUALITY_FAILS;
		/* A value that is not known is worse than any that is. */
		double value = row->value, than = g.worst->value;
		bool worse = isnan(value) || isnan(than) ? isnan(value) && !isnan(than)
			     : row->at_least             ? value < than
							 : value > than;
		if (verdict > g.verdict || (verdict == g.verdict && worse))
			g.worst = row;
		if (verdict > g.verdict)
			g.verdict = verdict;
	}
	return g;
}

/* The same in memory, to count the lines. NULL: no memory. */
static char *sentence_of(const struct text *t, const struct gate *g, size_t *lines)
{
	struct text to = *t;
	char *sentence = NULL;
	size_t size;

	to.out = open_memstream(&sentence, &size);
	if (!to.out)
		return NULL;
	/* "the CPU was only 71.6 % busy in drop/read-data@native and 3 others: ..." */
	const struct quality_row *row = g->worst;
	const struct quality_rule *rule = quality_rule_find(row->gate);
	char label[80], line[640], value[48], others[48] = "";
	const char *mark;
	snprintf(label, sizeof(label), "failed: %s:", row->gate);
	if (g->failed > 1)
		snprintf(others, sizeof(others), " and %zu other%s", g->failed - 1, g->failed == 2 ? "" : "s");
	mark = strchr(rule->found, '#');
	if (isnan(row->value))
		snprintf(line, sizeof(line), "not known");
	else if (mark)
		snprintf(line, sizeof(line), "%.*s%s%s", (int)(mark - rule->found), rule->found,
			 rule->is & COUNTS ? digits_count(row->value, value, sizeof(value))
					   : digits_interval(row->value, NAN, value, sizeof(value)),
			 mark + 1);
	else
		snprintf(line, sizeof(line), "%s", rule->found);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s%s; %s", *row->variant ? " in " : "",
		 row->variant, others, rule->consequence);
	text_labelled(&to, TEXT_BAD, label, line);
	if (fclose(to.out))
		return NULL;
	*lines = 0;
	for (size_t i = 0; i < size; i++)
		*lines += sentence[i] == '\n';
	return sentence;
}

void trust_list(const struct text *t, const struct quality *q, enum quality_verdict verdict, const char *label)
{
	char line[1024] = "";

	for (size_t i = 0; i < q->nrows; i++)
		if (quality_is_first(q, i) && gather(q, i).verdict == verdict)
			listed_add(line, sizeof(line), ", ", "%s", q->rows[i].gate);
	if (*line)
		text_labelled(t, TEXT_PLAIN, label, line);
}

int trust_render(const struct text *t, const struct trust *trust, size_t lines)
{
	const struct quality *q = &trust->rows;
	size_t used = 1; /* lines */
	char left_out[256] = "", label[24];

	static const struct {
		enum quality_verdict verdict;
		const char *words;
	} others[] = {
		{QUALITY_FAILS, "failed"}, {QUALITY_CANNOT_TELL, "inconclusive"}, {QUALITY_NOT_KNOWN, "not available"}};
	size_t n[QUALITY_VERDICTS] = {0};
	char line[200];
	int len;
	for (size_t i = 0; i < q->nrows; i++)
		if (quality_is_first(q, i))
			n[gather(q, i).verdict]++;
	len = snprintf(line, sizeof(line), "checks: %zu passed", n[QUALITY_HOLDS]);
	for (size_t i = 0; i < 3; i++)
		if (n[others[i].verdict])
			len += snprintf(line + len, sizeof(line) - (size_t)len, ", %zu %s", n[others[i].verdict],
					others[i].words);
	text_begin(t, n[QUALITY_FAILS] ? TEXT_BAD : TEXT_TITLE);
	text_wrap(t, 0, 0, line);
	text_end(t, n[QUALITY_FAILS] ? TEXT_BAD : TEXT_TITLE);
	for (size_t i = 0; i < q->nrows; i++) {
		struct gate g;
		size_t takes;
		char *sentence;

		if (!quality_is_first(q, i))
			continue;
		g = gather(q, i);
		sentence = g.verdict == QUALITY_FAILS ? sentence_of(t, &g, &takes) : NULL;
		if (g.verdict == QUALITY_FAILS && !sentence)
			return -ENOMEM;
		/* One line stays for the number of those that are left out. */
		if (sentence && !*left_out && used + takes < lines) {
			fputs(sentence, t->out);
			used += takes;
		} else if (sentence) {
			listed_add(left_out, sizeof(left_out) - 24, ", ", "%s", g.worst->gate);
		}
		free(sentence);
	}
	if (*left_out) {
		snprintf(label, sizeof(label), "failed%s:", used > 1 ? ", too" : "");
		strcat(left_out, "; --full shows more");
		text_labelled(t, TEXT_BAD, label, left_out);
	}
	if (lines == SIZE_MAX) {
		trust_list(t, q, QUALITY_CANNOT_TELL, "inconclusive:");
		trust_list(t, q, QUALITY_NOT_KNOWN, "not available:");
	}
	return 0;
}
