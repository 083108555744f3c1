// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

/* ---- records ---- */

#define AUXTRACE 71 /* PERF_RECORD_AUXTRACE: the trace stands behind the record, and is not in its size */

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data;
};

/* A place among the records of a file. */
struct records {
	struct file_header head;
	uint64_t at, end;
	struct perf_event_header h;
	unsigned char bytes[UINT16_MAX];
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

static bool records_begin(struct records *r, int fd)
{
	if (!read_at(fd, &r->head, sizeof(r->head), 0) || memcmp(r->head.magic, "PERFILE2", 8) ||
	    r->head.size < sizeof(r->head) || r->head.data.offset > INT64_MAX ||
	    r->head.data.size > INT64_MAX - r->head.data.offset)
		return false;
	r->h = (struct perf_event_header){};
	r->at = r->head.data.offset;
	r->end = r->at + r->head.data.size;
	return true;
}

/* Reads the head of the next record; its body is not read yet. */
static bool records_next(struct records *r, int fd)
{
	r->at += r->h.size;
	return r->h.type != AUXTRACE && r->at + sizeof(r->h) <= r->end && read_at(fd, &r->h, sizeof(r->h), r->at) &&
	       r->h.size >= sizeof(r->h) && r->h.size <= r->end - r->at;
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

int64_t perf_file_lost(const char *path)
{
	struct records *r = malloc(sizeof(*r));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t in_record, lost = 0, samples = 0;
	bool is_one = r && fd >= 0 && records_begin(r, fd);

	while (is_one && records_next(r, fd)) {
		/* PERF_RECORD_LOST: id, lost. PERF_RECORD_LOST_SAMPLES: lost. */
		size_t at = sizeof(r->h) + (r->h.type == PERF_RECORD_LOST ? sizeof(in_record) : 0);

		if (r->h.type != PERF_RECORD_LOST && r->h.type != PERF_RECORD_LOST_SAMPLES)
			continue;
		if (r->h.size < at + sizeof(in_record) || !read_at(fd, r->bytes, r->h.size, r->at))
			continue;
		memcpy(&in_record, r->bytes + at, sizeof(in_record));
		*(r->h.type == PERF_RECORD_LOST ? &lost : &samples) += in_record;
	}
	free(r);
	if (fd >= 0)
		close(fd);
	if (!is_one)
		return -1;
	return lost > samples ? lost : samples;
}

/* ---- records that are too long ----------------------------------------------------------------------------------- */

/* Reads a record of a BPF program or of changed code: its bytes before its end; SIZE_MAX: another kind, or broken. */
static size_t size_before_id(struct records *r, int fd)
{
	enum { KSYMBOL_NAME = 24, BPF_EVENT_SIZE = 24, TEXT_POKE_LENGTHS = 16, TEXT_POKE_BYTES = 20 };
	const size_t size = r->h.size;
	uint16_t lengths[2];

	if (r->h.type != PERF_RECORD_KSYMBOL && r->h.type != PERF_RECORD_BPF_EVENT &&
	    r->h.type != PERF_RECORD_TEXT_POKE)
		return SIZE_MAX;
	if (!read_at(fd, r->bytes, size, r->at))
		return SIZE_MAX;
	if (r->h.type == PERF_RECORD_BPF_EVENT)
		return BPF_EVENT_SIZE;
	if (r->h.type == PERF_RECORD_KSYMBOL) {
		if (size <= KSYMBOL_NAME || !memchr(r->bytes + KSYMBOL_NAME, 0, size - KSYMBOL_NAME))
			return SIZE_MAX;
		return KSYMBOL_NAME + (((strlen((const char *)r->bytes + KSYMBOL_NAME) + 1) + 7) / 8 * 8);
	}
	if (size < TEXT_POKE_BYTES)
		return SIZE_MAX;
	memcpy(lengths, r->bytes + TEXT_POKE_LENGTHS, sizeof(lengths));
	return ((TEXT_POKE_BYTES + lengths[0] + lengths[1]) + 7) / 8 * 8;
}

int perf_file_fix(int *fd)
{
	static const uint64_t fields[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					  PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};
	struct records *r = malloc(sizeof(*r));
	struct perf_event_attr attr = {};
	size_t id = 0, before; /* id: the bytes of struct sample_id, which each record of the kernel ends with */
	int in = *fd, err = r ? 0 : -ENOMEM;

	if (!err && records_begin(r, in) && read_at(in, &attr, PERF_ATTR_SIZE_VER0, r->head.attrs.offset))
		for (size_t i = 0; attr.sample_id_all && i < sizeof(fields) / sizeof(*fields); i++)
			id += attr.sample_type & fields[i] ? 8 : 0;
	while (id && !err && records_next(r, in)) {
		before = size_before_id(r, in);
		if (before == SIZE_MAX || r->h.size <= before + id)
			continue;
		if (*fd == in) {
			/* A copy without a name; < 0: -errno. */
			FILE *file = tmpfile();
			int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
			char buf[65536];
			off_t at = 0;
			ssize_t n = copy < 0 ? -1 : 0;

			while (copy >= 0 && (n = pread(in, buf, sizeof(buf), at)) > 0 &&
			       pwrite(copy, buf, (size_t)n, at) == n)
				at += n;
			if (n) {
				n = n < 0 && errno ? -errno : -ENOSPC;
				if (copy >= 0)
					close(copy);
			}
			if (file)
				fclose(file);
			err = n ? (int)n : copy;
			if (err < 0)
				break;
			*fd = err;
			err = 0;
		}
		if (pwrite(*fd, r->bytes + before, id, (off_t)(r->at + r->h.size - id)) != (ssize_t)id)
			err = -errno;
	}
	free(r);
	if (*fd != in)
		close(in);
	return err;
}

/* ---- its text ---- */

#define TEXT_MOST_BYTES (UINT64_C(64) << 30) /* of what perf prints of a perf.data, whose records may be compressed */

#define MANY_UNNAMED_PCT 1

/*
 * Runs perf in a jail, which ends with its caller, without the user's configuration; `in` (-1: none) is its standard
 * input, and stays open in it as /proc/self/fd/IN. It prints into files without names. Returns its exit status, 127:
 * there is no perf; -ECHILD: a signal ended it; -errno.
 */
static int run_perf(const char *const argv[], int in, FILE **out, FILE **words)
{
	struct diag d = {};
	struct rlimit r;
	int status;
	pid_t pid;

	*out = tmpfile();
	*words = tmpfile();
	if (!*out || !*words)
		return -errno;
	pid = child_fork(SIGKILL);
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		dup2(in >= 0 ? in : open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		dup2(fileno(*out), STDOUT_FILENO);
		dup2(fileno(*words), STDERR_FILENO);
		setenv("LC_ALL", "C", 1);
		setenv("PERF_CONFIG", "/dev/null", 1);
		unsetenv("DEBUGINFOD_URLS"); /* nobody is asked about the programs in a perf.data */
		if (!getrlimit(RLIMIT_FSIZE, &r) && r.rlim_cur > TEXT_MOST_BYTES) {
			r.rlim_cur = TEXT_MOST_BYTES;
			setrlimit(RLIMIT_FSIZE, &r);
		}
		if (jail_enter(JAIL_STARTS | JAIL_AS_ROOT, -1, JAIL_CAP(CAP_SYSLOG), &d)) {
			dprintf(STDERR_FILENO, "%s\n", d.text);
			_exit(126);
		}
		if (in >= 0)
			fcntl(in, F_SETFD, 0);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	status = child_wait(pid);
	rewind(*out);
	rewind(*words);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

void program_last_words(FILE *words, char *last, size_t size)
{
	char line[300];

	*last = '\0';
	while (words && fgets(line, sizeof(line), words))
		if (*line != '\n' && !strstr(line, "Exiting with failure status"))
			snprintf(last, size, "%.*s", (int)strcspn(line, "\n"), line);
}

/* The first line of what perf prints that holds a text, without it and what is before it. */
static bool ask_perf(const char *const argv[], int in, const char *text, char *line, size_t size)
{
	FILE *out, *words;
	char buf[512];
	int status = run_perf(argv, in, &out, &words);
	bool found = false;

	while (!status && !found && fgets(buf, sizeof(buf), out)) {
		const char *at = strstr(buf, text);

		found = at;
		if (found)
			snprintf(line, size, "%.*s", (int)strcspn(at + strlen(text), "\n"), at + strlen(text));
	}
	if (out)
		fclose(out);
	if (words)
		fclose(words);
	return found;
}

static int read_samples(struct perf_data *p, const struct perf_data_from *from, int in, struct diag *d)
{
	char in_path[32], number[16], last[200];
	const char *options[5] = {in_path};
	size_t n = 0;
	const char *const asked[] = {"perf", "--version", NULL};
	const char *const head[] = {"perf", "script", "-f", "-i", in_path, "--header-only", NULL};
	int err;

	snprintf(in_path, sizeof(in_path), "/proc/self/fd/%d", in);
	ask_perf(asked, -1, "", p->version, sizeof(p->version));
	ask_perf(head, in, "os release : ", p->release, sizeof(p->release));
	if (from->cpu >= 0) {
		snprintf(number, sizeof(number), "%d", from->cpu);
		options[++n] = "-C";
		options[++n] = number;
	}
	if (from->time) {
		options[++n] = "--time";
		options[++n] = from->time;
	}
	/*
	 * No names of tasks where it can be helped: any task can give itself one that reads like a line of this text.
	 */
	static const char *const fields[] = {"tid,cpu,time,event,period,ip,sym,dso", "tid,time,event,period,ip,sym,dso",
					     "tid,event,period,ip,sym,dso", "tid,event,ip,sym,dso"};
	int status = 1;
	/* A recording may lack what perf is asked for. */
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields) && status > 0; i++) {
		const char *const argv[] = {"perf",     "script",   "-f",       "--no-inline", "--ns",
					    "-F",       fields[i],  "-i",       options[0],    options[1],
					    options[2], options[3], options[4], NULL};
		FILE *words;

		perf_data_release(p);
		status = run_perf(argv, in, &p->text, &words);
		if (status == 127) {
			diag_set(d, -EOPNOTSUPP,
				 "this is a perf.data, and there is no perf here to read it (Debian: linux-perf)");
		} else if (status) {
			program_last_words(words, last, sizeof(last));
			diag_set(d, -ECHILD, "perf script failed%s%s", *last ? ": " : "", last);
		}
		if (words)
			fclose(words);
	}
	err = status ? (status == 127 ? -EOPNOTSUPP : -ECHILD) : 0;
	if (err)
		perf_data_release(p);
	return err;
}

int perf_data_open(struct perf_data *p, const struct perf_data_from *from, struct diag *d)
{
	const char *path = from->path;
	char magic[8], *line = NULL;
	bool head = false;
	size_t cap = 0;
	struct stat st;
	int in, err = 0;

	*p = (struct perf_data){};
	/* A pipe that is opened twice loses its writer. */
	if ((path ? stat(path, &st) : fstat(STDIN_FILENO, &st)) || !S_ISREG(st.st_mode))
		return 0;
	in = path ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (in < 0)
		return 0;
	/* perf record wrote it on this kind of machine, or on one with the other order of bytes. */
	if (pread(in, magic, sizeof(magic), 0) == sizeof(magic) &&
	    (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8))) {
		err = perf_file_fix(&in);
		if (err)
			diag_set(d, err, "this perf.data cannot be copied: %s", strerror(-err));
		else
			err = read_samples(p, from, in, d);
	}
	close(in);
	/* The first line below the head of a sample is its leaf. A kernel's addresses begin with ffff. */
	while (p->text && getline(&line, &cap, p->text) > 0) {
		if (head && *line == '\t') {
			p->samples++;
			p->unnamed += !strncmp(line + strspn(line, "\t "), "ffff", 4) && strstr(line, " [unknown] ");
		}
		head = *line != '\t' && *line != '\n';
	}
	free(line);
	if (p->text)
		rewind(p->text);
	return err;
}

bool perf_data_words(const struct perf_data *p, char *words, size_t size)
{
	double pct = p->samples ? 100.0 * (double)p->unnamed / (double)p->samples : 0;
	int len;

	if (!p->text)
		return false;
	len = snprintf(words, size, "it is read by %s", p->version);
	if (pct >= MANY_UNNAMED_PCT && len < (int)size)
		snprintf(
			words + len, size - (size_t)len,
			"; %.1f %% of its samples are in the kernel and have no symbol: those of Linux %s are not here",
			pct, *p->release ? p->release : "that was recorded");
	return true;
}

void perf_data_release(struct perf_data *p)
{
	if (p->text)
		fclose(p->text);
	p->text = NULL;
}
