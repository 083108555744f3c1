/*
 * state_tasks - who takes packets up: NAPI threads, softirqs' threads, threads of CPU maps, and processes that hold the
 * sockets and taps whose queues are looked at
 *
 * in:    as state.h
 * out:   into tasks, a member for each: "napi/eth0-12 (117)", "reader (4711)", with "pid", "role" ("napi",
 *        "ksoftirqd", "cpumap", "process"), "state" (a letter, proc_pid_stat(5)), "cpu" where it ran last,
 *        "on_cpu_ns", "waited_ns", "affinity", "policy", "group" (its path), "quota" (CPUs that its group may use;
 *        null: any number), "throttled_ns", "sockets", "taps" (the names of their devices)
 * units: in the names
 * law:   what this process may not see of a task is null
 * error: kept in w
 */
#ifndef USER_WATCH_STATE_TASKS_H
#define USER_WATCH_STATE_TASKS_H

#include <jansson.h>
#include "base/sheet/json_out.h"
#include "user/watch/watch.h"

void state_read_tasks(struct json_out *w, json_t *tasks, const struct devices *ds, const struct state_wanted *wanted);

#endif
