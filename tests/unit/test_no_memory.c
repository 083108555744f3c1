// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without memory every builder and every renderer says so, or its result is complete; nothing is lost or freed twice.
 * This program has the allocations of all libraries, so that one of them can fail and all that are held are counted.
 */
#include <dlfcn.h>
#include <limits.h>
#include "reports/compare/compare.h"
#include "reports/exact/exact.h"
#include "reports/explain/explain.h"
#include "reports/history/history.h"
#include "reports/format/format.h"
#include "tests/unit/compared.h"

#define TRIES 16 /* failing allocations that a step is asked about at most, spread over all */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

static long asked, failing, held; /* failing: 0: nothing is asked */

static bool jansson; /* the call that failed is jansson's, which may lose a byte of its output and tell nobody */

/* Whether an address is in a library. Not inlined: a sanitizer allocates before it can look at locals. */
__attribute__((noinline)) static bool is_in(const char *library, void *code)
{
	Dl_info where;

	return dladdr(code, &where) && strstr(where.dli_fname, library);
}

/* caller: an address in the code that allocates. GSL forgets what it holds when its own calls fail. */
static bool fails(void *caller)
{
	if (!failing || is_in("libgsl", caller) || ++asked != failing)
		return false;
	jansson = is_in("libjansson", caller);
	errno = ENOMEM;
	return true;
}

