/*
 * frames - frames for programs: from a pcap or pcapng file, or from words
 *
 *     udp 10.0.0.1 > 10.0.0.2:53 len 200      tcp 10.0.0.1:1234 > 10.0.0.2:80 syn ttl 3      icmp 10.0.0.1 > 10.0.0.2
 *     udp [2001:db8::1]:7 > [2001:db8::2]:53
 *
 * in:    a file of libpcap with link type Ethernet; the words above. Ports default to 9 (discard), ttl to 64, len to
 *        the shortest frame of Ethernet, 60
 * out:   whole frames without FCS in the order of the file; the checksums of frames from words are valid
 * units: bytes
 * law:   a frame is whole: a file that holds cut frames is refused
 * error: -EINVAL with one sentence: another link type, a truncated file, a frame that was cut or is too long, words
 *        that are not understood; -ENOENT and so on: the file cannot be read; -ENOMEM
 */
#ifndef USER_FRAMES_H
#define USER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/opts.h"

#define FRAME_MIN_BYTES 60
#define FRAME_MAX_BYTES 65535

struct frame {
	unsigned char *data;
	uint32_t bytes;
};

struct frames {
	struct frame *list;
	size_t n;
};

/* As the user names frames. */
struct frame_source {
	struct opt_list list; /* files, and words */
};

/* clang-format off */
#define FRAMES_OPTION(s)                                                                                               \
	{"frames", 0, OPT_EACH, &(s)->list, "FILE|WORDS",                                                              \
	 "frames of a pcap or pcapng file, or one in words: 'udp 10.0.0.1 > 10.0.0.2:53 len 200'; may be repeated"}
/* clang-format on */

bool frames_wanted(const struct frame_source *s);
/* Does it name a file, and no frame in words? */
bool frames_names_file(const char *item);
/* The first file among them; NULL: none. */
const char *frames_file(const struct frame_source *s);
/* The frames in the order of the list. Without a source: none. -EINVAL: a file holds no frame. */
int frames_take(struct frames *f, const struct frame_source *s, struct diag *d);
int frames_add_file(struct frames *f, const char *path, struct diag *d);
int frames_add_words(struct frames *f, const char *words, struct diag *d);
int frames_add(struct frames *f, const void *data, uint32_t bytes); /* a copy of the data; -ENOMEM */
void frames_release(struct frames *f);                              /* may be called twice */

#endif
