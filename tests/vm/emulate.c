// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * emulate - calls the counting plugin as QEMU does while a guest runs, block by block, as a text on standard input says
 *
 * usage: emulate PLUGIN VCPUS [OPTION=VALUE]...
 *
 *   block NAME ADDRESS BYTES...     a translation block: the bytes of each instruction, in hex
 *   NAME [ACCESS]...                the vCPU executes it; ACCESS: N:r:ADDRESS or N:w:ADDRESS, 8 bytes, of instruction N
 *   cpu N                           which vCPU executes from now on; at first 0
 *   device ADDRESS                  a device writes a byte there. RAM is where device=on looks for it, 1 MiB, at 0
 *   COUNT * LINE                    the line, so often
 *   ! COMMAND                       a command of the shell, before what follows
 *
 * $ODD: "target": the guest is of another kind; "registers", "values": QEMU reports none of gs, or half of it
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST      64
#define RAM_BYTES (1UL << 20)
#define FAR       0xffff888000000000ULL /* physical memory of the guest begins here */
#define STORE     0x100                 /* in a meminfo, beside the size's logarithm */

struct callback {
	void (*executed)(unsigned int, void *);
	void (*accessed)(unsigned int, uint32_t, uint64_t, void *);
	int kinds;
	void *data;
};
struct qemu_plugin_insn {
	uint64_t address;
	uint8_t bytes[16];
	size_t size, n;
	struct callback callbacks[8];
};
struct qemu_plugin_tb {
	char name[32];
	uint64_t address;
	size_t n;
	struct qemu_plugin_insn insns[16];
	struct callback callback;
	bool translated;
};

static struct qemu_plugin_tb blocks[MOST];
static size_t nblocks;
static unsigned int vcpu;
static uint8_t *ram;
static int api;
static void (*translates)(uintptr_t, uintptr_t), (*again)(uintptr_t);

/* ---- what the plugin calls: vm/plugin/plugin.h ---- */

void qemu_plugin_reset(uint64_t id, void (*cb)(uintptr_t), void *data)
{
	(void)id, (void)data;
	again = cb;
}

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*cb)(uintptr_t, uintptr_t), void *data)
{
	(void)id, (void)data;
	translates = cb;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned int, void *), int flags,
					  void *data)
{
	(void)flags;
	tb->callback = (struct callback){.executed = cb, .data = data};
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *i, void (*cb)(unsigned int, void *), int flags,
					    void *data)
{
	(void)flags;
	i->callbacks[i->n++] = (struct callback){.executed = cb, .data = data};
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *i, void (*cb)(unsigned int, uint32_t, uint64_t, void *),
				      int flags, int kinds, void *data)
{
	(void)flags;
	i->callbacks[i->n++] = (struct callback){.accessed = cb, .kinds = kinds, .data = data};
}

bool qemu_plugin_mem_is_store(uint32_t info)
{
	return info & STORE;
}

unsigned int qemu_plugin_mem_size_shift(uint32_t info)
{
	return info & 0xff;
}

const uint64_t *qemu_plugin_get_hwaddr(uint32_t info, uint64_t address)
{
	static uint64_t where;

	(void)info;
	where = address - FAR;
	return &where;
}

bool qemu_plugin_hwaddr_is_io(const uint64_t *where)
{
	return *where >= RAM_BYTES;
}

uint64_t qemu_plugin_hwaddr_phys_addr(const uint64_t *where)
{
	return *where;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb)
{
	return tb->address;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(struct qemu_plugin_tb *tb, size_t i)
{
	return &tb->insns[i];
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *i)
{
	return i->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *i)
{
	return i->address;
}

uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *i, void *to, size_t size)
{
	if (api < 3)
		return (uintptr_t)i->bytes;
	memcpy(to, i->bytes, size < i->size ? size : i->size);
	return i->size;
}

/* Arrays of glib, and the registers by which a vCPU is known. In user space swapgs has exchanged them. */
struct array {
	void *data;
	unsigned int len;
};
struct words {
	uintptr_t handle;
	const char *name;
};
static bool in_kernel;

static bool odd(const char *what)
{
	const char *odd = getenv("ODD");

	return odd && !strcmp(odd, what);
}

struct array *g_byte_array_new(void)
{
	return calloc(1, sizeof(struct array));
}

struct array *g_byte_array_set_size(struct array *a, unsigned int size)
{
	a->len = size;
	return a;
}

unsigned int g_array_get_element_size(struct array *a)
{
	(void)a;
	return sizeof(struct words);
}

struct array *qemu_plugin_get_registers(void)
{
	static struct words words[] = {{1, "rax"}, {2, "gs_base"}, {3, "k_gs_base"}};
	static struct array all = {words, 3};

	all.len = odd("registers") ? 2 : 3;
	return &all;
}

int qemu_plugin_read_register(uintptr_t handle, struct array *to)
{
	static uint8_t bytes[64];
	uint64_t value = (handle == 2) == in_kernel ? FAR + vcpu * 4096 : 0x1000;

	to->data = memcpy(bytes + to->len, &value, sizeof(value)) - to->len;
	to->len += odd("values") ? 4 : sizeof(value);
	return sizeof(value);
}