static void *hold(void *p)
{
	held += p != NULL;
	return p;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : hold(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : hold(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : p ? __libc_realloc(p, size) : hold(__libc_realloc(p, size));
}

void *reallocarray(void *p, size_t n, size_t size)
{
	return realloc(p, n * size);
}

void free(void *p)
{
	held -= p != NULL;
	__libc_free(p);
}

char *strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = malloc(len + 1);

	if (copy) {
		memcpy(copy, s, len);
		copy[len] = '\0';
	}
	return copy;
}

char *strdup(const char *s)
{
	return strndup(s, strlen(s));
}

/* What the steps stand on: a run of two modes, and counted instructions of the same two. */
static struct measured m;
static struct exact counted;
static const struct format *format;
static const struct format json = {.write = format_json};
static const struct render_options plain;
static struct document doc;
static char written[2][4 << 20]; /* the complete result and the one of a try */

/* A step writes its result to out. */
typedef int step(FILE *out, struct diag *d);

static int analyse(FILE *out, struct diag *d)
{
	struct analysis_options o;
	struct facilities *f = NULL;
	struct analysis a = {};
	struct run run;
	int err;

	o = (struct analysis_options){};
	o.stacks = true;
	run_init(&run);
	err = run_read(&run, m.path, d);
	if (!err)
		err = facilities_read(&f, "tests/synthetic.conf", d);
	if (!err)
		err = analysis_build(&a, &run, m.path, f, &o, d);
	for (size_t i = 0; !err && i < a.nvariants; i++)
		fprintf(out, "%zu %.9g\n", a.variants[i].nsymbols, a.variants[i].base_ns);
	analysis_release(&a);
	facilities_free(f);
	run_release(&run);
	return err;
}

static int read_exact(FILE *out, struct diag *d)
{
	struct facilities *f = NULL;
	struct exact e = {};
	int err = facilities_read(&f, "tests/synthetic.conf", d);

	if (!err)
		err = exact_read(&e, "build/runs/memory", f, d);
	if (!err)
		err = format_write(&json, out, &doc, document_of_exact(&doc, &e, NULL), &plain);
	exact_release(&e);
	facilities_free(f);
	return err;
}

static int report(FILE *out, struct diag *d)
{
	(void)d;
	return format_write(format, out, &doc, document_of_report(&doc, &m.a, NULL), &plain);
}

static int diff(FILE *out, struct diag *d)
{
	struct compare c = {};
	int err = compare_build(&c, &m.a.variants[0], &m.a.variants[1], NULL, d);

	if (err)
		return err;
	err = format_write(format, out, &doc, document_of_diff(&doc, &c), &plain);
	compare_release(&c);
	return err;
}

static int exact(FILE *out, struct diag *d)
{
	(void)d;
	return format_write(format, out, &doc, document_of_exact(&doc, &counted, NULL), &plain);
}

static int exact_diff(FILE *out, struct diag *d)
{
	struct exact_side base = {&counted, &counted.variants[0]}, new = {&counted, &counted.variants[1]};
	struct exact_diff e = {};
	int err = exact_diff_build(&e, base, new, NULL);

	(void)d;
	if (err) /* there is nothing to release */
		return err;
	err = format_write(format, out, &doc, document_of_exact_diff(&doc, &e), &plain);
	exact_diff_release(&e);
	return err;
}

static int explain(FILE *out, struct diag *d)
{
	struct explain e = {};
	int err = explain_build(&e, &m.a, NULL, &counted, NULL, d);

	if (err)
		return err;
	err = format_write(format, out, &doc, document_of_explain(&doc, &e), &plain);
	explain_release(&e);
	return err;
}

/* Of a variant of the run, what a watch kept of another machine's device. */
static int why(FILE *out, struct diag *d)
{
	struct why why = {.runs = {&m.run}};
	json_t *moment;
	int err = why_load(&moment, "tests/fixtures/moments/nftables", d);
	struct why_sources s = {.one = &m.a.variants[0], .silent = true, .before = moment, .after = moment};

	if (!err)
		err = why_read(&why.facts, &s);
	if (!err) {
		why_judge(&why.facts, &why.verdict);
		err = format_write(format, out, &doc, document_of_why(&doc, &why), &plain);
	}
	why_release(&why.facts);
	json_decref(moment);
	return err;
}

static int run_step(step *s, int to, long fail_at)
{
	FILE *out;
	struct diag d = {""};
	long before;
	int err;

	written[to][0] = '\0';
	out = fmemopen(written[to], sizeof(written[to]), "w");
	setvbuf(out, NULL, _IONBF, 0);
	before = held;
	asked = 0;
	failing = fail_at;
	err = s(out, &d);
	failing = 0;
	if (held != before)
		fail_msg("allocation %ld of %s fails: %ld are held afterwards", fail_at,
			 format ? format->name : "a step", held - before);
	fclose(out);
	return err;
}

static void try_step(step *s)
{
	const char *name = format ? format->name : "a step";
	long total;
	int err;

	assert_int_equal(run_step(s, 0, LONG_MAX), 0);
	assert_int_equal(run_step(s, 0, LONG_MAX), 0);
	total = asked;
	for (long nth = 1; nth <= total; nth += 1 + total / TRIES) {
		err = run_step(s, 1, nth);
		if (!err && !jansson && strcmp(written[0], written[1]))
			fail_msg("allocation %ld of %ld of %s is lost: the result is another, without an error", nth,
				 total, name);
	}
}

static void test_built(void **state)
{
	format = NULL;
	try_step(analyse);
	try_step(read_exact);
}

static void test_rendered(void **state)
{
	for (format = formats; format < formats + nformats; format++) {
		if (format->of & KIND(DOCUMENT_REPORT))
			try_step(report);
		if (format->of & KIND(DOCUMENT_DIFF))
			try_step(diff);
		if (format->of & KIND(DOCUMENT_EXACT))
			try_step(exact);
		if (format->of & KIND(DOCUMENT_EXACT_DIFF))
			try_step(exact_diff);
		if (format->of & KIND(DOCUMENT_EXPLAIN))
			try_step(explain);
		if (format->of & KIND(DOCUMENT_WHY))
			try_step(why);
	}
}

static int begin(void **state)
{
	struct synthetic_options o = two_modes();
	struct analysis_options ao;
	struct diag d = {""};

	make_folder(state);
	ao = (struct analysis_options){};
	ao.stacks = true;
	o.rounds = 3;
	o.window_ms = 50;
	measure_with(&m, &o, &ao);
	return exact_read(&counted, "build/runs/memory", m.f, &d);
}

static int end(void **state)
{
	exact_release(&counted);
	measured_release(&m);
	return remove_folder(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built),
		cmocka_unit_test(test_rendered),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
