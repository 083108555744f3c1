/*
 * symbols - the functions of the guest's kernel, by address
 *
 * in:    a file of lines as in /proc/kallsyms; of type x: the address of the program under test, which has a line of
 *        its own besides; of type y instead: of a function of the kernel that the polls of several devices may call, of
 *        which the first one is under test; of type z: of a function of which each call is a poll, of a driver without
 *        NAPI
 * law:   an address belongs to the last symbol at or before it; of several names for one address, to the first of them.
 *        Each file that is read begins an epoch. Numbers of symbols hold for one epoch
 */
#ifndef VM_PLUGIN_SYMBOLS_H
#define VM_PLUGIN_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#define SYMBOL_NONE UINT32_MAX

/* How the kernel is entered at this symbol. */
enum entry { ENTRY_NONE, ENTRY_SYSCALL, ENTRY_FORK, ENTRY_IRQ, ENTRY_IRQ_STUB };

struct symbol {
	uint64_t address;
	const char *name, *module; /* module "": the kernel itself */
	enum entry entry;
	bool napi_poll;  /* the function that polls a NAPI instance */
	bool tracepoint; /* it leads to the probes of a tracepoint */
	bool program;    /* the program under test */
	bool poll;       /* each call is a poll */
};

bool symbols_read(const char *path);  /* false: the file has none */
uint32_t symbols_epoch(void);         /* from 1 on */
bool symbols_have_program(void);      /* false: the file does not tell the program under test */
bool symbols_program_is_common(void); /* type y */

uint32_t symbol_at(uint64_t address);
const struct symbol *symbol_get(uint32_t number); /* NULL: SYMBOL_NONE */

#endif
