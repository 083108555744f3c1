/*
 * own_parts - what --setup and --teardown see of a loaded program; shared by the files of own.h
 *
 * in:    a loaded program; the name of the device that it will be attached to
 * out:   XDPZOOM_PROGRAM (the variant), XDPZOOM_PROG_ID, XDPZOOM_DEV, XDPZOOM_PINS (a folder that holds a pin of each
 *        map), and XDPZOOM_MAP_name (the map's id) in the command's environment
 * law:   the pins are in a BPF file system that is mounted nowhere. It is reached through this process's entry in /proc
 *        and vanishes with this process, however that ends
 * error: as own.h
 */
#ifndef USER_OWN_PARTS_H
#define USER_OWN_PARTS_H

#include "user/programs/own.h"

int own_set_up(struct own *w, const char *dev, struct diag *d);
int own_tear_down(struct own *w, const char *dev, struct diag *d);

#endif
