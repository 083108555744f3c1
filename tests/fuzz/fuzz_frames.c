// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames: a capture of pcap or pcapng, or, where the first byte is printable, words of --frames. */
#include <ctype.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/fuzz/fuzz.h"
#include "user/gen/gen.h"

static int add_words(struct frames *f, const uint8_t *data, size_t size, struct diag *d)
{
	char *words = strndup((const char *)data, size);
	int err;

	fuzz_law(words != NULL, "there is memory");
	err = frames_add_words(f, words, d);
	free(words);
	return err;
}

static int add_file(struct frames *f, const uint8_t *data, size_t size, struct diag *d)
{
	int fd = memfd_create("frames", 0), err;
	char path[40];

	fuzz_law(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file can be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = frames_add_file(f, path, d);
	close(fd);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool words = size && isprint(data[0]);
	struct diag d = {""};
	struct frames f = {};
	unsigned char sum = 0;

	fuzz_refusal((words ? add_words : add_file)(&f, data, size, &d), &d);
	for (size_t i = 0; i < f.n; i++) {
		fuzz_law(f.list[i].bytes >= (words ? FRAME_MIN_BYTES : 14) && f.list[i].bytes <= FRAME_MAX_BYTES,
			 "frames are as long as frames can be");
		for (uint32_t k = 0; k < f.list[i].bytes; k++)
			sum ^= f.list[i].data[k];
	}
	fuzz_law(sum != 1 || f.n, "all bytes are there to be read");
	frames_release(&f);
	return 0;
}
