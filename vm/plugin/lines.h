/*
 * lines - the source lines of programs that the kernel has compiled (BPF), by address
 *
 * in:    a file of lines "ADDRESS WORDS": a hexadecimal address in rising order; WORDS, the rest, are the source line
 *        of the instructions from there on. Each file that is read replaces the one before
 * out:   lines "line INSTRUCTIONS FUNCTION WORDS" (window.h)
 * units: instructions
 * law:   an instruction belongs to the last address at or before it that is in its own function; one that has none
 *        belongs to no line
 */
#ifndef VM_PLUGIN_LINES_H
#define VM_PLUGIN_LINES_H

#include <stdbool.h>
#include <stdio.h>

bool lines_read(const char *path); /* false: it cannot be read */
void lines_write(FILE *out);       /* what the blocks were executed below polls (blocks.h) */

#endif
