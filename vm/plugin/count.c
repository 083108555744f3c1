// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count - a QEMU plugin that counts instructions, calls and accesses to memory of a guest kernel, by call path
 *
 * usage: -plugin count.so,dir=DIR,out=DIR[,memory=on[,device=on]]
 *        -plugin count.so,try=on     ends the emulator with status 0: it takes this version of the interface
 *
 * A program in the guest executes an eight-byte NOP whose displacement is "XDP" and a command (plugin.h). The guest
 * writes into dir and must not have out: what it puts there could lead the plugin anywhere.
 *
 * From SYMBOLS on QEMU calls the plugin before each translation block. The plugin walks from block to block, keeps a
 * shadow stack for each task, and counts into the node of the call path where the vCPU is. With memory=on QEMU calls it
 * at each load and store of the kernel too, which takes several times as long.
 *
 * Closure: for each poll the plugin also takes the differences of counters of all that the vCPU did between entry and
 * exit, without what interrupts did meanwhile; they must equal the sums over the nodes below the root.
 */
#include "vm/plugin/plugin.h"

/* ---- guest file ------------------------------------------------------------------------------------------ */

FILE *guest_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *in = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= GUEST_FILE_BYTES)
		in = fdopen(fd, "r");
	if (!in)
		close(fd);
	return in;
}

/* A byte that is not to be shown becomes "?"; the line keeps its length, and its end. */
char *guest_file_line(char *line, int size, FILE *in)
{
	char *from, *end;

	if (!fgets(line, size, in))
		return NULL;
	for (from = line; *from; from = end) {
		char kept = *(end = from + strcspn(from, "\t\n"));

		*end = '\0';
		printable_in_place(from);
		*end = kept;
		end += kept != '\0';
	}
	return line;
}

/* ---- running --------------------------------------------------------------------------------------------- */

/*
 * The number of the vCPU that executes now. QEMU 10 and 11, where one thread executes all vCPUs, pass the number of the
 * vCPU that a block was translated for, whichever executes it. So a vCPU is known by its per-CPU area: gs points to it
 * in the kernel, and swapgs keeps it in the other register meanwhile. Numbers are given in the order in which vCPUs are
 * seen. A machine with one vCPU, and a QEMU whose plugins cannot read registers (7.2, whose numbers are right), need
 * none of this.
 */
static unsigned int nvcpus;

#if PLUGIN_API < 2

#define running_read(said) (said)
#define running_same(said) (said)

#else

static unsigned int nareas, current;
static uint64_t areas[VCPUS];
static struct qemu_plugin_register *gs, *other_gs;
static GByteArray *bytes;

static void give_up(const char *why)
{
	fprintf(stderr, "count: %s\n", why);
	exit(1);
}

static uint64_t read_one(struct qemu_plugin_register *r)
{
	uint64_t value;

	g_byte_array_set_size(bytes, 0);
	qemu_plugin_read_register(r, bytes);
	if (bytes->len != sizeof(value))
		give_up("this QEMU does not report the values of gs_base and k_gs_base");
	memcpy(&value, bytes->data, sizeof(value));
	return value;
}

/* Reads the registers. */
static unsigned int running_read(unsigned int said)
{
	uint64_t area;

	if (nvcpus < 2)
		return said;
	if (!gs) {
		GArray *all = qemu_plugin_get_registers();

		for (unsigned int i = 0; i < all->len; i++) {
			const struct qemu_plugin_register_words *r =
				(void *)(all->data + (size_t)i * g_array_get_element_size(all));

			if (!strcmp(r->name, "gs_base"))
				gs = r->handle;
			if (!strcmp(r->name, "k_gs_base"))
				other_gs = r->handle;
		}
		if (!gs || !other_gs)
			give_up("this QEMU does not report the registers gs_base and k_gs_base");
		bytes = g_byte_array_new();
	}
	area = read_one(gs);
	if (area < KERNEL_HALF)
		area = read_one(other_gs);
	if (nareas && areas[current] == area)
		return current;
	for (current = 0; current < nareas && areas[current] != area; current++)
		;
	if (current == nvcpus)
		give_up("more per-CPU areas than vCPUs");
	if (current == nareas)
		areas[nareas++] = area;
	return current;
}

