// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#define MAGIC "xdpzoom.turns/1"
#define LINE  256

static const char use_letters[TURN_USES + 1] = "bps";

void turns_release(struct run_turns *t)
{
	free(t->list);
	spill_release(&t->file);
	*t = (struct run_turns){};
}

int turns_add(struct run_turns *t, const struct run_turn *turns, size_t n)
{
	size_t room = TURNS_MAX - t->nwritten - t->n, keep = n < room ? n : room;

	if (!array_grow(&t->list, &t->cap, t->n, keep, sizeof(*t->list)))
		return -ENOMEM;
	if (keep && !t->nwritten && !t->n)
		t->from_ns = turns->start_ns;
	if (keep)
		memcpy(t->list + t->n, turns, keep * sizeof(*turns));
	t->n += keep;
	t->left_out += n - keep;
	return 0;
}

const struct run_turn *turns_find(const struct run_turn *list, size_t n, uint64_t at_ns)
{
	size_t low = 0, high = n;

	while (low < high) { /* the first turn that starts after at_ns */
		size_t middle = low + (high - low) / 2;

		if (list[middle].start_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at_ns - list[low - 1].start_ns >= list[low - 1].wall_ns)
		return NULL;
	return &list[low - 1];
}

/* Reads a whole number of 0 .. most at *text and moves *text behind it and the blank or newline that follows. */
static bool turns_take(const char **text, uint64_t most, uint64_t *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	if (errno || *value > most || (*end != ' ' && *end != '\n'))
		return false;
	*text = end + 1;
	return true;
}

int turns_read(struct run_turns *t, const char *dir, struct diag *d)
{
	uint64_t from_ns = 0, end_ns = 0, number = 1, left_out = 0;
	uint64_t round, variant, device, start, wall, own, packets, lost, inject;
	char path[4096 + 16], line[LINE];
	const char *p = line + strlen(MAGIC " "), *use;
	FILE *f;
	int err;

	*t = (struct run_turns){};
	snprintf(path, sizeof(path), "%s/" TURNS_FILE, dir);
	err = foreign_file_open(&f, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, d);
	if (err)
		return err;
	if (!fgets(line, sizeof(line), f) || strncmp(line, MAGIC " ", strlen(MAGIC " ")) ||
	    !turns_take(&p, INT64_MAX, &from_ns) || !turns_take(&p, INT64_MAX, &left_out) || *p)
		err = diag_set(d, -EINVAL, "%s: line 1 does not begin with " MAGIC " and two numbers", path);
	while (!err && fgets(line, sizeof(line), f)) {
		number++;
		if (feof(f) && !strchr(line, '\n')) /* a recorder that died was writing it */
			break;
		p = line;
		inject = 0;
		bool whole = turns_take(&p, UINT32_MAX, &round) && turns_take(&p, UINT16_MAX, &variant) &&
			     turns_take(&p, UINT8_MAX, &device);
		use = whole && *p ? strchr(use_letters, *p) : NULL;
		whole = use && p[1] == ' ';
		p += whole ? 2 : 0;
		whole = whole && turns_take(&p, INT64_MAX - from_ns, &start) && turns_take(&p, UINT32_MAX, &wall) &&
			turns_take(&p, UINT32_MAX, &own) && turns_take(&p, UINT32_MAX, &packets) &&
			turns_take(&p, UINT32_MAX, &lost) && (!*p || turns_take(&p, UINT32_MAX, &inject)) && !*p;
		if (!whole) {
			err = diag_set(d, -EINVAL, "%s: line %" PRIu64 " is not a turn", path, number);
			break;
		}
		const struct run_turn turn = {.start_ns = from_ns + start,
					      .wall_ns = (uint32_t)wall,
					      .own_ns = (uint32_t)own,
					      .packets = (uint32_t)packets,
					      .lost = (uint32_t)lost,
					      .injected_ns = (uint32_t)inject,
					      .round = (uint32_t)round,
					      .variant = (uint16_t)variant,
					      .device = (uint8_t)device,
					      .use = (uint8_t)(use - use_letters)};
		if (turn.start_ns < end_ns)
			err = diag_set(d, -EINVAL, "%s: line %" PRIu64 ": the turn begins before the last one ended",
				       path, number);
		else if (t->n == TURNS_MAX)
			err = diag_set(d, -EINVAL, "%s: more than %u turns", path, TURNS_MAX);
		else if (turns_add(t, &turn, 1))
			err = diag_set(d, -ENOMEM, "%s: out of memory", path);
		end_ns = turn.start_ns + turn.wall_ns;
	}
	t->left_out = left_out;
	if (!err && ferror(f))
		err = diag_set(d, -EIO, "%s: cannot be read", path);
	fclose(f);
	if (err)
		turns_release(t);
	return err;
}

static int told(int err, const char *dir, struct diag *d)
{
	return err ? diag_set(d, err, "%s/" TURNS_FILE " cannot be written: %s", dir, strerror(-err)) : 0;
}

int turns_write(struct run_turns *t, const char *dir, struct diag *d)
{
	char path[4096 + 16], head[LINE];
	FILE *f = NULL;
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/" TURNS_FILE, dir);
	if (!t->file.is_open)
		err = spill_open(&t->file, path);
	/* left_out has so many digits that the line can be written over. */
	n = snprintf(head, sizeof(head), MAGIC " %" PRIu64 " %012" PRIu64 "\n", t->from_ns, t->left_out);
	if (!err && !t->nwritten)
		t->file.size = 0;
	for (int done = 0; done < n && !err && t->nwritten;) {
		ssize_t more = pwrite(t->file.fd, head + done, (size_t)(n - done), done);

		err = more < 0 && errno != EINTR ? -errno : 0;
		done += more > 0 ? (int)more : 0;
	}
	if (!err)
		f = spill_begin(&t->file);
	if (!f)
		return told(err ? err : -ENOMEM, dir, d);
	if (!t->nwritten)
		fputs(head, f);
	for (size_t i = 0; i < t->n; i++) {
		const struct run_turn *r = &t->list[i];

		fprintf(f, "%u %u %u %c %" PRIu64 " %u %u %u %u", r->round, r->variant, r->device, use_letters[r->use],
			r->start_ns - t->from_ns, r->wall_ns, r->own_ns, r->packets, r->lost);
		if (r->injected_ns)
			fprintf(f, " %u", r->injected_ns);
		fputc('\n', f);
	}
	err = spill_end(&t->file, f, 0);
	if (!err) {
		t->nwritten += t->n;
		free(t->list);
		t->list = NULL;
		t->n = t->cap = 0;
	}
	return told(err, dir, d);
}

int turns_sync(const struct run_turns *t, const char *dir, struct diag *d)
{
	return told((t->file.is_open && fsync(t->file.fd) && errno != EINVAL ? -errno : 0), dir, d);
}
