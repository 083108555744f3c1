// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/blocks.h"

#include <string.h>
#include "vm/plugin/symbols.h"
#include "vm/plugin/table.h"

#define BLOCKS (1u << 18)

static struct block *blocks[BLOCKS];

void insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *to, size_t size)
{
	size_t n = qemu_plugin_insn_size(insn);

	memset(to, 0, size);
#if PLUGIN_API >= 3
	qemu_plugin_insn_data(insn, to, n < size ? n : size);
#else
	memcpy(to, qemu_plugin_insn_data(insn), n < size ? n : size);
#endif
}

static const uint8_t *behind_prefixes(const uint8_t *code)
{
	while (*code == 0x66 || *code == 0x67 || *code == 0x3e || *code == 0x2e || *code == 0xf2 || *code == 0xf3 ||
	       (*code & 0xf0) == 0x40)
		code++;
	return code;
}

static enum end end_of(const uint8_t *code)
{
	code = behind_prefixes(code);
	switch (*code) {
	case 0xe8:
		return END_CALL;
	case 0xc2:
	case 0xc3:
		return END_RETURN;
	case 0xcf:
		return END_IRET;
	case 0xff:
		return ((code[1] >> 3) & 7) == 2 ? END_CALL : ((code[1] >> 3) & 7) == 4 ? END_JUMP : END_FALL;
	case 0xe9:
	case 0xeb:
		return END_JUMP;
	}
	return END_FALL;
}

bool insn_pushes(const uint8_t *code)
{
	return end_of(code) == END_CALL || (code[*code == 0x41] & 0xf8) == 0x50;
}

bool insn_repeats(const uint8_t *code)
{
	const uint8_t *opcode = behind_prefixes(code);

	return memchr(code, 0xf3, (size_t)(opcode - code)) && ((*opcode & 0xfe) == 0xa4 || (*opcode & 0xfe) == 0xaa);
}

/* As QEMU shows it. */
static bool is_block(const struct block *b, const struct qemu_plugin_tb *tb, uint64_t next, enum end end)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	if (b->address != qemu_plugin_tb_vaddr(tb) || b->instructions + b->cut != n ||
	    (!b->cut && (b->next != next || b->end != end)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (b->sizes[i] != qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i)))
			return false;
	return true;
}

struct block *block_of(const struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block **b = &blocks[slot(address, BLOCKS)];
	uint64_t next = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
	uint8_t code[16];
	enum end end;

	insn_bytes(last, code, sizeof(code));
	end = end_of(code);
	while (*b && !is_block(*b, tb, next, end))
		b = &(*b)->chain;
	if (!*b) {
		*b = must(calloc(1, sizeof(**b) + n));
		**b = (struct block){.address = address,
				     .next = next,
				     .last = n > 1 ? qemu_plugin_insn_vaddr(last) : 0,
				     .instructions = (uint32_t)n,
				     .symbol = SYMBOL_NONE,
				     .end = end};
		for (size_t i = 0; i < n; i++)
			(*b)->sizes[i] = (uint8_t)qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
	}
	return *b;
}

bool block_cut(struct block *b, const struct block *behind)
{
	uint32_t last = b->instructions - 1;

	if (!b->last || behind->address != b->last || b->sizes[last] >= behind->sizes[0])
		return false;
	b->cut = true;
	b->instructions = last;
	b->next = b->last;
	b->last = 0;
	b->end = END_FALL;
	return true;
}

void blocks_each(void (*take)(const struct block *b))
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (const struct block *b = blocks[i]; b; b = b->chain)
			take(b);
}

void blocks_clear(void)
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (struct block *b = blocks[i]; b; b = b->chain)
			b->runs = 0;
}
