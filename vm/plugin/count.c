// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count - a QEMU plugin that counts instructions and calls of a guest kernel, by call path
 *
 * usage: -plugin count.so,dir=DIR
 *
 * A program in the guest executes an eight-byte NOP whose displacement is "XDP" and a command (count.h). SYMBOLS lets
 * the plugin read DIR/symbols, lines as in /proc/kallsyms. BEGIN starts a window, END ends it and writes
 * DIR/window.N.
 *
 * QEMU calls the plugin before each translation block, a run of instructions without a branch inside. From the branch
 * that ended the block before, the plugin keeps a shadow stack: a call pushes the return address, a return pops to
 * it. Each task has a shadow stack of its own, since a switch of tasks changes the stack; the instruction that loads
 * the stack pointer of the next task tells which task that is. An interrupt begins a path of its own, and its iretq
 * goes back to where it came from.
 *
 * A node is a function in one call path. A node that __napi_poll() called is the root of a poll. The first polls of a
 * window are not counted: pools of pages and slabs fill meanwhile. Closure: for each poll the plugin also takes the
 * difference of a counter of all instructions between entry and exit, without what interrupts executed meanwhile;
 * that must equal the sum over the nodes below the root.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vm/plugin/count.h"
#include "vm/plugin/qemu_plugin.h"

#ifndef PLUGIN_API
#define PLUGIN_API 1
#endif

#define CPUS        64
#define DEPTH       192
#define WARMUP      24 /* polls at the beginning of a window that are not counted */
#define KERNEL_HALF 0xffff800000000000ULL
#define NONE        UINT32_MAX

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;

enum end { END_FALL, END_CALL, END_RETURN, END_IRET, END_JUMP };
enum entry { ENTRY_NONE, ENTRY_SYSCALL, ENTRY_FORK, ENTRY_IRQ, ENTRY_IRQ_STUB };

struct symbol {
	uint64_t address;
	const char *name, *module;
	enum entry entry;
};

struct block {
	uint64_t address, next; /* next: of the instruction behind it */
	struct block *chain;
	uint32_t instructions, epoch, symbol;
	enum end end;
};

struct node {
	uint64_t instructions, calls;
	uint32_t symbol, parent, child, sibling;
	bool poll;
};

struct frame {
	uint64_t back;           /* return address; 0: an interrupt */
	uint64_t total, aliens;  /* counters of the vCPU when it was entered */
	const struct block *was; /* an interrupt: the last block before it */
	uint32_t node;           /* that goes on when this frame is left */
	bool poll;
};

struct task {
	uint64_t id;
	struct task *chain;
	struct frame frames[DEPTH];
	unsigned int depth;
	uint32_t node;
	uint64_t total_out; /* of the vCPU when it was switched out */
};

struct vcpu {
	const struct block *before;
	struct task *task;
	uint32_t root, warmup, node; /* warmup: the root of polls that are not counted */
	unsigned int skipped;
	uint64_t total;  /* kernel instructions in this window */
	uint64_t aliens; /* of them in interrupts, counted when each ends */
	uint64_t user;
	uint64_t polls, in_polls; /* entered and left; instructions between, without aliens */
};

#define BLOCKS (1u << 18)
#define TASKS  (1u << 10)

static struct block *blocks[BLOCKS];
static struct task *tasks[TASKS];
static struct symbol *symbols;
static size_t nsymbols;
static struct node *nodes;
static uint32_t nnodes, node_room;
static struct vcpu vcpus[CPUS];
static uint32_t epoch = 1;
static unsigned int windows;
static bool on;
static char dir[4096] = ".";

static void *must(void *p)
{
	if (!p) {
		fputs("count: no memory\n", stderr);
		exit(1);
	}
	return p;
}

static size_t slot(uint64_t key, size_t n)
{
	return (size_t)((key * 0x9E3779B97F4A7C15ULL) >> 32) & (n - 1);
}

/* Symbols */

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static enum entry entry_of(const char *name)
{
	if (!strncmp(name, "entry_SYSCALL_64", 16) && strcmp(name, "entry_SYSCALL_64_after_hwframe"))
		return ENTRY_SYSCALL;
	if (!strcmp(name, "ret_from_fork_asm") || !strcmp(name, "ret_from_fork"))
		return ENTRY_FORK;
	if (!strcmp(name, "irq_entries_start") || !strcmp(name, "spurious_entries_start"))
		return ENTRY_IRQ_STUB;
	if (!strncmp(name, "asm_sysvec_", 11) || !strncmp(name, "asm_exc_", 8) ||
	    !strncmp(name, "asm_common_interrupt", 20) || !strncmp(name, "asm_spurious_interrupt", 22))
		return ENTRY_IRQ;
	return ENTRY_NONE;
}

