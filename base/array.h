/*
 * array - arrays that grow by doubling
 *
 * in:    the address of the pointer to the array, its capacity, how many elements are used
 * out:   room for n more elements; the array may have moved
 * units: elements; size is that of one in bytes
 * error: false without memory, with the array left as it was
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool array_grow(void *array, size_t *cap, size_t used, size_t n, size_t size);

#endif
