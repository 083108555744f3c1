// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of another machine's files, as doctor --root gets them: "@PATH", then its lines, up to the next line that
 * begins with "@". A first line of the form "-> PATH" makes a link, "|" a FIFO, "/" a directory.
 *
 * Writes below $TMPDIR, which fuzz.sh removes.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/fuzz/fuzz.h"
#include "user/doctor/doctor.h"

#define FILES_MAX 200

static char dir[200];
static FILE *out;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(dir) != NULL, "a directory can be made");
	out = fopen("/dev/null", "w");
	return 0;
}

/* Below the root, and nowhere else. */
static bool is_below(const char *path)
{
	return *path && *path != '/' && strlen(path) < 200 && !strstr(path, "..") && !strstr(path, "//");
}

static void make_parents(char *path)
{
	for (char *c = path; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(path, 0755);
		*c = '/';
	}
}

/* Does nothing where the path cannot be, such as below a file. */
static void make_file(const char *path, const char *content, size_t size)
{
	FILE *f;

	unlink(path);
	if (size > 3 && !memcmp(content, "-> ", 3) && strcspn(content + 3, "\n") < 100) {
		char to[100];

		snprintf(to, sizeof(to), "%.*s", (int)strcspn(content + 3, "\n"), content + 3);
		(void)!symlink(to, path);
	} else if (size && *content == '|') {
		mkfifo(path, 0600);
	} else if (size && *content == '/') {
		mkdir(path, 0700);
	} else if ((f = fopen(path, "w"))) {
		fwrite(content, 1, size, f);
		fclose(f);
	}
}

/* Links are not followed while files are made: nothing but the root itself is written to. */
static bool has_link(char *path)
{
	struct stat st;
	bool link = false;

	for (char *c = path; !link && (c = strchr(c, '/')); c++) {
		*c = '\0';
		link = *path && !lstat(path, &st) && S_ISLNK(st.st_mode);
		*c = '/';
	}
	return link || (!lstat(path, &st) && !S_ISREG(st.st_mode));
}

static void make_files(char *text)
{
	char *at = text;

	for (int n = 0; n < FILES_MAX && *at == '@'; n++) {
		char *path = at + 1, *content = path + strcspn(path, "\n"), *next;

		if (*content)
			*content++ = '\0';
		next = *content == '@' ? content : strstr(content, "\n@");
		next = !next ? content + strlen(content) : next == content ? next : next + 1;
		if (is_below(path) && !has_link(path)) {
			make_parents(path);
			make_file(path, content, (size_t)(next - content));
		}
		at = next;
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	if (at->level)
		remove(path);
	return 0;
}

static void check_rows(const struct doctor *dr)
{
	size_t n = 0;

	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];

		fuzz_law(row->level < DOCTOR_LEVELS && *row->finding, "each check has a level and a finding");
		fuzz_law(row->nfixes <= DOCTOR_MAX_FIXES && (!row->nfixes || *row->mend),
			 "what can be mended says how");
		/* a copy of files is another machine's: what is not in files is not told */
	}
	for (size_t i = 0; i < DOCTOR_LEVELS; i++)
		n += dr->levels[i];
	fuzz_law(n == dr->nrows, "each row is counted at its level");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);
	static struct doctor dr;
	char line[32], *text = strndup((const char *)data, size);
	struct diag d = {""};

	fuzz_law(text && here >= 0 && !chdir(dir), "the root can be entered");
	make_files(text);
	fuzz_law(!fchdir(here) && !close(here), "there is a way back");
	free(text);
	memset(&dr, 0, sizeof(dr));
	fuzz_law(!facts_open(&dr.facts, dir, &d), "the root can be opened");
	if (!facts_line(&dr.facts, line, sizeof(line), "sys/class/net/eth9/mtu"))
		strcpy(dr.nd.name, "eth9");
	fuzz_law(!doctor_examine(&dr, size % 8 ? -1 : 1, &d), "doctor examines whatever there is");
	check_rows(&dr);
	doctor_render_text(out, &dr, size % 2);
	doctor_render_json(out, &dr);
	doctor_release(&dr);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
