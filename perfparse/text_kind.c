// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

static bool text_kind_holds(const char *s, size_t len, const char *text)
{
	return memmem(s, len, text, strlen(text));
}

/*
 * A word that is an event's name: of perf's own, with a PMU, a subsystem or a vendor's. Numbers and words stand in the
 * texts of most tools: "4000000 packets captured", "0 error/s", "7.94 bulk-avg".
 */
static bool is_event_word(const struct span *w)
{
	static const char *const names[] = {"cycles",     "instructions", "branches", "faults",
					    "migrations", "cs",           "slots"};
	static const char *const parts[] = {"rx_", "tx_", "packet", "pkt", "byte", "bulk-", "/s"};
	const char *colon = memchr(w->s, ':', w->len);
	struct span name = {w->s, colon ? (size_t)(colon - w->s) : w->len};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_is(&name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (text_kind_holds(w->s, w->len, parts[i]))
			return false;
	if (!w->len || !isalpha((unsigned char)*w->s) || !isalnum((unsigned char)w->s[w->len - 1]))
		return w->len > 2 && isalpha((unsigned char)*w->s) && w->s[w->len - 1] == '/' &&
		       memchr(w->s, '/', w->len - 1);
	return (colon && colon + 1 < w->s + w->len) || memchr(w->s, '-', w->len) || memchr(w->s, '_', w->len) ||
	       memchr(w->s, '.', w->len) || memchr(w->s, '/', w->len) ||
	       (w->len > 1 && *w->s == 'r' && strspn(w->s + 1, "0123456789abcdef") >= w->len - 1);
}

/* A count and an event: a line pasted from perf stat, unless another line of the text decides. */
static bool is_stat_count(const char *s, size_t len)
{
	struct perfstat_line l;
	const char *end = s + len;
	struct span word;

	perfstat_line_init(&l);
	s = span_skip_blanks(s, end);
	if (s == end || !perfstat_line_read_text(&l, s, (size_t)(end - s), NULL) ||
	    !(*s == '<' || isdigit((unsigned char)*s) || l.count.place[0]))
		return false;
	while (span_next_word(&s, end, &word) && *word.s != '#')
		if (is_event_word(&word))
			return true;
	return false;
}

/* How sure a line has to be: the first line of the text decides that any pass knows. */
enum pass { DECISIVE, WEAK, FOLDED };

static enum text_kind kind_of_line(const char *s, size_t len, enum pass pass)
{
	const char *end = s + len, *from = s;
	struct report_columns columns;
	struct report_cells cells;
	struct script_header h;
	struct script_frame f;
	struct perfstat_line l;
	size_t n;

	while (from < end && *from == '\t') /* a table in a mail may be indented */
		from++;
	n = (size_t)(end - from);
	if (pass == FOLDED)
		return folded_is_line(s, len) ? TEXT_FOLDED : TEXT_UNKNOWN;
	if (pass == WEAK)
		return report_columns_read_unmarked(from, n, true, &cells) ? TEXT_REPORT
		       : is_stat_count(s, len)                             ? TEXT_STAT
									   : TEXT_UNKNOWN;
	if (text_kind_holds(s, len, "Source code & Disassembly of"))
		return TEXT_ANNOTATE;
	if (text_kind_holds(s, len, "Performance counter stats for") || text_kind_holds(s, len, "\"counter-value\"") ||
	    text_kind_holds(s, len, "\"event\"") || text_kind_holds(s, len, "\"run_cnt\""))
		return TEXT_STAT;
	if (difftext_is_line(s, len))
		return TEXT_DIFF;
	if (n && text_kind_holds(from, n, "Samples: ") && text_kind_holds(from, n, " of event"))
		return TEXT_REPORT;
	report_columns_guess(&columns, 0);
	if (n && report_columns_read_row(&columns, from, n, 0, &cells))
		return TEXT_REPORT;
	/* "Overhead  Symbol". Hierarchies match too, so that report_read() can explain why it refuses them. */
	while (from < end && (*from == '#' || *from == ' '))
		from++;
	n = (size_t)(end - from);
	if ((n > 16 && !memcmp(from, "Symbol ", 7) && text_kind_holds(from, n, " Overhead ")) ||
	    (n > 9 && (!memcmp(from, "Overhead ", 9) || !memcmp(from, "Children ", 9))))
		return TEXT_REPORT;
	if (script_parse_header(&h, s, len) && (h.has_time || h.tid >= 0))
		return TEXT_SCRIPT;
	if (*s == '\t' && len > 17 && script_parse_frame(&f, s, len, true))
		return TEXT_SCRIPT;
	/* perf stat -x. A line with a number that the reader refuses comes from perf stat too. */
	from = span_skip_blanks(s, end);
	perfstat_line_init(&l);
	return perfstat_line_read_fields(&l, from, (size_t)(end - from), 0, NULL) ? TEXT_STAT : TEXT_UNKNOWN;
}

enum text_kind text_kind_guess(const char *text, size_t len)
{
	static const char head[] = "Percent";
	enum text_kind kind = TEXT_UNKNOWN;
	const char *end = text + len, *nl;

	/* perf annotate --stdio2, and its browser: above the shares stands "Percent". */
	for (const char *at = text; (at = memmem(at, (size_t)(end - at), head, sizeof(head) - 1)) != NULL;) {
		bool begins = at == text || at[-1] == '\n';

		at += sizeof(head) - 1;
		while (at < end && (*at == ' ' || *at == '\r'))
			at++;
		if (begins && (at == end || *at == '\n' || (end - at > 3 && !memcmp(at, "\xe2\x94\x82", 3))))
			return TEXT_ANNOTATE;
	}
	for (enum pass pass = DECISIVE; pass <= FOLDED; pass++)
		for (const char *s = text; s < end && kind == TEXT_UNKNOWN; s = nl + 1) {
			nl = memchr(s, '\n', (size_t)(end - s));
			if (!nl)
				nl = end;
			len = (size_t)(nl - s);
			while (len && s[len - 1] == '\r')
				len--;
			if (len)
				kind = kind_of_line(s, len, pass);
		}
	return kind;
}

const char *text_kind_foreign(const char *text, size_t len)
{
	static const struct {
		const char *mark, *what;
	} foreign[] = {
		{"Cmdline: simpleperf",
		 "this is simpleperf's report; give its samples as folded stacks, which its script "
		 "stackcollapse.py prints"},
		{"\"linux-perf-json-version\"",
		 "this is perf data convert's JSON, which has no periods; run perf script"},
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (text_kind_holds(text, len, foreign[i].mark))
			return foreign[i].what;
	return NULL;
}

int text_read_profile(struct profile *p, enum text_kind kind, struct linescan *lines, const struct text_pick *pick,
		      struct diag *d)
{
	const struct script_filter script = {.cpu = pick->cpu, .tid = pick->tid, .event = pick->event};

	switch (kind) {
	case TEXT_SCRIPT:
		return script_read_lines(p, lines, &script, d);
	case TEXT_FOLDED:
		return folded_read(p, lines, d);
	default:
		return report_read(p, lines, pick, d);
	}
}
