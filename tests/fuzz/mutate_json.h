/*
 * mutate_json - changes JSON and keeps it JSON: what bytes alone do to a document of 20 kB never passes the parser
 *
 * in:    an input of libFuzzer: a document, or anything; behind a NUL there may be a second part, which is no JSON
 * out:   the input with a few values changed, removed, doubled, or exchanged for other ones of the document or of
 *        another input of the corpus. What is no JSON, and the second part, are changed byte by byte
 * law:   the result is at most max bytes long. The same seed gives the same result
 * error: none
 *
 * A target that includes this file has libFuzzer's custom mutator. It may define MUTATE_JSON_MEND(document): called
 * with most documents, to put right what no chance puts right, such as the numbers of blocks.
 */
#ifndef TESTS_FUZZ_MUTATE_JSON_H
#define TESTS_FUZZ_MUTATE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef MUTATE_JSON_MEND
#define MUTATE_JSON_MEND(document) ((void)(document))
#endif

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
				 size_t max, unsigned int seed);

/* A value and where it stands: member `key` of the object `in`, or element `at` of the array `in`. */
struct json_place {
	json_t *in, *value;
	const char *key;
	size_t at;
};

static unsigned int json_chance(uint32_t *state, unsigned int n)
{
	*state = *state * 1664525u + 1013904223u;
	return n ? (*state >> 8) % n : 0;
}

/* Takes every value below o with the same probability: the n-th one replaces the choice with the chance 1/n. */
static void json_choose(json_t *o, const char *key, struct json_place *chosen, unsigned int *n, uint32_t *state)
{
	const char *name;
	json_t *value;
	size_t i;

	json_object_foreach (o, name, value) {
		if ((!key || !strcmp(key, name)) && !json_chance(state, ++*n))
			*chosen = (struct json_place){o, value, name, 0};
		json_choose(value, key, chosen, n, state);
	}
	json_array_foreach (o, i, value) {
		if (!key && !json_chance(state, ++*n))
			*chosen = (struct json_place){o, value, NULL, i};
		json_choose(value, key, chosen, n, state);
	}
}

static struct json_place json_any(json_t *o, const char *key, uint32_t *state)
{
	struct json_place chosen = {NULL};
	unsigned int n = 0;

	json_choose(o, key, &chosen, &n, state);
	return chosen;
}

static json_t *json_strange_number(const json_t *old, uint32_t *state)
{
	static const json_int_t wholes[] = {
		0,          1,         -1,        2,        64, 255, 65536, INT32_MAX, (json_int_t)INT32_MAX + 1,
		UINT32_MAX, 1LL << 53, INT64_MAX, INT64_MIN};
	static const double reals[] = {0, -0.0, 0.5, -1, 1e-300, 4.9e-324, 1e9, 1e18, 1.9e19, 1e300, 1.7e308};
	double value = json_number_value(old);

	switch (json_chance(state, 6)) {
	case 0:
		return json_integer(wholes[json_chance(state, sizeof(wholes) / sizeof(*wholes))]);
	case 1:
		return json_real(reals[json_chance(state, sizeof(reals) / sizeof(*reals))]);
	case 2:
		return json_is_integer(old) ? json_integer((json_int_t)((uint64_t)json_integer_value(old) +
									json_chance(state, 5) - 2))
					    : json_real(value * 1.001);
	case 3:
		return json_is_integer(old) ? json_integer(json_integer_value(old) / 2) : json_real(value / 2);
	case 4:
		return json_is_integer(old) ? json_integer((json_int_t)((uint64_t)json_integer_value(old) * 2))
					    : json_real(value < 1e300 ? value * 1000 : value);
	default:
		return json_integer((json_int_t)(json_chance(state, 1 << 15) >> json_chance(state, 14)));
	}
}

static json_t *json_strange_text(const json_t *old, uint32_t *state)
{
	static const char *const texts[] = {
		"", "\n", "%s%n", "\x1b[31m", "<b>&\"'", "../x", "\xc3\xa4\xe2\x82\xac", "a;b c\td"};
	uint8_t text[256];
	size_t size = json_string_length(old);

	if (!json_chance(state, 3))
		return json_string(texts[json_chance(state, sizeof(texts) / sizeof(*texts))]);
	size = size < sizeof(text) ? size : sizeof(text);
	memcpy(text, json_string_value(old), size);
	size = LLVMFuzzerMutate(text, size, sizeof(text));
	return json_stringn((const char *)text, size); /* NULL: no UTF-8 */
}

