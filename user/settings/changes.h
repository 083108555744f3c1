/*
 * changes - changes settings of this machine, records each old value first, and puts the old values back
 *
 * in:    settings (setting.h) of this process's network namespace
 * out:   /run/xdpzoom/changes.json, the list of changes; a reboot removes the list, as it resets the settings
 * law:   the old value is on disk before a setting is changed. Changes are put back in reverse order, so that in the
 *        end every setting has its old value. A temporary change belongs to the process that made it. That process
 *        puts it back, or, when the process was killed, the next xdpzoom does. A setting that several processes need
 *        with one value is put back by the last of them
 * error: -errno with one sentence; a change that failed is not in the list; a change that cannot be put back stays in
 *        the list; -EBUSY another process that still runs needs another value
 */
#ifndef USER_CHANGES_H
#define USER_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "user/settings/setting.h"

/*
 * Sets want->value. *changed (may be NULL) is false when the setting had that value already; then the list gets an
 * entry only where another process that still runs has set it.
 */
int changes_make(const struct setting *want, bool temporary, bool *changed, struct diag *d);

enum changes_whose {
	CHANGES_KEPT,    /* permanent changes, made by doctor --fix */
	CHANGES_OWN,     /* temporary changes of this process */
	CHANGES_ORPHANS, /* temporary changes of processes that have ended */
};

size_t changes_count(enum changes_whose whose);
/*
 * Puts these changes back. Calls tell (may be NULL) with a sentence for each change. A setting that no longer exists
 * counts as put back. *n: the number of changes put back. After an error the function still tries the other changes.
 */
int changes_undo(enum changes_whose whose, void (*tell)(const char *words), size_t *n, struct diag *d);

#endif