static bool read_symbols(void)
{
	char path[4200], line[1024], name[512], module[128];
	uint64_t address;
	size_t room = 0;
	char type;
	FILE *in;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	in = fopen(path, "r");
	if (!in)
		return false;
	for (size_t i = 0; i < nsymbols; i++) {
		free((char *)symbols[i].name);
		free((char *)symbols[i].module);
	}
	free(symbols);
	symbols = NULL;
	nsymbols = 0;
	while (fgets(line, sizeof(line), in)) {
		module[0] = '\0';
		if (sscanf(line, "%" SCNx64 " %c %511s [%127[^]]]", &address, &type, name, module) < 3 ||
		    !strchr("tTwW", type))
			continue;
		if (nsymbols == room) {
			room = room ? 2 * room : 1 << 16;
			symbols = must(realloc(symbols, room * sizeof(*symbols)));
		}
		symbols[nsymbols++] =
			(struct symbol){address, must(strdup(name)), must(strdup(module)), entry_of(name)};
	}
	fclose(in);
	qsort(symbols, nsymbols, sizeof(*symbols), by_address);
	epoch++;
	return nsymbols > 0;
}

static uint32_t symbol_at(uint64_t address)
{
	size_t low = 0, high = nsymbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NONE;
	/* Of several names for one address, always the first. */
	low--;
	while (low > 0 && symbols[low - 1].address == symbols[low].address)
		low--;
	return (uint32_t)low;
}

/* Nodes */

static uint32_t node_new(uint32_t symbol, uint32_t parent)
{
	if (nnodes == node_room) {
		node_room = node_room ? 2 * node_room : 1 << 12;
		nodes = must(realloc(nodes, node_room * sizeof(*nodes)));
	}
	nodes[nnodes] = (struct node){.symbol = symbol, .parent = parent, .child = NONE, .sibling = NONE};
	if (parent != NONE) {
		nodes[nnodes].sibling = nodes[parent].child;
		nodes[parent].child = nnodes;
	}
	return nnodes++;
}

static uint32_t node_below(uint32_t parent, uint32_t symbol)
{
	uint32_t n = nodes[parent].child, up = nodes[parent].symbol;

	while (n != NONE && nodes[n].symbol != symbol)
		n = nodes[n].sibling;
	if (n != NONE)
		return n;
	n = node_new(symbol, parent);
	nodes[n].poll = up != NONE && !strcmp(symbols[up].name, "__napi_poll");
	return n;
}

/* Tasks */

static struct task *task_of(uint64_t id)
{
	struct task **t = &tasks[slot(id, TASKS)];

	while (*t && (*t)->id != id)
		t = &(*t)->chain;
	if (!*t) {
		*t = must(calloc(1, sizeof(**t)));
		(*t)->id = id;
		(*t)->node = NONE;
	}
	return *t;
}

/* Before the first switch a vCPU runs a task that nobody has named: its number serves. */
static struct task *current(unsigned int cpu)
{
	if (!vcpus[cpu].task)
		vcpus[cpu].task = task_of(cpu + 1);
	return vcpus[cpu].task;
}

/* The vCPU loads the stack pointer of the task whose task_struct holds vaddr. */
static void switches(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct vcpu *c = &vcpus[cpu];
	struct task *next = task_of(vaddr), *old = current(cpu);

	(void)info, (void)data;
	if (!on) {
		c->task = next;
		return;
	}
	old->node = c->node;
	old->total_out = c->total;
	c->task = next;
	if (next->depth)
		c->aliens += c->total - next->total_out;
	c->node = next->node != NONE ? next->node : c->root;
}

/* Blocks */

static void leave(struct vcpu *c, const struct frame *f)
{
	if (f->poll) {
		c->polls++;
		c->in_polls += c->total - f->total - (c->aliens - f->aliens);
	}
}

static struct frame *push(struct vcpu *c, struct task *t, uint64_t back, bool poll)
{
	struct frame *f;

	if (t->depth == DEPTH) { /* what is lost is at the bottom, where it is missed last */
		memmove(t->frames, t->frames + 1, (DEPTH - 1) * sizeof(*t->frames));
		t->depth--;
	}
	f = &t->frames[t->depth++];
	*f = (struct frame){.back = back, .node = c->node, .total = c->total, .aliens = c->aliens, .poll = poll};
	return f;
}

static void enter(struct vcpu *c, uint32_t parent, const struct block *b)
{
	c->node = node_below(parent, b->symbol);
	if (b->symbol != NONE && symbols[b->symbol].address == b->address)
		nodes[c->node].calls++;
}

static void jumped(struct vcpu *c, const struct block *b)
{
	uint32_t parent = nodes[c->node].parent;

	if (nodes[c->node].symbol != b->symbol)
		enter(c, parent == NONE ? c->root : parent, b);
}

