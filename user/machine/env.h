/*
 * env - the machine a run was made on: kernel, CPU, mitigations, clocks; what a reader of the numbers may ask
 *
 * out:   a json object owned by the caller; facts the machine does not tell are left out
 * error: none
 */
#ifndef USER_ENV_H
#define USER_ENV_H

#include <jansson.h>

json_t *env_describe(const char *perf_version, int rx_cpu);

#endif
