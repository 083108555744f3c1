// SPDX-License-Identifier: GPL-2.0-or-later
/* A sweep's table has each point once, by rising values; a line through the points has the truth in its interval. */
#include <sys/stat.h>
#include "reports/document/document.h"
#include "reports/format/format.h"
#include "reports/sweep/sweep.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

static void test_names(void **state)
{
	static const char *const bad[] = {"",         "size",     "size=",     "=64",        "size=64,",
					  ",size=64", "size=064", "size=64.0", "size=6e1",   "size=64.tmp-12",
					  "size=nan", "size=-1",  "size=64=1", "size=64,64", "a=1,b=2,c=3,d=4,e=5",
					  "size= 64", "blocks",   "run.json",  "size=64 ",   "much-too-long-a-name=1"};
	struct sweep_point p;
	char name[SWEEP_NAME];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (sweep_point_parse(&p, bad[i]) != -EINVAL)
			fail_msg("\"%s\" is read as a point", bad[i]);
	assert_int_equal(sweep_point_parse(&p, "size=1500,rate=0.5"), 0);
	assert_int_equal(p.n, 2);
	assert_string_equal(p.names[1], "rate");
	assert_true(p.values[0] == 1500 && p.values[1] == 0.5);
	sweep_point_name(&p, name);
	assert_string_equal(name, "size=1500,rate=0.5");
}

/* Two points: both coefficients are sums of the two values, so their errors add in quadrature. */
static void test_two_points(void **state)
{
	const double x[] = {64, 1564}, y[] = {70, 100}, half[] = {1, 2}, unknown[] = {1, NAN};
	struct sweep_line l;

	assert_int_equal(sweep_line(&l, x, y, half, 2), 0);
	near_to(l.b, 0.02, 1e-12);
	near_to(l.a, 70 - 64 * 0.02, 1e-9);
	near_to(l.b_half, hypot(1, 2) / 1500, 1e-12);
	near_to(l.a_half, hypot(1564.0 / 1500 * 1, 64.0 / 1500 * 2), 1e-9);
	assert_int_equal(sweep_line(&l, x, y, unknown, 2), 0);
	near_to(l.b, 0.02, 1e-12);
	assert_true(isnan(l.a_half) && isnan(l.b_half));
}

/* By hand: the middle one of three points is 0.3 too high. t(1) = 12.7062, the sum of squares is 0.06, Sxx is 2. */
static void test_three_points(void **state)
{
	const double x[] = {0, 1, 2}, y[] = {0, 1.3, 2}, on[] = {0, 1, 2}, half[] = {1, 1, 1},
		     narrow[] = {.01, .01, .01}, none[] = {NAN, NAN, NAN};
	const double *const same[] = {narrow, none};
	struct sweep_line l;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(sweep_line(&l, x, y, same[i], 3), 0);
		near_to(l.a, 0.1, 1e-9);
		near_to(l.b, 1, 1e-9);
		near_to(l.b_half, 12.7062 * sqrt(0.06 / 2), 1e-4);
		assert_int_equal(l.far, 1);
		near_to(l.far_y, 0.2, 1e-9);
	}
	assert_int_equal(sweep_line(&l, x, on, half, 3), 0); /* on the line: the intervals of the points remain */
	near_to(l.b_half, sqrt(0.5), 1e-9);
	near_to(l.a_half, sqrt(1.0 / 3 + 0.5), 1e-9);
}

/* A point with a narrow interval draws the line to it. */
static void test_weights(void **state)
{
	const double x[] = {0, 0, 10}, y[] = {0, 9, 20}, half[] = {1, 2, 1};
	struct sweep_line l;

	assert_int_equal(sweep_line(&l, x, y, half, 3), 0);
	near_to(l.a, 9 / 5.0, 1e-9); /* (0/1 + 9/4) / (1 + 1/4) */
	assert_int_equal(sweep_line(&l, x, y, half, 1), -ERANGE);
	assert_int_equal(sweep_line(&l, x, y, half, 2), -ERANGE);
	assert_int_equal(sweep_line(&l, x, y, half, 0), -ERANGE);
}

