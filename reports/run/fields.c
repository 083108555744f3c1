// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/fields.h"
#include "reports/run/run.h"

void fields_refuse(struct json_in *rd, const char *member, const char *why)
{
	if (!rd->err)
		rd->err = diag_set(rd->d, -EINVAL, "%s: %s%s %s", rd->path, rd->where, member, why);
}

static int64_t whole(const struct field *f, const void *at)
{
	if (f->size == sizeof(int64_t))
		return *(const int64_t *)at;
	return f->hi > INT_MAX ? (int64_t)*(const uint32_t *)at : *(const int *)at;
}

static void set_whole(const struct field *f, void *at, int64_t value)
{
	if (f->size == sizeof(int64_t))
		*(int64_t *)at = value;
	else
		*(uint32_t *)at = (uint32_t)value;
}

static const char *word(const struct field *f, const void *at)
{
	return f->kind == FIELD_WORD ? f->words[*(const unsigned int *)at] : at;
}

static size_t *how_many(const struct field *f, const void *s)
{
	return (size_t *)((char *)s + f->n_at);
}

static bool is_known(const struct field *f, const void *s, const void *at)
{
	switch (f->kind) {
	case FIELD_TEXT:
	case FIELD_WORD:
		return *word(f, at);
	case FIELD_WHOLE:
		return whole(f, at) >= f->least;
	case FIELD_REAL:
		return *(const double *)at >= 0;
	case FIELD_OBJECT:
		return !f->of->known || f->of->known(at);
	case FIELD_LIST:
		return *how_many(f, s);
	default:
		return true;
	}
}