/* ---- what the text says ---- */

static void fail(const char *what, const char *word)
{
	fprintf(stderr, "emulate: %s: %s\n", what, word);
	exit(1);
}

static void block_add(char *words)
{
	struct qemu_plugin_tb *tb = &blocks[nblocks++];
	char *name = strtok(words, " "), *address = strtok(NULL, " "), *bytes;

	snprintf(tb->name, sizeof(tb->name), "%s", name);
	tb->address = strtoull(address, NULL, 16);
	for (uint64_t at = tb->address; (bytes = strtok(NULL, " ")); at += tb->insns[tb->n++].size) {
		struct qemu_plugin_insn *i = &tb->insns[tb->n];

		i->address = at;
		for (; bytes[0] && bytes[1]; bytes += 2)
			sscanf(bytes, "%2hhx", &i->bytes[i->size++]);
	}
}

static void access_one(const struct qemu_plugin_insn *i, char kind, uint64_t address)
{
	uint32_t info = 3 | (kind == 'w' ? STORE : 0);

	if (kind == 'w' && address - FAR < RAM_BYTES)
		ram[address - FAR]++;
	for (size_t n = 0; n < i->n; n++)
		if (i->callbacks[n].accessed && i->callbacks[n].kinds & (kind == 'w' ? 2 : 1))
			i->callbacks[n].accessed(vcpu, info, address, i->callbacks[n].data);
}

static void translate(struct qemu_plugin_tb *tb)
{
	tb->translated = true;
	tb->callback = (struct callback){};
	for (size_t i = 0; i < tb->n; i++)
		tb->insns[i].n = 0;
	if (translates && api >= 7)
		translates((uintptr_t)tb, 0);
	else if (translates)
		translates(1, (uintptr_t)tb);
}

static void execute(struct qemu_plugin_tb *tb, const char *accesses)
{
	if (!tb->translated)
		translate(tb);
	in_kernel = tb->address >> 63;
	if (tb->callback.executed)
		tb->callback.executed(vcpu, tb->callback.data);
	for (size_t i = 0; i < tb->n; i++) {
		for (size_t n = 0; n < tb->insns[i].n; n++)
			if (tb->insns[i].callbacks[n].executed)
				tb->insns[i].callbacks[n].executed(vcpu, tb->insns[i].callbacks[n].data);
		for (const char *a = accesses; *a; a += strcspn(a, " "), a += strspn(a, " "))
			if (strtoul(a, NULL, 10) == i)
				access_one(&tb->insns[i], strchr(a, ':')[1], strtoull(strchr(a, ':') + 3, NULL, 16));
	}
	if (again) {
		void (*start)(uintptr_t) = again;

		again = NULL;
		for (size_t i = 0; i < nblocks; i++)
			blocks[i].translated = false;
		start(1);
	}
}

static void line_do(char *line)
{
	size_t times = strtoul(line, &line, 10), len;

	if (times)
		line += strlen(" * ");
	len = strcspn(line, " ");
	if (!strncmp(line, "block ", 6))
		block_add(line + 6);
	else if (!strncmp(line, "cpu ", 4))
		vcpu = (unsigned int)strtoul(line + 4, NULL, 10);
	else if (line[0] == '!' && system(line + 1))
		fail("failed", line);
	else if (line[0] == '!')
		return;
	else if (!strncmp(line, "device ", 7))
		ram[strtoull(line + 7, NULL, 16) - FAR]++;
	else
		for (times = times ? times : 1; times > 0; times--) {
			struct qemu_plugin_tb *tb = blocks;

			while (tb < blocks + nblocks && (strncmp(tb->name, line, len) || tb->name[len]))
				tb++;
			if (tb == blocks + nblocks)
				fail("no such block", line);
			execute(tb, line + len + (line[len] == ' '));
		}
}

int main(int argc, char **argv)
{
	struct {
		const char *target;
		int min, cur;
		bool system;
		int vcpus, most;
	} info = {odd("target") ? "aarch64" : "x86_64", 1, 7, true, argc > 2 ? atoi(argv[2]) : 1, MOST};
	void *plugin = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*install)(uint64_t, const void *, int, char **);
	int fd = memfd_create("memory-backend-memfd", 0);
	char line[1024];

	if (!plugin)
		fail("no plugin", argc > 2 ? dlerror() : "usage: emulate PLUGIN VCPUS [OPTION=VALUE]...");
	if (fd < 0 || ftruncate(fd, RAM_BYTES))
		fail("no memory", "memfd");
	ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(ram, 1, RAM_BYTES);
	api = *(int *)dlsym(plugin, "qemu_plugin_version");
	install = (int (*)(uint64_t, const void *, int, char **))dlsym(plugin, "qemu_plugin_install");
	if (install(1, &info, argc - 3, argv + 3))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			line_do(line);
	}
	return 0;
}
