/*
 * json_text - JSON strings of text that JSON itself cannot hold, and JSON written
 *
 * in:    strings of any bytes
 * out:   json_t, owned by the caller
 *        JSON into a FILE of the caller
 * law:   JSON has no bytes that are not UTF-8: in a text that is not UTF-8 every byte from 0x80 on becomes "?".
 *        What is written cannot control a terminal (printable.h): JSON asks for "\u001b" itself, and U+007F to
 *        U+009F are written in the same way
 * error: NULL without memory; -errno of the FILE
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

json_t *json_text_string(const char *s);
void json_text_in_place(char *s); /* what json_text_string() makes of it: for the name of a member */
const char *json_text_of(const json_t *o, const char *name); /* of a member; "": it is none, or no text */
double json_text_number(const json_t *o, const char *name);  /* of a member; NaN: it is none, or no number */

/*
 * Calls each() for each member that two objects have otherwise, with NULL for what one of them lacks; null and a member
 * that is not there are the same. of: what both are, for each(). A value that is not 0 ends it, and is returned.
 */
typedef int json_differs(void *arg, const char *of, const char *name, json_t *was, json_t *is);
int json_differences(json_t *was, json_t *is, const char *of, json_differs *each, void *arg);
/* The same for the objects in two objects; `of` is the name of each. */
int json_differences_of_each(json_t *was, json_t *is, json_differs *each, void *arg);

/* Writes a part of a JSON text. Characters in `also` are written as "\u00XX" too. Returns 0 or -1, as jansson asks. */
int json_text_put(const char *text, size_t len, FILE *out, const char *also);
int json_text_write(const json_t *o, FILE *out, size_t flags); /* flags: how json_dumpf() lays it out */

#endif