void fields_init(void *s, const struct fields *fields)
{
	for (const struct field *f = fields->list; f < fields->list + fields->n; f++) {
		char *at = (char *)s + f->at;

		if (f->kind == FIELD_OBJECT)
			fields_init(at, f->of);
		for (size_t i = 0; i < (f->n_at ? 0 : f->room ?: 1); i++, at += f->size)
			if (f->kind == FIELD_REAL)
				*(double *)(void *)at = NAN;
			else if (f->kind == FIELD_WHOLE && f->flags & (NULLABLE | LEFT_OUT))
				set_whole(f, at, f->least - 1);
	}
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static void read_text(struct json_in *rd, const json_t *value, const struct field *f, char *out, size_t size)
{
	if (!json_is_string(value))
		fields_refuse(rd, f->name, "is not text");
	else if (json_string_length(value) >= size)
		fields_refuse(rd, f->name, "is too long");
	else
		snprintf(out, size, "%s", json_string_value(value));
}

static bool refuse_all_but(struct json_in *rd, const json_t *value, const struct field *f, bool array, size_t most)
{
	if (array ? !json_is_array(value) : !json_is_object(value))
		fields_refuse(rd, f->name, array ? "is not an array" : "is not an object");
	else if (json_array_size(value) > most)
		fields_refuse(rd, f->name, "has too many elements");
	return rd->err;
}

static void read_one(struct json_in *rd, const json_t *value, const struct field *f, void *at)
{
	char text[17] = "", *end;
	int64_t n = json_integer_value(value);
	unsigned int word = 0;

	switch (f->kind) {
	case FIELD_TEXT:
		return read_text(rd, value, f, at, f->size);
	case FIELD_WHOLE:
		if (!json_is_integer(value))
			fields_refuse(rd, f->name, "is not a whole number");
		else if (n < f->least || n > (f->most ?: f->hi))
			fields_refuse(rd, f->name, "is out of range");
		else
			set_whole(f, at, n);
		return;
	case FIELD_HEX:
		read_text(rd, value, f, text, sizeof(text));
		if (strlen(text) != 16 || text[strspn(text, "0123456789abcdef")])
			fields_refuse(rd, f->name, "is not 16 hexadecimal digits");
		*(uint64_t *)at = strtoull(text, NULL, 16);
		return;
	case FIELD_REAL:
		if (json_is_null(value))
			return;
		if (!json_is_number(value) || json_number_value(value) < 0)
			fields_refuse(rd, f->name, "is neither null nor a number from 0 up");
		else if (json_number_value(value) > FIELD_REAL_MOST)
			fields_refuse(rd, f->name, "is out of range");
		else
			*(double *)at = json_number_value(value);
		return;
	case FIELD_WORD:
		read_text(rd, value, f, text, 16);
		while (word <= f->hi && strcmp(text, f->words[word]))
			word++;
		if (word > f->hi)
			fields_refuse(rd, f->name, f->why);
		*(unsigned int *)at = word > f->hi ? 0 : word;
		return;
	case FIELD_SEED:
		errno = 0;
		*(uint64_t *)at = strtoull(json_string_value(value) ?: "", &end, 10);
		if (!json_is_string(value))
			fields_refuse(rd, f->name, "is not text");
		else if (errno || !isdigit((unsigned char)*json_string_value(value)) || *end)
			fields_refuse(rd, f->name, "is not a whole number in quotes");
		return;
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			fields_refuse(rd, f->name, "is neither true nor false");
		*(bool *)at = json_is_true(value);
		return;
	case FIELD_JSON:
		if (!refuse_all_but(rd, value, f, f->most, (size_t)f->most))
			*(json_t **)at = json_incref((json_t *)value);
		return;
	case FIELD_OBJECT:
		if (!refuse_all_but(rd, value, f, false, 0))
			fields_read(rd, value, at, f->of);
		return;
	default:
		return;
	}
}

void *fields_add(struct json_in *rd, void *s, const struct field *f)
{
	void *new = array_add((char *)s + f->at, how_many(f, s), f->size);

	if (new)
		fields_init(new, f->of);
	else if (rd && !rd->err)
		rd->err = diag_set(rd->d, -ENOMEM, "%s: out of memory", rd->path);
	return new;
}

void *fields_append(void *s, const struct fields *fields, const char *name)
{
	const struct field *f = fields->list;

	while (strcmp(f->name, name))
		f++;
	return fields_add(NULL, s, f);
}

void fields_read_one(struct json_in *rd, const json_t *o, void *s, const struct field *f)
{
	size_t was = strlen(rd->where), index = *how_many(f, s);
	void *new = rd->err ? NULL : fields_add(rd, s, f);

	snprintf(rd->where + was, sizeof(rd->where) - was, "%s[%zu].", f->name, index);
	if (new)
		fields_read(rd, o, new, f->of);
	if (new && !rd->err && f->of->check)
		f->of->check(rd, new, index);
	rd->where[was] = '\0';
}

static void read_field(struct json_in *rd, const json_t *o, void *s, const struct field *f)
{
	const json_t *value = json_object_get(o, f->name), *element;
	size_t was = strlen(rd->where), i;
	char *at = (char *)s + f->at;

	if (f->read)
		return f->read(rd, o, s);
	if (f->flags & TOLD) {
		/* What others tell: the same text, or "" where the struct has no such member. */
		const char *want = f->is && !f->is(s) ? "" : word(f, at);
		char text[512] = "";

		if (!value && *want)
			fields_refuse(rd, f->name, "is missing");
		else if (value && (*want || !json_is_null(value)))
			read_text(rd, value, f, text, sizeof(text));
		if (strcmp(text, want))
			fields_refuse(rd, f->name, "does not match the id");
		return;
	}
	if (f->is && f->kind != FIELD_OBJECT && f->kind != FIELD_LIST && !f->is(s))
		return;
	if (!value && !(f->flags & OPTIONAL))
		return fields_refuse(rd, f->name, "is missing");
	if (json_is_null(value) && f->flags & NULLABLE && f->kind == FIELD_WHOLE)
		set_whole(f, at, f->least - 1);
	if (!value || (json_is_null(value) && f->flags & NULLABLE))
		return;
	if (f->kind == FIELD_LIST) {
		if (!refuse_all_but(rd, value, f, true, (size_t)f->most))
			json_array_foreach (value, i, element)
				fields_read_one(rd, element, s, f);
		return;
	}
	if (f->room) {
		/* Numbers in an array of the struct. One that stood there twice would count its samples twice. */
		if (refuse_all_but(rd, value, f, true, f->room))
			return;
		if (f->kind == FIELD_REAL && json_array_size(value) != f->room)
			fields_refuse(rd, f->name, "does not have two elements");
		for (i = 0; i < json_array_size(value) && !rd->err; i++) {
			read_one(rd, json_array_get(value, i), f, at + i * f->size);
			for (size_t k = 0; k < i && f->n_at; k++)
				if (!memcmp(at + i * f->size, at + k * f->size, f->size))
					fields_refuse(rd, f->name, "names one twice");
		}
		if (f->n_at)
			*how_many(f, s) = json_array_size(value);
		return;
	}
	if (f->kind == FIELD_OBJECT && json_is_object(value))
		snprintf(rd->where + was, sizeof(rd->where) - was, "%s.", f->name);
	read_one(rd, value, f, at);
	if (f->above && !rd->err && *(const uint64_t *)at <= *(const uint64_t *)(at - f->above))
		fields_refuse(rd, f->name, f->why);
	if (f->kind == FIELD_OBJECT && f->of->was_read)
		*(bool *)(at + f->of->was_read) = true;
	if (f->kind == FIELD_OBJECT && !rd->err && f->of->check)
		f->of->check(rd, at, 0);
	rd->where[was] = '\0';
}

void fields_read(struct json_in *rd, const json_t *o, void *s, const struct fields *fields)
{
	for (size_t i = 0; i < fields->n && !rd->err; i++)
		read_field(rd, o, s, &fields->list[i]);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static json_t *value_json(struct json_out *out, const struct field *f, const void *at)
{
	switch (f->kind) {
	case FIELD_TEXT:
	case FIELD_WORD:
		return json_text_string(word(f, at));
	case FIELD_WHOLE:
		return json_out_whole_value(whole(f, at));
	case FIELD_HEX:
		return json_sprintf("%016llx", *(const unsigned long long *)at);
	case FIELD_SEED:
		return json_sprintf("%llu", *(const unsigned long long *)at);
	case FIELD_REAL:
		return json_out_amount_value(*(const double *)at);
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_JSON:
		return *(json_t *const *)at ? json_incref(*(json_t *const *)at)
		       : f->most            ? json_array()
					    : json_object();
	case FIELD_OBJECT:
		return fields_json(out, at, f->of);
	default:
		return NULL;
	}
}

json_t *fields_json(struct json_out *out, const void *s, const struct fields *fields)
{
	json_t *o = json_object();

	for (const struct field *f = fields->list; f < fields->list + fields->n; f++) {
		const char *at = (const char *)s + f->at;
		size_t n = f->n_at ? *how_many(f, s) : f->room;
		json_t *array;

		if (f->write) {
			f->write(out, o, s);
			continue;
		}
		if ((f->is && !f->is(s)) || (f->flags & LEFT_OUT && !is_known(f, s, at)))
			continue;
		if (f->kind != FIELD_LIST && !f->room) {
			json_out_put(out, o, f->name,
				     f->flags & NULLABLE && !is_known(f, s, at) ? json_null() : value_json(out, f, at));
			continue;
		}
		if (f->kind == FIELD_LIST)
			memcpy(&at, (const void *)at, sizeof(at));
		while (!f->n_at && n && f->kind == FIELD_WHOLE && !whole(f, at + (n - 1) * f->size))
			n--;
		array = json_array();
		for (size_t i = 0; i < n; i++)
			json_out_add(out, array,
				     f->kind == FIELD_LIST ? fields_json(out, at + i * f->size, f->of)
							   : value_json(out, f, at + i * f->size));
		json_out_put(out, o, f->name, array);
	}
	return o;
}
