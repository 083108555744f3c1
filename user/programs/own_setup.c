// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs --setup and --teardown, with the program's maps in their environment. own_parts.h has the contract. */
#include <linux/bpf.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/programs/programs.h"

#define MAPS_MAX 64 /* the kernel's limit of maps of a program */
#define LOOK_NS  5000000

struct environment {
	struct variable {
		char name[80], value[RUN_ID_BYTES];
	} list[MAPS_MAX + 4];
	size_t n;
};

static void add_variable(struct environment *e, const char *prefix, const char *name, const char *value)
{
	struct variable *v = &e->list[e->n];

	if (e->n == sizeof(e->list) / sizeof(*e->list))
		return;
	e->n++;
	snprintf(v->name, sizeof(v->name), "%s%s", prefix, name);
	snprintf(v->value, sizeof(v->value), "%s", value);
}

static int make_pins(struct own *w)
{
	int fs = fsopen("bpf", FSOPEN_CLOEXEC), err = 0;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		err = -errno;
	if (!err)
		w->pins_fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (!err && w->pins_fd < 0)
		err = -errno;
	fd_close(fs);
	return err;
}

static int show_map(struct own *w, struct environment *e, const char *pins, int fd, const char *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char text[RUN_ID_BYTES];

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	name = name ? name : info.name;
	/* Sections such as .rodata are maps too; a pin's name must not hold a dot, nor a variable's. */
	if (!(*name && !strchr(name, '.')))
		return 0;
	snprintf(text, sizeof(text), "%u", info.id);
	add_variable(e, "XDPZOOM_MAP_", name, text);
	snprintf(text, sizeof(text), "%s/%s", pins, name);
	if (w->is_up) /* the pins are there since --setup */
		return 0;
	return bpf_obj_pin(fd, text) && errno != EEXIST ? -errno : 0;
}

/* The maps of a program that somebody else loaded. The kernel cuts their names after 15 characters. */
static int show_loaded_maps(struct own *w, struct environment *e, const char *pins)
{
	__u32 ids[MAPS_MAX] = {}, len;
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MAX, .map_ids = (__u64)(uintptr_t)ids};
	int err = 0;

	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(w->prog_fd, &info, &len))
		return -errno;
	for (__u32 i = 0; i < info.nr_map_ids && i < MAPS_MAX && !err; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		err = fd < 0 ? fd : show_map(w, e, pins, fd, NULL);
		fd_close(fd);
	}
	return err;
}

static int show_maps(struct own *w, struct environment *e, const char *pins)
{
	struct bpf_map *m;
	int err = 0;

	if (!w->obj)
		return show_loaded_maps(w, e, pins);
	bpf_object__for_each_map (m, w->obj)
		if (!err && bpf_map__fd(m) >= 0)
			err = show_map(w, e, pins, bpf_map__fd(m), bpf_map__name(m));
	return err;
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

/* The first process of a PID namespace takes all others of it with it when it ends. */
static pid_t own_setup_start(const char *command, const struct environment *e)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0); /* Ctrl-C is for us; we end the command */
		for (size_t i = 0; i < e->n; i++)
			setenv(e->list[i].name, e->list[i].value, 1);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid < 0 ? -errno : pid;
}

/* A signal that asks us to stop ends --setup, and leaves --teardown its time. */
static int run_command(const struct own *w, const char *what, const char *command, const struct environment *e,
		       struct diag *d)
{
	struct patience patience = patience_of((uint64_t)(w->o->patience_s * 1e9));
	pid_t pid = own_setup_start(command, e);
	int status = 0, err = 0;

	if (pid < 0)
		return diag_set(d, pid, "%s: cannot start \"%.200s\": %s", what, command, strerror(-pid));
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (stop_requested && !w->is_up)
			err = diag_set(d, -EINTR, "stopped by a signal");
		else if (patience_ends(&patience))
			err = diag_set(d, -ETIMEDOUT, "%s: \"%.200s\" did not end within %g s, and was ended", what,
				       command, w->o->patience_s);
		if (err) {
			child_kill(pid);
			return err;
		}
		sleep_until_ns(now_ns() + LOOK_NS);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return diag_set(d, -ECHILD, "%s: \"%.200s\" ended with status %d", what, command, WEXITSTATUS(status));
	return diag_set(d, -ECHILD, "%s: \"%.200s\" was ended by signal %d", what, command, WTERMSIG(status));
}

static int own_setup_run(struct own *w, const char *what, const char *command, const char *dev, struct diag *d)
{
	struct environment e = {.n = 0};
	char pins[64], id[16];
	int err = w->pins_fd < 0 ? make_pins(w) : 0;

	snprintf(pins, sizeof(pins), "/proc/%d/fd/%d", getpid(), w->pins_fd);
	snprintf(id, sizeof(id), "%u", w->prog_id);
	add_variable(&e, "", "XDPZOOM_PROGRAM", w->id);
	add_variable(&e, "", "XDPZOOM_PROG_ID", id);
	add_variable(&e, "", "XDPZOOM_DEV", dev);
	add_variable(&e, "", "XDPZOOM_PINS", pins);
	if (!err)
		err = show_maps(w, &e, pins);
	if (err)
		return diag_set(d, err, "%s: cannot pin the maps of %s: %s", what, w->id, strerror(-err));
	return run_command(w, what, command, &e, d);
}

int own_set_up(struct own *w, const char *dev, struct diag *d)
{
	int err = w->o->setup ? own_setup_run(w, "--setup", w->o->setup, dev, d) : 0;

	w->is_up = !err;
	return err;
}

int own_tear_down(struct own *w, const char *dev, struct diag *d)
{
	return w->o->teardown ? own_setup_run(w, "--teardown", w->o->teardown, dev, d) : 0;
}
