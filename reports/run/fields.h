/*
 * fields - a struct and the JSON object that holds it: one table reads it, writes it and knows what is unknown
 *
 * units: as the struct's members
 * law:   what is unknown is NaN, "", NULL, or one below the least of a whole number that may be unknown; in JSON it is
 *        null or left out. After the first error every further read does nothing. Whole numbers are at most
 *        FIELD_MOST, and their sums have 64 bits; others at most FIELD_REAL_MOST, and their sums are finite
 */
#ifndef REPORTS_FIELDS_H
#define REPORTS_FIELDS_H

#include "base/base.h"
#include "reports/run/run.h"
#include "base/sheet/sheet.h"

#define FIELD_MOST      (1LL << 53) /* every program that reads JSON keeps whole numbers up to this one */
#define FIELD_REAL_MOST 1e18        /* 30 years in ns */

struct json_in {
	const char *path;
	struct diag *d;
	char where[160]; /* "blocks[3].windows[0]." */
	int err;
};

enum field_kind {
	FIELD_TEXT,   /* char [] */
	FIELD_WHOLE,  /* a whole number of 4 or 8 bytes */
	FIELD_HEX,    /* uint64_t, as 16 hexadecimal digits */
	FIELD_SEED,   /* uint64_t, as text: JSON readers round numbers above 2^53 */
	FIELD_REAL,   /* double, from 0 up */
	FIELD_BOOL,   /* bool */
	FIELD_WORD,   /* an enumeration: its word in words[] */
	FIELD_JSON,   /* json_t *, kept as it is: an object, or an array of up to `most` elements */
	FIELD_OBJECT, /* a struct in the struct, or members of the same struct: `of` */
	FIELD_LIST,   /* a pointer to up to `most` structs */
	FIELD_OWN,    /* read() and write() */
};

#define OPTIONAL 0x01 /* absent: unknown */
#define NULLABLE 0x02 /* null: unknown */
#define LEFT_OUT 0x04 /* not written where it is unknown */
#define TOLD     0x08 /* other members tell it already: what is read must be the same */

struct field {
	const char *name;
	unsigned int flags;
	enum field_kind kind;
	size_t at, size;     /* of the member, or of one of its elements */
	size_t n_at, room;   /* elements of an array in the struct: where their number is, 0: there are always `room` */
	int64_t hi;          /* the most that the member's type holds */
	int64_t least, most; /* most 0: hi */
	const char *const *words;
	size_t above;    /* of a whole number of 8 bytes: so far before it is one that has to be less; 0: none */
	const char *why; /* what is wrong with a word that is none of them, or with a number that is not above */
	const struct fields *of;
	bool (*is)(const void *s);                                  /* does the struct have this member? */
	void (*read)(struct json_in *rd, const json_t *o, void *s); /* NULL: by its kind */
	void (*write)(struct json_out *out, json_t *o, const void *s);
};

struct fields {
	const struct field *list;
	size_t n;
	bool (*known)(const void *s);                             /* of an object that may be unknown */
	size_t was_read;                                          /* of an object: where a bool is that becomes true */
	void (*check)(struct json_in *rd, void *s, size_t index); /* of one in a list: s - index is the first */
};

#define FIELDS(list) list, sizeof(list) / sizeof(*(list))
/* A function that tells something about a struct s. */
#define TELLS(name, structure, expression)                                                                             \
	static bool name(const void *of)                                                                               \
	{                                                                                                              \
		const struct structure *s = of;                                                                        \
                                                                                                                       \
		return expression;                                                                                     \
	}
/* One struct and its member. A whole number's type says how large it can be. */
#define MEMBER(structure, member) ((struct structure *)0)->member
#define AT(structure, member)     .at = offsetof(struct structure, member), .size = sizeof(MEMBER(structure, member))
#define EACH(structure, member)                                                                                        \
	.at = offsetof(struct structure, member), .size = sizeof(*MEMBER(structure, member)),                          \
	.room = sizeof(MEMBER(structure, member)) / sizeof(*MEMBER(structure, member))
#define FIELD_HI(member) _Generic((member), int: INT_MAX, unsigned int: UINT32_MAX, default: FIELD_MOST)
#define TEXT(s, m)       FIELD_TEXT, AT(s, m)
#define WHOLE(s, m)      FIELD_WHOLE, AT(s, m), .hi = FIELD_HI(MEMBER(s, m))
#define HEX(s, m)        FIELD_HEX, AT(s, m)
#define SEED(s, m)       FIELD_SEED, AT(s, m)
#define ABOVE(s, m, n)   WHOLE(s, m), .above = offsetof(struct s, m) - offsetof(struct s, n)
#define REAL(s, m)       FIELD_REAL, AT(s, m)
#define BOOL(s, m)       FIELD_BOOL, AT(s, m)
#define WORD(s, m, w, n) FIELD_WORD, AT(s, m), .words = w, .hi = (n) - 1
#define JSON(s, m)       FIELD_JSON, AT(s, m)
#define OBJECT(s, m, o)  FIELD_OBJECT, AT(s, m), .of = o
#define MEMBERS(o)       FIELD_OBJECT, .of = o
#define LIST(s, m, n, o)                                                                                               \
	FIELD_LIST, .at = offsetof(struct s, m), .size = sizeof(*MEMBER(s, m)), .n_at = offsetof(struct s, n), .of = o
#define WHOLES(s, m)      FIELD_WHOLE, EACH(s, m), .hi = FIELD_HI(*MEMBER(s, m)) /* zeroes at the end are left out */
#define WHOLES_N(s, m, n) WHOLES(s, m), .n_at = offsetof(struct s, n)            /* none twice */
#define REALS(s, m)       FIELD_REAL, EACH(s, m)
#define OWN(r, w)         FIELD_OWN, .read = r, .write = w

void fields_refuse(struct json_in *rd, const char *member, const char *why);
void fields_init(void *s, const struct fields *f); /* all that can be unknown is unknown; the rest is left as it is */
/* One more struct at the end of a list. NULL: out of memory; rd, which may be NULL, keeps it. */
void *fields_add(struct json_in *rd, void *s, const struct field *list);
void *fields_append(void *s, const struct fields *f, const char *name); /* of a list that is there */
void fields_read(struct json_in *rd, const json_t *o, void *s, const struct fields *f);
void fields_read_one(struct json_in *rd, const json_t *o, void *s, const struct field *list); /* o: of a list */
json_t *fields_json(struct json_out *out, const void *s, const struct fields *f);

/*
 * run_fields - the members of run.json, for its reader and its writer
 *
 * law:   a member of run.json has one line in one table
 */

extern const char *const run_verdict_names[RUN_VERDICTS], *const run_window_kind_names[RUN_WINDOW_KINDS];
extern const struct fields run_head_fields, run_blocks_field, run_tail_fields;

#endif