/* A run with two variants; the second one costs 100 ns more. */
static void record_point(const char *dir, const char *name, double ns)
{
	const struct synthetic_stack stacks[] = {{ns, SYNTHETIC_RCV}, {ns + 100, SYNTHETIC_RCV}};
	const struct synthetic_variant variants[] = {
		{"drop/no-touch@native", "xdp_drop", "6deef7357e7b4530", &stacks[0], 1},
		{"drop/no-touch@skb", "xdp_drop", "19a6feab3d5cb0e1", &stacks[1], 1},
	};
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};
	char path[192];

	o.variants = variants;
	o.nvariants = 2;
	o.rounds = 6;
	o.window_ms = 50;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (synthetic_write(path, &o, &d))
		fail_msg("%s", d.text);
}

static void make_dir(char dir[128], const char *name)
{
	snprintf(dir, 128, "%s/%s", folder, name);
	assert_int_equal(mkdir(dir, 0755), 0);
}

static void test_directory(void **state)
{
	static const double sizes[] = {64, 1024, 1500}, flows[] = {1, 16};
	char dir[128], name[64];
	struct sweep_line l;
	struct diag d = {""};
	struct sweep s;
	size_t lines = 0;

	make_dir(dir, "sizes");
	for (int f = 1; f >= 0; f--)
		for (int i = 0; i < 3; i++) {
			snprintf(name, sizeof(name), "flows=%g,size=%g", flows[f], sizes[i]);
			record_point(dir, name, 60 + 30 * f + 0.02 * sizes[i]);
		}
	record_point(dir, "flows=1,size=64.tmp-12", 1000); /* of a recorder that was killed */
	if (sweep_read(&s, dir, &d))
		fail_msg("%s", d.text);
	assert_int_equal(s.nrows, 12);
	for (size_t i = 0; i < s.nrows; i++) {
		const struct sweep_row *row = &s.rows[i];
		double truth = 60 + 30.0 * (i / 6) + 0.02 * sizes[i / 2 % 3] + 100.0 * (i % 2);

		assert_true(row->point.values[0] == flows[i / 6] && row->point.values[1] == sizes[i / 2 % 3]);
		assert_string_equal(row->variant, i % 2 ? "drop/no-touch@skb" : "drop/no-touch@native");
		assert_string_equal(row->ended, "complete");
		near_to(row->base_ns, truth, 0.002 * truth);
		near_to(row->pps, 1e9 / truth, 0.002e9 / truth);
		assert_true(row->half_ns > 0 && row->half_ns < 0.02 * truth);
		if (sweep_line_from(&l, &s, i, 1, &d))
			continue;
		lines++;
		assert_true(i % 6 < 2); /* of the first size, where the line begins */
		assert_int_equal(l.n, 3);
		near_to(l.b, 0.02, fmin(l.b_half, 0.002));
		near_to(l.a, 60 + 30.0 * (i / 6) + 100.0 * (i % 2), fmin(l.a_half, 2));
		assert_true(l.far % 2 == i % 2 && l.far / 6 == i / 6); /* a row of the same line */
	}
	assert_int_equal(lines, 4);
	sweep_release(&s);
	sweep_release(&s);
}

static void test_refused(void **state)
{
	struct diag d = {""};
	struct sweep s;
	char dir[128];

	make_dir(dir, "nothing");
	assert_int_equal(sweep_read(&s, dir, &d), -ENOENT);
	assert_non_null(strstr(d.text, "no points"));
	record_point(dir, "size=64", 60);
	record_point(dir, "flows=1", 60);
	d.text[0] = '\0';
	assert_int_equal(sweep_read(&s, dir, &d), -EINVAL);
	assert_non_null(strstr(d.text, "different parameters"));
	strcat(dir, "/not-there");
	d.text[0] = '\0';
	assert_int_equal(sweep_read(&s, dir, &d), -ENOENT);
	make_dir(dir, "broken");
	strcat(dir, "/size=64");
	assert_int_equal(mkdir(dir, 0755), 0);
	*strrchr(dir, '/') = '\0';
	d.text[0] = '\0';
	assert_true(sweep_read(&s, dir, &d) < 0);
	assert_non_null(strstr(d.text, "size=64"));
	assert_int_equal(s.nrows, 0);
}

