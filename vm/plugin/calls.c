// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/plugin.h"

/* ---- symbols --------------------------------------------------------------------------------------------- */

static struct symbol *symbols;
static size_t nsymbols;
uint32_t symbols_epoch = 1;
static bool have_program; /* false: the file does not tell the program under test */
static bool common;       /* type y */

static int symbols_by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return ORDER(x->address, y->address);
}

bool symbols_read(const char *path)
{
	char line[1024], name[512], module[128];
	uint64_t address, program = 0, poll = 0, call = 0;
	struct symbol *s;
	char type;
	FILE *in = guest_file_open(path);

	if (!in)
		return false;
	for (; nsymbols; nsymbols--) {
		free((char *)symbols[nsymbols - 1].name);
		free((char *)symbols[nsymbols - 1].module);
	}
	common = false;
	while (guest_file_line(line, sizeof(line), in)) {
		module[0] = '\0';
		if (sscanf(line, "%" SCNx64 " %c %511s [%127[^]]]", &address, &type, name, module) < 3)
			continue;
		if (type == 'x' || type == 'y') {
			program = address;
			common = type == 'y';
		}
		if (type == 'z')
			poll = address;
		if (type == 'r')
			call = address;
		if (!strchr("tTwW", type))
			continue;
		s = must(array_add(&symbols, &nsymbols, sizeof(*symbols)));
		s->address = address;
		s->name = must(strdup(name));
		s->module = must(strdup(module));
		if (!strncmp(name, "entry_SYSCALL_64", 16) && strcmp(name, "entry_SYSCALL_64_after_hwframe"))
			s->entry = ENTRY_SYSCALL;
		else if (!strcmp(name, "ret_from_fork_asm") || !strcmp(name, "ret_from_fork"))
			s->entry = ENTRY_FORK;
		else if (!strcmp(name, "irq_entries_start") || !strcmp(name, "spurious_entries_start"))
			s->entry = ENTRY_IRQ_STUB;
		else if (!strncmp(name, "asm_sysvec_", 11) || !strncmp(name, "asm_exc_", 8) ||
			 !strncmp(name, "asm_common_interrupt", 20) || !strncmp(name, "asm_spurious_interrupt", 22))
			s->entry = ENTRY_IRQ;
		if (!strncmp(name, "__x86_indirect_", 15))
			s->thunk = THUNK_JUMP;
		else if (strstr(name, "_return_thunk") || !strcmp(name, "srso_safe_ret") ||
			 !strcmp(name,
				 "srso_alias_safe_ret")) /* not call_depth_*, which count the depth of the stack */
			s->thunk = THUNK_RETURN;
		s->napi_poll = !strcmp(name, "__napi_poll");
		s->tracepoint = !strncmp(name, "__traceiter_", 12) || !strncmp(name, "__bpf_trace_", 12) ||
				!strncmp(name, "__SCT__tp_func_", 15);
	}
	fclose(in);
	qsort(symbols, nsymbols, sizeof(*symbols), symbols_by_address);
	symbols_epoch++;
	have_program = nsymbols > 0 && program;
	if (have_program)
		symbols[symbol_at(program)].program = true;
	if (nsymbols > 0 && poll)
		symbols[symbol_at(poll)].poll = true;
	if (nsymbols > 0 && call)
		symbols[symbol_at(call)].call = true;
	return nsymbols > 0;
}

uint32_t symbol_at(uint64_t address)
{
	size_t low = count_up_to(symbols, nsymbols, sizeof(*symbols), address);

	if (!low)
		return SYMBOL_NONE;
	low--;
	while (low > 0 && symbols[low - 1].address == symbols[low].address)
		low--;
	return (uint32_t)low;
}

const struct symbol *symbol_get(uint32_t number)
{
	static const struct symbol none = {.address = UINT64_MAX, .name = "-", .module = ""};

	return number == SYMBOL_NONE ? &none : &symbols[number];
}

#define BLOCKS (1u << 18)

static struct block *blocks[BLOCKS];

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct line {
	uint64_t address, instructions;
	char *words;
};

static struct line *lines;
static size_t nlines;

bool lines_read(const char *path)
{
	char text[1024];
	FILE *in = guest_file_open(path);
	struct line *line;

	if (!in)
		return false;
	while (nlines > 0)
		free(lines[--nlines].words);
	while (guest_file_line(text, sizeof(text), in)) {
		char *words = NULL;
		uint64_t address = strtoull(text, &words, 16);

		if (*words != ' ')
			continue;
		words[strcspn(words, "\n")] = '\0';
		line = must(array_add(&lines, &nlines, sizeof(*lines)));
		line->address = address;
		line->words = must(strdup(words + 1));
	}
	fclose(in);
	return true;
}

