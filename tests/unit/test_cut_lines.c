// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the readers of perf's lines make of lines that are cut off, that lack a character, or have another one in its
 * place, byte for byte as kept in tests/golden/cut/. After a change that is meant: UPDATE=1 build/tests/unit/
 * test_cut_lines, and read the difference. Neighbours with the same result share a line.
 */
#include <inttypes.h>
#include "perfparse/perfparse.h"
#include "tests/unit/kept.h"

/* Describes what a reader makes of a line. */
typedef void read_line(const char *line, size_t len, FILE *out);

static void put_stat(int got, const struct perfstat_line *l, const struct diag *d, FILE *out)
{
	const struct perfstat_count *c = &l->count;

	if (got < 0)
		fprintf(out, "refused: %s", d->text);
	else if (!got)
		fputs("no count", out);
	else
		fprintf(out, "%s|%s|%s|%s|%s|%s|state %d value %g ±%g running %g of %g ns metric %g %s at %g", c->place,
			c->event, c->pmu, c->name, c->modifiers, c->unit, c->state, c->value, c->variance_pct,
			c->running_pct, c->runtime_ns, c->metric, c->metric_unit, l->interval_s);
}

static void stat_text(const char *line, size_t len, FILE *out)
{
	struct perfstat_line l;
	struct diag d = {""};

	perfstat_line_init(&l);
	put_stat(perfstat_line_read_text(&l, line, len, &d), &l, &d, out);
}

static void stat_fields(const char *line, size_t len, FILE *out)
{
	struct perfstat_line l;
	struct diag d = {""};

	perfstat_line_init(&l);
	put_stat(perfstat_line_read_fields(&l, line, len, 0, &d), &l, &d, out);
}

static void stat_json(const char *line, size_t len, FILE *out)
{
	struct perfstat_line l;
	struct diag d = {""};

	perfstat_line_init(&l);
	put_stat(perfstat_line_read_json(&l, line, len, &d), &l, &d, out);
}

static void script_header(const char *line, size_t len, FILE *out)
{
	struct script_header h = {0};

	if (!script_parse_header(&h, line, len)) {
		fputs("no header", out);
		return;
	}
	fprintf(out, "task %d CPU %d", h.tid, h.cpu);
	if (h.has_time)
		fprintf(out, " at %" PRIu64, h.time_ns);
	if (h.has_period)
		fprintf(out, " period %g", h.period);
	if (h.event)
		fprintf(out, " event %.*s", (int)h.event_len, h.event);
	fprintf(out, " rest '%.*s'", (int)h.rest_len, h.rest_len ? h.rest : "");
}

static void script_frame(const char *line, size_t len, FILE *out)
{
	struct script_frame f;
	const char *tail;
	size_t tail_len;
	uint8_t salt;

	for (int strict = 0; strict < 2; strict++)
		if (script_parse_frame(&f, line, len, strict))
			fprintf(out, "%s%.*s of '%.*s' space %d; ", strict ? "strict " : "", (int)f.name_len, f.name,
				(int)f.dso_len, f.dso, f.space);
		else
			fprintf(out, "%sno frame; ", strict ? "strict " : "");
	if (script_split_frame(line, len, &tail, &tail_len, &salt))
		fprintf(out, "tail '%.*s' salt %u", (int)tail_len, tail, salt);
}

static void put_cells(const struct report_columns *c, const char *line, size_t len, FILE *out)
{
	struct report_cells r;

	if (!report_columns_read_row(c, line, len, 0, &r)) {
		fputs("no row", out);
		return;
	}
	fprintf(out, "self %g children %g samples %g period %g CPU %d", r.self_pct, r.children_pct, r.samples, r.period,
		r.cpu);
	if (r.tail && !report_columns_read_tail(c, line, len, &r))
		fputs(" no names", out);
	else
		fprintf(out, " '%.*s' of '%.*s' space %d", (int)r.name_len, r.name, (int)r.dso_len, r.dso, r.space);
}

static const char report_head[] = "# Children      Self       Samples        Period  Command  Shared Object     Symbol";
static const char report_dots[] =
	"# ........  ........  ............  ............  .......  ................  ..........";

