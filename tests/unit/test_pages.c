// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages: names are inert, frames add up, a waterfall arrives, a timeline is in order. */
#include "reports/page/page.h"
#include "reports/format/format.h"
#include "reports/document/document.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

#define SCRIPT    "<script>alert(1)</script>"
#define ATTRIBUTE "x\"onmouseover=\"alert(2)"
#define CDATA     "]]></style></title>&lt;"

/* Two functions nobody should call so, one only on each side. */
static const struct synthetic_stack hostile_native[] = {
	{40, "veth_xdp_rcv " SYNTHETIC_POLL},
	{20, SCRIPT " veth_xdp_rcv " SYNTHETIC_POLL},
	{10, ATTRIBUTE " " CDATA " veth_xdp_rcv " SYNTHETIC_POLL},
};

static const struct synthetic_stack hostile_skb[] = {
	{50, "veth_xdp_rcv " SYNTHETIC_POLL},
	{90, "\xff\xfe''" SCRIPT " veth_xdp_rcv " SYNTHETIC_POLL},
	{10, ATTRIBUTE " " CDATA " veth_xdp_rcv " SYNTHETIC_POLL},
};

static const struct synthetic_variant hostile[] = {
	{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", SYNTHETIC_STACKS(hostile_native)},
	{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", SYNTHETIC_STACKS(hostile_skb)},
};

struct measured {
	struct run run;
	struct analysis a;
	struct compare c;
};

static struct facilities *facilities;
static struct measured plain, rough;

static int measure(struct measured *m, const char *name, const struct synthetic_variant *variants, size_t n)
{
	struct analysis_options ao = {.stacks = true};
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	o.variants = variants;
	o.nvariants = n;
	o.window_ms = 100;
	o.placements = "nnfn";
	if (synthetic_write(path, &o, &d) || run_read(&m->run, path, &d) ||
	    analysis_build(&m->a, &m->run, path, facilities, &ao, &d))
		return -1;
	return compare_build(&m->c, &m->a.variants[0], &m->a.variants[1], NULL, &d);
}

static int set_up(void **state)
{
	struct diag d = {""};

	if (make_folder(state) || facilities_read(&facilities, "tests/synthetic.conf", &d) ||
	    measure(&plain, "plain", synthetic_veth, 3) || measure(&rough, "rough", hostile, 2))
		return -1;
	json_object_set_new(rough.run.device, "name", json_string(SCRIPT));
	run_take_facts(&rough.run);
	json_object_set_new(rough.run.environment, ATTRIBUTE, json_string(SCRIPT "\x01"));
	return 0;
}

static void release(struct measured *m)
{
	compare_release(&m->c);
	analysis_release(&m->a);
	run_release(&m->run);
}

static int tear_down(void **state)
{
	release(&plain);
	release(&rough);
	facilities_free(facilities);
	return remove_folder(state);
}

/* ---- markup ------------------------------------------------------------------------------------------ */

static void test_values_are_escaped(void **state)
{
	static const struct {
		const char *value, *want;
	} cases[] = {
		{"plain", "plain"},
		{"<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"},
		{"\xc2\xb5s 10 \xe2\x82\xac \xf0\x9f\x90\x9d", "\xc2\xb5s 10 \xe2\x82\xac \xf0\x9f\x90\x9d"},
		{"a\xff"
		 "b\xc0\xaf",
		 "a\xef\xbf\xbd"
		 "b\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong "/" */
		{"\x01\x1b[0m", "\xef\xbf\xbd\xef\xbf\xbd[0m"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
		{"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
		{"100%s", "100%s"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		markup(f, "%s", cases[i].value);
		fclose(f);
		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

static void test_numbers_are_as_printf_has_them(void **state)
{
	char *text = NULL;
	size_t size, n = 7;
	FILE *f = open_memstream(&text, &size);

	markup(f, "<i x=\"%d%%\">%zu %u %+.1f %+.*f %.10g %c</i>", -3, n, 4u, 1.25, 2, -2.5, 0.1, 'z');
	fclose(f);
	assert_string_equal(text, "<i x=\"-3%\">7 4 +1.2 -2.50 0.1 z</i>");
	free(text);
}

static void test_json_holds_no_markup(void **state)
{
	json_t *o = json_pack("{s:s}", "</script><b>&", "\xe2\x82\xac</script>"), *again;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(markup_json(f, o, JSON_COMPACT), 0);
	fclose(f);
	assert_null(strpbrk(text, "<>&"));
	again = json_loads(text, 0, NULL);
	assert_true(json_equal(o, again));
	json_decref(again);
	json_decref(o);
	free(text);
}

/* Nothing of a text can be written, or only its first bytes: of each of the three writes, the error is the stream's. */
static void test_json_that_cannot_be_written(void **state)
{
	const char *const texts[] = {"plain", "<", "plain<"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *o = json_pack("[s]", texts[i]);
		FILE *f = fopen("/dev/full", "w");

		setvbuf(f, NULL, _IONBF, 0);
		assert_int_equal(markup_json(f, o, JSON_COMPACT), -ENOSPC);
		fclose(f);
		json_decref(o);
	}
}

/* ---- flame ------------------------------------------------------------------------------------------- */

/* In every frame: its own and its callees' add up, and callees lie inside. */
static void check_frames(const struct flame *f)
{
	double sums[2], widths, *inside = calloc(f->nframes, sizeof(*inside));

	for (size_t i = 0; i < f->nframes; i++) {
		const struct flame_frame *frame = &f->frames[i], *parent = &f->frames[frame->parent];

		sums[0] = frame->self[0];
		sums[1] = frame->self[1];
		widths = fmax(sums[0], sums[1]);
		for (size_t k = i + 1; k < f->nframes; k++) {
			if (f->frames[k].parent != i)
				continue;
			sums[0] += f->frames[k].cost[0];
			sums[1] += f->frames[k].cost[1];
			widths += f->frames[k].width;
		}
		for (int side = 0; side < 2; side++)
			assert_true(!frame->samples[side] == !frame->names[side]);
		near_to(frame->cost[0], sums[0], 1e-6);
		near_to(frame->cost[1], sums[1], 1e-6);
		near_to(frame->width, widths, 1e-6);
		assert_true(frame->width + 1e-9 >= fmax(frame->cost[0], frame->cost[1]));
		if (i) {
			assert_int_equal(frame->depth, parent->depth + 1);
			assert_true(frame->x >= parent->x + inside[frame->parent] - 1e-9);
			inside[frame->parent] = frame->x - parent->x + frame->width;
			assert_true(inside[frame->parent] <= parent->width + 1e-9);
		}
	}
	free(inside);
}

static const struct flame_frame *find_frame(const struct flame *f, const char *name)
{
	for (size_t i = 0; i < f->nframes; i++)
		if (!strcmp(f->frames[i].name, name))
			return &f->frames[i];
	fail_msg("no frame %s", name);
	return NULL;
}

static void test_frames_add_up_to_the_base(void **state)
{
	struct flame f;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(flame_build(&f, &plain.a.variants[i]), 0);
		near_to(f.frames[0].cost[0], plain.a.variants[i].base_ns - plain.a.variants[i].unattributed_ns, 1e-6);
		near_to(f.frames[0].share_pct[0], 100, 1e-6);
		check_frames(&f);
		flame_release(&f);
	}
}

static void test_difference_keeps_both_sides(void **state)
{
	const struct flame_frame *frame;
	struct flame f;

	assert_int_equal(flame_build_difference(&f, &plain.c), 0);
	near_to(f.frames[0].cost[0], plain.c.base->base_ns - plain.c.base_unattributed_ns, 1e-6);
	near_to(f.frames[0].cost[1], plain.c.new->base_ns - plain.c.new_unattributed_ns, 1e-6);
	near_to(f.frames[0].delta, plain.c.headline.delta_ns - plain.c.unattributed_delta_ns, 1e-6);
	check_frames(&f);
	frame = find_frame(&f, "veth_xdp_rcv_one"); /* native alone has it */
	assert_int_equal(frame->class, COMPARE_GONE);
	assert_true(frame->width > 40 && frame->cost[1] == 0 && !frame->names[1]);
	frame = find_frame(&f, "sk_skb_reason_drop");
	assert_int_equal(frame->class, COMPARE_NEW);
	assert_true(frame->width > 70 && frame->cost[0] == 0);
	assert_string_equal(find_frame(&f, "memset_orig")->facility, "skb clearing");
	flame_release(&f);
}

static void test_no_samples_no_flame(void **state)
{
	struct analysis_variant v = plain.a.variants[0];
	struct flame f;

	memset(&v.stacks, 0, sizeof(v.stacks));
	assert_int_equal(flame_build(&f, &v), 0);
	assert_int_equal(f.nframes, 0);
	flame_release(&f);
}

/* Nothing is open before the first path, whatever the number of its first symbol. */
static void test_first_path(void **state)
{
	static const struct profile_symbol names[] = {{"a", "", SPACE_KERNEL}, {"b", "", SPACE_KERNEL}};
	static const uint32_t symbols[] = {0, 1};
	struct stacks_row row = {.frames = symbols, .depth = 2, .facility = "driver RX", .cost = 5, .samples = 3};
	struct analysis_variant v = plain.a.variants[0];
	struct flame f;

	v.stacks = (struct stacks){.symbols = names, .nsymbols = 2, .rows = &row, .nrows = 1};
	assert_int_equal(flame_build(&f, &v), 0);
	assert_int_equal(f.nframes, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(f.frames[i].depth, i);
		assert_true(f.frames[i].cost[0] == 5);
	}
	flame_release(&f);
}

/* ---- waterfall and timeline -------------------------------------------------------------------------- */

static void test_waterfall_arrives(void **state)
{
	struct rows r;
	double at_ns = plain.c.base->base_ns;
	bool more = false;

	assert_int_equal(diff_step_rows(&r, &plain.c, "native", "generic"), 0);
	assert_int_equal(r.nrows, plain.c.nfacilities + 3);
	near_to(rows_cell(&r, 0, "delta_ns")->value, at_ns, 1e-6);
	for (size_t i = 1; i < r.nrows - 1; i++) {
		double step = rows_cell(&r, i, "delta_ns")->value;

		at_ns += step;
		assert_true(step > 0 || !more || r.rows[i].aside); /* what costs less stands first */
		more |= step > 0;
	}
	assert_true(more && r.rows[r.nrows - 2].aside);
	near_to(at_ns, plain.c.new->base_ns, 1e-6);
	near_to(rows_cell(&r, r.nrows - 1, "delta_ns")->value, at_ns, 1e-6);
	rows_release(&r);
}

static void test_timeline_is_in_order(void **state)
{
	struct timeline t;
	double at_s = 0;

	assert_int_equal(timeline_build(&t, &plain.a), 0);
	assert_int_equal(t.nblocks, plain.run.nblocks);
	for (size_t i = 0; i < t.nblocks; i++) {
		assert_true(t.blocks[i].from_s >= at_s);
		for (size_t k = t.blocks[i].first; k < t.blocks[i].first + t.blocks[i].nwindows; k++) {
			assert_true(t.windows[k].from_s >= t.blocks[i].from_s);
			assert_true(t.windows[k].to_s <= t.blocks[i].to_s);
			assert_true(t.windows[k].pps > 1e6);
		}
		at_s = t.blocks[i].to_s;
	}
	near_to(t.length_s, at_s, 1e-6);
	timeline_release(&t);
}

/* ---- whole pages ------------------------------------------------------------------------------------- */

enum page { PAGE_REPORT, PAGE_ONE, PAGE_DIFF, PAGE_REPORT_SVG, PAGE_DIFF_SVG, PAGES };

static char *page_of(enum page page, const struct measured *m)
{
	struct render_options o = {.command = "xdpzoom report '" SCRIPT "'"};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool diff = page == PAGE_DIFF || page == PAGE_DIFF_SVG, svg = page == PAGE_REPORT_SVG || page == PAGE_DIFF_SVG;
	struct document d;
	int err = diff ? document_of_diff(&d, &m->c)
		       : document_of_report(&d, &m->a, page == PAGE_ONE ? &m->a.variants[0] : NULL);

	if (!err)
		err = svg ? format_svg(f, &d, &o) : format_html(f, &d, &o);
	document_release(&d);
	assert_int_equal(err, 0);
	fclose(f);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_names_are_inert(void **state)
{
	for (enum page page = 0; page < PAGES; page++) {
		char *text = page_of(page, &rough), *same = page_of(page, &plain);
		static const char *const marks[] = {"<script", "</script", "</style", "]]>", "</title"};

		assert_null(strstr(text, SCRIPT));
		assert_null(strstr(text, ATTRIBUTE));
		assert_non_null(strstr(text, "&lt;script&gt;alert(1)"));
		/* As many of each as a page without such names has, but for titles, one a frame. */
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(count(text, marks[i]), count(same, marks[i]));
		assert_int_equal(count(text, "<title>"), count(text, marks[4]));
		assert_null(strstr(text, "\xff"));
		free(same);
		free(text);
	}
}

static void no_number_is_none(struct measured *m)
{
	struct diag d = {""};
	char path[128];

	snprintf(path, sizeof(path), "%s/plain", folder);
	assert_int_equal(analysis_build(&m->a, &m->run, path, facilities, &plain.a.options, &d), 0);
	assert_int_equal(compare_build(&m->c, &m->a.variants[0], &m->a.variants[1], NULL, &d), 0);
	for (enum page page = 0; page < PAGES; page++) {
		char *text = page_of(page, m), *main = strstr(text, page < PAGE_REPORT_SVG ? "<main" : "</style>");

		assert_non_null(main);
		main[strcspn(main, "{")] = '\0'; /* scripts and data come behind */
		assert_null(strstr(main, "nan"));
		assert_null(strstr(main, "inf"));
		free(text);
	}
	compare_release(&m->c);
	analysis_release(&m->a);
}

/* A run without packets has pages too, and they hold no number that is none. */
static void test_nothing_measured(void **state)
{
	struct measured m = plain;

	m.run.nblocks = 0;
	no_number_is_none(&m);
}

/* So has a run where the machine stood still during all turns of one window. */
static void test_window_without_turns(void **state)
{
	struct measured m = plain;
	struct run_window *w = &m.run.blocks[0].windows[0];
	struct run_cpu was = w->cpus[0];
	double own_ns = w->own_ns;

	assert_int_equal(w->ncpus, 1);
	memset(w->cpus[0].verdicts, 0, sizeof(was.verdicts));
	w->own_ns = 0;
	no_number_is_none(&m);
	w->cpus[0] = was;
	w->own_ns = 5e-324; /* as a stranger's run may have it: its rate is infinite */
	no_number_is_none(&m);
	w->own_ns = own_ns;
}

/* A part of the environment that is not known has no heading. */
static void test_environment(void **state)
{
	struct run r = {.device = json_pack("{s:s}", "name", "veth<0>")};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	html_environment(f, &r);
	fclose(f);
	assert_non_null(strstr(text, "<h3>Device</h3>"));
	assert_non_null(strstr(text, "veth&lt;0&gt;"));
	assert_null(strstr(text, "Load"));
	assert_null(strstr(text, "Machine"));
	free(text);
	json_decref(r.device);
}

static void test_pages_ask_nobody(void **state)
{
	for (enum page page = 0; page < PAGES; page++) {
		char *text = page_of(page, &plain), *rest = text;

		if (page < PAGE_REPORT_SVG)
			assert_non_null(strstr(text, "content=\"default-src 'none'; style-src 'sha256-"));
		while ((rest = strstr(rest, "http"))) { /* namespaces are names, not places */
			assert_true(!strncmp(rest, "http-equiv", 10) ||
				    !strncmp(rest, "http://www.w3.org/2000/svg", 26));
			rest++;
		}
		assert_null(strstr(text, "@import"));
		assert_null(strstr(text, " src="));
		free(text);
	}
}

/* Costs of a stranger's run may be infinite, or so small that half of one is 0: a loop over ticks has to end. */
static void test_ticks_end(void **state)
{
	assert_true(html_tick_step(10, 5) == 2 && html_tick_step(0.06, 3) == 0.02);
	assert_true(html_tick_step(0, 5) == 1 && html_tick_step(NAN, 5) == 1);
	assert_true(isnan(html_tick_step(INFINITY, 5)) && isnan(html_tick_step(5e-324, 1)));
	assert_true(isnan(html_tick_step(1e-310, 5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks_end),
		cmocka_unit_test(test_values_are_escaped),
		cmocka_unit_test(test_numbers_are_as_printf_has_them),
		cmocka_unit_test(test_json_holds_no_markup),
		cmocka_unit_test(test_json_that_cannot_be_written),
		cmocka_unit_test(test_frames_add_up_to_the_base),
		cmocka_unit_test(test_difference_keeps_both_sides),
		cmocka_unit_test(test_no_samples_no_flame),
		cmocka_unit_test(test_first_path),
		cmocka_unit_test(test_waterfall_arrives),
		cmocka_unit_test(test_timeline_is_in_order),
		cmocka_unit_test(test_names_are_inert),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_window_without_turns),
		cmocka_unit_test(test_pages_ask_nobody),
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
