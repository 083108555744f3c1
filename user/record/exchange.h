/*
 * exchange - programs of one mode that take turns on one device, and the clock of its receiver's work
 *
 * units: packets; ns
 * law:   session.bench is the program that is attached, that of the variant `at`; waiting[at] is empty. What is
 *        attached ends with this process
 */
#ifndef USER_EXCHANGE_H
#define USER_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "user/bed/rig.h"
#include "user/machine/work_clock.h"
#include "user/programs/bench.h"

#define EXCHANGE_ORDER 4096

struct exchange {
	struct work_clock clock;
	pid_t tid;                      /* of the NAPI thread that receives; 0: packets are received in softirqs */
	struct bench waiting[RIG_ARMS]; /* of each variant, loaded and not attached */
	size_t at;
	uint8_t order[EXCHANGE_ORDER];
	size_t norder, next; /* entries in use, the one that comes next */
};

#endif
