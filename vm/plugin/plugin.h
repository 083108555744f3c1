/* plugin.h - the counting plugin: count.c (commands, windows), calls.c (call paths), memory.c (loads, stores, lines) */
#ifndef VM_PLUGIN_PLUGIN_H
#define VM_PLUGIN_PLUGIN_H

#include "base/base.h"

/* How a program in the guest commands the plugin: the last byte of an eight-byte NOP, which does nothing without it */
#define COUNT_SYMBOLS 1 /* read DIR/symbols and DIR/lines */
#define COUNT_BEGIN   2 /* a window begins */
#define COUNT_STOP    3 /* no more is counted in it */
#define COUNT_END     4 /* it ends, after STOP: DIR/places is read, and DIR/window.N is written, N from 0 */
#define COUNT_PLACES  5 /* read DIR/places before a window */

/*
 * The frames of a window, the first that are counted, whose footprint is counted: some 30 batches of 64, as many as the
 * windows of the guest have, and more buffers than a ring has.
 */
#define FOOTPRINT_FRAMES 2048
#define COUNT_WARMUP     24 /* polls at the beginning of a window that are not counted */

#define COUNT_COMMAND(n) __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 0x58, 0x44, 0x50, %c0" : : "i"(n) : "memory")

#ifdef PLUGIN_API /* the rest is the plugin's own */

/*
 * What is used of QEMU's TCG plugin interface, of which Debian packages no header (QEMU documentation, "QEMU TCG
 * Plugins"). QEMU resolves it when it loads the plugin, and refuses a version that it does not support.
 */
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data);

/* qemu_plugin_reset() takes all callbacks away and forgets all translated blocks; then it calls cb. */
#if PLUGIN_API >= 7
void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(void *data), void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(struct qemu_plugin_tb *tb, void *data),
					   void *data);
#else
void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
#endif
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
/* Only inside of a callback of an access: where it goes. NULL: not known. */
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *where);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *where);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
#if PLUGIN_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif
#if PLUGIN_API >= 2
/* Arrays of glib, which QEMU is linked with. */
typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;
typedef struct {
	char *data;
	unsigned int len;
} GArray;
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int size);
unsigned int g_array_get_element_size(GArray *array);

struct qemu_plugin_register;
struct qemu_plugin_register_words { /* each element begins so */
	struct qemu_plugin_register *handle;
	const char *name;
};
/* Inside of a callback of a vCPU; to read, of one that was registered with QEMU_PLUGIN_CB_R_REGS. */
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *to); /* appends its bytes */
#endif

