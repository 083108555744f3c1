/*
 * own_values - the values that --set gives to global variables of an object
 *
 * in:    NAME=VALUE; an object that is opened and not yet loaded
 * out:   the initial content of .rodata, .data or .bss (and of sections whose names begin so)
 * units: VALUE is a whole number (decimal, 0x...), true or false, an IPv4 or IPv6 address, a MAC address, or the text
 *        of a char array; addresses are stored in network order
 * law:   a value is stored whole or refused: a number that the variable cannot hold, an address of another size
 * error: -EINVAL, -ENOENT no such variable, and one sentence
 */
#ifndef USER_OWN_VALUES_H
#define USER_OWN_VALUES_H

#include "base/diag.h"
#include "base/opts.h"

struct bpf_object;

int own_values_set(struct bpf_object *obj, const struct opt_list *values, const char *program, struct diag *d);

#endif
