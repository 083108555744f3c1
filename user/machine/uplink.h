/*
 * uplink - does this machine's own connection go over a device?
 *
 * A benchmark program on such a device drops all that arrives there, and a generator fills the network behind it.
 *
 * in:    a device of this process's network namespace; its routes; SSH_CONNECTION of this process or of an ancestor
 *        (sudo takes the variable away)
 * out:   one sentence
 * law:   looks at the device and at those above it: the port of a bridge whose bridge has the default route counts
 * error: -EBUSY the connection goes over it; 0 it does not, or there is no such device
 * src:   proc_net(5) route; ssh(1) SSH_CONNECTION; Documentation/ABI/testing/sysfs-class-net, lower_*
 */
#ifndef USER_UPLINK_H
#define USER_UPLINK_H

#include <stdbool.h>
#include "base/diag.h"

int uplink_check(const char *dev, struct diag *d);
/* Does the device have this address? address is text; an address with a scope ("fe80::1%eth0") may be given. */
bool uplink_has_address(const char *dev, const char *address);

#endif
