// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <linux/bpf.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "base/random.h"

/* Together some pages of code: costs repeat with the address in a page, and places are found from the first one on. */
#define MOST_AT_ONCE 24
#define SHORTEST     8 /* instructions: no more than a program under test has */
#define LONGEST      40

void fillers_load(struct fillers *f, uint64_t seed)
{
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	struct bpf_insn code[LONGEST + 1];
	size_t n;

	for (int i = 0; i < 8; i++) /* seeds next to each other are alike at first */
		random_below(&random, 2);
	n = random_below(&random, MOST_AT_ONCE);
	for (size_t i = 0; i < n && f->n < FILLERS_MOST; i++) {
		size_t length = SHORTEST + random_below(&random, LONGEST - SHORTEST);

		for (size_t k = 0; k < length; k++)
			code[k] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1};
		code[length] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
		f->fds[f->n] = bpf_prog_load(BPF_PROG_TYPE_XDP, "filler", "GPL", code, length + 1, NULL);
		if (f->fds[f->n] < 0)
			return;
		f->n++;
	}
}

void fillers_release(struct fillers *f)
{
	while (f->n)
		close(f->fds[--f->n]);
}
