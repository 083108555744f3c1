// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON has what scripts rely on, text and JSON show the same numbers, lines are 80 wide, a full disk is an error. */
#include "reports/format/format.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

static struct facilities *facilities;
static struct run run;
static struct analysis analysis;
static struct compare comparison;

static int set_up(void **state)
{
	struct synthetic_options o = synthetic_defaults;
	struct analysis_options ao;
	struct diag d = {""};
	char path[128];

	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/run", folder);
	o.variants = synthetic_veth;
	o.nvariants = 3;
	o.window_ms = 100;
	o.placements = "nnnnfn";
	o.counted = true;
	ao = (struct analysis_options){};
	ao.stacks = true;
	if (facilities_read(&facilities, "tests/synthetic.conf", &d) || synthetic_write(path, &o, &d) ||
	    run_read(&run, path, &d) || analysis_build(&analysis, &run, path, facilities, &ao, &d))
		return -1;
	return compare_build(&comparison, &analysis.variants[0], &analysis.variants[1], NULL, &d);
}

static int tear_down(void **state)
{
	compare_release(&comparison);
	analysis_release(&analysis);
	run_release(&run);
	facilities_free(facilities);
	return remove_folder(state);
}

/* Writes the report, or that of one variant, in the format with this name. */
static int write_report(FILE *f, const char *name, const struct analysis_variant *only, const struct render_options *o)
{
	const struct format *format;
	struct document d;

	assert_int_equal(format_find(&format, name, DOCUMENT_REPORT, NULL), 0);
	return format_write(format, f, &d, document_of_report(&d, &analysis, only), o);
}

static int write_diff(FILE *f, const char *name, const struct compare *c, const struct render_options *o)
{
	const struct format *format;
	struct document d;

	assert_int_equal(format_find(&format, name, DOCUMENT_DIFF, NULL), 0);
	return format_write(format, f, &d, document_of_diff(&d, c), o);
}

static json_t *result_json(bool diff)
{
	FILE *f = tmpfile();
	json_t *o;

	assert_int_equal(diff ? write_diff(f, "json", &comparison, NULL) : write_report(f, "json", NULL, NULL), 0);
	rewind(f);
	o = json_loadf(f, 0, NULL);
	fclose(f);
	assert_non_null(o);
	return o;
}

/* "name:type name:type", s string, n number, i interval, b boolean, o boolean or null, a array, ? number or null. */
static void assert_members(const json_t *o, const char *members)
{
	char name[64], type;
	int len;

	for (; sscanf(members, " %63[^:]:%c%n", name, &type, &len) == 2; members += len) {
		const json_t *v = json_object_get(o, name);
		bool fits = type == 's'   ? json_is_string(v)
			    : type == 'n' ? json_is_number(v)
			    : type == '?' ? json_is_number(v) || json_is_null(v)
			    : type == 'b' ? json_is_boolean(v)
			    : type == 'o' ? json_is_boolean(v) || json_is_null(v)
			    : type == 'i' ? json_array_size(v) == 2 && json_is_number(json_array_get(v, 0))
					  : json_is_array(v);

		if (!fits)
			fail_msg("%s is not there or not of type %c", name, type);
	}
}

static void assert_rows(const json_t *o, const char *rows, const char *members)
{
	const json_t *array = json_object_get(o, rows);

	assert_true(json_array_size(array) > 0);
	for (size_t i = 0; i < json_array_size(array); i++)
		assert_members(json_array_get(array, i), members);
}

static void test_report_contract(void **state)
{
	json_t *o = result_json(false), *variants = json_object_get(o, "variants");

	assert_string_equal(json_string_value(json_object_get(o, "schema")), "xdpzoom.report/1");
	assert_int_equal(json_array_size(variants), 3);
	for (size_t i = 0; i < 3; i++) {
		const json_t *v = json_array_get(variants, i);

		assert_members(v, "id:s action:s operation:s mode:s pps:n packets:n base_ns:n "
				  "base_ns_by_rate:n "
				  "base_ns_by_busy:n busy_pct:n ci95_ns:i packets_per_poll:n "
				  "unattributed_ns:n "
				  "taken_out_ns:n overhead_pct:n blocks_used:n blocks_set_aside:n");
		assert_rows(v, "facilities", "name:s self_ns:n ci95_ns:i");
		assert_rows(v, "symbols", "name:s facility:s samples:n self_pct:n self_ns:n ci95_ns:i children_ns:n");
		assert_rows(v, "counters", "source:s name:s per_second:? per_packet:? meaning:s");
		assert_rows(v, "events", "event:s unit:s per_packet:? half:? per_cycle:? running_pct:n");
		assert_members(v, "counting_pct:n");
		assert_rows(v, "quality", "gate:s value:? limit:n ok:o verdict:s note:s");
	}
	json_decref(o);
}

