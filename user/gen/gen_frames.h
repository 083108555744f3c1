/*
 * gen_frames - the frames of a list as the generator's programs want them: in the map of bpf/frames.bpf.h
 *
 * in:    gen_options with frames; the map of a program that is opened, then loaded
 * out:   the map holds each frame with its length, with the MAC addresses of sender and receiver
 * units: bytes
 * law:   without frames in the options, every function does nothing and returns 0
 * error: -EINVAL a frame is longer than live frames can be, or the list is too large, with one sentence; -errno of the
 *        kernel
 */
#ifndef USER_GEN_FRAMES_H
#define USER_GEN_FRAMES_H

#include <stdint.h>
#include "user/gen/gen.h"

#define GEN_FRAMES_MAX_BYTES (256u << 20) /* of the map */

struct bpf_map;

/* -EINVAL: options are given that shape the generator's own frames. For a command line that names frames. */
int gen_frames_alone(const struct gen_options *o, struct diag *d);
int gen_frames_check(const struct gen_options *o, struct diag *d);
uint32_t gen_frames_count(const struct gen_options *o);
uint32_t gen_frames_longest(const struct gen_options *o);
int gen_frames_size(struct bpf_map *map, const struct gen_options *o); /* before the program is loaded */
int gen_frames_fill(const struct bpf_map *map, const struct gen_options *o, const unsigned char src_mac[6]);

#endif
