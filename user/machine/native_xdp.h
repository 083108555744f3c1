/*
 * native_xdp - the ways in which drivers refuse native XDP because of a device's settings, each with its remedy
 *
 * in:    a device in this process's network namespace; of a copy of files, its driver, MTU and virtio's feature bits
 * out:   the reason and the remedy in words, the same for the doctor and for a program that was refused
 * units: MTU in bytes, for pages of 4096
 * law:   changes nothing. What is not in the tables is not known: NULL or false is no promise that a driver accepts
 * src:   Linux 7.3, the function of the driver that each row of the tables names
 */
#ifndef USER_NATIVE_XDP_H
#define USER_NATIVE_XDP_H

#include <stdbool.h>
#include <stddef.h>
#include "user/machine/netdev.h"

struct native_limit {
	const char *driver;
	int mtu;    /* the largest for a program of one buffer */
	bool frags; /* above it, programs for frames of several buffers are taken */
	const char *source;
};

struct native_refusal {
	char why[240];                      /* "its peer q1 has 4 TX queues, more than its own RX queues, 1" */
	char mend[480];                     /* a command, or advice */
	char kind[12], name[24], value[24]; /* of the setting that mends it (setting.h); kind "": mend alone */
};

/* The limits of a driver's MTU; NULL: not known. */
const struct native_limit *native_limit_of(const char *driver);
/* Do the settings that a check of the doctor looks at (mtu, queues, lro, gro-hw) make the driver refuse native XDP? */
bool native_refused(const struct netdev *nd, const char *check, bool frags, struct native_refusal *r);
/* The same, from virtio's feature bits: "0", "1" for each bit, as sysfs shows them. */
bool native_refused_virtio(const char *bits, struct native_refusal *r);
/* Why an attached program was refused, by the settings, else by the kernel's words; false: not known. */
bool native_why(const struct netdev *nd, bool frags, const char *kernel_words, struct native_refusal *r);

#endif