static void test_diff_contract(void **state)
{
	json_t *o = result_json(true);

	assert_string_equal(json_string_value(json_object_get(o, "schema")), "xdpzoom.diff/1");
	assert_string_equal(json_string_value(json_object_get(o, "base")), "drop/no-touch@native");
	assert_members(o, "base:s new:s base_ns:n new_ns:n delta_ns:n ci95_ns:i");
	assert_rows(o, "facilities", "name:s base_ns:n new_ns:n delta_ns:n ci95_ns:i");
	assert_rows(o, "symbols", "name:s facility:s base_ns:n new_ns:n delta_ns:n ci95_ns:i class:s");
	assert_rows(o, "counters",
		    "source:s name:s base_per_packet:? new_per_packet:? delta_per_packet:? matters:b meaning:s");
	assert_rows(o, "events",
		    "event:s unit:s base_per_packet:? new_per_packet:? delta_per_packet:? half:? p:? "
		    "running_pct:n");
	assert_rows(o, "quality", "gate:s value:? limit:n ok:o verdict:s note:s");
	assert_members(json_object_get(o, "closure"), "sum_delta_ns:n residual_ns:n");
	json_decref(o);
}

/* A script that sums what JSON says of the symbols arrives at the base that JSON says. */
static void test_json_sums_up(void **state)
{
	json_t *o = result_json(true), *symbols = json_object_get(o, "symbols");
	double sum = 0;

	for (size_t i = 0; i < json_array_size(symbols); i++)
		sum += json_number_value(json_object_get(json_array_get(symbols, i), "delta_ns"));
	sum += json_number_value(json_object_get(json_object_get(o, "closure"), "unattributed_delta_ns"));
	assert_true(fabs(sum - json_number_value(json_object_get(o, "delta_ns"))) < 1e-5);
	json_decref(o);
}

static char *diff_text(const struct render_options *o)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write_diff(f, "text", &comparison, o), 0);
	fclose(f);
	return text;
}

/* The base, the new and the difference that JSON has stand in the text, rounded as text rounds. */
static void test_text_shows_what_json_has(void **state)
{
	struct render_options plain = {0};
	char *text = diff_text(&plain), want[128];
	json_t *o = result_json(true), *first = json_array_get(json_object_get(o, "facilities"), 0);
	double delta_ns, half_ns;

	delta_ns = json_number_value(json_object_get(first, "delta_ns"));
	half_ns = json_number_value(json_array_get(json_object_get(first, "ci95_ns"), 1)) - delta_ns;
	/* as many digits as the interval is worth */
	snprintf(want, sizeof(want), half_ns < 9.5 ? "%.1f ± %4.1f" : "%.0f   ± %2.0f", delta_ns, half_ns);
	assert_non_null(strstr(text, want));
	snprintf(want, sizeof(want), "costs %.1f ± ", json_number_value(json_object_get(o, "delta_ns")));
	assert_non_null(strstr(text, want));
	json_decref(o);
	free(text);
}

static size_t columns(const char *line, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += (line[i] & 0xc0) != 0x80;
	return n;
}

/* No line is wider than asked for, none ends in blanks; whoever asks for nothing gets names whole. */
static void test_lines(void **state)
{
	static const size_t widths[] = {0, 80, 84, 200};

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct render_options o = {.columns = widths[i]};
		char *text = diff_text(&o);

		for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
			size_t len = strcspn(line, "\n");

			assert_true(!len || line[len - 1] != ' ');
			assert_true(!widths[i] || columns(line, len) <= widths[i]);
			assert_null(memchr(line, '\033', len));
		}
		assert_int_equal(!strstr(text, "…"), widths[i] == 0 || widths[i] == 200);
		assert_int_equal(!!strstr(text, "__netif_receive_skb_core.constprop.0 stack entry"),
				 widths[i] == 0 || widths[i] == 200);
		free(text);
	}
}

static void test_colour_only_when_asked(void **state)
{
	struct render_options coloured = {.colour = true};
	char *text = diff_text(&coloured);

	assert_non_null(strstr(text, "\033[1m"));
	free(text);
}

static void test_fewer_symbols(void **state)
{
	struct render_options few = {.max_symbols = 2};
	char *text = diff_text(&few);

	assert_non_null(strstr(text, " others\n"));
	assert_null(strstr(text, "kmem_cache_free"));
	free(text);
}

static void test_full_disk(void **state)
{
	struct render_options plain = {0};
	FILE *f = fopen("/dev/full", "w");

	assert_int_equal(write_diff(f, "text", &comparison, &plain), -ENOSPC);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_int_equal(write_report(f, "json", NULL, NULL), -ENOSPC);
	fclose(f);
}

/* Every format says so, too, where all of it fits into the stream's buffer, so that only the last flush fails. */
static void test_full_disk_at_the_end(void **state)
{
	static char buffer[4 << 20];
	struct render_options o = {0};

	for (size_t i = 0; i < 2 * nformats; i++) {
		const struct format *format = &formats[i / 2];
		FILE *f;

		if (!(format->of & KIND(i % 2 ? DOCUMENT_DIFF : DOCUMENT_REPORT)))
			continue;
		f = fopen("/dev/full", "w");
		setvbuf(f, buffer, _IOFBF, sizeof(buffer));
		assert_int_equal(i % 2 ? write_diff(f, format->name, &comparison, &o)
				       : write_report(f, format->name, NULL, &o),
				 -ENOSPC);
		fclose(f);
	}
}

