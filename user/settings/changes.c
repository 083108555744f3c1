// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/file.h>
#include "user/settings/settings.h"

#define STATE_FILE LOCK_DIR "/changes.json"
#define SCHEMA     "xdpzoom.changes/1"

#define TAKES_TRIES 20 /* with 5 ms between them */

/* The list; this process holds its lock from changes_open() to changes_close(). */
struct changes {
	int lock;
	json_t *list;
};

static int changes_read(struct changes *c, struct diag *d)
{
	json_error_t error;
	json_t *root, *list;

	c->list = json_array();
	if (access(STATE_FILE, F_OK))
		return 0;
	root = json_load_file(STATE_FILE, 0, &error);
	list = json_object_get(root, "changes");
	if (!json_is_array(list)) {
		json_decref(root);
		return diag_set(d, -EINVAL, STATE_FILE " is not a list of changes: %s", error.text);
	}
	json_decref(c->list);
	c->list = json_incref(list);
	json_decref(root);
	return 0;
}

static void changes_close(struct changes *c)
{
	json_decref(c->list);
	fd_close(c->lock);
	*c = (struct changes){.lock = -1};
}

static int changes_open(struct changes *c, struct diag *d)
{
	int err;

	*c = (struct changes){.lock = lock_file(LOCK_DIR "/lock")};
	err = c->lock < 0 ? c->lock : flock(c->lock, LOCK_EX) ? -errno : 0;
	err = err ? diag_set(d, err, "cannot make or lock " LOCK_DIR ": %s", strerror(-err)) : changes_read(c, d);
	if (err)
		changes_close(c);
	return err;
}

/* The file holds the old list or the new one, never a part. It says what root will write, so nobody else may. */
static int changes_save(const struct changes *c, struct diag *d)
{
	struct new_file file = {};
	json_t *root;
	int err;

	if (!json_array_size(c->list)) {
		if (unlink(STATE_FILE) && errno != ENOENT)
			return diag_set(d, -errno, "cannot remove " STATE_FILE ": %s", strerror(errno));
		return 0;
	}
	root = json_pack("{s:s, s:O}", "schema", SCHEMA, "changes", c->list);
	err = root ? new_file_open(&file, STATE_FILE, 0600, d) : diag_set(d, -ENOMEM, "no memory");
	if (!err && fchmod(fileno(file.stream), 0600)) /* also where an older version left it open to others */
		err = -errno;
	if (!err && json_text_write(root, file.stream, JSON_INDENT(1), ""))
		err = -EIO;
	json_decref(root);
	return root ? new_file_close(&file, err, d) : err;
}

static long long changes_number_of(const json_t *change, const char *name)
{
	return json_integer_value(json_object_get(change, name));
}

static void to_setting(const json_t *change, struct setting *s)
{
	setting_fill(s, json_text_of(change, "kind"), json_text_of(change, "dev"), json_text_of(change, "name"), "%s",
		     json_text_of(change, "was"));
}

static bool is_whose(const json_t *change, enum changes_whose whose)
{
	const char *owner = json_text_of(change, "owner");
	char now[160];

	if (!owner[0])
		return whose == CHANGES_KEPT;
	setting_name_task(now, sizeof(now), atoi(owner));
	if (strcmp(now, owner)) /* the owner has ended; its number may belong to another process now */
		return whose == CHANGES_ORPHANS;
	return whose == CHANGES_OWN && atoi(owner) == getpid();
}

static bool same_setting(const json_t *a, const json_t *b)
{
	return !strcmp(json_text_of(a, "kind"), json_text_of(b, "kind")) &&
	       !strcmp(json_text_of(a, "name"), json_text_of(b, "name")) &&
	       changes_number_of(a, "ifindex") == changes_number_of(b, "ifindex") &&
	       changes_number_of(a, "netns") == changes_number_of(b, "netns");
}