static void report_dotted(const char *line, size_t len, FILE *out)
{
	struct report_columns c;
	struct diag d = {""};

	assert_int_equal(report_columns_read_header(&c, report_head, strlen(report_head), 0, &d), 1);
	assert_true(report_columns_read_dots(&c, report_head, strlen(report_head), report_dots, strlen(report_dots)));
	put_cells(&c, line, len, out);
}

/* Columns of text, of another share and of another number around the symbol. */
static void report_odd(const char *line, size_t len, FILE *out)
{
	static const char head[] = "# Overhead       sys  Weight  Command  Symbol      Source:Line";
	static const char dots[] = "# ........  ........  ......  .......  ..........  ...........";
	struct report_columns c;
	struct diag d = {""};

	assert_int_equal(report_columns_read_header(&c, head, strlen(head), 0, &d), 1);
	assert_true(report_columns_read_dots(&c, head, strlen(head), dots, strlen(dots)));
	put_cells(&c, line, len, out);
}

static void report_guessed(const char *line, size_t len, FILE *out)
{
	struct report_columns c;

	report_columns_guess(&c, 0);
	put_cells(&c, line, len, out);
}

static void report_commas(const char *line, size_t len, FILE *out)
{
	struct report_columns c;
	struct diag d = {""};
	static const char head[] = "# Overhead,Samples,Shared Object,Symbol";

	assert_int_equal(report_columns_read_header(&c, head, strlen(head), ',', &d), 1);
	put_cells(&c, line, len, out);
}

static void report_unmarked(const char *line, size_t len, FILE *out)
{
	struct report_cells r;

	for (int strict = 0; strict < 2; strict++)
		if (report_columns_read_unmarked(line, len, strict, &r))
			fprintf(out, "%sself %g samples %g '%.*s' of '%.*s' space %d; ", strict ? "strict " : "",
				r.self_pct, r.samples, (int)r.name_len, r.name, (int)r.dso_len, r.dso, r.space);
		else
			fprintf(out, "%sno row; ", strict ? "strict " : "");
}

static void put_columns(const struct report_columns *c, FILE *out)
{
	for (int i = 0; i < c->n; i++)
		fprintf(out, "%d@%u ", c->kinds[i], c->dotted ? c->from[i] : 0);
	fprintf(out, "group %d tail %d", c->group_size, c->tail);
}

static void report_header(const char *line, size_t len, FILE *out)
{
	struct report_columns c;
	struct diag d = {""};
	int got = report_columns_read_header(&c, line, len, 0, &d);

	if (got < 0)
		fprintf(out, "refused: %s", d.text);
	else if (!got)
		fputs("no header", out);
	else
		put_columns(&c, out);
}

static void report_dots_line(const char *line, size_t len, FILE *out)
{
	struct report_columns c;
	struct diag d = {""};

	assert_int_equal(report_columns_read_header(&c, report_head, strlen(report_head), 0, &d), 1);
	if (report_columns_read_dots(&c, report_head, strlen(report_head), line, len))
		put_columns(&c, out);
	else
		fputs("no dots", out);
}

static void kind(const char *line, size_t len, FILE *out)
{
	fprintf(out, "kind %d", text_kind_guess(line, len));
}

