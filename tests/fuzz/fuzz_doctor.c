// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of another machine's files, as doctor --root gets them. */
#include "tests/fuzz/fuzz_root.h"
#include "user/doctor/doctor.h"

static char dir[200];
static FILE *out;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_root_init(dir);
	out = fopen("/dev/null", "w");
	return 0;
}

static void check_rows(const struct doctor *dr)
{
	size_t n = 0;

	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];

		fuzz_law(row->level < DOCTOR_LEVELS && *row->finding, "each check has a level and a finding");
		fuzz_law(row->nfixes <= DOCTOR_MAX_FIXES && (!row->nfixes || *row->fix), "what can be fixed says how");
		/* a copy of files is another machine's: what is not in files is not told */
	}
	for (size_t i = 0; i < DOCTOR_LEVELS; i++)
		n += dr->levels[i];
	fuzz_law(n == dr->nrows, "each row is counted at its level");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct doctor dr;
	struct diag d = {""};
	char line[32];

	memset(&dr, 0, sizeof(dr));
	fuzz_root_make(dir, data, size, &dr.facts);
	if (!facts_line(&dr.facts, line, sizeof(line), "sys/class/net/eth9/mtu"))
		strcpy(dr.nd.name, "eth9");
	fuzz_law(!doctor_examine(&dr, size % 8 ? -1 : 1, &d), "doctor examines whatever there is");
	check_rows(&dr);
	doctor_render_text(out, &dr, size % 2);
	doctor_render_json(out, &dr);
	doctor_release(&dr);
	fuzz_root_clear(dir);
	return 0;
}