void lines_write(FILE *out)
{
	if (!nlines)
		return;
	for (size_t i = 0; i < nlines; i++)
		lines[i].instructions = 0;
	for (size_t i = 0; i < BLOCKS; i++)
		for (const struct block *b = blocks[i]; b; b = b->chain) {
			uint64_t address = b->address;

			for (uint32_t k = 0; k < b->instructions && b->runs && b->address >= lines[0].address; k++) {
				const struct symbol *s = symbol_get(symbol_at(address));
				size_t at = count_up_to(lines, nlines, sizeof(*lines), address);

				/* None, or that of another function, is no line of the instruction. */
				if (at > 0 && lines[at - 1].address >= s->address)
					lines[at - 1].instructions += b->runs;
				address += b->sizes[k];
			}
		}
	for (size_t i = 0; i < nlines; i++)
		if (lines[i].instructions)
			fprintf(out, "line %" PRIu64 " %s %s\n", lines[i].instructions,
				symbol_get(symbol_at(lines[i].address))->name, lines[i].words);
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

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

struct opcode opcode_of(const uint8_t *code)
{
	const uint8_t *s = code;
	struct opcode o = {.end = END_FALL};

	while (*s == 0x66 || *s == 0x67 || *s == 0x3e || *s == 0x2e || *s == 0xf2 || *s == 0xf3 || (*s & 0xf0) == 0x40)
		s++;
	switch (*s) {
	case 0xe8:
		o.end = END_CALL;
		break;
	case 0xc2:
	case 0xc3:
		o.end = END_RETURN;
		break;
	case 0xcf:
		o.end = END_IRET;
		break;
	case 0xff:
		o.end = ((s[1] >> 3) & 7) == 2 ? END_CALL : ((s[1] >> 3) & 7) == 4 ? END_JUMP : END_FALL;
		break;
	case 0xe9:
	case 0xeb:
		o.end = END_JUMP;
		break;
	}
	o.pushes = o.end == END_CALL || (code[*code == 0x41] & 0xf8) == 0x50;
	o.repeats = memchr(code, 0xf3, (size_t)(s - code)) && ((*s & 0xfe) == 0xa4 || (*s & 0xfe) == 0xaa);
	return o;
}

struct block *block_of(const struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block **b = &blocks[slot(address, BLOCKS)];
	uint64_t next = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
	uint8_t code[16];
	enum end end;

	insn_bytes(last, code, sizeof(code));
	end = opcode_of(code).end;
	for (; *b; b = &(*b)->chain) {
		if ((*b)->address != address || (*b)->instructions + (*b)->cut != n ||
		    (!(*b)->cut && ((*b)->next != next || (*b)->end != end)))
			continue;
		for (i = 0; i < n && (*b)->sizes[i] == qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i)); i++)
			;
		if (i == n) /* as QEMU shows it */
			return *b;
	}
	*b = must(calloc(1, sizeof(**b) + n));
	**b = (struct block){.address = address,
			     .next = next,
			     .last = n > 1 ? qemu_plugin_insn_vaddr(last) : 0,
			     .instructions = (uint32_t)n,
			     .symbol = SYMBOL_NONE,
			     .end = end};
	for (i = 0; i < n; i++)
		(*b)->sizes[i] = (uint8_t)qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
	return *b;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

struct node *nodes;
static size_t nnodes;

static uint32_t node_new(uint32_t symbol, uint32_t parent)
{
	uint32_t number = (uint32_t)nnodes;
	struct node *n = must(array_add(&nodes, &nnodes, sizeof(*nodes)));

	*n = (struct node){.symbol = symbol, .parent = parent, .child = NODE_NONE, .sibling = NODE_NONE};
	if (parent != NODE_NONE) {
		n->sibling = nodes[parent].child;
		nodes[parent].child = number;
	}
	return number;
}

/* Made if there is none. */
static uint32_t node_below(uint32_t parent, uint32_t symbol)
{
	const struct symbol *up = symbol_get(nodes[parent].symbol), *this = symbol_get(symbol);
	uint32_t n = nodes[parent].child;

	while (n != NODE_NONE && nodes[n].symbol != symbol)
		n = nodes[n].sibling;
	if (n != NODE_NONE)
		return n;
	n = node_new(symbol, parent);
	nodes[n].beside = up->napi_poll && (this->tracepoint || this->thunk == THUNK_RETURN);
	nodes[n].poll = (up->napi_poll && !nodes[n].beside) || this->poll || this->call;
	nodes[n].counted = nodes[n].poll || nodes[parent].counted;
	return n;
}

uint64_t node_sum_below(uint32_t number)
{
	uint64_t sum = nodes[number].tallies.n[TALLY_INSTRUCTIONS];

	for (uint32_t n = nodes[number].child; n != NODE_NONE; n = nodes[n].sibling)
		sum += node_sum_below(n);
	return sum;
}

