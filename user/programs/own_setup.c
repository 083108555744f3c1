// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs --setup and --teardown, with the program's maps in their environment. own_parts.h has the contract. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/programs/own_command.h"
#include "user/programs/own_parts.h"

#define MAPS_MAX 64 /* the kernel's limit of maps of a program */

struct environment {
	struct own_variable list[MAPS_MAX + 4];
	size_t n;
};

static void add_variable(struct environment *e, const char *prefix, const char *name, const char *value)
{
	struct own_variable *v = &e->list[e->n];

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
	if (fs >= 0)
		close(fs);
	return err;
}

/* Sections such as .rodata are maps too; a pin's name must not hold a dot, nor a variable's. */
static bool is_users_map(const char *name)
{
	return *name && !strchr(name, '.');
}

static int show_map(struct own *w, struct environment *e, const char *pins, int fd, const char *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char text[RUN_ID_BYTES];

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	name = name ? name : info.name;
	if (!is_users_map(name))
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
		if (fd >= 0)
			close(fd);
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

static int run(struct own *w, const char *what, const char *command, const char *dev, struct diag *d)
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
	return own_command_run(
		&(struct own_command){
			.what = what, .command = command, .patience_s = w->o->patience_s, .until_stopped = !w->is_up},
		e.list, e.n, d);
}

int own_set_up(struct own *w, const char *dev, struct diag *d)
{
	int err = w->o->setup ? run(w, "--setup", w->o->setup, dev, d) : 0;

	w->is_up = !err;
	return err;
}

int own_tear_down(struct own *w, const char *dev, struct diag *d)
{
	return w->o->teardown ? run(w, "--teardown", w->o->teardown, dev, d) : 0;
}
