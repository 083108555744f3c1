/*
 * own_parts - --setup and --teardown: commands of the user's that fill or read the maps of a loaded program; shared by
 * the files of own.h
 *
 * in:    a loaded program; the name of the device that it will be attached to
 * out:   XDPZOOM_PROGRAM (the variant), XDPZOOM_PROG_ID, XDPZOOM_DEV, XDPZOOM_PINS (a folder that holds a pin of each
 *        map), and XDPZOOM_MAP_name (the map's id) in the command's environment
 *        What the command prints goes to stderr
 * law:   when the command has ended, so has all that it started: they run in a PID namespace of their own, and end with
 *        this process too. The pins are in a BPF file system that is mounted nowhere. It is reached through this
 *        process's entry in /proc, and vanishes with this process, however that ends
 * error: as own.h; -ECHILD the command failed, -ETIMEDOUT it took too long, -EINTR a signal asked us to stop
 */
#ifndef USER_OWN_PARTS_H
#define USER_OWN_PARTS_H

#include "user/programs/own.h"

int own_set_up(struct own *w, const char *dev, struct diag *d);
int own_tear_down(struct own *w, const char *dev, struct diag *d);

#endif