/* ---- stacks ---------------------------------------------------------------------------------------------- */

#define TASKS (1u << 10)

static struct task *tasks[TASKS];
struct vcpu vcpus[VCPUS];
static uint32_t polls_begun;

static struct task *task_of(uint64_t id)
{
	struct task **t = &tasks[slot(id, TASKS)];

	while (*t && (*t)->id != id)
		t = &(*t)->chain;
	if (!*t) {
		*t = must(calloc(1, sizeof(**t)));
		(*t)->id = id;
		(*t)->node = NODE_NONE;
	}
	return *t;
}

/* Before the first switch a vCPU runs a task that has no id yet: the number of the vCPU serves. */
struct task *vcpu_task(unsigned int cpu)
{
	if (!vcpus[cpu].task)
		vcpus[cpu].task = task_of(cpu + 1);
	return vcpus[cpu].task;
}

void task_switch(unsigned int cpu, uint64_t id, bool counted)
{
	struct vcpu *c = &vcpus[cpu];
	struct task *next = task_of(id), *old = vcpu_task(cpu);

	c->task = next;
	if (!counted)
		return;
	old->node = c->node;
	old->total_out = c->total;
	old->aliens_out = c->aliens;
	if (next->depth)
		tallies_add_since(&c->aliens, &c->total, &next->total_out, &c->aliens, &next->aliens_out);
	c->node = next->node != NODE_NONE ? next->node : c->root;
}

void calls_clear(void)
{
	nnodes = 0;
	for (size_t i = 0; i < BLOCKS; i++)
		for (struct block *b = blocks[i]; b; b = b->chain)
			b->runs = 0;
	for (size_t i = 0; i < TASKS; i++)
		for (struct task *t = tasks[i]; t; t = t->chain)
			t->depth = 0, t->node = NODE_NONE;
	for (unsigned int i = 0; i < VCPUS; i++) {
		struct task *task = vcpus[i].task;

		vcpus[i] = (struct vcpu){
			.task = task, .root = node_new(SYMBOL_NONE, NODE_NONE), .first_poll = polls_begun + 1};
		vcpus[i].node = vcpus[i].root;
		vcpus[i].warmup = node_new(SYMBOL_NONE, NODE_NONE);
		vcpus[i].beside = node_new(SYMBOL_NONE, NODE_NONE);
	}
}

static struct frame *frame_push(struct vcpu *c, struct task *t, uint64_t back, bool counted, bool poll)
{
	struct frame *f;

	if (t->depth == STACK_DEPTH) { /* the frame at the bottom is lost: its return comes last */
		memmove(t->frames, t->frames + 1, (STACK_DEPTH - 1) * sizeof(*t->frames));
		t->depth--;
	}
	f = &t->frames[t->depth++];
	*f = (struct frame){.back = back,
			    .node = c->node,
			    .total = c->total,
			    .aliens = c->aliens,
			    .counted = counted,
			    .poll = poll};
	if (counted) {
		c->poll = ++polls_begun;
		c->footprint_ended = c->frames == FOOTPRINT_FRAMES;
	}
	return f;
}

static const struct frame *frame_pop(struct vcpu *c, struct task *t)
{
	const struct frame *f = &t->frames[--t->depth];

	c->polls += f->poll;
	if (f->counted)
		tallies_add_since(&c->in_polls, &c->total, &f->total, &c->aliens, &f->aliens);
	return f;
}

/* ---- walk ------------------------------------------------------------------------------------------------ */

#define RECEIVERS 64
#define NO_NAPI   1 /* in vcpu.napi: a poll of a driver without NAPI; no address of the kernel */

static uint64_t receivers[RECEIVERS]; /* as vcpu.napi */
static unsigned int nreceivers;
static uint32_t receivers_epoch; /* of the symbols: each program has receivers of its own */

static bool walk_receives(uint64_t napi)
{
	for (unsigned int i = 0; i < nreceivers; i++)
		if (receivers[i] == napi)
			return true;
	return false;
}

static void enter(struct vcpu *c, uint32_t parent, const struct block *b)
{
	const struct symbol *s = symbol_get(b->symbol);

	c->node = node_below(parent, b->symbol);
	if (s->address != b->address || s->thunk)
		return;
	nodes[c->node].calls++;
	if (s->napi_poll)
		c->napi = 0;
	if (!s->program)
		return;
	if (receivers_epoch != symbols_epoch)
		nreceivers = 0;
	receivers_epoch = symbols_epoch;
	if (c->napi && nreceivers < (common ? 1 : RECEIVERS) && !walk_receives(c->napi))
		receivers[nreceivers++] = c->napi;
	c->footprint_ended |= c->frames == FOOTPRINT_FRAMES;
	c->frames += nodes[c->node].counted && !c->footprint_ended;
}

