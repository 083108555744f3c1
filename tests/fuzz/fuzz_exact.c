// SPDX-License-Identifier: GPL-2.0-or-later
/* An exact run whose run.json, or whose counts of a window, are anything. A text that begins with "{" is a run.json. */
#include <stdlib.h>
#include <sys/stat.h>
#include "reports/exact/exact.h"
#include "tests/fuzz/fuzz.h"

static const char run[] =
	"{\"schema\": \"xdpzoom.exact/1\", \"made_by\": \"\", \"time\": \"\", \"kernel\": \"6.12\","
	"\"nic\": \"veth\", \"emulator\": \"\", \"variants\": [{\"id\": \"a\", \"program\":"
	"\"bpf_prog_8c434fd23c482af9_xdp_bench\", \"windows\": [{\"file\": 0, \"batch\": 32,"
	"\"packets\": 2240, \"sent\": 2240}, {\"file\": 1, \"batch\": 64, \"packets\": 1, \"sent\": 1}]}]}";
static const char counts[] = "cpu 0 2 50 100 0\npath 0 2 20 veth_poll veth\npath 1 1 30 "
			     "bpf_prog_8c434fd23c482af9_xdp_bench -\noutside 7 do_syscall_64\n";

static void write_file(const char *dir, const char *name, const void *data, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");

	fuzz_law(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written");
}

static void check_variant(const struct exact_variant *v)
{
	uint64_t counted = 0;

	for (size_t i = 0; i < v->npaths; i++) {
		counted += v->paths[i].counted;
		fuzz_law(v->paths[i].parent == SIZE_MAX || v->paths[i].parent < i,
			 "a path stands behind the one above it");
	}
	fuzz_law(v->summed > 1ULL << 50 || counted == v->summed, "the paths sum to what was counted");
}

static void remove_all(const char *dir)
{
	static const char *const names[] = {"blocks/0.paths", "blocks/1.paths", "run.json", "blocks", ""};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		fuzz_law(!remove(path), "nothing is left");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/xdpzoom-fuzz-XXXXXX", blocks[64];
	bool is_run = size && data[0] == '{';
	static struct components *f;
	struct exact_diff diff;
	struct diag d = {""};
	struct exact e;
	int err;

	fuzz_law(mkdtemp(dir) != NULL, "a directory can be made");
	snprintf(blocks, sizeof(blocks), "%s/blocks", dir);
	fuzz_law(!mkdir(blocks, 0777), "a directory can be made");
	write_file(dir, "run.json", is_run ? (const void *)data : run, is_run ? size : sizeof(run) - 1);
	write_file(dir, "blocks/0.paths", is_run ? (const void *)counts : data, is_run ? sizeof(counts) - 1 : size);
	write_file(dir, "blocks/1.paths", counts, sizeof(counts) - 1);
	fuzz_law(f || !components_read(&f, NULL, &d), "the built-in components can be read");
	err = exact_read(&e, dir, f, &d);
	fuzz_refusal(err, &d);
	for (size_t i = 0; i < e.nvariants && !err; i++)
		check_variant(&e.variants[i]);
	if (!err && e.nvariants) {
		struct exact_side first = {&e, &e.variants[0]}, last = {&e, &e.variants[e.nvariants - 1]};

		fuzz_law(!exact_diff_build(&diff, first, last, NULL), "variants can be compared");
		exact_diff_release(&diff);
	}
	exact_release(&e);
	remove_all(dir);
	return 0;
}
