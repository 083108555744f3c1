// SPDX-License-Identifier: GPL-2.0-or-later
/* What a generator on another machine printed: in front of a NUL its standard output, behind it its standard error. */
#include "tests/fuzz/fuzz.h"
#include "user/gen/gen.h"

static void check_report(const json_t *report, size_t size)
{
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach ((json_t *)report, name, value) {
		n++;
		fuzz_law(json_is_number(value) || json_is_string(value), "a member is a number or a text");
		fuzz_law(json_string_length(value) < REMOTE_MEMBER, "a text is short");
		fuzz_law(strlen(name) < 16 && strlen(name) < size, "a member was in the output");
	}
	fuzz_law(n <= 14, "only known members are taken");
}

static void check_result(const json_t *report)
{
	struct gen_result r;

	remote_lines_result(report, &r);
	fuzz_law(r.sent >= -1 && r.refused >= -1 && r.back >= -1, "a count is known or -1");
	fuzz_law(r.handed == (r.sent < 0 ? 0 : (uint64_t)r.sent), "what was sent was handed over");
	fuzz_law(r.elapsed_ns <= 1000000000000000000u, "a time is below 10^18 ns");
	fuzz_law(report || (r.sent == -1 && !r.elapsed_ns), "nothing is known without a report");
}

/* Words come in parts of any size; a buffer of 64 bytes overflows sooner than that of 4 kB. */
static void check_words(const char *text, size_t size, size_t part)
{
	char words[64] = "", line[40];
	size_t n = 0, from;

	for (from = 0; from < size; from += part) {
		size_t step = size - from < part ? size - from : part;

		remote_lines_keep(words, sizeof(words), &n, text + from, step);
		fuzz_law(n == (from + step < sizeof(words) - 1 ? from + step : sizeof(words) - 1), "the end is kept");
		fuzz_law(!memcmp(words, text + from + step - n, n) && !words[n], "the end is kept as it came");
	}
	remote_lines_last(words, n, line, sizeof(line));
	fuzz_law(!strpbrk(line, "\r\n") && strlen(line) < sizeof(line), "a line is one line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *nul; /* a copy, so that a byte too many is seen */
	size_t length;
	json_t *report;

	fuzz_law(text != NULL, "there is memory");
	if (size)
		memcpy(text, data, size);
	nul = size ? memchr(text, 0, size) : NULL;
	length = nul ? (size_t)(nul - text) : size;
	text[size] = 'x'; /* what lies behind the output is no part of it */
	report = remote_lines_report(text, length);
	check_report(report, size);
	check_result(report);
	json_decref(report);
	if (nul)
		check_words(nul + 1, size - length - 1, 1 + (unsigned char)text[size - 1]);
	free(text);
	return 0;
}