static void jumped(struct vcpu *c, const struct block *b)
{
	const struct symbol *from = symbol_get(nodes[c->node].symbol);
	bool below = symbol_get(b->symbol)->thunk == THUNK_RETURN || from->poll || from->call; /* it stays the root */
	uint32_t parent = below ? c->node : nodes[c->node].parent;

	if (nodes[c->node].symbol != b->symbol && !nodes[c->node].beside) /* its probes are no polls either */
		enter(c, parent == NODE_NONE ? c->root : parent, b);
}

static void called(struct vcpu *c, struct task *t, const struct block *b)
{
	const struct symbol *s = symbol_get(b->symbol);
	uint32_t below;
	bool poll, call = s->call, known = receivers_epoch == symbols_epoch, inside, beside, skip;

	if (s->thunk && nodes[c->node].symbol == b->symbol) { /* an indirect thunk calls itself */
		frame_push(c, t, c->before->next, false, false);
		return;
	}
	if (s->poll)
		c->napi = NO_NAPI;
	/* What a system call polls, such as the sending side of a driver that it wakes, is a part of it. */
	inside = nodes[c->node].counted;
	below = node_below(c->node, b->symbol); /* it may move the nodes */
	poll = nodes[below].poll && (!inside || walk_receives(c->napi));
	beside = poll && !inside && !call && known && !walk_receives(c->napi);
	skip = poll && !inside && !beside && (c->skipped < COUNT_WARMUP || (!known && have_program));
	poll &= !skip && !beside;
	frame_push(c, t, c->before->next, poll && !inside, poll && !call);
	c->skipped += skip && !call;
	enter(c, beside ? c->beside : skip ? c->warmup : c->node, b);
}

static void returned(struct vcpu *c, struct task *t, const struct block *b)
{
	bool jump = false;
	unsigned int d;

	/* Leaves what thunks called. If one of them was an indirect thunk, this is a jump, and no return. */
	while (t->depth && t->frames[t->depth - 1].back &&
	       symbol_get(nodes[t->frames[t->depth - 1].node].symbol)->thunk) {
		c->node = frame_pop(c, t)->node;
		jump |= symbol_get(nodes[c->node].symbol)->thunk == THUNK_JUMP;
	}
	if (jump) {
		jumped(c, b);
		return;
	}
	d = t->depth;
	while (d > 0 && t->frames[d - 1].back && t->frames[d - 1].back != b->address)
		d--;
	if (d == 0 || !t->frames[d - 1].back) { /* from a function that was entered before the window */
		if (nodes[c->node].symbol != b->symbol)
			enter(c, c->root, b);
		return;
	}
	while (t->depth >= d)
		c->node = frame_pop(c, t)->node;
	if (nodes[c->node].symbol != b->symbol) /* the caller's frame came from before a jump */
		jumped(c, b);
}

void walk(struct vcpu *c, struct task *t, const struct block *b)
{
	const struct block *before = c->before;
	const struct symbol *s = symbol_get(b->symbol);
	bool first = s->address == b->address; /* the block begins where its function begins */
	bool stub = before && before->epoch == symbols_epoch && symbol_get(before->symbol)->entry == ENTRY_IRQ_STUB;

	if (s->entry == ENTRY_IRQ_STUB || (s->entry == ENTRY_IRQ && first && !stub)) {
		if (before && before->address >= KERNEL_HALF)
			frame_push(c, t, 0, false, false)->was = before;
		else
			t->depth = 0;
		enter(c, c->root, b);
		return;
	}
	if ((s->entry == ENTRY_SYSCALL || s->entry == ENTRY_FORK) && first) {
		t->depth = 0;
		enter(c, c->root, b);
		return;
	}
	/*
	 * More than once: an interrupt can follow the iretq of another one before any block between them runs. An iretq
	 * to the instruction behind it ends no interrupt: so sync_core() makes the CPU forget old code.
	 */
	while (before && before->end == END_IRET && b->address != before->next) {
		const struct frame *f = NULL;

		while (t->depth > 0 && (!f || f->back))
			f = frame_pop(c, t);
		if (!f || f->back) { /* nothing is known of the block that the interrupt came after */
			enter(c, c->root, b);
			return;
		}
		tallies_add_since(&c->aliens, &c->total, &f->total, &c->aliens, &f->aliens);
		c->node = f->node;
		before = f->was;
		c->before = before;
	}
	if (!before || before->address < KERNEL_HALF) {
		t->depth = 0;
		enter(c, c->root, b);
	} else if (before->end == END_CALL) {
		called(c, t, b);
	} else if (before->end == END_RETURN) {
		returned(c, t, b);
	} else {
		jumped(c, b);
	}
}
