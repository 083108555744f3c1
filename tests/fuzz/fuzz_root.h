/*
 * fuzz_root - copies of a machine's files below a directory: "@PATH", then its lines, up to the next line that begins
 * with "@". A first line of the form "-> PATH" makes a link, "|" a FIFO, "/" a directory
 *
 * in:    bytes from libFuzzer
 * out:   files below $TMPDIR, which fuzz.sh removes
 * law:   nothing is written outside of the directory
 * error: none
 */
#ifndef TESTS_FUZZ_ROOT_H
#define TESTS_FUZZ_ROOT_H

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/fuzz/fuzz.h"
#include "user/machine/machine.h"

#define FILES_MAX 200

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

static inline void make_files(char *text)
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

/* root: 200 bytes. */
static inline void fuzz_root_init(char *root)
{
	snprintf(root, 200, "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(root) != NULL, "a directory can be made");
}

static inline void fuzz_root_make(const char *root, const uint8_t *data, size_t size, struct facts *f)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);
	char *text = strndup((const char *)data, size);
	struct diag d = {""};

	fuzz_law(text && here >= 0 && !chdir(root), "the root can be entered");
	make_files(text);
	fuzz_law(!fchdir(here) && !close(here), "there is a way back");
	free(text);
	fuzz_law(!facts_open(f, root, &d), "the root can be opened");
}

static inline void fuzz_root_clear(const char *root)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