/* How many of n elements of this size, which begin with a key and are sorted by it, have one of at most this. */
static inline size_t count_up_to(const void *elements, size_t n, size_t size, uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)(const void *)((const char *)elements + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline void *must(void *p)
{
	if (!p) {
		fputs("count: no memory\n", stderr);
		exit(1);
	}
	return p;
}

/* The slot of a key in a table of n slots; n is a power of two. */
static inline size_t slot(uint64_t key, size_t n)
{
	return (size_t)((key * 0x9E3779B97F4A7C15ULL) >> 32) & (n - 1);
}

/* What is counted, of a call path or of a vCPU; without memory=on all but the instructions stay 0. */
enum tally {
	TALLY_INSTRUCTIONS,
	TALLY_LOADS, /* and stores: one for each access of an instruction */
	TALLY_STORES,
	TALLY_LINES, /* of 64 bytes */
	TALLY_TRANSFERS,
	TALLY_DEVICE,
	TALLY_FOOT_LINES, /* different lines, and pages of 4096 bytes, that the first FOOTPRINT_FRAMES frames touch */
	TALLY_FOOT_PAGES,
	TALLIES
};

struct tallies {
	uint64_t n[TALLIES];
};

/* sum += (now - then) - (away - away_then): what was counted since then, without what was counted elsewhere. */
static inline void tallies_add_since(struct tallies *sum, const struct tallies *now, const struct tallies *then,
				     const struct tallies *away, const struct tallies *away_then)
{
	for (int i = 0; i < TALLIES; i++)
		sum->n[i] += now->n[i] - then->n[i] - (away->n[i] - away_then->n[i]);
}

/*
 * Files that the guest has written: a regular file of at most GUEST_FILE_BYTES, and no link. In a line each control
 * character but the tab is "?": it is shown on terminals, and lines of a window are no more than the plugin writes
 */
#define GUEST_FILE_BYTES (64L << 20) /* the symbols of a kernel have 12 MB */

FILE *guest_file_open(const char *path);
char *guest_file_line(char *line, int size, FILE *in);

/*
 * symbols - the functions of the guest's kernel: an address belongs to the last symbol at or before it, of several
 * names to the first. Each file that is read begins an epoch, for which numbers of symbols hold
 */
#define SYMBOL_NONE UINT32_MAX

/* How the kernel is entered at this symbol. */
enum entry { ENTRY_NONE, ENTRY_SYSCALL, ENTRY_FORK, ENTRY_IRQ, ENTRY_IRQ_STUB };

/*
 * Code that mitigations put in the place of an instruction. A return thunk returns for the function that jumps to it.
 * An indirect thunk is a jump: it calls itself, puts the target where the return address is, and returns to it.
 */
enum thunk { THUNK_NONE, THUNK_RETURN, THUNK_JUMP };

struct symbol {
	uint64_t address;
	const char *name, *module; /* module "": the kernel itself */
	enum entry entry;
	enum thunk thunk;
	bool napi_poll;  /* the function that polls a NAPI instance */
	bool tracepoint; /* it leads to the probes of a tracepoint */
	bool program;    /* the program under test */
	bool poll;       /* each call is a poll */
	bool call;       /* a reader's system call: counted, and no poll */
};

bool symbols_read(const char *path); /* false: the file has none */
extern uint32_t symbols_epoch;       /* from 1 on */
uint32_t symbol_at(uint64_t address);
const struct symbol *symbol_get(uint32_t number); /* of SYMBOL_NONE: "-", at no address */

/* lines - the source lines of BPF programs: of the last address at or before an instruction, in its own function */
bool lines_read(const char *path); /* false: it cannot be read */
void lines_write(FILE *out);       /* what the blocks were executed below polls  */

/*
 * blocks - translation blocks: runs of instructions without a branch inside; translated again, the same block. Opcodes
 * of near calls, near returns, jumps and iret, behind their prefixes: Intel SDM volume 2
 */
#define KERNEL_HALF 0xffff800000000000ULL

enum end { END_FALL, END_CALL, END_RETURN, END_IRET, END_JUMP };

struct block {
	uint64_t address, next; /* next: of the instruction behind the block */
	uint64_t last;          /* the address of its last instruction; 0: that is its first one, or the block is cut */
	struct block *chain;
	uint32_t instructions, epoch, symbol; /* symbol: in this epoch of symbols */
	enum end end;
	bool cut;        /* QEMU shows one instruction more than it executes in this block */
	uint64_t runs;   /* in this window, below polls */
	uint8_t sizes[]; /* bytes of each instruction */
};

struct block *block_of(const struct qemu_plugin_tb *tb);
struct opcode {
	enum end end;
	bool pushes;  /* a call or a push of a register: what it stores is on the stack */
	bool repeats; /* rep movs or rep stos: each repetition stores once */
};
struct opcode opcode_of(const uint8_t *code);
void insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *to, size_t size); /* the rest of to is 0 */

/*
 * nodes - call paths: a node is a function in one call path. One that __napi_poll() called is the root of a poll, but
 * for its tracepoint and its return thunk. A return thunk is below the function that returns. Thunks are no calls.
 * Pointers to nodes hold until the next node is made
 */
#define NODE_NONE UINT32_MAX

struct node {
	struct tallies tallies;
	uint64_t calls;
	uint32_t symbol, parent, child, sibling;
	bool poll;    /* a poll, or a reader's system call */
	bool beside;  /* the tracepoint of polls, or the return thunk of what calls them */
	bool counted; /* a poll, or below one */
};

extern struct node *nodes;                /* by number */
uint64_t node_sum_below(uint32_t number); /* instructions of the node and of all below it */

/*
 * stacks - the shadow stacks of tasks, and what each vCPU executes now. What ran on the vCPU while a task was switched
 * out, and what interrupts executed, are aliens in the frames of that task
 */
#define STACK_DEPTH 192
#define VCPUS       64

struct frame {
	uint64_t back;                /* return address; 0: an interrupt */
	struct tallies total, aliens; /* counters of the vCPU when the frame was entered */
	const struct block *was;      /* an interrupt: the last block before it */
	uint32_t node;                /* the node that goes on when this frame is left */
	bool counted, poll;           /* counted: its instructions are held against those of the nodes */
};