/* A new value for the place, or NULL to remove it. */
static json_t *json_changed(json_t *document, const struct json_place *p, uint32_t *state)
{
	struct json_place other = json_any(document, json_chance(state, 4) ? p->key : NULL, state);

	switch (json_chance(state, 10)) {
	case 0:
		return NULL;
	case 1:
		return json_null();
	case 2:
		return json_boolean(json_chance(state, 2));
	case 3:
	case 4:
		return other.value ? json_deep_copy(other.value) : json_null();
	default:
		if (json_is_number(p->value))
			return json_strange_number(p->value, state);
		if (json_is_string(p->value))
			return json_strange_text(p->value, state);
		return json_is_boolean(p->value) ? json_boolean(!json_is_true(p->value)) : json_incref(p->value);
	}
}

static void json_put(const struct json_place *p, json_t *value)
{
	if (p->key && value)
		json_object_set_new(p->in, p->key, value);
	else if (p->key)
		json_object_del(p->in, p->key);
	else if (value)
		json_array_set_new(p->in, p->at, value);
	else
		json_array_remove(p->in, p->at);
}

/* Doubles, exchanges or cuts elements of an array. */
static void json_rearrange(json_t *list, uint32_t *state)
{
	size_t n = json_array_size(list), from = json_chance(state, (unsigned int)n),
	       to = json_chance(state, (unsigned int)n);
	json_t *value = json_array_get(list, from);

	if (!n)
		return;
	switch (json_chance(state, 3)) {
	case 0:
		json_array_insert_new(list, to, json_deep_copy(value));
		break;
	case 1:
		value = json_deep_copy(value);
		json_array_set(list, from, json_array_get(list, to));
		json_array_set_new(list, to, value);
		break;
	default:
		while (json_array_size(list) > to + 1)
			json_array_remove(list, to + 1);
	}
}

static void json_mutate(json_t *document, uint32_t *state)
{
	for (unsigned int times = 1 + json_chance(state, 4); times; times--) {
		struct json_place p = json_any(document, NULL, state);

		if (!p.in)
			return;
		if (json_is_array(p.value) && json_chance(state, 4))
			json_rearrange(p.value, state);
		else
			json_put(&p, json_changed(document, &p, state));
	}
	if (json_chance(state, 8))
		MUTATE_JSON_MEND(document);
}

/* Writes the document and, behind a NUL, the tail. 0: it does not fit. */
static size_t json_write(const json_t *document, const uint8_t *tail, size_t tail_size, uint8_t *out, size_t max)
{
	size_t size = json_dumpb(document, (char *)out, max, JSON_COMPACT);

	if (!size || size > max || (tail_size && size + 1 + tail_size > max))
		return 0;
	if (tail_size) {
		out[size++] = 0;
		memmove(out + size, tail, tail_size);
		size += tail_size;
	}
	return size;
}

/* The document in front of the first NUL; *tail_size: of what is behind it. */
static json_t *json_parse(const uint8_t *data, size_t size, size_t *tail_size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : size;
	json_t *document = json_loadb((const char *)data, length, 0, NULL);

	*tail_size = nul ? size - length - 1 : 0;
	if (document && !json_is_object(document)) {
		json_decref(document);
		document = NULL;
	}
	return document;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint32_t state = seed;
	size_t tail_size, done;
	json_t *document = json_parse(data, size, &tail_size);
	uint8_t *tail = malloc(max + 1);

	if (!document || !tail || !json_chance(&state, 32)) {
		json_decref(document);
		free(tail);
		return LLVMFuzzerMutate(data, size, max);
	}
	memcpy(tail, data + size - tail_size, tail_size);
	if (tail_size && !json_chance(&state, 3))
		tail_size = LLVMFuzzerMutate(tail, tail_size, max);
	else
		json_mutate(document, &state);
	done = json_write(document, tail, tail_size, data, max);
	json_decref(document);
	free(tail);
	return done ? done : LLVMFuzzerMutate(data, size < max ? size : max, max);
}

/* The first document with a value of the second one, where both have a member of one name. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
				 size_t max, unsigned int seed)
{
	uint32_t state = seed;
	size_t atail, btail, done = 0;
	json_t *one = json_parse(a, asize, &atail), *two = json_parse(b, bsize, &btail);
	struct json_place from = json_any(two, NULL, &state);
	struct json_place to = from.key ? json_any(one, from.key, &state) : (struct json_place){NULL};

	if (to.in) {
		json_put(&to, json_deep_copy(from.value));
		MUTATE_JSON_MEND(one);
		done = json_write(one, a + asize - atail, atail, out, max);
	}
	json_decref(one);
	json_decref(two);
	return done;
}

#endif