/* A change as it stands in the list; NULL: no memory. */
static json_t *described(const struct setting *want, const char *was, const char *owner)
{
	/* The network namespace that a setting belongs to; 0: the setting belongs to the whole machine. */
	bool net = want->dev[0] || !strncmp(want->name, "/proc/sys/net/", 14);
	unsigned int netns = net ? netns_inum() : 0;

	/* the name of a device may be no UTF-8: its number says which one it is */
	return json_pack("{s:s, s:o, s:i, s:I, s:I, s:s, s:s, s:s, s:s}", "kind", want->kind, "dev",
			 json_text_string(want->dev), "ifindex", want->dev[0] ? (int)if_nametoindex(want->dev) : 0,
			 "netns", (json_int_t)netns, "cookie", netns ? (json_int_t)netns_cookie() : (json_int_t)0,
			 "name", want->name, "was", was, "to", want->value, "owner", owner);
}

/*
 * Does the kernel's value mean the wanted one? For a rule, the kernel adds its location behind the queue. The kernel
 * prints an empty CPU mask with as many zeros as the machine has CPUs.
 */
static bool same_value(const char *now, const char *value)
{
	size_t n = strlen(value);

	if (!now[strspn(now, "0,")] && !value[strspn(value, "0,")])
		return true;
	return !strncmp(now, value, n) && (!now[n] || now[n] == ' ');
}

/*
 * Returns 0 when the setting has the value s->value, 1 when it has another value; now: the value it has. Tries several
 * times: while the kernel moves an interrupt under load, it reports the old CPU, because irq_move_masked_irq() forgets
 * the new CPU before the interrupt is there. On an emulated machine, one reading in 400 to 4000 showed the old CPU, for
 * up to 18 ms.
 */
static int took(const struct setting *s, char *now, size_t size)
{
	struct timespec pause = {0, 5000000};
	int err = 0;

	for (int i = 0; i < TAKES_TRIES; i++) {
		err = setting_get(s, now, size);
		if (err || same_value(now, s->value))
			return err;
		nanosleep(&pause, NULL);
	}
	return 1;
}

int changes_make(const struct setting *want, bool temporary, bool *changed, struct diag *d)
{
	__attribute__((cleanup(changes_close))) struct changes c;
	char was[160], now[160], words[200], who[200], owner[160] = "";
	json_t *mine, *held = NULL, *change;
	bool ignored = false;
	int err = changes_open(&c, d);

	if (err)
		return err;
	changed = changed ?: &ignored;
	mine = described(want, "", "");
	err = setting_get(want, was, sizeof(was));
	/*
	 * The last temporary change of this setting by another process that still runs. Several devices can have one
	 * setting: the CPUs of an interrupt that they share.
	 */
	for (size_t i = json_array_size(c.list); mine && !held && i-- > 0;) {
		change = json_array_get(c.list, i);
		if (same_setting(change, mine) && !is_whose(change, CHANGES_KEPT) &&
		    !is_whose(change, CHANGES_ORPHANS) && !is_whose(change, CHANGES_OWN))
			held = change;
	}
	json_decref(mine);
	setting_words(want, words, sizeof(words));
	if (err)
		return diag_set(d, err, "cannot read %s: %s", words, strerror(-err));
	*changed = strcmp(was, want->value) != 0;
	if (*changed && held) {
		*changed = false;
		lock_words(who, sizeof(who), atoi(json_text_of(held, "owner")));
		return diag_set(d, -EBUSY, "%s has to be %s here, and %s needs it to be %s", words, want->value, who,
				json_text_of(held, "to"));
	}
	/* What another process has set stays set for this one too, when the other one ends. */
	if (*changed || held) {
		if (temporary)
			setting_name_task(owner, sizeof(owner), getpid());
		change = described(want, was, owner);
		if (!change || json_array_append_new(c.list, change))
			return diag_set(d, -ENOMEM, "no memory");
		err = changes_save(&c, d);
	}
	if (err || !*changed)
		return err;
	err = setting_set(want, want->value);
	if (!err && took(want, now, sizeof(now)) > 0)
		err = -EIO;
	if (!err)
		return 0;
	*changed = false;
	/* The change failed, and may be half made. What cannot be undone stays in the list. */
	setting_set(want, was);
	if (!setting_get(want, now, sizeof(now)) && same_value(now, was)) {
		json_array_remove(c.list, json_array_size(c.list) - 1);
		changes_save(&c, NULL);
	}
	return diag_set(d, err, "cannot set %s to %s: %s", words, want->value,
			err == -EIO ? "the kernel accepts the value but does not change the setting" : strerror(-err));
}

