/*
 * env - describes the machine of a run, for the reader of its numbers: kernel, CPU, mitigations, clocks
 *
 * out:   a json object owned by the caller; facts that this machine does not show are left out
 * error: failures are kept in w
 */
#ifndef USER_ENV_H
#define USER_ENV_H

#include <jansson.h>
#include "base/sheet/json_out.h"
#include "reports/run/made.h"

#define ENV_BOOT_ID "proc/sys/kernel/random/boot_id" /* another one after each boot, and on each machine */

/* The compiler of this machine's kernel; "": not known. */
void env_compiler(char compiler[MADE_COMPILER_BYTES]);

json_t *env_describe(struct json_out *w, const char *perf_version, int rx_cpu);

#endif
