/*
 * sample_cost - what a sample of perf costs the CPU that it is taken on
 *
 * in:    an event of perf_tool.h; a CPU that this process may use
 * units: ns
 * law:   a sampler is switched on and off; its samples are thrown away. sample_cost_spin_ns() takes half a second of
 *        that CPU, in a loop that spins in turn with and without samples, as a real-time task
 * error: -errno of perf_event_open() and mmap()
 */
#ifndef USER_MACHINE_SAMPLE_COST_H
#define USER_MACHINE_SAMPLE_COST_H

#include <stdbool.h>

#define SAMPLER_HZ 3989

struct perf_event_mmap_page;

/* Samples one CPU at SAMPLER_HZ and throws the samples away. */
struct sampler {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *ring;
};

int sampler_open(struct sampler *s, const char *event, int cpu);
void sampler_switch(struct sampler *s, bool on);
void sampler_close(struct sampler *s);

/* 0: too small to measure, or not measured. In a thread that receives packets a sample costs more. */
double sample_cost_spin_ns(const char *event, int cpu);

#endif