/* Over rates the line is one of polls per packet; a row without polls is on no line, and the size stays apart. */
static void test_wake(void **state)
{
	static const double polls[] = {64, 16, 4, 1, NAN};
	struct sweep_row rows[10] = {};
	struct sweep s = {rows, 10};
	struct sweep_line l;
	struct diag d = {""};

	for (size_t i = 0; i < s.nrows; i++) {
		rows[i].point = (struct sweep_point){2, {"rate", "size"}, {(double)(i / 2) * 1e5, i % 2 ? 1500 : 64}};
		rows[i].packets_per_poll = polls[i / 2];
		rows[i].base_ns = 70 + 10.0 * (i % 2) + 1200 / polls[i / 2];
		rows[i].half_ns = NAN;
	}
	rows[8].base_ns = 500;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(sweep_line_from(&l, &s, i, 0, &d), 0);
		assert_int_equal(l.n, 4);
		near_to(l.a, 70 + 10.0 * i, 1e-9);
		near_to(l.b, 1200, 1e-9);
	}
	assert_int_equal(sweep_line_from(&l, &s, 2, 0, &d), -ERANGE);
}

/* Each probe window of the run then has as many polls for its 64000 packets. */
static void set_polls(const char *path, uint64_t polls)
{
	struct diag d = {""};
	struct run r;

	run_init(&r);
	assert_int_equal(run_read(&r, path, &d), 0);
	for (size_t b = 0; b < r.nblocks; b++)
		for (size_t w = 0; w < r.blocks[b].nwindows; w++)
			if (r.blocks[b].windows[w].has_polls)
				r.blocks[b].windows[w].polls = polls;
	assert_int_equal(run_write(&r, path, &d), 0);
	run_release(&r);
}

/* What a report of the run says of waking up: the numbers of its second variant, and its words. */
static void wakeups_of(const char *path, struct analysis_wakeups *w, char words[400])
{
	const struct analysis_options plain = {};
	struct facilities *facilities = NULL;
	const struct cell *cell;
	struct analysis a = {};
	struct diag d = {""};
	struct rows rows;
	struct run r;

	run_init(&r);
	assert_int_equal(facilities_read(&facilities, NULL, &d), 0);
	assert_int_equal(run_read(&r, path, &d), 0);
	assert_int_equal(analysis_build(&a, &r, path, facilities, &plain, &d), 0);
	assert_int_equal(sweep_wakeups_fill(&a, path, &d), 0);
	*w = a.variants[1].wakeups;
	assert_int_equal(report_rows(&rows, &a, NULL), 0);
	cell = rows_cell(rows_in(&rows, 0, "variants"), 1, "wakeup_words");
	snprintf(words, 400, "%s", cell && cell->text ? cell->text : "");
	rows_release(&rows);
	analysis_release(&a);
	run_release(&r);
	facilities_free(facilities);
}