static void called(struct vcpu *c, struct task *t, const struct block *b)
{
	uint32_t n = node_below(c->node, b->symbol);
	bool skip = nodes[n].poll && c->skipped < WARMUP;

	push(c, t, c->before->next, nodes[n].poll && !skip);
	c->skipped += skip;
	enter(c, skip ? c->warmup : c->node, b);
}

static void returned(struct vcpu *c, struct task *t, const struct block *b)
{
	unsigned int d = t->depth;

	while (d > 0 && t->frames[d - 1].back && t->frames[d - 1].back != b->address)
		d--;
	if (d == 0 || !t->frames[d - 1].back) { /* from a function that was entered before the window */
		if (nodes[c->node].symbol != b->symbol)
			enter(c, c->root, b);
		return;
	}
	while (t->depth >= d)
		leave(c, &t->frames[--t->depth]);
	c->node = t->frames[t->depth].node;
	if (nodes[c->node].symbol != b->symbol) /* the caller's frame came from before a jump */
		jumped(c, b);
}

/* From an interrupt back to the block that it came after; false: nothing is known about that. */
static bool resumed(struct vcpu *c, struct task *t)
{
	while (t->depth > 0) {
		struct frame *f = &t->frames[--t->depth];

		leave(c, f);
		if (f->back)
			continue;
		c->aliens += c->total - f->total - (c->aliens - f->aliens);
		c->node = f->node;
		c->before = f->was;
		return true;
	}
	return false;
}

static void begin_root(struct vcpu *c, struct task *t, const struct block *b)
{
	t->depth = 0;
	enter(c, c->root, b);
}

static void interrupted(struct vcpu *c, struct task *t, const struct block *b)
{
	if (!c->before || c->before->address < KERNEL_HALF) {
		begin_root(c, t, b);
		return;
	}
	push(c, t, 0, false)->was = c->before;
	enter(c, c->root, b);
}

static void follow(struct vcpu *c, struct task *t, const struct block *b)
{
	const struct block *before = c->before;
	enum entry entry = b->symbol == NONE ? ENTRY_NONE : symbols[b->symbol].entry;
	bool first = b->symbol != NONE && symbols[b->symbol].address == b->address;
	bool stub = before && before->symbol != NONE && before->epoch == epoch &&
		    symbols[before->symbol].entry == ENTRY_IRQ_STUB;

	if (entry == ENTRY_IRQ_STUB || (entry == ENTRY_IRQ && first && !stub)) {
		interrupted(c, t, b);
		return;
	}
	if ((entry == ENTRY_SYSCALL || entry == ENTRY_FORK) && first) {
		begin_root(c, t, b);
		return;
	}
	if (before && before->end == END_IRET) {
		if (!resumed(c, t)) {
			enter(c, c->root, b);
			return;
		}
		before = c->before;
	}
	if (!before || before->address < KERNEL_HALF)
		begin_root(c, t, b);
	else if (before->end == END_CALL)
		called(c, t, b);
	else if (before->end == END_RETURN)
		returned(c, t, b);
	else
		jumped(c, b);
}

static void executed(unsigned int cpu, void *data)
{
	struct vcpu *c = &vcpus[cpu];
	struct block *b = data;

	if (!on)
		return;
	if (b->address < KERNEL_HALF) {
		c->user += b->instructions;
		c->before = b;
		return;
	}
	if (b->epoch != epoch) {
		b->symbol = symbol_at(b->address);
		b->epoch = epoch;
	}
	follow(c, current(cpu), b);
	nodes[c->node].instructions += b->instructions;
	c->total += b->instructions;
	c->before = b;
}

/* Windows */

static void begin(unsigned int cpu)
{
	(void)cpu;
	nnodes = 0;
	for (size_t i = 0; i < TASKS; i++)
		for (struct task *t = tasks[i]; t; t = t->chain)
			t->depth = 0, t->node = NONE;
	for (unsigned int i = 0; i < CPUS; i++) {
		struct task *task = vcpus[i].task;

		vcpus[i] = (struct vcpu){.task = task, .root = node_new(NONE, NONE)};
		vcpus[i].node = vcpus[i].root;
		vcpus[i].warmup = node_new(NONE, NONE);
	}
	on = true;
}

static const char *name_of(uint32_t n)
{
	return nodes[n].symbol == NONE ? "-" : symbols[nodes[n].symbol].name;
}

static void write_poll(FILE *out, uint32_t n, unsigned int depth)
{
	const char *module = nodes[n].symbol == NONE ? "" : symbols[nodes[n].symbol].module;

	fprintf(out, "path %u %" PRIu64 " %" PRIu64 " %s %s\n", depth, nodes[n].calls, nodes[n].instructions,
		name_of(n), module[0] ? module : "-");
	for (uint32_t below = nodes[n].child; below != NONE; below = nodes[below].sibling)
		write_poll(out, below, depth + 1);
}

