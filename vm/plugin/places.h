/*
 * places - data structures of the guest's kernel, by address
 *
 * in:    a file of lines "START END NAME": hexadecimal addresses in rising order, END behind the last byte; the name is
 *        the rest of the line. Each file that is read replaces the one before, which is kept too
 * out:   the name of an address, by both files
 * law:   a page that has two names changed hands between the two files. Names hold for ever
 */
#ifndef VM_PLUGIN_PLACES_H
#define VM_PLUGIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of names; those from the files follow. */
enum { PLACE_UNKNOWN, PLACE_CHANGED, PLACE_STACK, PLACE_FIRST };

bool places_read(const char *path); /* false: it cannot be read, and has no address */
unsigned int place_at(uint64_t address);
const char *place_name(unsigned int place);
size_t places_count(void); /* of names */

#endif
