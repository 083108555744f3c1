/*
 * ping_pong - how far two CPUs are from each other
 *
 * in:    two CPUs, both quiet
 * out:   one-way latency of a cache line between them: the median of many round trips of a flag that they share, halved
 * units: ns; it takes about 5 ms
 * error: < 0: both are the same CPU, a thread could not be placed, or a tenth of a second was not enough for the first
 *        batch of round trips, half a second for all
 */
#ifndef USER_PING_PONG_H
#define USER_PING_PONG_H

double cpu_ping_pong_ns(int cpu_a, int cpu_b);

#endif
