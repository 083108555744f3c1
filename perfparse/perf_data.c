// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base.h"

#define TEXT_MOST_BYTES (UINT64_C(64) << 30) /* of what perf prints of a perf.data, whose records may be compressed */

#define MANY_UNNAMED_PCT 1

/* The file, if it is one that perf record wrote: on this kind of machine, or on one with the other order of bytes. */
static int perf_data_open_data(const char *path)
{
	struct stat st;
	char magic[8];
	int fd;

	/* A pipe that is opened twice loses its writer. */
	if (path ? stat(path, &st) || !S_ISREG(st.st_mode) : fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return -1;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8)))
		return fd;
	close(fd);
	return -1;
}

static int run_perf(const char *const argv[], int in, FILE **out, FILE **words)
{
	return program_run(
		&(struct program){
			.argv = argv, .in = in, .jail = JAIL_AS_ROOT, .dir_fd = -1, .most_bytes = TEXT_MOST_BYTES},
		out, words);
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
	program_close(out, words);
	return found;
}

static int perf_failed(int status, FILE *words, struct diag *d)
{
	char last[200];

	if (status == 127)
		return diag_set(d, -EOPNOTSUPP,
				"this is a perf.data, and there is no perf here to read it (Debian: linux-perf)");
	program_last_words(words, last, sizeof(last));
	return diag_set(d, -ECHILD, "perf script failed%s%s", *last ? ": " : "", last);
}

/* The first line below the head of a sample is its leaf. A kernel's addresses begin with ffff. */
static void count_samples(struct perf_data *p)
{
	bool head = false;
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, p->text) > 0) {
		if (head && *line == '\t') {
			p->samples++;
			p->unnamed += !strncmp(line + strspn(line, "\t "), "ffff", 4) && strstr(line, " [unknown] ");
		}
		head = *line != '\t' && *line != '\n';
	}
	free(line);
	rewind(p->text);
}

/* No names of tasks where it can be helped: any task can give itself one that reads like a line of this text. */
static int print_samples(struct perf_data *p, int in, const char *const options[], const char *symbols, struct diag *d)
{
	static const char *const fields[] = {"tid,cpu,time,event,period,ip,sym,dso", "tid,time,event,period,ip,sym,dso",
					     "tid,event,period,ip,sym,dso", "tid,event,ip,sym,dso"};
	int status = 1;

	/* A recording may lack what perf is asked for. */
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields) && status > 0; i++) {
		const char *argv[17] = {"perf"};
		size_t n = 1;
		const char *const script[] = {"script", "-f",       "--no-inline", "--ns",     "-F",       fields[i],
					      "-i",     options[0], options[1],    options[2], options[3], options[4]};
		FILE *words;

		if (*symbols) {
			argv[n++] = "--buildid-dir";
			argv[n++] = symbols;
		}
		memcpy(argv + n, script, sizeof(script));
		perf_data_release(p);
		status = run_perf(argv, in, &p->text, &words);
		if (status)
			perf_failed(status, words, d);
		if (words)
			fclose(words);
	}
	return status ? (status == 127 ? -EOPNOTSUPP : -ECHILD) : 0;
}

static int read_samples(struct perf_data *p, const struct perf_data_from *from, int in, const char *symbols,
			struct diag *d)
{
	char in_path[32], number[16];
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
	err = print_samples(p, in, options, symbols, d);
	if (err)
		perf_data_release(p);
	else
		count_samples(p);
	return err;
}

/* The archive that is given, else the one beside the file; "": none. */
static void find_archive(struct perf_data *p, const struct perf_data_from *from)
{
	const char *name = from->archive ? from->archive : from->path;
	int len = snprintf(p->archive, sizeof(p->archive), "%s%s", name ? name : "", from->archive ? "" : ".tar.bz2");

	if (!name || len >= (int)sizeof(p->archive) || (!from->archive && access(p->archive, F_OK)))
		p->archive[0] = '\0';
}

int perf_data_open(struct perf_data *p, const struct perf_data_from *from, struct diag *d)
{
	struct archive archive = {};
	int in, err = 0;

	*p = (struct perf_data){};
	in = perf_data_open_data(from->path);
	if (in < 0 && from->path && archive_is_one(from->path))
		return diag_set(d, -EINVAL,
				"this is an archive. That of perf archive has the symbols of a perf.data: name that "
				"file, and the archive by --archive where it is not FILE.tar.bz2");
	if (in < 0)
		return 0;
	find_archive(p, from);
	err = perf_file_fix(&in);
	if (err)
		diag_set(d, err, "this perf.data cannot be copied: %s", strerror(-err));
	else if (*p->archive)
		err = archive_open(&archive, p->archive, d);
	if (!err)
		err = read_samples(p, from, in, archive.dir, d);
	archive_release(&archive);
	close(in);
	return err;
}

bool perf_data_words(const struct perf_data *p, char *words, size_t size)
{
	double pct = p->samples ? 100.0 * (double)p->unnamed / (double)p->samples : 0;
	int len;

	if (!p->text)
		return false;
	len = snprintf(words, size, "it is read by %s%s%s", p->version, *p->archive ? ", with the symbols of " : "",
		       p->archive);
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