/* -ENOENT: the setting, its device or its namespace no longer exists. */
static int put_back(const json_t *change, struct diag *d)
{
	int ifindex = (int)changes_number_of(change, "ifindex"), err = 0;
	char now[160], words[200], name[IF_NAMESIZE];
	netns_scope int saved = -1;
	struct setting s;

	if (changes_number_of(change, "netns"))
		err = netns_visit_inum(changes_number_of(change, "netns"), &saved, d);
	if (err)
		return err;
	/* Another namespace may have the number of one that is gone, and its devices the same numbers too. */
	if (changes_number_of(change, "cookie") && changes_number_of(change, "cookie") != (long long)netns_cookie())
		return -ENOENT;
	to_setting(change, &s);
	if (ifindex) {
		if (!if_indextoname(ifindex, name))
			return -ENOENT;
		strcpy(s.dev, name); /* the device may have been renamed */
	}
	setting_words(&s, words, sizeof(words));
	err = setting_get(&s, now, sizeof(now));
	/* An interrupt is always set: the kernel may report the old CPU while it moves the interrupt away. */
	if (!err && (strcmp(now, s.value) || !strncmp(s.name, "/proc/irq/", 10)))
		err = setting_set(&s, s.value);
	if (!err)
		err = took(&s, now, sizeof(now));
	if (err == -ENOENT || err == -ENODEV)
		return -ENOENT;
	if (err > 0)
		return diag_set(d, -EIO, "%s was %s and stays %s; put it back by hand", words, s.value, now);
	return err ? diag_set(d, err, "cannot put %s back to %s: %s", words, s.value, strerror(-err)) : 0;
}

int changes_undo(enum changes_whose whose, void (*tell)(const char *words), size_t *n, struct diag *d)
{
	struct changes c;
	int err, first_err = 0;
	char words[600], what[200];
	struct setting s;

	*n = 0;
	if (access(STATE_FILE, F_OK))
		return 0;
	err = changes_open(&c, d);
	if (err)
		return err;
	for (size_t i = json_array_size(c.list); i-- > 0;) {
		json_t *change = json_array_get(c.list, i), *later = NULL;
		struct diag gone = {};

		if (!is_whose(change, whose))
			continue;
		for (size_t k = i + 1; k < json_array_size(c.list) && !later; k++)
			if (same_setting(change, json_array_get(c.list, k)))
				later = json_array_get(c.list, k);
		to_setting(change, &s);
		setting_words(&s, what, sizeof(what));
		if (later) { /* only the later change remains, and puts back the value from before both */
			snprintf(words, sizeof(words), "%s was changed again later; undoing that change will set %s",
				 what, s.value);
			err = json_object_set(later, "was", json_object_get(change, "was"));
		} else {
			err = put_back(change, &gone);
			snprintf(words, sizeof(words), err ? "%s is gone" : "%s is %s again", what, s.value);
			err = err == -ENOENT ? 0 : err;
		}
		if (err) {
			diag_set(d, err, "%s", gone.text);
			first_err = first_err ? first_err : err;
			continue;
		}
		json_array_remove(c.list, i);
		++*n;
		if (tell)
			tell(words);
		err = changes_save(&c, d);
		first_err = first_err ? first_err : err;
	}
	changes_close(&c);
	return first_err;
}

size_t changes_count(enum changes_whose whose)
{
	struct changes c = {.lock = -1};
	size_t n = 0;

	if (!changes_read(&c, NULL))
		for (size_t i = 0; i < json_array_size(c.list); i++)
			n += is_whose(json_array_get(c.list, i), whose);
	changes_close(&c);
	return n;
}
