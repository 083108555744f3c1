/*
 * privileges - may this process do what needs root? And what of it does it give up, for good?
 *
 * in:    the effective capabilities of this process
 * law:   root has them all, outside of containers; any other user may have just these. What is given up here is never
 *        had again, neither by this process nor by its children; but programs that root starts between
 *        privileges_trim() and privileges_settle() have all that root has
 * error: -EPERM with one sentence that names each capability that is missing
 * src:   capabilities(7); linux include/linux/capability.h: CAP_SYS_ADMIN implies CAP_BPF and CAP_PERFMON
 */
#ifndef USER_MACHINE_PRIVILEGES_H
#define USER_MACHINE_PRIVILEGES_H

#include <stdbool.h>
#include "base/diag.h"

/* what: the command, for the sentence. */
int privileges_check(const char *what, struct diag *d);

/* Before a command begins: keeps what some command needs. */
void privileges_trim(void);
/*
 * When all is set up: keeps what measuring takes. admin: also CAP_SYS_ADMIN, for namespaces and what goes with them.
 * port: also the right to bind to the frames' port, for rungs.
 * programs: we are still to start programs for the caller, which shall have what the caller has.
 */
void privileges_settle(bool admin, bool programs, bool port);
/* In a child, which keeps what it needs. */
void privileges_of_generator(void);
void privileges_of_perf(void);
void privileges_of_ssh(void); /* what is not root has its programs that are set-user-ID */

#endif
