/* maps - what each file of programs begins with: the helpers, the shared layout, maps by their columns, the licence */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>
#include "bpf/layout.h"

#define MAP_TYPE(kind, entries, of_key, of_value)                                                                      \
	__uint(type, BPF_MAP_TYPE_##kind);                                                                             \
	__uint(max_entries, entries);                                                                                  \
	__type(key, of_key);                                                                                           \
	__type(value, of_value)

#define MAP(name, kind, entries, of_key, of_value)                                                                     \
	struct {                                                                                                       \
		MAP_TYPE(kind, entries, of_key, of_value);                                                             \
	} name SEC(".maps")

/* By number; user space maps it into its memory. */
#define SHARED_ARRAY(name, entries, of_value)                                                                          \
	struct {                                                                                                       \
		MAP_TYPE(ARRAY, entries, __u32, of_value);                                                             \
		__uint(map_flags, BPF_F_MMAPABLE);                                                                     \
	} name SEC(".maps")

#define NET_RX_SOFTIRQ 3

char _license[] SEC("license") = "GPL";

#endif
