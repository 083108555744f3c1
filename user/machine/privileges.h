/*
 * privileges - may this process do what needs root?
 *
 * in:    the effective capabilities of this process
 * law:   root has them all, outside of containers; any other user may have just these
 * error: -EPERM with one sentence that names each capability that is missing
 * src:   capabilities(7); linux include/linux/capability.h: CAP_SYS_ADMIN implies CAP_BPF and CAP_PERFMON
 */
#ifndef USER_MACHINE_PRIVILEGES_H
#define USER_MACHINE_PRIVILEGES_H

#include "base/diag.h"

/* what: the command, for the sentence. */
int privileges_check(const char *what, struct diag *d);

#endif
