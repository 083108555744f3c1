/*
 * setting_parts - shared by setting.c and setting_*.c alone; no other file includes this header. setting.h has the
 * contract
 *
 * Each setting_*.c has a table of the kinds that are changed by the same means; an empty row ends the table.
 */
#ifndef USER_SETTING_PARTS_H
#define USER_SETTING_PARTS_H

#include "user/settings/setting.h"

struct setting_kind {
	const char *word; /* NULL: the end of a table */
	int (*get)(const struct setting *s, char *value, size_t size);
	int (*set)(const struct setting *s, const char *value);
	const char
		*format; /* of the command: %1$s is the device, %2$s the value, %3$s the name; NULL: command() tells */
	void (*command)(const struct setting *s, char *command, size_t size);
};

extern const struct setting_kind setting_file_kinds[], setting_nic_kinds[], setting_rule_kinds[], setting_task_kinds[];

#endif
