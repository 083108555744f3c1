/*
 * array - arrays that grow by doubling, and the order of what is in them
 *
 * in:    array: the address of the pointer to the first element; cap: how many elements have room; used: how many
 *        are in use; size: bytes of one element
 * out:   array_grow(): room for n more elements. array_add(): one more element at the end, zeroed, counted in *n. The
 *        array may have moved. ORDER(): below 0, 0 or above 0, for qsort(); a ?: leads to what decides between equals
 * units: cap, used and n in elements
 * law:   the room of an array of array_add() is the power of two from *n on, so it is kept nowhere. Such an array
 *        grows in no other way
 * error: false or NULL without memory; the array is then unchanged
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b))) /* evaluates both twice */

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size);
void *array_add(void *array, size_t *n, size_t size);

#endif