/* The rest of a side without blocks is nothing: of two sides, of one, of none. */
static void test_rest_in_folded(void **state)
{
	static const struct {
		size_t base, new;
		const char *line;
	} cases[] = {{1, 1, "[unattributed] 1500 2500\n"},
		     {0, 1, "[unattributed] 0 2500\n"},
		     {1, 0, "[unattributed] 1500 0\n"},
		     {0, 0, NULL}};
	struct analysis_variant base = {.nused = 1}, new = {.nused = 1};
	struct compare c = {.base = &base, .new = &new};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		base.nused = cases[i].base;
		new.nused = cases[i].new;
		base.unattributed_ns = base.nused ? 1.5 : NAN;
		new.unattributed_ns = new.nused ? 2.5 : NAN;
		assert_int_equal(format_folded(f, &(struct document){.compare = &c}, NULL), 0);
		fclose(f);
		if (cases[i].line)
			assert_string_equal(text, cases[i].line);
		else
			assert_int_equal(size, 0);
		free(text);
	}
}

/* Each event of the comparison stands in its JSON, under its name and in its order. */
static void test_events_of_a_comparison(void **state)
{
	json_t *o = result_json(true), *rows = json_object_get(o, "events");

	assert_true(comparison.nevents > 1);
	assert_int_equal(json_array_size(rows), comparison.nevents);
	for (size_t i = 0; i < comparison.nevents; i++) {
		const json_t *row = json_array_get(rows, i);

		assert_string_equal(json_string_value(json_object_get(row, "event")), comparison.events[i].name);
		if (isfinite(comparison.events[i].delta))
			near_to(json_number_value(json_object_get(row, "delta_per_packet")), comparison.events[i].delta,
				1e-6);
	}
	json_decref(o);
}

/* One variant alone, where only that is asked for; every line is a whole JSON. */
static void test_lines_of_one_variant(void **state)
{
	size_t lines[2] = {0, 0};
	char *line = NULL;
	size_t size = 0;

	for (int alone = 0; alone < 2; alone++) {
		FILE *f = tmpfile();

		assert_int_equal(write_report(f, "jsonl", alone ? &analysis.variants[1] : NULL, NULL), 0);
		rewind(f);
		for (; getline(&line, &size, f) > 0; lines[alone]++) {
			json_t *o = json_loads(line, 0, NULL);

			assert_non_null(o);
			if (alone)
				assert_string_equal(json_string_value(json_object_get(o, "variant")),
						    run.variants[1].id);
			json_decref(o);
		}
		fclose(f);
	}
	assert_true(lines[1] > 0 && lines[0] > lines[1]);
	free(line);
}

/* Every format has something to write of the run, of each of its variants and of the comparison. */
static void test_every_format(void **state)
{
	struct render_options o = {.program = "xdpzoom", .dir = "run"};

	for (size_t i = 0; i < nformats; i++)
		for (size_t variant = 0; variant <= analysis.nvariants + 1; variant++) {
			const struct analysis_variant *only = variant ? &analysis.variants[variant - 1] : NULL;
			bool diff = variant > analysis.nvariants;
			char *text = NULL;
			size_t size = 0;
			FILE *f;

			if (!(formats[i].of & KIND(diff ? DOCUMENT_DIFF : DOCUMENT_REPORT)))
				continue;
			f = open_memstream(&text, &size);
			assert_int_equal(diff ? write_diff(f, formats[i].name, &comparison, &o)
					      : write_report(f, formats[i].name, only, &o),
					 0);
			fclose(f);
			assert_true(size > 0);
			free(text);
		}
}

/* What a rung sends by stands below it. Where nobody knows the run's directory, no command names one. */
static void test_what_is_known_of_some_runs(void **state)
{
	struct render_options o = {.program = "xdpzoom"};
	struct analysis_sending was = analysis.variants[1].sending;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	analysis.variants[1].sending.system_calls = 0.25;
	assert_int_equal(write_report(f, "ladder", NULL, &o), 0);
	analysis.variants[1].sending = was;
	assert_int_equal(write_report(f, "summary", NULL, &o), 0);
	fclose(f);
	assert_ptr_equal(strstr(strstr(text, "0.25 system calls") + 1, "system calls"), strstr(text, "system calls"));
	assert_null(strstr(text, "run directory"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_one_variant),
		cmocka_unit_test(test_every_format),
		cmocka_unit_test(test_what_is_known_of_some_runs),
		cmocka_unit_test(test_events_of_a_comparison),
		cmocka_unit_test(test_report_contract),
		cmocka_unit_test(test_diff_contract),
		cmocka_unit_test(test_json_sums_up),
		cmocka_unit_test(test_text_shows_what_json_has),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_colour_only_when_asked),
		cmocka_unit_test(test_fewer_symbols),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_full_disk_at_the_end),
		cmocka_unit_test(test_rest_in_folded),
	};

	return cmocka_run_group_tests_name("render", tests, set_up, tear_down);
}
