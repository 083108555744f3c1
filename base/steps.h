/*
 * steps - where a series of values changed its level
 *
 * in:    values in the order of time, each with its standard deviation
 * out:   the first value of each level after the first one, in order, into the caller's array of n
 * units: those of the input
 * law:   the levels are those of the least sum of squared deviations, in units of sd, and of what each change costs:
 *        2 ln n for its place and 3 for its size. So a series of normal values without a change has one in 5 % of cases
 *        or less; in 12 % with the tails of Student's t of 3 degrees of freedom. Where successive values differ by more
 *        than sd tells, sd is as much larger: values that scatter more than they should are no changes
 * error: -ENOMEM
 * src:   minimum description length: Rissanen, Automatica 14, 1978; for levels: Yao, Statistics and Probability Letters
 *        6, 1988. Optimal partitioning: Jackson and others, IEEE Signal Processing Letters 12, 2005
 */
#ifndef BASE_STEPS_H
#define BASE_STEPS_H

#include <stddef.h>

/* least: values that a level has at least, 1 or more. sd: above 0. Returns how many changes there are. */
int steps_find(const double *x, const double *sd, size_t n, size_t least, size_t *at);

#endif
