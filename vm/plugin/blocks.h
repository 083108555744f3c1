/*
 * blocks - translation blocks: runs of instructions without a branch inside
 *
 * in:    a block as QEMU translates it
 * out:   how many instructions it has, and which kind of branch ends it; how often it was executed below polls
 * law:   a block that QEMU translates again is the same block
 * src:   Intel SDM volume 2: opcodes of near calls, near returns, jumps and iret, behind their prefixes
 */
#ifndef VM_PLUGIN_BLOCKS_H
#define VM_PLUGIN_BLOCKS_H

#include "vm/plugin/qemu_plugin.h"

#define KERNEL_HALF 0xffff800000000000ULL

enum end { END_FALL, END_CALL, END_RETURN, END_IRET, END_JUMP };

struct block {
	uint64_t address, next; /* next: of the instruction behind the block */
	struct block *chain;
	uint32_t instructions, epoch, symbol; /* symbol: in this epoch of symbols.h */
	enum end end;
	uint64_t runs;   /* in this window, below polls */
	uint8_t sizes[]; /* bytes of each instruction */
};

struct block *block_of(const struct qemu_plugin_tb *tb);
void blocks_each(void (*take)(const struct block *b));
void blocks_clear(void);                /* a window begins: none was executed */
bool insn_pushes(const uint8_t *code);  /* a call or a push of a register: what it stores is on the stack */
bool insn_repeats(const uint8_t *code); /* rep movs or rep stos: each repetition stores once */
void insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *to, size_t size); /* the rest of to is 0 */

#endif
