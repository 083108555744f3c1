/*
 * turn_order - the order in which the arms of a round take their turns
 *
 * in:    a number of arms, a seed
 * out:   order[0..size), an index of an arm in each entry
 * law:   every turn_group(arms) entries in a row, counted from the first, hold each arm equally often, and their mean
 *        place is the same for each arm: a drift that is steady for the length of a group cancels out. The same seed
 *        gives the same order on every machine
 * src:   two arms: Thue-Morse, in which groups of 4, 16, 64 ... entries cancel drifts of the next higher order as well;
 *        more arms: a shuffled row of all arms (base/random.h), then the same row backwards
 */
#ifndef USER_TURN_ORDER_H
#define USER_TURN_ORDER_H

#include <stddef.h>
#include <stdint.h>

size_t turn_group(size_t arms); /* entries of a group: 2 for each arm */
/* size: a multiple of turn_group(arms) is filled, the largest that fits; returns it. arms: 1 .. 255 */
size_t turn_order_fill(uint8_t *order, size_t size, size_t arms, uint64_t seed);
const char *turn_order_name(size_t arms); /* "thue-morse" or "balanced" */

#endif
