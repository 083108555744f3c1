// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include "user/machine/machine.h"
#include "user/gen/gen.h"

#define START_PATIENCE_NS 60000000000ULL /* a slow machine makes a slow ssh */
#define STOP_PATIENCE_NS  20000000000ULL
#define GIVE_UP_NS        3000000000ULL /* patience when nobody needs the result */
#define BEAT_NS           1000000000ULL
#define SSH_FAILED        255 /* ssh's own exit status, ssh(1) */

/* The scripts are built in, so that a copied xdpzoom works without other files. */
__asm__(".section .rodata\n"
	".global remote_engine_text, remote_live_text\n"
	"remote_engine_text: .incbin \"pktgen/engine.sh\"\n"
	".byte 0\n"
	"remote_live_text: .incbin \"pktgen/live.sh\"\n"
	".byte 0\n"
	".previous\n");
extern const char remote_engine_text[], remote_live_text[];

/* Writes one word, quoted for a shell: 'it'\''s' */
static void put_word(FILE *out, const char *word)
{
	fputs(" '", out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
	fputc('\'', out);
}

/* The text for the shell there: the functions, then one line that calls them and exits. The caller frees it. */
static char *script(const struct gen_options *o)
{
	bool live = !strcmp(o->tool, "gen"), bursts = o->flows <= 1 && o->rate_pps <= 0 && !live && o->count != 1;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const unsigned char *m;

	if (!out)
		return NULL;
	fprintf(out, "%s\n%s\npg_name=generator\n%s %s", remote_engine_text, live ? remote_live_text : "",
		bursts ? "BURST=32" : "", live ? "pg_live" : "pg_main");
	m = o->dst_mac;
	fprintf(out, " -j -e %d -i", REMOTE_SILENCE_S);
	put_word(out, o->dev);
	fprintf(out, " -m %02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
	if (o->dst_ip[0]) {
		fputs(strchr(o->dst_ip, ':') ? " -6 -d" : " -d", out);
		put_word(out, o->dst_ip);
	}
	if (o->bytes > GEN_MIN_BYTES)
		fprintf(out, " -s %d", o->bytes);
	fprintf(out, " -t %d", o->threads);
	if (o->flows > 1)
		fprintf(out, " -F %d", o->flows);
	if (o->rate_pps > 0)
		fprintf(out, " -r %.0f", o->rate_pps);
	if (o->count)
		fprintf(out, " -n %llu", (unsigned long long)o->count);
	fputs("; exit\n", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Takes what came on standard error; of a flood, its end. */
static void hear(struct remote *f)
{
	char part[REMOTE_WORDS / 2];
	ssize_t n;

	/* a machine that never stops talking is heard again at the next call */
	for (int i = 0; i < 64 && f->errors >= 0 && (n = read(f->errors, part, sizeof(part))) > 0; i++)
		remote_lines_keep(f->words, sizeof(f->words), &f->nwords, part, (size_t)n);
}

/* Waits for ssh, which has ended or is about to; turns its exit status and its last line into an error and a sentence.
 */
static int remote_ended(struct remote *f, struct diag *d)
{
	static const struct {
		int status, err;
	} errors[] = {{SSH_FAILED, -EHOSTUNREACH}, {EXIT_LACKS, -EOPNOTSUPP}, {EXIT_USAGE, -EINVAL}};
	char words[400];
	int status = child_wait(f->pid), err = -ECHILD;

	f->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors) && WIFEXITED(status); i++)
		if (WEXITSTATUS(status) == errors[i].status)
			err = errors[i].err;
	hear(f);
	remote_lines_last(f->words, f->nwords, words, sizeof(words));
	return diag_set(d, err, "generator on %s: %s", f->host,
			words[0]              ? words
			: WIFSIGNALED(status) ? "ssh was killed"
					      : "its shell was killed");
}

/* Waits up to timeout_ms for output and adds it to f->text. 1: something new, 0: nothing, -EPIPE: ssh has ended. */
static int remote_read(struct remote *f, int timeout_ms)
{
	struct pollfd p[2] = {{f->from, POLLIN, 0}, {f->errors, POLLIN, 0}};
	ssize_t n;

	if (poll(p, 2, timeout_ms) <= 0)
		return 0;
	hear(f);
	if (p[1].revents & POLLHUP && !(p[1].revents & POLLIN)) {
		close(f->errors); /* poll() would return at once from now on */
		f->errors = -1;
	}
	if (!p[0].revents)
		return 0;
	if (f->len == sizeof(f->text) - 1)
		f->len = 0; /* the scripts print two short lines; so much text is something else */
	n = read(f->from, f->text + f->len, sizeof(f->text) - 1 - f->len);
	if (n <= 0)
		return -EPIPE;
	f->len += n;
	f->text[f->len] = 0;
	return 1;
}

static int remote_feed(struct remote *f, const char *text, struct diag *d)
{
	for (size_t left = strlen(text); left;) {
		ssize_t n = write(f->to, text, left);

		if (n < 0 && errno == EPIPE)
			return remote_ended(f, d)
				       ?: diag_set(d, -ECHILD, "generator on %s: it ended without output", f->host);
		if (n < 0 && errno != EINTR)
			return diag_set(d, -errno, "generator on %s: %s", f->host, strerror(errno));
		if (n > 0) {
			text += n;
			left -= n;
		}
		if (stopped(d))
			return -EINTR;
	}
	return 0;
}

int remote_start(struct remote *f, const struct gen_options *o, struct diag *d)
{
	struct patience patience;
	int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1}, got, err = 0;
	pid_t pid = -1;
	char *text;

	remote_release(f);
	snprintf(f->host, sizeof(f->host), "%s", o->host);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(said, O_CLOEXEC) || (pid = child_fork(SIGTERM)) < 0)
		err = diag_set(d, -errno, "cannot start ssh: %s",
			       strerror(errno)); /* before the calls of close() below, which may change errno */
	if (pid == 0) {
		setpgid(0, 0); /* Ctrl-C reaches the whole group; the parent decides when to stop */
		signal(SIGPIPE, SIG_DFL);
		if (o->netns_fd >= 0 && netns_enter_fd(o->netns_fd))
			_exit(1);
		privileges_keep(PRIVILEGES_OF_SSH);
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(said[1], 2) < 0)
			_exit(1);
		execlp("ssh", "ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o",
		       "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--", o->host,
		       "sh -c 'test \"$(id -u)\" = 0 && exec sh; exec sudo -n env \"SSH_CONNECTION=$SSH_CONNECTION\" "
		       "sh'",
		       NULL);
		dprintf(2, "cannot run ssh: %s\n", strerror(errno));
		_exit(SSH_FAILED);
	}
	fd_close(in[0]);
	fd_close(out[1]);
	fd_close(said[1]);
	f->to = in[1];
	f->from = out[0];
	f->errors = said[0];
	if (f->errors >= 0)
		fcntl(f->errors, F_SETFL, O_NONBLOCK);
	f->pid = err ? 0 : pid;
	if (err)
		return err;
	text = script(o);
	err = text ? remote_feed(f, text, d) : diag_set(d, -ENOMEM, "no memory");
	free(text);
	if (err)
		return err;
	patience = patience_of(START_PATIENCE_NS);
	json_decref(f->about);
	while (!(f->about = remote_lines_report(f->text, f->len))) {
		got = remote_read(f, 100);
		if (got < 0)
			return remote_ended(f, d)
				       ?: diag_set(d, -ECHILD, "generator on %s: it ended without output", f->host);
		if (stopped(d))
			return -EINTR;
		if (patience_ends(&patience))
			return diag_set(d, -ETIMEDOUT, "generator on %s: no answer", f->host);
	}
	f->beat_ns = now_ns();
	return 0;
}

