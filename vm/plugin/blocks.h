/*
 * blocks - translation blocks: runs of instructions without a branch inside
 *
 * in:    a block as QEMU translates it
 * out:   how many instructions it has, and which kind of branch ends it; how often it was executed below polls
 * law:   a block that QEMU translates again is the same block. An instruction that QEMU 7.2 shows at the end of one
 *        block, but executes in the next one, is in the next one alone (block_cut)
 * src:   Intel SDM volume 2: opcodes of near calls, near returns, jumps and iret, behind their prefixes
 */
#ifndef VM_PLUGIN_BLOCKS_H
#define VM_PLUGIN_BLOCKS_H

#include "vm/plugin/qemu_plugin.h"

#define KERNEL_HALF 0xffff800000000000ULL

enum end { END_FALL, END_CALL, END_RETURN, END_IRET, END_JUMP };

struct block {
	uint64_t address, next; /* next: of the instruction behind the block */
	uint64_t last;          /* the address of its last instruction; 0: that is its first one, or the block is cut */
	struct block *chain;
	uint32_t instructions, epoch, symbol; /* symbol: in this epoch of symbols.h */
	enum end end;
	bool cut;        /* QEMU shows one instruction more than it executes in this block */
	uint64_t runs;   /* in this window, below polls */
	uint8_t sizes[]; /* bytes of each instruction */
};

struct block *block_of(const struct qemu_plugin_tb *tb);
/*
 * The block `behind` was executed right after b. QEMU 7.2 begins an instruction that crosses to another page in the
 * block of those before it, and takes it back; plugins see it there all the same, without the bytes of the other page.
 * True: it was so, and b has one instruction less from now on.
 */
bool block_cut(struct block *b, const struct block *behind);
void blocks_each(void (*take)(const struct block *b));
void blocks_clear(void);                /* a window begins: none was executed */
bool insn_pushes(const uint8_t *code);  /* a call or a push of a register: what it stores is on the stack */
bool insn_repeats(const uint8_t *code); /* rep movs or rep stos: each repetition stores once */
void insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *to, size_t size); /* the rest of to is 0 */

#endif
