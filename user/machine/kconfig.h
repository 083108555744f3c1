/*
 * kconfig - the kernel's configuration, as far as it changes what a packet costs
 *
 * in:    /proc/config.gz, else /boot/config-RELEASE, of this machine or of a copy of its files
 * out:   an object, option -> "y", "m", "n" or a value, without "CONFIG_"; owned by the caller
 * law:   an option that the file does not mention is not in the object: this kernel does not have it
 * error: NULL: neither file can be read, so nothing is known; failures of the object are kept in w
 */
#ifndef USER_KCONFIG_H
#define USER_KCONFIG_H

#include <jansson.h>
#include "base/sheet/json_out.h"
#include "user/machine/facts.h"

json_t *kconfig_read(struct json_out *w, const struct facts *f);

/*
 * Writes the options that are on and cost each packet something, "DEBUG_NET, KASAN", and the boot parameters that
 * switch on such things, "init_on_alloc=1". A boot parameter that switches an option off is taken into account. config
 * NULL: not known. Returns how many there are.
 */
size_t kconfig_costly(const struct facts *f, const json_t *config, char *list, size_t size);

/* "none", "voluntary", "full" or "lazy"; -errno where the kernel does not tell. */
int kconfig_preempt_mode(const struct facts *f, char *mode, size_t size);

#endif