/* A report of a point knows what a poll costs from the points beside it, if these can be read. */
static void test_wakeups(void **state)
{
	static const uint64_t packets[] = {1, 4, 16, 64};
	char dir[128], name[64], path[256], words[400];
	struct analysis_wakeups w;
	FILE *f;

	make_dir(dir, "rates");
	for (size_t i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "rate=%zu,size=64", 1000 * (i + 1));
		record_point(dir, name, 70 + 1200.0 / (double)packets[i]);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		set_polls(path, 64000 / packets[i]);
	}
	for (int slashes = 0; slashes < 2; slashes++) {
		snprintf(path, sizeof(path), "%s/rate=2000,size=64%s", dir, slashes ? "//" : "");
		wakeups_of(path, &w, words);
		assert_int_equal(w.points, 4);
		near_to(w.poll_ns, 1200, fmin(w.poll_half_ns, 12));
		near_to(w.full_ns, 170 + 1200.0 / 64, fmin(w.full_half_ns, 2));
		assert_true(w.full_half_ns < w.poll_half_ns);
		assert_true(strstr(words, "in full polls of 64 a packet costs 18") && strstr(words, "by 4 points"));
	}
	assert_int_equal(chdir(path), 0);
	wakeups_of(".", &w, words);
	assert_int_equal(w.points, 4);
	assert_int_equal(chdir("/"), 0);
	record_point(dir, "alone", 100);
	snprintf(path, sizeof(path), "%s/alone", dir);
	wakeups_of(path, &w, words);
	assert_true(!w.points && isnan(w.poll_ns) && !*words);
	snprintf(path, sizeof(path), "%s/rate=1000,size=64/run.json", dir);
	f = fopen(path, "w");
	assert_true(f && !fclose(f));
	snprintf(path, sizeof(path), "%s/rate=2000,size=64", dir);
	wakeups_of(path, &w, words);
	assert_true(!w.points && !*words);
}

/* size=64,1000,2000 and flows=1,2 with these ns; the truth of test_rank() is by hand. */
static void grid(struct sweep_row rows[6], const double ns[6], double half_ns)
{
	static const double sizes[] = {64, 1000, 2000};

	memset(rows, 0, 6 * sizeof(*rows));
	for (size_t i = 0; i < 6; i++) {
		rows[i].point = (struct sweep_point){2, {"size", "flows"}, {sizes[i / 2], (double)(i % 2 + 1)}};
		strcpy(rows[i].variant, "drop/no-touch@native");
		rows[i].base_ns = ns[i];
		rows[i].half_ns = half_ns;
	}
}

/* Effects of 0, 10 and 20 ns by size, of 0 and 30 ns by flows: variances 200/3 and 225. */
static void test_rank(void **state)
{
	static const double sum[] = {60, 90, 70, 100, 80, 110}, equal[] = {7, 7, 7, 7, 7, 7};
	static const double only_both[] = {0, 0, 0, 4, NAN, NAN};
	struct sweep_row rows[6];
	struct sweep s = {rows, 6};
	struct sweep_rank r;

	grid(rows, sum, 0.1);
	assert_int_equal(sweep_rank_from(&r, &s, 0), 0);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.parameters[0].parameter, 1);
	near_to(r.parameters[0].part, 225 / (225 + 200.0 / 3), 1e-9);
	near_to(r.parameters[1].part, 200.0 / 3 / (225 + 200.0 / 3), 1e-9);
	near_to(r.rest, 0, 1e-9);
	near_to(r.parameters[0].span_ns, 30, 1e-9);
	near_to(r.parameters[1].span_ns, 20, 1e-9);
	assert_true(r.parameters[1].low == 64 && r.parameters[1].high == 2000);
	/* the difference of two means of three has an error of 0.1·sqrt(2/3); 400 draws know it to a tenth or so */
	near_to(r.parameters[0].span_ci[1] - r.parameters[0].span_ci[0], 2 * 0.1 * sqrt(2 / 3.0), 0.04);
	assert_true(r.parameters[0].part_ci95[0] < r.parameters[0].part &&
		    r.parameters[0].part < r.parameters[0].part_ci95[1]);
	assert_int_equal(sweep_rank_from(&r, &s, 1), -ERANGE); /* it has been ranked */
	rows[3].half_ns = NAN;
	assert_int_equal(sweep_rank_from(&r, &s, 0), 0);
	assert_true(isnan(r.parameters[0].part_ci95[0]) && isnan(r.parameters[0].span_ci[1]));
	/* one corner of four is dear: a third each for both parameters, and a third for both together */
	grid(rows, only_both, 0);
	assert_int_equal(sweep_rank_from(&r, &s, 0), 0);
	assert_int_equal(r.npoints, 4);
	near_to(r.parameters[0].part, 1 / 3.0, 1e-9);
	near_to(r.parameters[1].part, 1 / 3.0, 1e-9);
	near_to(r.rest, 1 / 3.0, 1e-9);
	/* a corner is missing: the three others determine both effects */
	rows[3].base_ns = NAN;
	rows[1].base_ns = 5;
	rows[2].base_ns = 1;
	assert_int_equal(sweep_rank_from(&r, &s, 0), 0);
	near_to(r.parameters[0].span_ns, 5, 1e-9);
	near_to(r.parameters[1].span_ns, 1, 1e-9);
	rows[2].base_ns = NAN; /* flows alone are left */
	assert_int_equal(sweep_rank_from(&r, &s, 0), -ERANGE);
	grid(rows, equal, 0.1);
	assert_int_equal(sweep_rank_from(&r, &s, 0), -ERANGE);
}

