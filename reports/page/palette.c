// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

#define CHANGE(class, fill, text)
#define COMPONENT(class, fill, text, name) {{class, fill, text}, name},
static const struct {
	struct palette_colour colour;
	const char *name;
} components[] = {
#include "reports/page/palette_rows.h"
};
#undef CHANGE
#undef COMPONENT

#define CHANGE(class, fill, text) {class, fill, text},
#define COMPONENT(class, fill, text, name)
static const struct palette_colour changes[] = {
#include "reports/page/palette_rows.h"
};

_Static_assert(sizeof(changes) / sizeof(changes[0]) == 9, "nine steps of a change");

#define GREYS       4 /* the last components of the table */
#define NCOMPONENTS (sizeof(components) / sizeof(components[0]))

const struct palette_colour *palette_of_change(double part)
{
	static const double steps[] = {0.05, 0.25, 0.6, 0.98};
	int step = 0;

	while (step < 4 && fabs(part) >= steps[step])
		step++;
	return &changes[part < 0 ? 4 - step : 4 + step];
}

const struct palette_colour *palette_of_component(const char *component)
{
	unsigned int sum = 0;

	if (!*component)
		return palette_of_change(0);
	for (size_t i = 0; i < NCOMPONENTS; i++)
		if (!strcmp(component, components[i].name))
			return &components[i].colour;
	for (const char *s = component; *s; s++)
		sum = sum * 31 + (unsigned char)*s;
	return &components[sum % (NCOMPONENTS - GREYS)].colour;
}
