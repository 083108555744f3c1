// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings that are changed and put back, with a /run and a network namespace of the test's own; needs root. The
 * setting is the default TTL, which each network namespace has for itself.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include "user/settings/settings.h"
#include "tests/unit/unit.h"

#define TTL  "/proc/sys/net/ipv4/ip_default_ttl"
#define UUID "/proc/sys/kernel/random/uuid" /* another value each time, and nobody can write it */

static bool alone; /* false: not root, or no namespaces here */

static int enter(void **state)
{
	alone = !unshare(CLONE_NEWNS | CLONE_NEWNET) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("none", "/run", "tmpfs", 0, NULL);
	return 0;
}

static int ttl(void)
{
	FILE *f = fopen(TTL, "r");
	int value = -1;

	if (f && fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

static int set_ttl(const char *value, struct diag *d)
{
	struct setting want;

	setting_fill(&want, "file", "", TTL, "%s", value);
	return changes_make(&want, true, NULL, d);
}

/* Another process that has set the TTL, until end_holder(). */
struct holder {
	pid_t pid;
	int tell, hear;
};

static struct holder begin_holder(const char *value)
{
	struct diag d = {""};
	struct holder h;
	int to[2], from[2];
	char c = 'x';
	size_t n;

	assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
	h.pid = fork();
	assert_true(h.pid >= 0);
	if (!h.pid) {
		close(to[1]);
		c = set_ttl(value, &d) ? 'n' : 'y';
		alarm(60);
		if (write(from[1], &c, 1) != 1 || read(to[0], &c, 1) != 1)
			_exit(2);
		_exit(changes_undo(CHANGES_OWN, NULL, &n, &d) ? 1 : 0);
	}
	close(to[0]);
	close(from[1]);
	h.tell = to[1];
	h.hear = from[0];
	assert_int_equal(read(h.hear, &c, 1), 1);
	assert_int_equal(c, 'y');
	return h;
}

static void end_holder(struct holder *h)
{
	int status;

	assert_int_equal(write(h->tell, "", 1), 1);
	close(h->tell);
	close(h->hear);
	assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
	assert_int_equal(status, 0);
}

static void kill_holder(struct holder *h)
{
	kill(h->pid, SIGKILL);
	close(h->tell);
	close(h->hear);
	assert_int_equal(waitpid(h->pid, NULL, 0), h->pid);
}

/* Two that need the same value: whichever ends first, the other one keeps it, and the last one puts it back. */
static void test_two_need_one_value(void **state)
{
	struct holder first, second;
	int was = ttl();

	if (!alone)
		skip();
	for (int turn = 0; turn < 3; turn++) {
		first = begin_holder("99");
		second = begin_holder("99");
		assert_int_equal(ttl(), 99);
		if (turn == 2)
			kill_holder(&first);
		else
			end_holder(turn ? &second : &first);
		assert_int_equal(ttl(), 99);
		end_holder(turn == 1 ? &first : &second);
		if (turn == 2) { /* the next command puts back what the killed one left */
			size_t n;

			assert_int_equal(changes_undo(CHANGES_ORPHANS, NULL, &n, NULL), 0);
		}
		assert_int_equal(ttl(), was);
		assert_int_equal(access("/run/xdpzoom/changes.json", F_OK), -1);
	}
}

static void test_two_need_other_values(void **state)
{
	struct holder first;
	struct diag d = {""};
	char pid[20];
	int was = ttl();

	if (!alone)
		skip();
	first = begin_holder("99");
	snprintf(pid, sizeof(pid), "process %d", (int)first.pid);
	assert_int_equal(set_ttl("98", &d), -EBUSY);
	if (!strstr(d.text, pid) || !strstr(d.text, "needs it to be 99"))
		fail_msg("%s", d.text);
	assert_int_equal(ttl(), 99);
	assert_int_equal(changes_count(CHANGES_OWN), 0);
	end_holder(&first);
	assert_int_equal(ttl(), was);
	assert_int_equal(set_ttl("98", &d), 0);
	assert_int_equal(changes_undo(CHANGES_OWN, NULL, &(size_t){0}, &d), 0);
	assert_int_equal(ttl(), was);
}

/* Setting and putting back fail alike, and the value is another one than before: nobody knows what is done. */
static void test_half_made_stays_in_the_list(void **state)
{
	struct diag d = {""};
	struct setting want;
	bool changed = true;

	if (!alone)
		skip();
	setting_fill(&want, "file", "", UUID, "%s", "1");
	assert_true(changes_make(&want, true, &changed, &d) < 0);
	assert_false(changed);
	assert_int_equal(changes_count(CHANGES_OWN), 1);
	assert_int_equal(unlink("/run/xdpzoom/changes.json"), 0);
}

/* The value is as before, so there is nothing to put back. */
static void test_refused_leaves_the_list(void **state)
{
	struct diag d = {""};
	int was = ttl();

	if (!alone)
		skip();
	assert_true(set_ttl("999", &d) < 0);
	assert_int_equal(ttl(), was);
	assert_int_equal(changes_count(CHANGES_OWN), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_need_one_value),
		cmocka_unit_test(test_two_need_other_values),
		cmocka_unit_test(test_half_made_stays_in_the_list),
		cmocka_unit_test(test_refused_leaves_the_list),
	};

	return cmocka_run_group_tests(tests, enter, NULL);
}