struct task {
	uint64_t id;
	struct task *chain;
	struct frame frames[STACK_DEPTH];
	unsigned int depth;
	uint32_t node;
	struct tallies total_out, aliens_out; /* of the vCPU when the task was switched out */
};

struct vcpu {
	const struct block *before; /* the block that was executed last */
	struct task *task;
	uint32_t root, warmup, beside, node; /* warmup, beside: the roots of polls that are not counted  */
	uint64_t napi; /* what the last __napi_poll() loaded first: a member of the instance it polls; 0: nothing yet */
	unsigned int skipped;
	bool entering;         /* an interrupt: the accesses are the CPU's own  */
	uint32_t poll;         /* the number of the last poll that began; polls of all vCPUs are numbered from 1 on */
	uint32_t first_poll;   /* of the window */
	unsigned int frames;   /* whose footprint is counted */
	bool footprint_ended;  /* with the last of them */
	struct tallies total;  /* of the kernel in this window; lines: of polls alone */
	struct tallies aliens; /* of them in interrupts, counted when each ends */
	uint64_t user;
	uint64_t polls;          /* entered and left */
	struct tallies in_polls; /* between entry and exit, without aliens */
};

extern struct vcpu vcpus[VCPUS];
struct task *vcpu_task(unsigned int cpu); /* the one that runs */
void calls_clear(void);                   /* a window begins: no node, no frame, no count, no block was executed */
/* The vCPU goes on with the task of this id; counted: inside of a window. */
void task_switch(unsigned int cpu, uint64_t id, bool counted);

/*
 * walk - from block to block: the node in whose call path the vCPU executes now. The branch that ended the block before
 * tells: a call pushes the return address, a return pops to it, a jump into another function, and an indirect thunk's
 * return, replaces the node. An interrupt begins a path of its own, and its iretq goes back. The first polls of a
 * window go below vcpu.warmup: pools of pages and slabs fill. A NAPI instance receives when the program under test has
 * run in a poll of it. Polls of others, of the device that gets the frames that are sent or redirected, go below
 * vcpu.beside
 */
void walk(struct vcpu *c, struct task *t, const struct block *b);

bool places_read(const char *path); /* data structures, by address; false: it cannot be read, and has no address */

/*
 * device - lines of the guest's memory that a device wrote: bytes that differ from a copy of the RAM, which follows
 * each access of the kernel, but for those that the access itself stores. A device that writes the same bytes again is
 * not seen. Stores that QEMU does not show (of the CPU to a stack when an interrupt comes, of programs) look like those
 * of a device: so stacks are left out
 */
bool device_begin(void); /* a window begins */
unsigned int device_lines(qemu_plugin_meminfo_t info, uint64_t address);

/*
 * memory - the lines that the guest's kernel loads and stores. A line counts once in a poll, in the function that
 * touches it first: the lines of functions add up to those of the poll. So do those, and the pages, of the frames whose
 * footprint is counted, from the first poll that is counted to the frame behind them, or the poll. A line is
 * transferred when another vCPU wrote it last, and this one has not accessed it since: it comes from the cache of the
 * other core, and is never evicted. A line that a device wrote counts in the function that accesses it first
 * afterwards. Addresses are virtual: two mappings of one line are two lines. A page belongs to a stack once a call or a
 * push stored there
 */
#define PAGE_BITS 12

/*
 * A CPU that takes an interrupt loads the gate from the interrupt descriptor table, and stores the old state on the
 * stack. Now and then QEMU 7.2 shows these accesses as if the last instruction had made them. The table has a fixed
 * address, which the kernel itself never loads from: from that load to the next block the CPU enters an interrupt.
 */
#define IDT_PAGE (0xfffffe0000000000ULL >> PAGE_BITS)

/* One access of the kernel. */
struct access {
	uint64_t address;
	bool store, pushed, enters;
	unsigned int device; /* lines that a device wrote since the last access  */
};

void memory_access(struct vcpu *c, unsigned int cpu, const struct access *a);
void memory_clear(bool several); /* a window begins: no count by data structure; several: vCPUs */

/* What a call path did to a data structure. */
struct spot {
	const char *place;
	struct tallies tallies;
};

/* The counts of a node by data structure; their number. They hold until the next call. */
size_t memory_spots(uint32_t node, const struct spot **spots);

#endif
#endif
