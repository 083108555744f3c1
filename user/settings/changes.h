/*
 * changes - settings of this machine that xdpzoom has changed, written down before each change, and put back
 *
 * in:    settings (setting.h) of this process's network namespace
 * out:   /run/xdpzoom/changes.json, which a reboot takes away as it does the settings
 * law:   what a setting was is on disk before it is changed; put back latest first, everything is as it was. Temporary
 *        changes belong to the process that made them: it puts them back, or, when it was killed, the next xdpzoom does
 * error: -errno with one sentence; a change that failed is not written down, one that cannot be put back stays there
 */
#ifndef USER_CHANGES_H
#define USER_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "user/settings/setting.h"

/* Makes it so. *changed (may be NULL) false: it was so already, nothing is written down. */
int changes_make(const struct setting *want, bool temporary, bool *changed, struct diag *d);

enum changes_whose {
	CHANGES_KEPT,    /* made to stay, by doctor --fix */
	CHANGES_OWN,     /* temporary ones of this process */
	CHANGES_ORPHANS, /* temporary ones of processes that have ended */
};

size_t changes_count(enum changes_whose whose);
/*
 * Puts them back. tell (may be NULL) is called for each with a sentence. A setting that is gone, with its device or by
 * itself, counts as put back. *n: how many were; on error the rest was tried all the same.
 */
int changes_undo(enum changes_whose whose, void (*tell)(const char *words), size_t *n, struct diag *d);

#endif