/* That of the last running_read(): in a callback of the same block. */
static unsigned int running_same(unsigned int said)
{
	return nvcpus > 1 && nareas ? current : said;
}

#endif

/* ---- window ---------------------------------------------------------------------------------------------- */

/*
 * What was counted between two commands of the guest, as a file. POLLS: entered and left. BETWEEN: between entry and
 * exit of each poll, without interrupts. TOTAL: of the kernel. USER: of programs. The instructions of the paths sum to
 * BETWEEN, and each of the seven to that of the vCPU: independent counts. The seven of the data structures of a path
 * sum to those of the path. The lines of a function sum to the instructions of its paths
 */

/* What is counted of memory; of a machine with one vCPU no line can come from another one. */
enum window_memory { MEMORY_NOT, MEMORY_OF_ONE, MEMORY_OF_SEVERAL };

static unsigned int windows;
static enum window_memory memory;
static bool device_known, footprint_counted; /* footprint: of the vCPU that is written */

static void write_memory(FILE *out, const struct tallies *t)
{
	const bool missing[TALLIES] = {[TALLY_TRANSFERS] = memory != MEMORY_OF_SEVERAL,
				       [TALLY_DEVICE] = !device_known,
				       [TALLY_FOOT_LINES] = !footprint_counted,
				       [TALLY_FOOT_PAGES] = !footprint_counted};

	for (int i = TALLY_LOADS; i < TALLIES && memory; i++)
		if (missing[i])
			fputs(" -", out);
		else
			fprintf(out, " %" PRIu64, t->n[i]);
}

static void write_poll(FILE *out, uint32_t number, unsigned int depth)
{
	const struct node *n = &nodes[number];
	const struct symbol *s = symbol_get(n->symbol);
	const struct spot *spots;
	size_t nspots;

	fprintf(out, "path %u %" PRIu64 " %" PRIu64 " %s %s", depth, n->calls, n->tallies.n[TALLY_INSTRUCTIONS],
		s->name, s->module[0] ? s->module : "-");
	write_memory(out, &n->tallies);
	fputc('\n', out);
	nspots = memory_spots(number, &spots);
	for (size_t i = 0; i < nspots; i++) {
		fputs("at", out);
		write_memory(out, &spots[i].tallies);
		fprintf(out, " %s\n", spots[i].place);
	}
	for (uint32_t below = n->child; below != NODE_NONE; below = nodes[below].sibling)
		write_poll(out, below, depth + 1);
}

/* Writes the polls below the node; returns the instructions below it that are in none. */
static uint64_t write_polls(FILE *out, uint32_t number)
{
	const struct node *n = &nodes[number];
	uint64_t outside = n->tallies.n[TALLY_INSTRUCTIONS];

	if (n->poll) {
		write_poll(out, number, 0);
		return 0;
	}
	for (uint32_t below = n->child; below != NODE_NONE; below = nodes[below].sibling)
		outside += write_polls(out, below);
	return outside;
}

static void window_end(const char *dir)
{
	char path[4200], whole[4200];
	FILE *out = NULL;
	int fd;

	snprintf(path, sizeof(path), "%s/window.%u.new", dir, windows);
	snprintf(whole, sizeof(whole), "%s/window.%u", dir, windows++);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		perror(path);
		if (fd >= 0)
			close(fd);
		return;
	}
	for (unsigned int cpu = 0; cpu < VCPUS; cpu++) {
		const struct vcpu *c = &vcpus[cpu];

		if (!c->total.n[TALLY_INSTRUCTIONS])
			continue;
		footprint_counted = c->frames == FOOTPRINT_FRAMES;
		fprintf(out, "cpu %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, cpu, c->polls,
			c->in_polls.n[TALLY_INSTRUCTIONS], c->total.n[TALLY_INSTRUCTIONS], c->user);
		write_memory(out, &c->in_polls);
		fputc('\n', out);
		for (uint32_t n = nodes[c->root].child; n != NODE_NONE; n = nodes[n].sibling) {
			uint64_t outside = write_polls(out, n);

			if (outside)
				fprintf(out, "outside %" PRIu64 " %s\n", outside, symbol_get(nodes[n].symbol)->name);
		}
		fprintf(out, "outside %" PRIu64 " warm-up\n", node_sum_below(c->warmup));
		fprintf(out, "outside %" PRIu64 " consumer\n", node_sum_below(c->beside));
	}
	lines_write(out);
	if (fclose(out) || rename(path, whole))
		perror(whole);
}

