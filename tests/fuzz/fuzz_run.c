// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run whose run.json is anything, beside fixed perf texts; behind a NUL its file of turns, which is also what a
 * killed recorder had not put into run.json yet. What is accepted is analysed, printed in every format, compared,
 * drawn, explained by exact counts, and written and read again.
 *
 * Runs in the tree's top; writes below $TMPDIR, which fuzz.sh removes.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/compare/compare.h"
#include "reports/page/page.h"
#include "reports/format/format.h"
#include "reports/run/run.h"
#include "reports/sweep/sweep.h"
#include "tests/fuzz/fuzz.h"

static void fix(json_t *run);
#define MUTATE_JSON_MEND fix
#include "tests/fuzz/mutate_json.h"

#define BLOCKS 8 /* that have a perf text */
#define COUNTS "build/runs/memory"

static char sweep_dir[200], dir[240]; /* the run is a point of a sweep */
static struct components *components;
static struct exact counted;
static FILE *out;

static void write_file(const char *name, const void *data, size_t size)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	fuzz_law(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written");
}

static void make_dir(const char *path)
{
	fuzz_law(!mkdir(path, 0777) || errno == EEXIST, "a directory can be made");
}

/* All blocks have the same text: the samples of all seeds. An imported run has a report. */
static void copy_texts(void)
{
	static char text[1 << 17];
	char name[32];
	FILE *f = fopen("tests/fuzz/run.script", "r");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;

	fuzz_law(n && !fclose(f), "the fixed perf text is there");
	for (int i = 0; i < BLOCKS; i++) {
		snprintf(name, sizeof(name), RUN_SCRIPT_NAME, i);
		write_file(name, text, n);
	}
	f = fopen("tests/fixtures/perf/document/self.txt", "r");
	n = f ? fread(text, 1, sizeof(text), f) : 0;
	fuzz_law(n && !fclose(f), "the fixed report is there");
	write_file("blocks/report.txt", text, n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char blocks[300];
	struct diag d = {""};

	(void)argc;
	(void)argv;
	snprintf(sweep_dir, sizeof(sweep_dir), "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(sweep_dir) != NULL, "a directory can be made");
	snprintf(dir, sizeof(dir), "%s/rate=100000", sweep_dir);
	make_dir(dir);
	snprintf(blocks, sizeof(blocks), "%s/blocks", dir);
	make_dir(blocks);
	copy_texts();
	fuzz_law(!components_read(&components, NULL, &d), "the built-in components can be read");
	fuzz_law(!exact_read(&counted, COUNTS, components, &d), "the exact run can be read");
	out = fopen("/dev/null", "w");
	return 0;
}

/* What no chance puts right: the numbers of blocks, the names of their texts, and that windows follow each other. */
static void fix(json_t *run)
{
	json_t *blocks = json_object_get(run, "blocks"), *block, *windows, *window;
	size_t i, k;

	json_array_foreach (blocks, i, block) {
		json_int_t end = 0;
		char name[32];

		snprintf(name, sizeof(name), RUN_SCRIPT_NAME, (int)i);
		if (json_is_object(block) && json_object_get(block, "index"))
			json_object_set_new(block, "index", json_integer((json_int_t)i));
		if (json_is_string(json_object_get(block, "script")) && i < BLOCKS &&
		    !strstr(json_string_value(json_object_get(block, "script")), "report"))
			json_object_set_new(block, "script", json_string(name));
		windows = json_object_get(block, "windows");
		json_array_foreach (windows, k, window) {
			json_int_t from = json_integer_value(json_object_get(window, "from_ns"));
			json_int_t to = json_integer_value(json_object_get(window, "to_ns"));

			if (json_is_object(window) && from < end) {
				json_object_set_new(window, "from_ns", json_integer(end));
				if (to <= end && end < INT64_MAX - 100000000)
					json_object_set_new(window, "to_ns", json_integer(to = end + 100000000));
			}
			end = to;
		}
	}
}

static void finite_or_unknown(const struct analysis_variant *v)
{
	double sum_ns = analysis_sum_rows(v->symbols, v->nsymbols),
	       components_ns = analysis_sum_rows(v->components, v->ncomponents);

	if (!v->nsymbols || !isfinite(v->base_ns) || !isfinite(v->unattributed_ns) || !isfinite(sum_ns))
		return;
	fuzz_law(fabs(sum_ns - components_ns) <= 1e-6 * (fabs(sum_ns) + 1), "components are the symbols");
	fuzz_law(fabs(sum_ns + v->unattributed_ns - v->base_ns) <= 1e-6 * (fabs(v->base_ns) + fabs(sum_ns)),
		 "symbols and what is not attributed are the base");
}

static void print_report(const struct analysis *a)
{
	struct render_options o = {.program = "xdpzoom", .dir = dir, .command = "xdpzoom report", .crossing = a};
	struct document doc;

	for (size_t i = 0; i < nformats; i++)
		if (formats[i].write && (formats[i].of & KIND(DOCUMENT_REPORT))) { /* gnuplot draws the others */
			int err = document_of_report(&doc, a, i % 2 && a->nvariants ? &a->variants[0] : NULL);

			fuzz_law(!format_write(&formats[i], out, &doc, err, &o), "a report can be printed");
		}
}

/* A waterfall and all else that is drawn of a run or a sweep; the script goes nowhere. */
static void plot(const struct analysis *a, const struct compare *c, const struct sweep *s)
{
	struct plot p = {.a = a, .c = c, .sweep = s};

	for (size_t i = 0; i < PLOT_KINDS; i++)
		p.wanted[i] = true;
	plot_write(out, &p, NULL); /* there may be nothing to draw */
}

static void print_diff(const struct analysis_variant *base, const struct analysis_variant *new)
{
	struct render_options o = {.program = "xdpzoom", .dir = dir};
	struct between between = between_default(-1);
	struct symkeys *keys = NULL;
	struct diag d = {""};
	struct document doc;
	struct compare c;

	fuzz_refusal(compare_read_renames(&keys, NULL, base, new, &d), &d);
	fuzz_law(!compare_build(&c, base, new, keys, &d), "variants can be compared");
	if (!c.same_run)
		compare_set_between(&c, &between);
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_DIFF))
			fuzz_law(!format_write(&formats[i], out, &doc, document_of_diff(&doc, &c), &o),
				 "a comparison can be printed");
	plot(base->of, &c, NULL);
	compare_release(&c);
	symkeys_free(keys);
}

