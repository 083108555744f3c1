/* gen - frames, and generators here and on another machine */
#ifndef USER_GEN_H
#define USER_GEN_H

#include "base/base.h"

/*
 * frames - frames for programs: from a pcap or pcapng file, or from words
 *
 *     udp 10.0.0.1 > 10.0.0.2:53 len 200      tcp 10.0.0.1:1234 > 10.0.0.2:80 syn ttl 3      icmp 10.0.0.1 > 10.0.0.2
 *     udp [2001:db8::1]:7 > [2001:db8::2]:53
 *
 * law:   a frame is whole: a file that holds cut frames is refused
 */

#define FRAME_MIN_BYTES 60
#define FRAME_MAX_BYTES 65535

struct bpf_map;
struct gen_options;
struct gen_result;

struct frame {
	unsigned char *data;
	uint32_t bytes;
};

struct frames {
	struct frame *list;
	size_t n;
};

struct frame_source {
	struct opt_list list; /* files, and words, as the user names them */
};

/* clang-format off */
#define FRAMES_OPTION(s)                                                                                               \
	{"frames", 0, OPT_EACH, &(s)->list, "FILE|TEXT",                                                              \
	 "frames of a pcap or pcapng file, or one as text: 'udp 10.0.0.1 > 10.0.0.2:53 len 200'; may be repeated", \
	 .group = GROUP_LOAD}
/* clang-format on */

bool frames_names_file(const char *item);              /* and no frame in words */
const char *frames_file(const struct frame_source *s); /* the first one; NULL: none */
/* In the order of the list. Without a source: none. -EINVAL: a file holds no frame. */
int frames_take(struct frames *f, const struct frame_source *s, struct diag *d);
int frames_add_file(struct frames *f, const char *path, struct diag *d);
int frames_add_words(struct frames *f, const char *words, struct diag *d);
/* RFC 1071: these bytes, which begin a word, added to a sum; and the checksum of both, 16 bits of the host. */
uint32_t frames_sum(uint32_t sum, const void *data, size_t bytes);
uint16_t frames_checksum(uint32_t sum, const void *data, size_t bytes);
int frames_add(struct frames *f, const void *data, uint32_t bytes); /* a copy of the data; -ENOMEM */
void frames_release(struct frames *f);                              /* may be called twice */

/*
 * remote - a generator on another machine: started, fed with signs of life, and stopped through ssh
 *
 * law:   nothing is installed on the other machine: the scripts of pktgen/ go through ssh's standard input to a shell.
 *        The scripts end, and leave nothing behind, when that input ends or is silent for REMOTE_SILENCE_S. So they
 *        end whatever happens to ssh, the link or this process
 *        The other machine is not trusted: of what it says, known members of bounded size are taken, and memory for its
 *        words is bounded. What is no line of JSON is skipped
 */

#define REMOTE_SILENCE_S 15
#define REMOTE_TEXT      16384
#define REMOTE_WORDS     4096

struct remote {
	pid_t pid;                /* of ssh; 0: none */
	int to, from;             /* its standard input and output */
	int errors;               /* its standard error */
	char words[REMOTE_WORDS]; /* the end of what came there */
	size_t nwords;
	uint64_t beat_ns;
	char host[128];
	char text[REMOTE_TEXT]; /* the output so far: lines of JSON */
	size_t len;
	json_t *about; /* the other machine's report at the last start: mac, driver, pause, kernel, ssh ... */
};

#define NO_REMOTE ((struct remote){.to = -1, .from = -1, .errors = -1})
/* returns when the other machine begins to send */
int remote_start(struct remote *f, const struct gen_options *o, struct diag *d);
int remote_check(struct remote *f, struct diag *d); /* sends the sign of life: call it every few seconds */
int remote_stop(struct remote *f, struct gen_result *r, struct diag *d);
void remote_release(struct remote *f); /* ends a generator that still runs, frees f->about; may be called twice */
/*
 * Sends one frame, to see whether everything works before a program is attached. *about, owned by the caller, is the
 * other machine's report about itself. -EINVAL also when ssh goes over dev, the device to measure.
 */
int remote_probe(const struct gen_options *o, const char *dev, json_t **about, struct diag *d);

/*
 * gen - live-frame traffic: XDP frames made in the kernel and sent out of a device, as a NIC would deliver them
 *
 * law:   With a count, exactly that many frames leave the device, or the result reports a smaller number.
 *        With a window, a frame leaves only when the program under test has counted an earlier one (rig_close_loop()).
 *        One BPF_PROG_TEST_RUN call lasts ten seconds, that of a child minutes, because each call pays some 25 ms of
 *        set-up and tear-down
 * src:   kernel Documentation/bpf/bpf_prog_run.rst, "Running XDP programs in live frame mode"
 */

#define GEN_MIN_BYTES 60
#define GEN_MAX_BYTES 3000  /* of a live frame */
#define GEN_LONGEST   65535 /* of any; frames above GEN_MAX_BYTES come out of a packet socket */
#define GEN_BYTES     64    /* unless asked for otherwise */

#define GEN_FIRST_PORT 9 /* UDP's discard: where frames go, and where those of the first flow come from */

/* The addresses of its frames, in the range for benchmarks (RFC 2544). */
#define GEN_SRC_IP "198.18.0.1"
#define GEN_DST_IP "198.18.0.2"

