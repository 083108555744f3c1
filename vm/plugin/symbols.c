// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/symbols.h"

#include <inttypes.h>
#include <string.h>
#include "vm/plugin/guest_file.h"
#include "vm/plugin/table.h"

static struct symbol *symbols;
static size_t nsymbols;
static uint32_t epoch = 1;
static bool have_program, common;

static int symbols_by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static enum entry symbols_entry_of(const char *name)
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

static bool is_tracepoint(const char *name)
{
	return !strncmp(name, "__traceiter_", 12) || !strncmp(name, "__bpf_trace_", 12) ||
	       !strncmp(name, "__SCT__tp_func_", 15);
}

static void clear(void)
{
	for (size_t i = 0; i < nsymbols; i++) {
		free((char *)symbols[i].name);
		free((char *)symbols[i].module);
	}
	free(symbols);
	symbols = NULL;
	nsymbols = 0;
}

bool symbols_read(const char *path)
{
	char line[1024], name[512], module[128];
	uint64_t address, program = 0, poll = 0;
	size_t room = 0;
	char type;
	FILE *in = guest_file_open(path);

	if (!in)
		return false;
	clear();
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
		if (!strchr("tTwW", type))
			continue;
		if (nsymbols == room) {
			room = room ? 2 * room : 1 << 16;
			symbols = must(realloc(symbols, room * sizeof(*symbols)));
		}
		symbols[nsymbols++] = (struct symbol){address,
						      must(strdup(name)),
						      must(strdup(module)),
						      symbols_entry_of(name),
						      !strcmp(name, "__napi_poll"),
						      is_tracepoint(name),
						      false,
						      false};
	}
	fclose(in);
	qsort(symbols, nsymbols, sizeof(*symbols), symbols_by_address);
	epoch++;
	have_program = nsymbols > 0 && program;
	if (have_program)
		symbols[symbol_at(program)].program = true;
	if (nsymbols > 0 && poll)
		symbols[symbol_at(poll)].poll = true;
	return nsymbols > 0;
}

uint32_t symbols_epoch(void)
{
	return epoch;
}

bool symbols_have_program(void)
{
	return have_program;
}

bool symbols_program_is_common(void)
{
	return common;
}

uint32_t symbol_at(uint64_t address)
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
		return SYMBOL_NONE;
	low--;
	while (low > 0 && symbols[low - 1].address == symbols[low].address)
		low--;
	return (uint32_t)low;
}

const struct symbol *symbol_get(uint32_t number)
{
	return number == SYMBOL_NONE ? NULL : &symbols[number];
}
