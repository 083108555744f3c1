// SPDX-License-Identifier: GPL-2.0-or-later
#include <pcap/pcap.h>
#include "user/gen/gen.h"

/* ---- lists of frames ---- */

int frames_add(struct frames *f, const void *data, uint32_t bytes)
{
	void *copy = malloc(bytes);
	struct frame *frame = copy ? array_add(&f->list, &f->n, sizeof(*f->list)) : NULL;

	if (!frame) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, data, bytes);
	frame->data = copy;
	frame->bytes = bytes;
	return 0;
}

int frames_add_file(struct frames *f, const char *path, struct diag *d)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	const unsigned char *data;
	struct pcap_pkthdr *h;
	int err = 0, got = 1;
	pcap_t *p;

	if (access(path, R_OK))
		return diag_set(d, -errno, "--frames %s: %s%s", path, strerror(errno),
				errno == ENOENT ? "; a frame as text is 'udp 10.0.0.1 > 10.0.0.2:53 len 200'" : "");
	p = pcap_open_offline(path, why);
	if (!p)
		return diag_set(d, -EINVAL, "%s: %s", path, why);
	if (pcap_datalink(p) != DLT_EN10MB)
		err = diag_set(d, -EINVAL, "%s holds frames of the link type %s, and not of Ethernet", path,
			       pcap_datalink_val_to_name(pcap_datalink(p)) ?: NOT_KNOWN);
	while (!err && (got = pcap_next_ex(p, &h, &data)) == 1) {
		if (h->caplen != h->len)
			err = diag_set(
				d, -EINVAL,
				"%s: frame %zu was cut after %u of %u bytes; capture whole frames (tcpdump -s 0)", path,
				f->n + 1, h->caplen, h->len);
		else if (h->len < 14 || h->len > FRAME_MAX_BYTES)
			err = diag_set(d, -EINVAL, "%s: frame %zu has %u bytes, which is outside 14..%d", path,
				       f->n + 1, h->len, FRAME_MAX_BYTES);
		else if (frames_add(f, data, h->len))
			err = diag_set(d, -ENOMEM, "no memory");
	}
	if (!err && got == PCAP_ERROR)
		err = diag_set(d, -EINVAL, "%s: %s after %zu frames", path, pcap_geterr(p), f->n);
	pcap_close(p);
	return err;
}

bool frames_names_file(const char *item)
{
	return !strchr(item, ' ') || !access(item, F_OK);
}

const char *frames_file(const struct frame_source *s)
{
	for (size_t i = 0; i < s->list.n; i++)
		if (frames_names_file(s->list.items[i]))
			return s->list.items[i];
	return NULL;
}

int frames_take(struct frames *f, const struct frame_source *s, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < s->list.n && !err; i++) {
		const char *item = s->list.items[i];
		bool file = frames_names_file(item);
		char *copy = file ? NULL : strdup(item), *rest = NULL, *one;
		size_t before = f->n;

		if (file)
			err = frames_add_file(f, item, d);
		else if (!copy)
			err = diag_set(d, -ENOMEM, "no memory");
		/* "udp 10.0.0.1 > 10.0.0.2,udp 10.0.0.1 > 10.0.0.3" */
		for (one = copy ? strtok_r(copy, ",", &rest) : NULL; one && !err; one = strtok_r(NULL, ",", &rest))
			err = frames_add_words(f, one, d);
		free(copy);
		if (!err && f->n == before)
			err = diag_set(d, -EINVAL, "%s holds no frame", item);
	}
	return err;
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].data);
	free(f->list);
	memset(f, 0, sizeof(*f));
}

/* ---- frames from words ------------------------------------------------------------------------------------------ */

#define ETH_BYTES    14
#define MADE_MOST    9000
#define DISCARD_PORT 9

struct endpoint {
	int family;
	unsigned char address[16];
	uint16_t port;
};

