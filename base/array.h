/*
 * array - arrays that grow by doubling
 *
 * in:    array: the address of the pointer to the first element; cap: how many elements have room; used: how many
 *        are in use; size: bytes of one element
 * out:   room for n more elements; the array may have moved
 * units: cap, used and n in elements
 * error: false without memory; the array is then unchanged
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size);

#endif