static const struct {
	const char *name;
	read_line *read;
	const char *line;
} lines[] = {
	{"stat-text", stat_text,
	 "S0-D0-C1    1     1,138.25 msec cpu-clock:u   #  1.025 CPUs utilized  ( +-  0.44% )  (66.67%)"},
	{"stat-not", stat_text, "CPU1     <not supported>      cpu_core/cycles/k"},
	{"stat-pmu", stat_text, " 1.000500  3,989,134,732  instructions [cpu_core] #  2.01  insn per cycle"},
	{"stat-fields", stat_fields, "1.0005,S0-D0-C0,2,472510.5,msec,cpu_atom/cycles/u,0.51%,1000090,66.67,1.200,GHz"},
	{"stat-semicolon", stat_fields, "<not counted>;;cycles:k;0;100,00;;"},
	{"stat-json", stat_json,
	 "{\"interval\": 1.5, \"cpu\": \"3\", \"counter-value\": \"472510.5\", \"unit\": \"\", \"event\": "
	 "\"cycles:u\", \"variance\": 0.5, \"event-runtime\": 1000090, \"pcnt-running\": 66.67, "
	 "\"metric-value\": \"1.2\", \"metric-unit\": \"GHz\"}"},
	{"script-header", script_header, "a b: 1   26780/26781 [001] 11183.099286443:    2004008 cycles:u: "},
	{"script-flat", script_header,
	 "spin 26780 11183.099286:  cpu-clock:ppp:  ffffffff821f236b leaf+0x10 ([kernel.kallsyms])"},
	{"script-frame", script_frame, "\tffffffff821f236b do_sys (x)+0x1c ([kernel.kallsyms])"},
	{"script-user", script_frame, "\t    55b928fc3149 a::b(int) (inlined) (/usr/lib/lib a.so (deleted))"},
	{"report-dotted", report_dotted,
	 "    34.33%    12.38%            13      26052104  dd       [kernel.kallsyms]  [k] do_syscall_64"},
	{"report-odd", report_odd, "    34.33%    12.38%      13  dd       [k] do_sys  entry.S:82"},
	{"report-guessed", report_guessed, "     8.57%  perl  /usr/bin/a b   [.] Perl_pp_gvsv  -      -"},
	{"report-commas", report_commas, "12.38%,13,[kernel.kallsyms],[k] do_syscall_64"},
	{"report-unmarked", report_unmarked, "  3114.00 11.8% _raw_spin_lock  [kernel.kallsyms]"},
	{"report-bare", report_unmarked, " 11,8% [kernel] __slab_free"},
	{"report-header", report_header, report_head},
	{"report-dots", report_dots_line, report_dots},
	{"kind", kind, "dd  4883 [001]  1143.9:  1 cycles: "},
	{"kind-report", kind, "+   34.33%  [k] f_g"},
	{"kind-stat", kind, "1,,cycles,472510,100.00,,"},
	{"kind-diff", kind, "  5.00%  +1.00%  [k] f"},
	{"kind-annotate", kind, " Percent |      Source code & Disassembly of a for cycles (3 samples)"},
};

/* One line for neighbours with the same result. */
struct shared {
	char text[1000];
	size_t from, to;
	FILE *out;
};

static void flush(struct shared *s)
{
	if (s->text[0])
		fprintf(s->out, "%zu-%zu: %s\n", s->from, s->to, s->text);
	s->text[0] = '\0';
}

static void add(struct shared *s, size_t at, read_line *read, const char *line, size_t len)
{
	static char text[1000];
	char *copy = malloc(len + 1); /* a reader behind the end of the line is seen */
	FILE *out = fmemopen(text, sizeof(text), "w");

	memcpy(copy, line, len);
	copy[len] = '\0';
	read(copy, len, out);
	fclose(out);
	free(copy);
	if (strcmp(text, s->text)) {
		flush(s);
		strcpy(s->text, text);
		s->from = at;
	}
	s->to = at;
}

static void describe(size_t i, FILE *out)
{
	static const char others[] = " 0";
	struct shared s = {.out = out};
	const char *line = lines[i].line;
	size_t len = strlen(line);
	char changed[1000];

	fprintf(out, "%s\ncut behind\n", line);
	for (size_t at = 0; at <= len; at++)
		add(&s, at, lines[i].read, line, at);
	flush(&s);
	fputs("cut before\n", out);
	for (size_t at = 0; at <= len; at++)
		add(&s, at, lines[i].read, line + at, len - at);
	flush(&s);
	fputs("without\n", out);
	for (size_t at = 0; at < len; at++) {
		snprintf(changed, sizeof(changed), "%.*s%s", (int)at, line, line + at + 1);
		add(&s, at, lines[i].read, changed, len - 1);
	}
	flush(&s);
	for (const char *other = others; *other; other++) {
		fprintf(out, "with '%c'\n", *other);
		for (size_t at = 0; at < len; at++) {
			snprintf(changed, sizeof(changed), "%s", line);
			changed[at] = *other;
			add(&s, at, lines[i].read, changed, len);
		}
		flush(&s);
	}
}

static void test_changed_lines(void **state)
{
	char path[128];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		describe(i, kept_begin());
		snprintf(path, sizeof(path), "tests/golden/cut/%s.txt", lines[i].name);
		kept_end(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changed_lines),
	};

	return cmocka_run_group_tests_name("cut_lines", tests, NULL, NULL);
}
