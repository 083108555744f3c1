// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* A variable's type as far as its bytes go. */
enum own_value_kind { OWN_NUMBER, OWN_SIGNED, OWN_TEXT, OWN_BYTES };

static int parse_mac(unsigned char mac[6], const char *text)
{
	int end = 0;

	return sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
		      &mac[5], &end) == 6 &&
			       !text[end]
		       ? 0
		       : -EINVAL;
}

/* An address whose size is that of the variable. */
static int write_address(void *out, size_t size, const char *value)
{
	unsigned char mac[6];

	if (size == 4 && strchr(value, '.'))
		return inet_pton(AF_INET, value, out) == 1 ? 0 : -EINVAL;
	if (size == 16 && strchr(value, ':'))
		return inet_pton(AF_INET6, value, out) == 1 ? 0 : -EINVAL;
	if (size == 6 && !parse_mac(mac, value)) {
		memcpy(out, mac, sizeof(mac));
		return 0;
	}
	return -EINVAL;
}

static int write_number(void *out, size_t size, bool with_sign, const char *value)
{
	bool negative = *value == '-';
	uint64_t n, most;
	char *end = NULL;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return -EINVAL;
	if (!strcmp(value, "true") || !strcmp(value, "false"))
		value = *value == 't' ? "1" : "0";
	value += negative;
	if (*value < '0' || *value > '9' || (negative && !with_sign))
		return -EINVAL;
	errno = 0;
	n = strtoull(value, &end, 0);
	if (errno || *end)
		return -EINVAL;
	most = with_sign ? (1ULL << (8 * size - 1)) - !negative : size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
	if (n > most)
		return -EINVAL;
	n = negative ? -n : n;
	memcpy(out, &n, size); /* BPF objects that load here have this machine's byte order */
	return 0;
}

/* Writes the value into the size bytes at out. -EINVAL: it does not fit. */
static int own_value_write(void *out, size_t size, enum own_value_kind kind, const char *value)
{
	if (kind == OWN_TEXT) {
		if (strlen(value) >= size)
			return -EINVAL;
		memset(out, 0, size);
		memcpy(out, value, strlen(value));
		return 0;
	}
	if (kind == OWN_BYTES || strpbrk(value, ".:"))
		return write_address(out, size, value);
	return write_number(out, size, kind == OWN_SIGNED, value);
}

/* "" where the offset is that of no name. */
static const char *own_values_name_of(const struct btf *btf, const struct btf_type *t)
{
	return btf__name_by_offset(btf, t->name_off) ?: "";
}

static enum own_value_kind own_values_kind_of(const struct btf *btf, int type)
{
	const struct btf_type *t;

	type = btf__resolve_type(btf, (__u32)type);
	t = type < 0 ? NULL : btf__type_by_id(btf, (__u32)type);
	if (!t)
		return OWN_BYTES;
	if (btf_is_int(t))
		return btf_int_encoding(t) & BTF_INT_SIGNED && !(btf_int_encoding(t) & BTF_INT_CHAR) ? OWN_SIGNED
												     : OWN_NUMBER;
	if (btf_is_any_enum(t))
		return btf_kflag(t) ? OWN_SIGNED : OWN_NUMBER;
	t = btf_is_array(t) ? btf__type_by_id(btf, btf_array(t)->type) : NULL;
	return t && btf_is_int(t) && !strcmp(own_values_name_of(btf, t), "char") ? OWN_TEXT : OWN_BYTES;
}

/* The place of a variable in the initial content of its section. NULL: there is none. */
static void *find_variable(struct bpf_object *obj, const char *name, size_t *size, enum own_value_kind *kind)
{
	struct btf *btf = bpf_object__btf(obj);
	__u32 n = btf ? btf__type_cnt(btf) : 0;

	for (__u32 i = 1; i < n; i++) {
		const struct btf_type *section = btf__type_by_id(btf, i), *var;
		const struct btf_var_secinfo *at;

		if (!btf_is_datasec(section))
			continue;
		at = btf_var_secinfos(section);
		for (int k = 0; k < btf_vlen(section); k++) {
			const char *section_name = own_values_name_of(btf, section);
			struct bpf_map *map;
			size_t bytes = 0;
			char *data;

			var = btf__type_by_id(btf, at[k].type);
			if (!var || !btf_is_var(var) || strcmp(own_values_name_of(btf, var), name) != 0)
				continue;
			map = bpf_object__find_map_by_name(obj, section_name);
			data = map ? (char *)bpf_map__initial_value(map, &bytes) : NULL; /* older libbpf: const */
			if (!data || at[k].offset > bytes || at[k].size > bytes - at[k].offset)
				continue;
			*size = at[k].size;
			*kind = own_values_kind_of(btf, (int)var->type);
			return data + at[k].offset;
		}
	}
	return NULL;
}

int own_values_set(struct bpf_object *obj, const struct opt_list *values, const char *program, struct diag *d)
{
	for (size_t i = 0; i < values->n; i++) {
		const char *text = values->items[i], *equals = strchr(text, '=');
		enum own_value_kind kind;
		char name[128];
		size_t size;
		void *at;

		if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
			return diag_set(d, -EINVAL, "--set %.64s: write NAME=VALUE", text);
		snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
		at = find_variable(obj, name, &size, &kind);
		if (!at)
			return diag_set(d, -ENOENT, "--set %s: %s has no global variable of this name", name, program);
		if (own_value_write(at, size, kind, equals + 1))
			return diag_set(d, -EINVAL, "--set %s: %.64s is no value for its %zu bytes in %s", name,
					equals + 1, size, program);
	}
	return 0;
}