/* ---- count ----------------------------------------------------------------------------------------------- */

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;

static bool on, with_device;
static bool switched; /* between tasks, since there are symbols: long before the first window */
static char dir[4096] = ".", out[4096] = "";
static qemu_plugin_id_t self;

/* The vCPU loads the stack pointer of the task whose task_struct holds vaddr. */
static void switches(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	(void)info, (void)data;
	switched = true;
	task_switch(running_read(cpu), vaddr, on);
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct access a = {
		.address = vaddr, .store = qemu_plugin_mem_is_store(info), .enters = vaddr >> PAGE_BITS == IDT_PAGE};

	if (!on)
		return;
	a.pushed = a.store && data;
	a.device = device_known ? device_lines(info, vaddr) : 0;
	cpu = a.enters ? running_read(cpu) : running_same(cpu);
	memory_access(&vcpus[cpu], cpu, &a);
}

/* __napi_poll() loads: the first load is of the NAPI instance. */
static void polled(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct vcpu *c = &vcpus[running_same(cpu)];

	(void)data;
	if (!c->napi && !qemu_plugin_mem_is_store(info))
		c->napi = vaddr;
}

/*
 * QEMU 7.2 executes a block once for each repetition of a string instruction, and once more to find that none is left.
 * QEMU 10 repeats inside of the block: then a second repetition comes before the next block, and each of them is
 * counted here, so that the sum is the same.
 */
static unsigned int repetitions; /* since the last block began, of all vCPUs: one of them executes at a time */
static bool repeats_inside;

static void repeated(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct vcpu *c;

	(void)info, (void)vaddr, (void)data;
	repeats_inside |= ++repetitions > 1;
	if (!on || !repeats_inside)
		return;
	c = &vcpus[running_same(cpu)];
	nodes[c->node].tallies.n[TALLY_INSTRUCTIONS]++;
	c->total.n[TALLY_INSTRUCTIONS]++;
}

static void executed(unsigned int cpu, void *data)
{
	static struct block *last; /* of all vCPUs */
	static uint64_t last_last; /* last->last, without a look at a block that is in no cache */
	struct block *b = data, *cut = NULL;
	struct vcpu *c;

	/*
	 * QEMU 7.2 begins an instruction that crosses to another page in the block of those before it, and takes it
	 * back; plugins see it there all the same, without the bytes of the other page. So the last block has one
	 * instruction less from now on.
	 */
	if (last && b->address == last_last && last->last == last_last && last_last &&
	    last->sizes[last->instructions - 1] < b->sizes[0]) {
		cut = last;
		cut->cut = true;
		cut->instructions--;
		cut->next = cut->last;
		cut->last = 0;
		cut->end = END_FALL;
	}
	last = b;
	last_last = b->last;
	repetitions = 0;
	if (!on)
		return;
	cpu = running_read(cpu);
	c = &vcpus[cpu];
	if (cut && cut == c->before && cut->address >= KERNEL_HALF) { /* it was counted with the instruction */
		nodes[c->node].tallies.n[TALLY_INSTRUCTIONS]--;
		c->total.n[TALLY_INSTRUCTIONS]--;
	}
	c->entering = false;
	if (b->address < KERNEL_HALF) {
		c->user += b->instructions;
		c->before = b;
		return;
	}
	if (b->epoch != symbols_epoch) {
		b->symbol = symbol_at(b->address);
		b->epoch = symbols_epoch;
	}
	walk(c, vcpu_task(cpu), b);
	nodes[c->node].tallies.n[TALLY_INSTRUCTIONS] += b->instructions;
	b->runs += nodes[c->node].counted;
	c->total.n[TALLY_INSTRUCTIONS] += b->instructions;
	c->before = b;
}

static void count_read_file(bool (*read)(const char *path), const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!read(path))
		fprintf(stderr, "count: no %s in %s\n", name, dir);
}

#if PLUGIN_API >= 7
#define TRANSLATED_ARGUMENTS struct qemu_plugin_tb *tb, void *other
static void translated(TRANSLATED_ARGUMENTS);