struct gen_options {
	char dev[16], netns[64]; /* netns "": this one */
	/* the receiver's; never broadcast, which would reach every host of the network */
	unsigned char dst_mac[6];
	const struct frames *frames; /* of the owner, with the MAC addresses of sender and receiver; NULL: our own */
	int bytes, flows, batch;     /* batch 0: the kernel's 64, less when a rate limit wants it */
	double rate_pps;             /* 0: as fast as it goes */
	/* largest number of frames under way to the program under test, whose counts are in counts_fd; 0: no limit */
	int window;
	int counts_fd, counts_cpu; /* a map as in layout.h, and the entry to read; the caller keeps the map open */
	/* the same three for the second stage that the program redirects to (stage_close_loop()) */
	int stage_window;
	int stage_counts_fd, stage_cpu;
	uint64_t patience_ns; /* no frame counted for so long: those under way are lost, others are sent */
	uint64_t count;       /* 0: no limit */
	uint64_t duration_ns; /* 0: until stopped */
	/* write each frame before sending: the receiver's first touch misses its cache */
	bool write;
	bool checksum; /* and no fragments, so that GRO merges them; not with several flows, whose ports it covers */
	bool is_child;
	/* the descriptor of a loaded program that sends instead of the generator's own (turns.h); -1: its own */
	int prog_fd;
	unsigned char src_mac[6]; /* for that program; ours takes the device's */
	int cpu;                  /* < 0: the scheduler chooses */
	int session_nice;         /* the child process makes a session of its own with this nice value; 0: none */
	int netns_fd; /* the child process, with netns "", enters this namespace; -1: it stays in its parent's */
	/* For a generator on another machine (struct remote); dev is then a device of that machine. */
	char host[128]; /* the name that ssh gets; "": this machine */
	char tool[8];   /* "pktgen" or "gen" */
	/* pktgen's, or an IPv4 address for a generator on this machine; "": pktgen's own, GEN_DST_IP */
	char dst_ip[64];
	int threads; /* pktgen */
};

struct gen_result {
	uint64_t handed;       /* frames the program handed to the device */
	int64_t sent, refused; /* by the device's counters; -1: the device has no such counter */
	int64_t back;          /* frames that the sending device received during the run; -1: not known */
	uint64_t elapsed_ns;
};

void gen_options_init(struct gen_options *o);
uint32_t gen_batch(const struct gen_options *o);   /* frames that are handed over at once */
uint32_t gen_longest(const struct gen_options *o); /* bytes of the longest frame that is sent */
/* Is a frame too long for live frames? Then all come out of a packet socket; one that is refused is left out. */
bool gen_is_large(const struct gen_options *o);
/* Fills o->bytes bytes: UDP to the discard port; without o->checksum it has none, as IPv4 allows. */
void gen_frame(unsigned char *frame, const struct gen_options *o, const unsigned char *src_mac);

/* Sends until count, duration or *stop (set by a signal handler installed without SA_RESTART). */
int gen_run(const struct gen_options *o, const volatile sig_atomic_t *stop, struct gen_result *r, struct diag *d);

/* gen_run() in a child process that dies with this one, or on another machine. */
struct gen_shared;
struct gen {
	pid_t pid; /* 0: none */
	struct gen_shared *shared;
	struct remote remote;
};

int gen_start(struct gen *g, const struct gen_options *o, struct diag *d); /* returns when frames flow */
/* -ECHILD and a sentence when the generator has ended by itself. */
int gen_check(struct gen *g, struct diag *d);
int gen_stop(struct gen *g, struct gen_result *r, struct diag *d);
void gen_release(struct gen *g); /* kills a generator that still runs; may be called twice */

/* The frames of a list, in the map of bpf/frames.bpf.h. Without frames in the options, nothing is done. */

#define GEN_FRAMES_MAX_BYTES (256u << 20) /* of the map */

/* -EINVAL: options are given that shape the generator's own frames. For a command line that names frames. */
int gen_frames_alone(const struct gen_options *o, struct diag *d);
int gen_frames_check(const struct gen_options *o, struct diag *d);
int gen_frames_size(struct bpf_map *map, const struct gen_options *o); /* before the program is loaded */
int gen_frames_fill(const struct bpf_map *map, const struct gen_options *o, const unsigned char src_mac[6]);

/*
 * What a generator on another machine printed: a member of the report is a number, or a text shorter than REMOTE_MEMBER
 * bytes, whichever the scripts print under its name. A later report replaces members of an earlier one. What is no line
 * of JSON is skipped. A number that no count and no time can be is not known.
 */

#define REMOTE_MEMBER 256 /* bytes of a text in a report */

/* Only whole lines count: text[0..len) may end in the middle of one. */
json_t *remote_lines_report(const char *text, size_t len);
void remote_lines_result(const json_t *report, struct gen_result *r); /* report NULL: no count is known */
/* Appends part[0..n) to words[0..*nwords), which ends in a NUL then; what does not fit goes at the beginning. */
void remote_lines_keep(char *words, size_t size, size_t *nwords, const char *part, size_t n);
/* The last line that is not empty. Changes words. */
void remote_lines_last(char *words, size_t nwords, char *line, size_t size);

#endif