struct words {
	int protocol;
	struct endpoint from, to;
	int bytes, ttl;
	unsigned char flags; /* of TCP */
};

static const struct {
	const char *word;
	int protocol;
} protocols[] = {{"udp", IPPROTO_UDP}, {"tcp", IPPROTO_TCP}, {"icmp", IPPROTO_ICMP}};

static const struct {
	const char *word;
	unsigned char bit;
} tcp_flags[] = {{"fin", 0x01}, {"syn", 0x02}, {"rst", 0x04}, {"psh", 0x08}, {"ack", 0x10}};

#define NTCP_FLAGS (sizeof(tcp_flags) / sizeof(*tcp_flags))

static int whole_number(const char *text, long low, long high, long *value)
{
	char *end = NULL;

	if (!text || *text < '0' || *text > '9')
		return -EINVAL;
	*value = strtol(text, &end, 10);
	return *end || *value < low || *value > high ? -EINVAL : 0;
}

/* "10.0.0.1", "10.0.0.1:53", "2001:db8::1", "[2001:db8::1]:53" */
static int take_endpoint(struct endpoint *e, char *text)
{
	char *port = NULL;
	long n = DISCARD_PORT;

	if (*text == '[') {
		port = strchr(++text, ']');
		if (!port)
			return -EINVAL;
		*port++ = '\0';
		if (*port && *port != ':')
			return -EINVAL;
		port = *port ? port + 1 : NULL;
	} else if (strchr(text, ':') && strchr(text, ':') == strrchr(text, ':')) {
		port = strchr(text, ':');
		*port++ = '\0';
	}
	e->family = inet_pton(AF_INET, text, e->address) == 1 ? AF_INET : AF_INET6;
	if (e->family == AF_INET6 && inet_pton(AF_INET6, text, e->address) != 1)
		return -EINVAL;
	if (port && whole_number(port, 0, 65535, &n))
		return -EINVAL;
	e->port = (uint16_t)n;
	return 0;
}

static int parse_words(struct words *w, const char *text, struct diag *d)
{
	char copy[256], *word[32], *rest = NULL;
	int n = 0;

	memset(w, 0, sizeof(*w));
	w->ttl = 64;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *t = strtok_r(copy, " \t", &rest); t && n < 31; t = strtok_r(NULL, " \t", &rest))
		word[n++] = t;
	word[n] = NULL;
	for (size_t i = 0; n && i < sizeof(protocols) / sizeof(*protocols); i++)
		if (!strcmp(protocols[i].word, word[0]))
			w->protocol = protocols[i].protocol;
	if (strlen(text) >= sizeof(copy) || n < 4 || !w->protocol || take_endpoint(&w->from, word[1]) ||
	    strcmp(word[2], ">") || take_endpoint(&w->to, word[3]))
		return diag_set(d, -EINVAL,
				"--frames \"%.100s\": write PROTOCOL SOURCE > DESTINATION, for instance udp 10.0.0.1 > "
				"10.0.0.2:53 len 200",
				text);
	if (w->from.family != w->to.family || (w->protocol == IPPROTO_ICMP && w->from.family == AF_INET6))
		return diag_set(d, -EINVAL, "--frames \"%.100s\": both addresses must be of IPv4, or both of IPv6%s",
				text, w->protocol == IPPROTO_ICMP ? "; icmp is for IPv4" : "");
	/* "len 200", "ttl 3", "syn" */
	for (int i = 4; i < n; i++) {
		long number;
		bool taken = true;

		if (!strcmp(word[i], "len") && !whole_number(word[i + 1], FRAME_MIN_BYTES, MADE_MOST, &number)) {
			w->bytes = (int)number;
			i++;
		} else if (!strcmp(word[i], "ttl") && !whole_number(word[i + 1], 0, 255, &number)) {
			w->ttl = (int)number;
			i++;
		} else {
			size_t k = 0;

			while (k < NTCP_FLAGS && strcmp(tcp_flags[k].word, word[i]))
				k++;
			taken = w->protocol == IPPROTO_TCP && k < NTCP_FLAGS;
			w->flags |= taken ? tcp_flags[k].bit : 0;
		}
		if (!taken)
			return diag_set(d, -EINVAL,
					"--frames \"%.100s\": \"%.20s\" is not understood; known: len %d..%d, ttl "
					"0..255, of tcp: fin syn rst psh ack",
					text, word[i], FRAME_MIN_BYTES, MADE_MOST);
	}
	return 0;
}