/* Over batches the line is one of 1 / batch, and the variants of a planted cost are one. */
static void planted(const char *observer)
{
	const struct synthetic_stack stack = {60, SYNTHETIC_RCV};
	struct synthetic_variant variant = {NULL, "xdp_drop", "6deef7357e7b4530", &stack, 1};
	struct synthetic_options o = synthetic_defaults;
	char dir[128], path[192], id[64], without[64];
	struct sweep_line l;
	struct diag d = {""};
	struct sweep s;

	make_dir(dir, *observer ? "observed" : "planted");
	snprintf(without, sizeof(without), "drop/no-touch%s@native", observer);
	o.variants = &variant;
	o.nvariants = 1;
	variant.id = id;
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/batch=%d,plant=%d", dir, i / 2 ? 64 : 16, 50 * (i % 2));
		snprintf(id, sizeof(id), "drop/no-touch+chain%d%s@native", 50 * (i % 2), observer);
		if (synthetic_write(path, &o, &d))
			fail_msg("%s", d.text);
	}
	if (sweep_read(&s, dir, &d))
		fail_msg("%s", d.text);
	assert_int_equal(s.nrows, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(s.rows[i].variant, without);
		assert_true(s.rows[i].nfacilities > 0 && s.rows[i].facilities[0].self_ns > 0);
		s.rows[i].base_ns = 70 + 160 / s.rows[i].point.values[0] + s.rows[i].point.values[1];
	}
	assert_int_equal(sweep_line_from(&l, &s, 0, 0, &d), 0);
	near_to(l.b, 160, 1e-9);
	near_to(l.a, 70, 1e-9);
	assert_int_equal(sweep_line_from(&l, &s, 0, 1, &d), 0);
	near_to(l.b, 1, 1e-9);
	sweep_release(&s);
}

static void test_planted(void **state)
{
	planted("");
	planted("+observer:packet-socket");
}

/* A number of a stranger's run has as many digits as it likes, and not more room. */
static void test_long_numbers(void **state)
{
	char text[64];

	assert_string_equal(render_sweep_half(12.34, 0.56, 1, text), "12.3 ± 0.6");
	assert_string_equal(render_sweep_half(12.34, NAN, 1, text), "12.3");
	assert_int_equal(strlen(render_sweep_half(1e40, 1e40, 1, text)), 63);
	assert_int_equal(strlen(render_sweep_half(1e90, NAN, 1, text)), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),        cmocka_unit_test(test_two_points),
		cmocka_unit_test(test_three_points), cmocka_unit_test(test_weights),
		cmocka_unit_test(test_directory),    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_wake),         cmocka_unit_test(test_rank),
		cmocka_unit_test(test_planted),      cmocka_unit_test(test_wakeups),
		cmocka_unit_test(test_long_numbers),
	};

	return cmocka_run_group_tests_name("sweep", tests, make_folder, remove_folder);
}
