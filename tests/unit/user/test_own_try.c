// SPDX-License-Identifier: GPL-2.0-or-later
/* What is done in a child first: its result, and what becomes of one that crashes, hangs or wants all memory. */
#include <signal.h>
#include <sys/mman.h>
#include "user/programs/programs.h"
#include "tests/unit/unit.h"

static int changed; /* by the function, in its own memory */

static int ends_well(void *arg, struct diag *d)
{
	(void)arg;
	(void)d;
	changed++;
	return 0;
}

static int refuses(void *arg, struct diag *d)
{
	return diag_set(d, -ENOENT, "%s holds nothing", (const char *)arg);
}

static int crashes(void *arg, struct diag *d)
{
	(void)arg;
	(void)d;
	signal(SIGSEGV, SIG_DFL); /* the sanitizer's own */
	raise(SIGSEGV);
	return 0;
}

static int exits(void *arg, struct diag *d)
{
	(void)arg;
	(void)d;
	_exit(1);
}

static int hangs(void *arg, struct diag *d)
{
	(void)arg;
	(void)d;
	pause();
	return 0;
}

/* With the limit, this is refused as the kernel refuses it where memory is short. */
static int wants_memory(void *arg, struct diag *d)
{
	void *much = mmap(NULL, (size_t)1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	return much == MAP_FAILED ? diag_set(d, -errno, "no memory") : 0;
}

/* The sentence of a try is in *d. */
static int try_it(int (*read_it)(void *arg, struct diag *d), size_t bytes, struct diag *d)
{
	const struct own_limits limits = {1, bytes};

	memset(d, 0, sizeof(*d));
	return own_try(read_it, "a.o", "a.o", &limits, d);
}

static void test_results(void **state)
{
	struct diag d;

	assert_int_equal(try_it(ends_well, 0, &d), 0);
	assert_string_equal(d.text, "");
	assert_int_equal(changed, 0);
	assert_int_equal(try_it(refuses, 0, &d), -ENOENT);
	assert_string_equal(d.text, "a.o holds nothing");
}

static void test_ends_badly(void **state)
{
	struct diag d;

	assert_int_equal(try_it(crashes, 0, &d), -EINVAL);
	assert_string_equal(d.text,
			    "a.o is not a BPF object that libbpf can open: libbpf crashes on it (Segmentation fault)");
	assert_int_equal(try_it(exits, 0, &d), -EINVAL);
	assert_string_equal(d.text, "a.o is not a BPF object that libbpf can open: libbpf crashes on it (it exited)");
	assert_int_equal(try_it(hangs, 0, &d), -EINVAL);
	assert_string_equal(d.text, "a.o is not a BPF object that libbpf can open: that took more than 1 s");
}

static void test_memory(void **state)
{
	struct diag d;

	assert_int_equal(try_it(wants_memory, 0, &d), 0);
	assert_int_equal(try_it(wants_memory, 1 << 20, &d), -ENOMEM);
	assert_string_equal(d.text, "no memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_ends_badly),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("own_try", tests, NULL, NULL);
}
