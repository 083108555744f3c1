/*
 * ping_pong - measures the distance of two CPUs
 *
 * in:    two idle CPUs
 * out:   one-way latency of a cache line between the CPUs: half the median time of many round trips of a shared flag
 * units: ns; the measurement takes about 5 ms
 * error: NaN: both are the same CPU, a thread could not be pinned, or the round trips took too long (a tenth of a
 *        second for the first batch, half a second for all)
 */
#ifndef USER_PING_PONG_H
#define USER_PING_PONG_H

double cpu_ping_pong_ns(int cpu_a, int cpu_b);

#endif