static void count_start(void *data)
{
	qemu_plugin_register_vcpu_tb_trans_cb(self, translated, data);
}
#else
#define TRANSLATED_ARGUMENTS qemu_plugin_id_t other, struct qemu_plugin_tb *tb
static void translated(TRANSLATED_ARGUMENTS);

static void count_start(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}
#endif

/* Nothing but commands is watched until there are symbols. Then all blocks are translated again, once. */
static bool watching;

static void commanded(unsigned int cpu, void *data)
{
	(void)cpu;
	switch ((uintptr_t)data) {
	case COUNT_SYMBOLS:
		count_read_file(symbols_read, "symbols");
		count_read_file(lines_read, "lines");
		if (!watching)
#if PLUGIN_API >= 7
			qemu_plugin_reset(self, count_start, NULL);
#else
			qemu_plugin_reset(self, count_start);
#endif
		watching = true;
		break;
	case COUNT_BEGIN:
		if (!switched) {
			fputs("count: this QEMU and this kernel show no switch of tasks\n", stderr);
			exit(1);
		}
		device_known = with_device && device_begin();
		calls_clear();
		memory_clear(memory == MEMORY_OF_SEVERAL);
		on = true;
		break;
	case COUNT_STOP:
		on = false;
		break;
	case COUNT_END:
	case COUNT_PLACES:
		if (memory)
			count_read_file(places_read, "places");
		if ((uintptr_t)data == COUNT_END)
			window_end(out);
		break;
	}
}

static void translated(TRANSLATED_ARGUMENTS)
{
	static const uint8_t command[] = {0x0f, 0x1f, 0x84, 0x00, 'X', 'D', 'P'};
	static const uint8_t load_stack[] = {0x48, 0x8b, 0xa6}; /* mov disp32(%rsi),%rsp, of __switch_to_asm alone */
	/* flags: of callbacks that call running_read() */
	enum qemu_plugin_cb_flags flags =
		PLUGIN_API >= 2 && nvcpus > 1 ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS;
	bool polls = symbol_get(symbol_at(qemu_plugin_tb_vaddr(tb)))->napi_poll;

	(void)other;
	if (watching)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, flags, block_of(tb));
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct opcode opcode;
		uint8_t code[16];

		insn_bytes(insn, code, sizeof(code));
		if (!memcmp(code, command, sizeof(command)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, commanded, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code[7]);
		if (!watching || qemu_plugin_insn_vaddr(insn) < KERNEL_HALF)
			continue;
		opcode = opcode_of(code);
		if (!memcmp(code, load_stack, sizeof(load_stack))) /* RW: QEMU 7.2 calls none of MEM_R at a load */
			qemu_plugin_register_vcpu_mem_cb(insn, switches, flags, QEMU_PLUGIN_MEM_RW, NULL);
		if (polls)
			qemu_plugin_register_vcpu_mem_cb(insn, polled, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
							 NULL);
		if (PLUGIN_API >= 2 && opcode.repeats)
			qemu_plugin_register_vcpu_mem_cb(insn, repeated, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
							 NULL);
		if (memory)
			qemu_plugin_register_vcpu_mem_cb(insn, accessed, flags, QEMU_PLUGIN_MEM_RW,
							 opcode.pushes ? (void *)1 : NULL);
	}
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
							       char **argv)
{
	if (strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "count: a guest of x86_64 is wanted, this one is %s\n", info->target_name);
		return 1;
	}
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "dir=", 4))
			snprintf(dir, sizeof(dir), "%s", argv[i] + 4);
		if (!strncmp(argv[i], "out=", 4))
			snprintf(out, sizeof(out), "%s", argv[i] + 4);
		if (!strcmp(argv[i], "memory=on"))
			memory = info->system.smp_vcpus > 1 ? MEMORY_OF_SEVERAL : MEMORY_OF_ONE;
		with_device |= !strcmp(argv[i], "device=on");
		if (!strcmp(argv[i], "try=on"))
			_exit(0);
	}
	if (!out[0]) {
		fputs("count: no out=DIR for the windows\n", stderr);
		return 1;
	}
	self = id;
	nvcpus = info->system.smp_vcpus < VCPUS ? (unsigned int)info->system.smp_vcpus : VCPUS;
#if PLUGIN_API >= 7
	count_start(NULL);
#else
	count_start(id);
#endif
	return 0;
}