static void print_check(const struct analysis *a)
{
	struct between between = between_default(-1);
	const struct render_options o = {.colour = true};
	struct regression r;
	struct document doc;

	fuzz_law(!regression_build(&r, a, a, 5, &between, NULL), "a run can be compared with itself");
	fuzz_law(!regression_count(&r, REGRESSION_SLOWER), "a run is not slower than itself");
	fuzz_law(!document_of_check(&doc, &r, &(struct history_list){}, 0), "a check can be built");
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_CHECK))
			fuzz_law(!formats[i].write(out, &doc, &o), "a check can be printed");
	document_release(&doc);
	regression_release(&r);
}

static void print_explanation(const struct analysis *a)
{
	struct render_options o = {.program = "xdpzoom", .dir = dir};
	struct document doc;
	struct explain e;

	if (explain_build(&e, a, NULL, &counted, NULL, NULL)) /* no variant in common, or too few functions */
		return;
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_EXPLAIN))
			fuzz_law(!format_write(&formats[i], out, &doc, document_of_explain(&doc, &e), &o),
				 "an explanation can be printed");
	explain_release(&e);
}

static void print_sweep(const struct analysis *a)
{
	struct render_options o = {.program = "xdpzoom", .dir = dir};
	struct diag d = {""};
	struct document doc;
	struct sweep s;
	int err = sweep_read(&s, sweep_dir, &d);

	fuzz_refusal(err, &d);
	if (err)
		return;
	fuzz_law(!document_of_sweep(&doc, &s), "a sweep can be built");
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_SWEEP) && strcmp(formats[i].name, "svg") && formats[i].write)
			fuzz_law(!formats[i].write(out, &doc, &o), "a sweep can be printed");
	document_release(&doc);
	plot(a, NULL, &s);
	sweep_release(&s);
}

static size_t read_whole(char **text)
{
	char path[300];
	long size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/run.json", dir);
	f = fopen(path, "r");
	fuzz_law(f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0, "run.json is there");
	*text = malloc((size_t)size);
	rewind(f);
	fuzz_law(*text && fread(*text, 1, (size_t)size, f) == (size_t)size && !fclose(f), "run.json can be read");
	return (size_t)size;
}

/* record --resume reads a run and writes it again. */
static void write_again(const struct run *r)
{
	char *first, *second;
	struct diag d = {""};
	struct run again;
	size_t n, m;
	int err = run_write(r, dir, &d);

	if (err)
		fprintf(stderr, "run_write: %s\n", d.text);
	fuzz_law(!err, "what was read can be written");
	n = read_whole(&first);
	fuzz_law(!run_read(&again, dir, &d), "what was written can be read");
	fuzz_law(!run_write(&again, dir, &d), "what was read again can be written");
	m = read_whole(&second);
	fuzz_law(n == m && !memcmp(first, second, n), "what is written again is the same");
	run_release(&again);
	free(first);
	free(second);
}

static void check_run(const struct run *r, bool again)
{
	struct analysis_options o;
	struct diag d = {""};
	struct analysis a;
	int err;

	o = (struct analysis_options){};
	o.stacks = true;
	err = analysis_build(&a, r, dir, components, &o, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		if (again)
			fuzz_law(!sweep_wakeups_fill(&a, dir, NULL), "a point of a sweep can be looked at");
		for (size_t i = 0; i < a.nvariants; i++)
			finite_or_unknown(&a.variants[i]);
		print_report(&a);
		if (a.nvariants)
			print_diff(&a.variants[0], &a.variants[a.nvariants - 1]);
		print_check(&a);
		print_explanation(&a);
		if (again)
			print_sweep(&a);
	}
	analysis_release(&a);
	if (again)
		write_again(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const behind[] = {TURNS_FILE, RUN_PART};
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : size;
	struct diag d = {""};
	char path[300];
	struct run r;
	int err;

	write_file("run.json", data, length);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, behind[i]);
		if (nul)
			write_file(behind[i], nul + 1, size - length - 1);
		else
			unlink(path);
	}
	err = run_read(&r, dir, &d);
	fuzz_refusal(err, &d);
	if (!err)
		check_run(&r, size % 4 == 0);
	run_release(&r);
	return 0;
}