/* Writes the polls below n; returns the instructions below n that are in none. */
static uint64_t write_polls(FILE *out, uint32_t n)
{
	uint64_t outside = nodes[n].instructions;

	if (nodes[n].poll) {
		write_poll(out, n, 0);
		return 0;
	}
	for (uint32_t below = nodes[n].child; below != NONE; below = nodes[below].sibling)
		outside += write_polls(out, below);
	return outside;
}

static uint64_t sum_below(uint32_t n)
{
	uint64_t sum = nodes[n].instructions;

	for (uint32_t below = nodes[n].child; below != NONE; below = nodes[below].sibling)
		sum += sum_below(below);
	return sum;
}

static void write_vcpu(FILE *out, unsigned int cpu)
{
	const struct vcpu *c = &vcpus[cpu];

	fprintf(out, "cpu %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cpu, c->polls, c->in_polls, c->total,
		c->user);
	for (uint32_t n = nodes[c->root].child; n != NONE; n = nodes[n].sibling) {
		uint64_t outside = write_polls(out, n);

		if (outside)
			fprintf(out, "outside %" PRIu64 " %s\n", outside, name_of(n));
	}
	fprintf(out, "outside %" PRIu64 " warm-up\n", sum_below(c->warmup));
}

static void end(void)
{
	char path[4200], whole[4200];
	FILE *out;

	on = false;
	snprintf(path, sizeof(path), "%s/window.%u.new", dir, windows);
	snprintf(whole, sizeof(whole), "%s/window.%u", dir, windows++);
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		return;
	}
	for (unsigned int i = 0; i < CPUS; i++)
		if (vcpus[i].total)
			write_vcpu(out, i);
	if (fclose(out) || rename(path, whole))
		perror(whole);
}

static void commanded(unsigned int cpu, void *data)
{
	switch ((uintptr_t)data) {
	case COUNT_SYMBOLS:
		if (!read_symbols())
			fprintf(stderr, "count: no symbols in %s/symbols\n", dir);
		break;
	case COUNT_BEGIN:
		begin(cpu);
		break;
	case COUNT_END:
		if (on)
			end();
		break;
	}
}

/* Translation */

static void bytes_of(const struct qemu_plugin_insn *insn, uint8_t *to, size_t size)
{
	size_t n = qemu_plugin_insn_size(insn);

	memset(to, 0, size);
#if PLUGIN_API >= 3
	qemu_plugin_insn_data(insn, to, n < size ? n : size);
#else
	memcpy(to, qemu_plugin_insn_data(insn), n < size ? n : size);
#endif
}

/* Intel SDM volume 2: opcodes of near calls, near returns, jumps and iret, behind their prefixes. */
static enum end end_of(const uint8_t *code)
{
	while (*code == 0x66 || *code == 0x67 || *code == 0x3e || *code == 0x2e || *code == 0xf2 || *code == 0xf3 ||
	       (*code & 0xf0) == 0x40)
		code++;
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

static struct block *block_of(const struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block **b = &blocks[slot(address, BLOCKS)];
	uint64_t next = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
	uint8_t code[16];
	enum end end;

	bytes_of(last, code, sizeof(code));
	end = end_of(code);
	while (*b && ((*b)->address != address || (*b)->instructions != n || (*b)->next != next || (*b)->end != end))
		b = &(*b)->chain;
	if (!*b) {
		*b = must(calloc(1, sizeof(**b)));
		**b = (struct block){
			.address = address, .next = next, .instructions = (uint32_t)n, .symbol = NONE, .end = end};
	}
	return *b;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static const uint8_t command[] = {0x0f, 0x1f, 0x84, 0x00, 'X', 'D', 'P'};
	static const uint8_t load_stack[] = {0x48, 0x8b, 0xa6}; /* mov disp32(%rsi),%rsp, of __switch_to_asm alone */
	uint8_t code[16];

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block_of(tb));
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		bytes_of(insn, code, sizeof(code));
		if (!memcmp(code, command, sizeof(command)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, commanded, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code[7]);
		if (!memcmp(code, load_stack, sizeof(load_stack)) && qemu_plugin_insn_vaddr(insn) >= KERNEL_HALF)
			qemu_plugin_register_vcpu_mem_cb(insn, switches, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R,
							 NULL);
	}
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
							       char **argv)
{
	if (strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "count: a guest of x86_64 is wanted, this one is %s\n", info->target_name);
		return 1;
	}
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "dir=", 4))
			snprintf(dir, sizeof(dir), "%s", argv[i] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
