// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames from words and from files: each byte of a frame whose checksums were computed by hand, and what is refused
 * with which sentence.
 */
#include "user/gen/gen.h"
#include "tests/unit/unit.h"

static void test_words(void **state)
{
	/* 0x4500+0x002e+0x4011+0x0a00+0x0001+0x0a00+0x0002 = 0x9942, so the header's sum is 0x66bd */
	static const unsigned char udp[] = {2,    0, 0,  0,    0, 2, 2, 0, 0,    0,    0,    1,    8,  0,
					    0x45, 0, 0,  0x2e, 0, 0, 0, 0, 0x40, 0x11, 0x66, 0xbd, 10, 0,
					    0,    1, 10, 0,    0, 2, 0, 9, 0,    53,   0,    26};
	struct frames f = {0};
	struct diag d = {""};

	assert_int_equal(frames_add_words(&f, "udp 10.0.0.1 > 10.0.0.2:53", &d), 0);
	assert_int_equal(frames_add_words(&f, "tcp [2001:db8::1]:1 > 2001:db8::2 len 100 syn ack ttl 3", &d), 0);
	assert_int_equal(frames_add_words(&f, "icmp 1.2.3.4 > 5.6.7.8 len 9000", &d), 0);
	assert_int_equal(f.n, 3);
	assert_int_equal(f.list[0].bytes, 60);
	assert_memory_equal(f.list[0].data, udp, sizeof(udp));
	/* 0x0a00+1+0x0a00+2+17+26 of the pseudo header, 9+53+26 of the header: 0x1486 */
	assert_int_equal(f.list[0].data[40] << 8 | f.list[0].data[41], 0xffff - 0x1486);
	assert_int_equal(f.list[1].bytes, 100);
	assert_int_equal(f.list[1].data[12] << 8 | f.list[1].data[13], 0x86dd);
	assert_int_equal(f.list[1].data[14 + 5], 100 - 14 - 40);
	assert_int_equal(f.list[1].data[14 + 7], 3);
	assert_int_equal(f.list[1].data[14 + 40 + 1], 1);
	assert_int_equal(f.list[1].data[14 + 40 + 3], 9);
	assert_int_equal(f.list[1].data[14 + 40 + 13], 0x12);
	assert_int_equal(f.list[2].bytes, 9000);
	assert_int_equal(f.list[2].data[14 + 20], 8);
	assert_int_equal(f.list[2].data[14 + 22] << 8 | f.list[2].data[14 + 23], 0xf7ff);
	frames_release(&f);
	frames_release(&f);
}

static void refuses_words(const char *words, const char *saying)
{
	struct frames f = {0};
	struct diag d = {""};

	assert_int_equal(frames_add_words(&f, words, &d), -EINVAL);
	if (!strstr(d.text, saying))
		fail_msg("%s: %s", words, d.text);
	assert_int_equal(f.n, 0);
}

static void test_bad_words(void **state)
{
	char longest[400];

	refuses_words("", "write PROTOCOL");
	refuses_words("sctp 1.2.3.4 > 1.2.3.5", "write PROTOCOL");
	refuses_words("udp 1.2.3.4 > 1.2.3.256", "write PROTOCOL");
	refuses_words("udp 1.2.3.4 - 1.2.3.5", "write PROTOCOL");
	refuses_words("udp 1.2.3.4:65536 > 1.2.3.5", "write PROTOCOL");
	refuses_words("udp 1.2.3.4: > 1.2.3.5", "write PROTOCOL");
	refuses_words("udp [::1 > ::2", "write PROTOCOL");
	refuses_words("udp [::1]x > ::2", "write PROTOCOL");
	refuses_words("udp 1.2.3.4 > ::2", "both addresses");
	refuses_words("icmp ::1 > ::2", "icmp is for IPv4");
	refuses_words("udp 1.2.3.4 > 1.2.3.5 len 59", "\"len\" is not understood");
	refuses_words("udp 1.2.3.4 > 1.2.3.5 len 9001", "\"len\" is not understood");
	refuses_words("udp 1.2.3.4 > 1.2.3.5 len", "\"len\" is not understood");
	refuses_words("udp 1.2.3.4 > 1.2.3.5 ttl 256", "\"ttl\" is not understood");
	refuses_words("udp 1.2.3.4 > 1.2.3.5 syn", "\"syn\" is not understood");
	refuses_words("tcp ::1 > ::2 len 73", "alone have 74 bytes");
	memset(longest, ' ', sizeof(longest));
	memcpy(longest, "udp 1.2.3.4 > 1.2.3.5", 21);
	longest[399] = '\0';
	refuses_words(longest, "write PROTOCOL");
}

/* A pcap file of this link type with a frame of 60 bytes; of the frame's record, `bytes` are in the file. */
static int read_file(uint32_t link, uint32_t captured, uint32_t length, size_t bytes, struct frames *f, struct diag *d)
{
	const uint32_t head[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, link}, record[] = {1, 2, captured, length};
	unsigned char data[200] = {1, 2, 3};
	char path[] = "/tmp/test-frames.XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, record, sizeof(record)), sizeof(record));
	assert_int_equal(write(fd, data, bytes), bytes);
	close(fd);
	memset(f, 0, sizeof(*f));
	d->text[0] = '\0';
	err = frames_add_file(f, path, d);
	unlink(path);
	return err;
}

static void test_files(void **state)
{
	struct frames f;
	struct diag d;

	assert_int_equal(read_file(1, 60, 60, 60, &f, &d), 0);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.list[0].bytes, 60);
	assert_int_equal(f.list[0].data[2], 3);
	frames_release(&f);
	assert_int_equal(read_file(1, 60, 60, 59, &f, &d), -EINVAL);
	assert_non_null(strstr(d.text, "truncated"));
	frames_release(&f);
	assert_int_equal(read_file(1, 60, 61, 60, &f, &d), -EINVAL);
	assert_non_null(strstr(d.text, "frame 1 was cut after 60 of 61 bytes"));
	assert_int_equal(read_file(1, 13, 13, 13, &f, &d), -EINVAL);
	assert_non_null(strstr(d.text, "outside 14..65535"));
	assert_int_equal(read_file(105, 60, 60, 60, &f, &d), -EINVAL);
	assert_non_null(strstr(d.text, "IEEE802_11, and not of Ethernet"));
	d.text[0] = '\0';
	assert_int_equal(frames_add_file(&f, "/nowhere.pcap", &d), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
