// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What watch and map read back: a document, which is a line of watch or a map; behind a NUL, the triggers that judge
 * it, or the map that it is compared with.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_json.h"
#include "user/map/map.h"
#include "user/watch/watch.h"

static int fds[2] = {-1, -1};
static FILE *null;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int nowhere = open("/dev/null", O_WRONLY);

	(void)argc;
	(void)argv;
	null = fopen("/dev/null", "w");
	for (int i = 0; i < 2; i++)
		fds[i] = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_law(null && fds[0] >= 0 && fds[1] >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0, "files can be made");
	return 0;
}

static const char *file(int i, const uint8_t *data, size_t size, char path[40])
{
	fuzz_law(!ftruncate(fds[i], 0) && pwrite(fds[i], data, size, 0) == (ssize_t)size, "a file can be written");
	snprintf(path, 40, "/proc/self/fd/%d", fds[i]);
	return path;
}

/* Triggers that are refused give way to those that are built in. */
static void judge(const char *triggers, const char *lines)
{
	struct triggers t = {};
	struct diag d = {""};
	unsigned long n = 0;
	int err = triggers_read(&t, triggers, &d);

	fuzz_refusal(err, &d);
	if (err) {
		triggers_release(&t);
		t = (struct triggers){};
		d = (struct diag){""};
		fuzz_law(!triggers_read(&t, NULL, &d), "those that are built in can be read");
	}
	fuzz_refusal(triggers_replay(&t, lines, &n, &d), &d);
	triggers_release(&t);
}

static void show(const char *path)
{
	struct text t = {.out = null, .columns = 80};
	struct diag d = {""};
	json_t *map;

	fuzz_refusal(map_load(&map, path, &d), &d);
	if (map)
		map_text(&t, map);
	json_decref(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t first = nul ? (size_t)(nul - data) : size;
	char one[40], two[40];

	file(0, data, first, one);
	file(1, nul ? nul + 1 : data + size, nul ? size - first - 1 : 0, two);
	judge(two, one);
	show(one);
	return 0;
}