uint32_t frames_sum(uint32_t sum, const void *data, size_t bytes)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < bytes; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	return sum;
}

uint16_t frames_checksum(uint32_t sum, const void *data, size_t bytes)
{
	sum = frames_sum(sum, data, bytes);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put16(unsigned char *p, uint32_t value)
{
	p[0] = (unsigned char)(value >> 8);
	p[1] = (unsigned char)value;
}

int frames_add_words(struct frames *f, const char *text, struct diag *d)
{
	static const unsigned char macs[12] = {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1};
	unsigned char frame[MADE_MOST] = {0}, *ip = frame + ETH_BYTES, *tp;
	size_t l3, l4, least, address;
	struct words w;
	uint32_t sum;
	uint16_t check;
	bool v6;
	int err = parse_words(&w, text, d);

	if (err)
		return err;
	v6 = w.from.family == AF_INET6;
	address = v6 ? 16 : 4;
	l3 = v6 ? 40 : 20;
	least = ETH_BYTES + l3 + (w.protocol == IPPROTO_TCP ? 20 : 8);
	if (w.bytes && (size_t)w.bytes < least)
		return diag_set(d, -EINVAL, "--frames \"%.100s\": its headers alone have %zu bytes", text, least);
	if (!w.bytes)
		w.bytes = least < FRAME_MIN_BYTES ? FRAME_MIN_BYTES : (int)least;
	memcpy(frame, macs, sizeof(macs));
	put16(frame + 12, v6 ? 0x86dd : 0x0800);
	l4 = (size_t)w.bytes - ETH_BYTES - l3;
	if (v6) {
		ip[0] = 0x60;
		put16(ip + 4, (uint32_t)l4);
		ip[6] = (unsigned char)w.protocol;
		ip[7] = (unsigned char)w.ttl;
		memcpy(ip + 8, w.from.address, 16);
		memcpy(ip + 24, w.to.address, 16);
	} else {
		ip[0] = 0x45;
		put16(ip + 2, (uint32_t)l4 + 20);
		ip[8] = (unsigned char)w.ttl;
		ip[9] = (unsigned char)w.protocol;
		memcpy(ip + 12, w.from.address, 4);
		memcpy(ip + 16, w.to.address, 4);
		put16(ip + 10, frames_checksum(0, ip, 20));
	}
	tp = ip + l3;
	if (w.protocol == IPPROTO_ICMP) {
		tp[0] = 8; /* echo request */
		put16(tp + 2, frames_checksum(0, tp, l4));
	} else {
		put16(tp, w.from.port);
		put16(tp + 2, w.to.port);
		if (w.protocol == IPPROTO_UDP) {
			put16(tp + 4, (uint32_t)l4);
		} else {
			tp[12] = 5 << 4;
			tp[13] = w.flags;
			put16(tp + 14, 65535);
		}
		sum = frames_sum((uint32_t)w.protocol + (uint32_t)l4, w.from.address, address);
		check = frames_checksum(frames_sum(sum, w.to.address, address), tp, l4);
		put16(tp + (w.protocol == IPPROTO_TCP ? 16 : 6), w.protocol == IPPROTO_UDP && !check ? 0xffff : check);
	}
	return frames_add(f, frame, (uint32_t)w.bytes) ? diag_set(d, -ENOMEM, "no memory") : 0;
}
