// SPDX-License-Identifier: GPL-2.0-or-later
/* Rule files of people: components, asked about a few stacks. */
#include <sys/mman.h>
#include <unistd.h>
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

static void ask(const struct components *f)
{
	static const char *const names[] = {"net_rx_action", "memcpy", "a", "bpf_prog_0123456789abcdef_drop"};
	struct profile p = {};
	uint32_t frames[4];

	for (unsigned int i = 0; i < 4; i++) {
		fuzz_law(!profile_add_symbol(&p, span_of(names[i]), span_of(""), SPACE_KERNEL, &frames[i]),
			 "there is memory");
		fuzz_law(!profile_add_stack(&p, frames, i + 1, 1, 1), "there is memory");
	}
	for (size_t i = 0; i < p.nstacks; i++)
		fuzz_law(components_of_stack(f, &p, &p.stacks[i]) < f->n, "a stack has a component");
	for (uint32_t i = 0; i < p.nsymbols; i++)
		fuzz_law(!(components_tags_of_symbol(f, &p, i) & ~((UINT64_C(1) << f->ntags) - 1)),
			 "a symbol has known tags");
	profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct components *f;
	struct diag d = {""};
	int fd = memfd_create("rules", MFD_CLOEXEC), err;
	char path[32];

	fuzz_law(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory can be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = components_read(&f, path, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		fuzz_law(!strcmp(f->list[COMPONENT_REST].name, "rest"), "component 0 is rest");
		ask(f);
	}
	components_free(f);
	close(fd);
	return 0;
}