int remote_check(struct remote *f, struct diag *d)
{
	if (!f->pid)
		return diag_set(d, -ECHILD, "generator on %s: it has ended", f->host);
	if (remote_read(f, 0) < 0)
		return remote_ended(f, d) ?: diag_set(d, -ECHILD, "generator on %s: it ended by itself", f->host);
	if (now_ns() - f->beat_ns < BEAT_NS)
		return 0;
	f->beat_ns = now_ns();
	return remote_feed(f, ".", d);
}

/* Closes the generator's input, which makes it end. true: it ended in time. */
static bool remote_let_end(struct remote *f, uint64_t patience_ns)
{
	struct patience patience = patience_of(patience_ns);
	int got = 0;

	close(f->to);
	f->to = -1;
	while (got >= 0 && !patience_ends(&patience))
		got = remote_read(f, 100);
	return got < 0;
}

int remote_stop(struct remote *f, struct gen_result *r, struct diag *d)
{
	json_t *report;
	int err;

	remote_lines_result(NULL, r);
	if (!f->pid)
		return diag_set(d, -ECHILD, "generator on %s: it is not running", f->host);
	if (!remote_let_end(f, STOP_PATIENCE_NS)) {
		remote_release(f);
		return diag_set(d, -ETIMEDOUT, "generator on %s: it does not report what it sent; is the link broken?",
				f->host);
	}
	err = remote_ended(f, d);
	report = remote_lines_report(f->text, f->len);
	remote_lines_result(report, r);
	json_decref(report);
	if (!err && r->sent < 0)
		err = diag_set(d, -ECHILD, "generator on %s: it did not report what it sent", f->host);
	remote_release(f);
	return err;
}

/* First asks the other side to end, so that it can clean up; kills ssh only when that takes too long. */
void remote_release(struct remote *f)
{
	json_t *about = f->about;

	if (f->pid > 0 && (f->to < 0 || !remote_let_end(f, GIVE_UP_NS))) {
		struct timespec a_while = {0, 300000000};

		kill(f->pid, SIGTERM);
		nanosleep(&a_while, NULL);
		kill(f->pid, SIGKILL);
	}
	if (f->pid > 0)
		child_wait(f->pid);
	fd_close(f->to);
	fd_close(f->from);
	fd_close(f->errors);
	json_decref(about);
	*f = NO_REMOTE;
}

int remote_probe(const struct gen_options *o, const char *dev, json_t **about, struct diag *d)
{
	struct gen_options one = *o;
	struct gen_result r;
	const char *ssh;
	struct remote f;
	int err;

	f = NO_REMOTE;
	one.count = 1;
	one.rate_pps = 0;
	one.flows = 1;
	err = remote_start(&f, &one, d);
	*about = err ? NULL : json_incref(f.about);
	if (!err)
		remote_stop(&f, &r, NULL); /* no error counts: without a program at dev, the frame may get lost */
	remote_release(&f);
	if (err)
		return err;
	ssh = json_string_value(json_object_get(*about, "ssh")) ?: "";
	if (uplink_has_address(dev, ssh))
		return diag_set(d, -EINVAL, "ssh to %s goes over %s, the device to measure; use another link for ssh",
				o->host, dev);
	return 0;
}
