/*
 * known - how "not known" is written, in each layer
 *
 * in structs:       NaN; -1 in whole numbers that are never negative; NULL, or "" in an array of char
 * in JSON:          null
 * in CSV, SQLite:   an empty field, NULL
 * in text and HTML: NOT_KNOWN in a sentence, "-" in a column of numbers
 * exports of text:  "", where the format has neither null nor a missing member (OpenMetrics, JSON Lines)
 * law:              0 and "unknown" never mean it
 */
#ifndef BASE_KNOWN_H
#define BASE_KNOWN_H

#define NOT_KNOWN "not known"

/* For exports whose members are always text. */
static inline const char *or_empty(const char *text)
{
	return text ? text : "";
}

static inline const char *known(const char *text)
{
	return text && *text ? text : NOT_KNOWN;
}

#endif
