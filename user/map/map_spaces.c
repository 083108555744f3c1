// SPDX-License-Identifier: GPL-2.0-or-later
/* The network namespaces of a machine: those that are mounted somewhere, and those of processes. */
#include <sys/resource.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

/* NULL: this is no namespace of the network, or it may not be opened. */
static struct map_space *add_space(struct map *m, const char *path, dev_t nsfs)
{
	struct map_space *s;
	struct stat st;
	int fd;

	if (stat(path, &st) || st.st_dev != nsfs)
		return NULL;
	for (size_t i = 0; i < m->nspaces; i++)
		if (m->spaces[i].inum == st.st_ino)
			return &m->spaces[i];
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	/* what stood there a moment ago may be another one now */
	s = fstat(fd, &st) || st.st_dev != nsfs ? NULL : array_add(&m->spaces, &m->nspaces, sizeof(*s));
	if (!s) {
		close(fd);
		return NULL;
	}
	s->fd = fd;
	s->inum = st.st_ino;
	return s;
}

/* "\040" is a blank, as proc(5) writes them. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		unsigned int c;

		if (*s == '\\' && strspn(s + 1, "01234567") >= 3 && sscanf(s + 1, "%3o", &c) == 1) {
			*to++ = (char)c;
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Returns how many processes have a namespace that may not be looked at. */
static size_t add_of_processes(struct map *m, dev_t nsfs)
{
	size_t hidden = 0;
	char path[300];
	struct dirent *e;

	dir_scan (e, &facts_here, "proc") {
		struct map_space *s;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", e->d_name);
		s = add_space(m, path, nsfs);
		if (!s && (errno == EACCES || errno == EPERM))
			hidden++;
		if (s && (!s->pid || atoi(e->d_name) < s->pid))
			s->pid = atoi(e->d_name);
	}
	return hidden;
}

static int by_label(const void *a, const void *b)
{
	const struct map_space *x = a, *y = b;

	return !strcmp(y->label, "init") - !strcmp(x->label, "init") ?: strcmp(x->label, y->label);
}

/* Two mounts in two directories may have the same name, and any may be called like another kind. */
static bool is_taken(const struct map *m, const struct map_space *s)
{
	bool taken = !strcmp(s->name, "init") || strpbrk(s->name, ":/");

	for (const struct map_space *o = m->spaces; o < m->spaces + m->nspaces && !taken; o++)
		taken = o != s && !strcmp(o->name, s->name);
	return taken;
}

/* "docker:3f2a1c9b0d12" or "unit:nginx.service" by the control group of a process, "": neither. */
const char *map_owner(int pid, char *words, size_t size)
{
	static const struct {
		const char *before, *name;
	} engines[] = {{"docker-", "docker"},
		       {"docker/", "docker"},
		       {"libpod-", "podman"},
		       {"crio-", "crio"},
		       {"cri-containerd-", "containerd"},
		       {"cri-containerd:", "containerd"},
		       {"kubepods", "containerd"}};
	char line[4096], *last;

	words[0] = '\0';
	file_scan (line, "proc/%d/cgroup", pid) {
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '/');
		for (size_t i = 0; last && i < sizeof(engines) / sizeof(*engines); i++) {
			const char *id = last;

			if (!strstr(line, engines[i].before))
				continue;
			while (*id && strspn(id, "0123456789abcdef") < 32)
				id++;
			if (*id)
				snprintf(words, size, "%s:%.12s", engines[i].name, id);
			if (*id)
				return words;
		}
		for (; last && last > line && !words[0]; last = memrchr(line, '/', (size_t)(last - line))) {
			size_t n = strcspn(last + 1, "/"), unit = strlen(".service");

			if (n > unit && !strncmp(last + 1 + n - unit, ".service", unit))
				snprintf(words, size, "unit:%.*s", (int)n, last + 1);
		}
	}
	json_text_in_place(words);
	return words;
}

int map_spaces_open(struct map *m, struct diag *d)
{
	struct rlimit files;
	struct stat here;
	size_t hidden;

	/* one descriptor each */
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (stat("/proc/self/ns/net", &here) || !add_space(m, "/proc/self/ns/net", here.st_dev))
		return diag_set(d, -errno, "cannot open this network namespace: %s", strerror(errno));
	m->spaces[0].here = true;
	/* "36 35 0:4 net:[4026532177] /run/netns/red rw shared:13 - nsfs nsfs rw" */
	dev_t nsfs = here.st_dev;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	while (f && getline(&line, &size, f) > 0) {
		struct map_space *s;
		char *name, *path;
		int at = 0;

		if (sscanf(line, "%*s %*s %*s net:[%*u] %n", &at) < 0 || !at)
			continue;
		path = line + at;
		path[strcspn(path, " \n")] = '\0';
		unescape(path);
		s = add_space(m, path, nsfs);
		name = strrchr(path, '/');
		if (name) /* two names may look the same then: is_taken() */
			json_text_in_place(name + 1);
		if (s && name && (!s->name[0] || strcmp(name + 1, s->name) < 0))
			snprintf(s->name, sizeof(s->name), "%s", name + 1);
	}
	free(line);
	if (f)
		fclose(f);
	hidden = add_of_processes(m, here.st_dev);
	if (hidden)
		map_unseen(m, "the network namespace%s of %zu process%s: %s", hidden == 1 ? "" : "s", hidden,
			   hidden == 1 ? "" : "es", geteuid() ? "only root may read it" : "not readable from here");
	for (struct map_space *s = m->spaces; s < m->spaces + m->nspaces; s++) {
		/*
		 * By its mount, the container or unit of its first process, that process, or its number: the first of
		 * its own.
		 */
		if (s->pid == 1)
			snprintf(s->label, sizeof(s->label), "init");
		else if (s->name[0] && !is_taken(m, s))
			snprintf(s->label, sizeof(s->label), "%s", s->name);
		else if (s->pid)
			map_owner(s->pid, s->label, sizeof(s->label));
		for (const struct map_space *o = m->spaces; o < s && s->label[0]; o++)
			if (!strcmp(o->label, s->label))
				s->label[0] = '\0';
		if (!s->label[0] && s->pid && !s->here)
			snprintf(s->label, sizeof(s->label), "process:%d", s->pid);
		else if (!s->label[0])
			snprintf(s->label, sizeof(s->label), "net:%u", s->inum);
	}
	qsort(m->spaces, m->nspaces, sizeof(*m->spaces), by_label);
	return 0;
}
