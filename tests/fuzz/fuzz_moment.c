// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A dump's event.json that is anything: read as both sides of one dump, as one side, and as the dumps of two runs;
 * judged, and printed in every format.
 *
 * Writes below $TMPDIR, which fuzz.sh removes.
 */
#include <errno.h>
#include <sys/stat.h>
#include "reports/format/format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_json.h"

static char dir[200];
static FILE *out;
static struct run run;
static struct run_variant before_id = {
	.operation = RUN_PART_BEFORE, .mode = RUN_MODE_NATIVE, .id = "watch:eth0/before"};
static struct run_variant after_id = {.operation = RUN_PART_AFTER, .mode = RUN_MODE_SKB, .id = "watch:eth0/after"};
static struct analysis a = {.run = &run};
static struct analysis_variant before = {.variant = &before_id, .of = &a}, after = {.variant = &after_id, .of = &a};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(dir) != NULL, "a directory can be made");
	run_init(&run);
	run.view = RUN_VIEW_WATCH;
	before_id.action = after_id.action = RUN_ACTION_WATCH;
	snprintf(before_id.target, sizeof(before_id.target), "eth0");
	snprintf(after_id.target, sizeof(after_id.target), "eth0");
	out = fopen("/dev/null", "w");
	return 0;
}

/* In one format of four, of which n chooses: each takes longer than all that is judged. */
static void judge(const struct why_sources *s, size_t n)
{
	struct render_options o = {.program = "xdpzoom", .dir = dir, .command = "xdpzoom why"};
	struct why why = {.runs = {&run}};
	struct document doc;

	fuzz_law(!why_read(&why.facts, s), "facts can be read of anything");
	why_judge(&why.facts, &why.verdict);
	fuzz_law(why.verdict.sure == (why.verdict.cause[0] != '\0'), "a cause is named exactly if the verdict is sure");
	fuzz_law(why.verdict.sentences[0][0] != '\0', "there is an answer");
	fuzz_law(!why.verdict.sure || why.verdict.refuted_by[0], "what is sure can be refuted");
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & KIND(DOCUMENT_WHY) && (i + n) % 4 == 0)
			fuzz_law(!format_write(&formats[i], out, &doc, document_of_why(&doc, &why), &o),
				 "a verdict can be printed");
	why_release(&why.facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compare c = {.base = &before, .new = &after, .same_run = size % 2};
	struct why_sources s = {.one = &after, .silent = true};
	struct diag d = {""};
	json_t *moment;
	char path[300];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s/" RUN_MOMENT, dir);
	f = fopen(path, "w");
	fuzz_law(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written");
	err = why_load(&moment, dir, &d);
	fuzz_refusal(err, &d);
	if (err || !moment)
		return 0;
	s.before = s.after = moment;
	judge(&s, size);
	s.silent = false;
	judge(&s, size + 1);
	s.compare = &c;
	judge(&s, size + 2);
	json_decref(moment);
	return 0;
}
