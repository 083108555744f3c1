// SPDX-License-Identifier: GPL-2.0-or-later
/* Command lines: what is taken, what is refused and with which sentence, and what the help makes of the same table. */
#include "base/base.h"
#include "tests/unit/unit.h"

struct values {
	bool flag;
	int count, small;
	double rate, seconds;
	unsigned char mac[6];
	const char *text, *format, *action, *file, *dev, *verb, *extra;
	struct opt_list names, kinds, events;
};

static const struct command command = {.name = "try", .help = "tries what a command line can hold"};

/* Everything that a table can have. */
#define TABLE(v)                                                                                                       \
	{                                                                                                              \
		{"DEV",                                                                                                \
		 0,                                                                                                    \
		 OPT_DEVICE,                                                                                           \
		 &(v)->dev,                                                                                            \
		 NULL,                                                                                                 \
		 "a device",                                                                                           \
		 .words = OPT_WORDS("lab"),                                                                            \
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},                                                                \
			{"VERB",                                                                                       \
			 0,                                                                                            \
			 OPT_WORD,                                                                                     \
			 &(v)->verb,                                                                                   \
			 NULL,                                                                                         \
			 "what to do",                                                                                 \
			 .words = OPT_WORDS("up", "down"),                                                             \
			 .flags = OPT_ARGUMENT | OPT_REQUIRED},                                                        \
			{"EXTRA", 0, OPT_STRING, &(v)->extra, NULL, "anything", .flags = OPT_ARGUMENT},                \
			{"output", 'o', OPT_FILE, &(v)->file, "FILE", "where to", .flags = OPT_REQUIRED},              \
			{"flag", 'q', OPT_FLAG, &(v)->flag, NULL, "a flag"},                                           \
			{"count", 'n', OPT_INT, &(v)->count, "N", "a count", 1, 100000},                               \
			{"small", 0, OPT_INT, &(v)->small, "N", "any count"},                                          \
			{"rate", 'r', OPT_NUMBER, &(v)->rate, "PPS", "a rate", 100, 1e9, .otherwise = "none"},         \
			{"time", 't', OPT_SECONDS, &(v)->seconds, "TIME", "a time", 0.01, 3600},                       \
			{"mac", 'm', OPT_MAC, (v)->mac, "MAC", "an address"},                                          \
			{"text", 0, OPT_STRING, &(v)->text, "TEXT", "a text"},                                         \
			{"format",                                                                                     \
			 'f',                                                                                          \
			 OPT_WORD,                                                                                     \
			 &(v)->format,                                                                                 \
			 "FORMAT",                                                                                     \
			 "a format",                                                                                   \
			 .words = OPT_WORDS("text", "json", "csv"),                                                    \
			 .uses = OPT_WORDS("for people", "for scripts", "for sheets")},                                \
			{"action",                                                                                     \
			 0,                                                                                            \
			 OPT_WORD,                                                                                     \
			 &(v)->action,                                                                                 \
			 "ACTION",                                                                                     \
			 "an action",                                                                                  \
			 .words = OPT_WORDS("drop", "redirect:DEV"),                                                   \
			 .flags = OPT_OPEN},                                                                           \
			{"name", 0, OPT_LIST, &(v)->names, "NAME", "names"},                                           \
			{"kind", 0, OPT_LIST, &(v)->kinds, "KIND", "kinds", .words = OPT_WORDS("pps", "polls")},       \
			{"event", 'e', OPT_EVENTS, &(v)->events, "LIST", "events"},                                    \
		{                                                                                                      \
		}                                                                                                      \
	}

static char said[1024], shown[8192]; /* on standard error, on standard output */
static char line[4096];              /* the words that lists and strings point to */

/* Calls opts_parse() with the words of text, and keeps what it prints. */
static int parse(struct values *v, const char *text)
{
	const struct opt table[] = TABLE(v);
	char *argv[64], *save = NULL, *out = NULL, *err = NULL;
	FILE *was_out = stdout, *was_err = stderr;
	size_t out_size, err_size;
	int argc = 0, parsed;

	snprintf(line, sizeof(line), "%s", text);
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	stdout = open_memstream(&out, &out_size);
	stderr = open_memstream(&err, &err_size);
	parsed = opts_parse(&command, table, argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = was_out;
	stderr = was_err;
	snprintf(shown, sizeof(shown), "%s", out);
	snprintf(said, sizeof(said), "%s", err);
	free(out);
	free(err);
	return parsed;
}

/* The options beside what is required anyway. */
static int options(struct values *v, const char *text)
{
	char all[4096];

	*v = (struct values){};
	snprintf(all, sizeof(all), "try lab up -o out %s", text);
	return parse(v, all);
}

static void takes(struct values *v, const char *text)
{
	if (options(v, text) != OPTS_OK)
		fail_msg("%s: %s", text, said);
	assert_string_equal(said, "");
}

/* One sentence that begins with the program's name and holds the words. */
static void refuses(const char *text, const char *words)
{
	struct values v;

	assert_int_equal(options(&v, text), OPTS_USAGE);
	if (!strstr(said, words) || strncmp(said, "xdpzoom: ", 9) != 0 || strchr(said, '\n') != said + strlen(said) - 1)
		fail_msg("%s: \"%s\" is not one sentence with \"%s\"", text, said, words);
	assert_string_equal(shown, "");
}

static void test_whole_numbers(void **state)
{
	struct values v;

	takes(&v, "-n 64");
	assert_int_equal(v.count, 64);
	takes(&v, "--count=2k");
	assert_int_equal(v.count, 2000);
	takes(&v, "-n 1e3");
	assert_int_equal(v.count, 1000);
	takes(&v, "-n 1.5k");
	assert_int_equal(v.count, 1500);
	refuses("-n 64abc", "--count 64abc: not a whole number");
	refuses("-n 1.5", "--count 1.5: not a whole number");
	refuses("-n 0x40", "not a whole number");
	refuses("-n nan", "not a whole number");
	refuses("-n infinity", "not a whole number");
	refuses("--count=", "not a whole number");
	refuses("-n k", "not a whole number");
	refuses("-n 5ms", "not a whole number");
}

static void test_ranges(void **state)
{
	struct values v;

	takes(&v, "-n 1");
	takes(&v, "-n 100k");
	assert_int_equal(v.count, 100000);
	refuses("-n 0", "--count 0: outside 1..100000");
	refuses("-n 100001", "outside 1..100000");
	refuses("-n -5", "outside 1..100000");
	takes(&v, "--small 2147483647");
	assert_int_equal(v.small, 2147483647);
	refuses("--small 2147483648", "outside");
	refuses("--small -1", "outside");
	refuses("-r 1e999", "outside 100..1000000000");
	refuses("-r 99.9", "outside");
}

static void test_units(void **state)
{
	struct values v;

	takes(&v, "-r 1.5M");
	assert_true(v.rate == 1.5e6);
	takes(&v, "-r 1G");
	assert_true(v.rate == 1e9);
	takes(&v, "-t 250ms");
	assert_true(v.seconds == 0.25);
	takes(&v, "-t 0.5");
	assert_true(v.seconds == 0.5);
	takes(&v, "-t 2min");
	assert_true(v.seconds == 120);
	takes(&v, "-t 50000us");
	assert_true(v.seconds > 0.0499 && v.seconds < 0.0501);
	refuses("-t 5k", "--time 5k: not a number");
	refuses("-t 9ms", "outside 0.01..3600");
	refuses("-r 5s", "--rate 5s: not a number");
}

static void test_words(void **state)
{
	struct values v;

	takes(&v, "-f json");
	assert_string_equal(v.format, "json");
	takes(&v, "-f csv");
	assert_string_equal(v.format, "csv");
	refuses("--flag=yes", "takes no value");
	refuses("-f xml", "--format xml: wants text, json or csv");
	refuses("-f jso", "wants text, json or csv; did you mean json?");
	refuses("-f teext", "did you mean text?");
	refuses("-f textjson", "wants text, json or csv");
	takes(&v, "--action redirect:eth0");
	assert_string_equal(v.action, "redirect:eth0");
	assert_int_equal(options(&v, "-f list"), OPTS_DONE);
	assert_non_null(strstr(shown, "json         for scripts\n"));
	takes(&v, "--kind pps,polls");
	assert_int_equal(v.kinds.n, 2);
	refuses("--kind pps,rate", "--kind rate: wants pps or polls");
}

static void test_lists(void **state)
{
	struct values v;

	takes(&v, "--name a,b --name ,c,");
	assert_int_equal(v.names.n, 3);
	assert_string_equal(v.names.items[2], "c");
	refuses("--name ,", "the list is empty");
	takes(&v, "-e cpu/event=0xc0,umask=1/,cycles -e instructions:k");
	assert_int_equal(v.events.n, 3);
	assert_string_equal(v.events.items[0], "cpu/event=0xc0,umask=1/");
	assert_string_equal(v.events.items[1], "cycles");
	assert_string_equal(v.events.items[2], "instructions:k");
	takes(&v, "--name cpu/a,b/");
	assert_int_equal(v.names.n, 2); /* slashes mean nothing to a plain list */
}

/* A list whose parts are rows of their own, with or without a value in front. */
static void test_parts(void **state)
{
	const char *where = NULL, *tool = NULL;
	int n = 0;
	bool on = false;
	const struct opt parts[] = {{"WHERE", 0, OPT_STRING, &where, "WHERE", "", .flags = OPT_ARGUMENT},
				    {"ring", 0, OPT_INT, &n, "N", "", 1, 100},
				    {"tool", 0, OPT_WORD, &tool, "TOOL", "", .words = OPT_WORDS("gen", "pktgen")},
				    {"steer", 0, OPT_FLAG, &on, NULL, ""},
				    {}};
	const struct opt o = {"tune", 0, OPT_PARTS, NULL, "LIST", "", .parts = parts};
	char all[] = "ssh:HOST/eth1,ring=64,steer", second[] = "tool=pktgen", first[] = "ring=7";

	assert_int_equal(opts_value_set(&o, all), 0);
	assert_string_equal(where, "ssh:HOST/eth1");
	assert_true(n == 64 && on && !tool);
	assert_int_equal(opts_value_set(&o, second), 0);
	assert_string_equal(tool, "pktgen");
	assert_int_equal(opts_value_set(&o, first), 0);
	assert_true(n == 7 && !strcmp(where, "ssh:HOST/eth1"));
}

static void test_nearest(void **state)
{
	static const char *const words[] = {"record", "report", "replay", "map", NULL};

	assert_string_equal(nearest_word("recrod", words), "record");
	assert_string_equal(nearest_word("reprt", words), "report");
	assert_string_equal(nearest_word("repaly", words), "replay");
	assert_string_equal(nearest_word("mapp", words), "map");
	assert_null(nearest_word("nothing", words));
	assert_null(nearest_word("xyz", words));
}

static void test_list_is_full(void **state)
{
	char text[400] = "--name a";
	struct values v;

	for (int i = 1; i < OPT_LIST_MAX; i++)
		strcat(text, ",a");
	takes(&v, text);
	assert_int_equal(v.names.n, OPT_LIST_MAX);
	strcat(text, ",b");
	refuses(text, "--name b: one item too many");
}

static void test_names_and_addresses(void **state)
{
	static const unsigned char want[6] = {2, 0, 0x5e, 0, 0xff, 1};
	struct values v = {};

	takes(&v, "-m 02:00:5e:00:FF:01");
	assert_memory_equal(v.mac, want, 6);
	refuses("-m 02:00:5e:00:ff", "not a MAC address");
	refuses("-m 02:00:5e:00:ff:01:02", "not a MAC address");
	refuses("-m 02:00:5e:00:ff:-1", "not a MAC address");
	refuses("--output=", "empty");
	assert_int_equal(parse(&v, "try a-name-of-more-than-15 up -o x"), OPTS_USAGE);
	assert_non_null(strstr(said, "xdpzoom: a-name-of-more-than-15: no network device can have that name"));
	assert_int_equal(parse(&v, "try ../eth0 up -o x"), OPTS_USAGE);
	assert_int_equal(parse(&v, "try exactly15chars_ up -o x"), OPTS_OK);
}

static void test_network_namespaces(void **state)
{
	static const struct {
		const char *name;
		bool fits;
	} cases[] = {{"ns1", true}, {".", false}, {"..", false}, {"a/b", false}, {"", false}, {"...", true}};
	const char *value = NULL;
	const struct opt o = {"netns", 0, OPT_NETNS, &value, "NAME", "a namespace"};
	char name[70];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "%s", cases[i].name);
		assert_int_equal(opts_value_set(&o, name), cases[i].fits ? 0 : -1);
	}
	memset(name, 'n', sizeof(name));
	name[64] = '\0';
	assert_int_equal(opts_value_set(&o, name), -1);
	name[63] = '\0';
	assert_int_equal(opts_value_set(&o, name), 0);
	assert_ptr_equal(value, name);
}

static void test_arguments(void **state)
{
	struct values v = {};

	assert_int_equal(parse(&v, "try eth0 -n 5 down -o out more -q"), OPTS_OK); /* in any order with options */
	assert_string_equal(v.dev, "eth0");
	assert_string_equal(v.verb, "down");
	assert_string_equal(v.extra, "more");
	assert_string_equal(v.file, "out");
	assert_true(v.flag);
	assert_int_equal(parse(&v, "try -o out -- eth0 up -q"), OPTS_OK);
	assert_string_equal(v.extra, "-q");
	v = (struct values){};
	assert_int_equal(parse(&v, "try eth0 up -o out"), OPTS_OK);
	assert_null(v.extra);
}

static void test_missing_and_unknown(void **state)
{
	struct values v = {};

	assert_int_equal(parse(&v, "try -o out"), OPTS_USAGE);
	assert_string_equal(said, "xdpzoom: try: wants DEV|lab; usage: xdpzoom try [OPTIONS] -o FILE DEV|lab up|down "
				  "[EXTRA]\n");
	assert_int_equal(parse(&v, "try lab -o out"), OPTS_USAGE);
	assert_non_null(strstr(said, "wants up|down;"));
	assert_int_equal(parse(&v, "try lab up"), OPTS_USAGE);
	assert_non_null(strstr(said, "wants --output FILE;"));
	assert_int_equal(parse(&v, "try lab sideways -o x"), OPTS_USAGE);
	assert_non_null(strstr(said, "xdpzoom: sideways: wants up or down\n"));
	refuses("one two", "one argument too many: two");
	refuses("--nonsense", "try: unknown option --nonsense; see xdpzoom try --help");
	refuses("-Z", "unknown option -Z");
	refuses("-qZ", "unknown option -Z");
	refuses("--flag=yes", "option takes no value: --flag=yes");
	refuses("-n", "no value for option -n");
	refuses("--count", "no value for option --count");
	assert_int_equal(opts_exit(OPTS_USAGE), 2);
	assert_int_equal(opts_exit(OPTS_DONE), 0);
}

/* A usage that has too little room is cut, wherever that is, and nothing is written behind its end. */
static void test_usage_is_cut(void **state)
{
	const char *whole = "xdpzoom try [OPTIONS] -o FILE --longer N DEV|lab up|down [EXTRA]";
	struct values v = {};
	const struct opt table[] = {
		{"DEV", 0, OPT_DEVICE, &v.dev, NULL, "a device", .words = OPT_WORDS("lab"),
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"VERB", 0, OPT_WORD, &v.verb, NULL, "what to do", .words = OPT_WORDS("up", "down"),
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"EXTRA", 0, OPT_STRING, &v.extra, NULL, "anything", .flags = OPT_ARGUMENT},
		{"output", 'o', OPT_FILE, &v.file, "FILE", "where to", .flags = OPT_REQUIRED},
		{"longer", 0, OPT_INT, &v.count, "N", "a count", .flags = OPT_REQUIRED},
		{"flag", 'q', OPT_FLAG, &v.flag, NULL, "a flag"},
		{NULL},
	};

	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		char *usage = malloc(size);

		opts_usage(&command, table, usage, size);
		assert_int_equal(strlen(usage), size - 1);
		assert_memory_equal(usage, whole, size - 1);
		free(usage);
	}
}

static void test_help(void **state)
{
	static const char *const wanted[] = {
		"usage: xdpzoom try [OPTIONS] -o FILE DEV|lab up|down [EXTRA]\n",
		"tries what a command line can hold.\n",
		"  DEV|lab                     a device\n",
		"  up|down                     what to do\n",
		"  -n, --count N               a count (7)\n",
		"      --small N               any count\n",
		"  -r, --rate PPS              a rate (none)\n",
		"  -t, --time TIME             a time (0.25 s)\n",
		"  -f, --format FORMAT         a format: text, json, csv (json); list prints what\n"
		"                              each is for\n",
		"  -q, --flag                  a flag\n",
		"  -h, --help                  print this help\n",
	};
	struct values v = {.count = 7, .seconds = 0.25, .format = "json"};

	assert_int_equal(parse(&v, "try --help"), OPTS_DONE); /* though required arguments are missing */
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strstr(shown, wanted[i]))
			fail_msg("the help lacks \"%s\":\n%s", wanted[i], shown);
	for (const char *s = shown; *s; s += strcspn(s, "\n") + 1)
		assert_true(strcspn(s, "\n") <= 80);
	assert_string_equal(said, "");
}

static void test_other_help(void **state)
{
	struct values v = {.count = 7};

	assert_int_equal(parse(&v, "try --help=rst"), OPTS_DONE);
	assert_non_null(strstr(shown, "-n N, --count N\n    a count (7)\n"));
	assert_non_null(strstr(shown, "DEV\\|lab\n    a device\n"));
	assert_int_equal(parse(&v, "try --help=table"), OPTS_DONE);
	assert_non_null(strstr(shown, "try\t--format\tf\tword\tFORMAT\ttext json csv\ta format\n"));
	assert_non_null(strstr(shown, "try\t2\t\tword\tVERB\tup down\twhat to do\n"));
	assert_int_equal(parse(&v, "try --help=nonsense"), OPTS_USAGE);
}

int main(void)
{
	static char name[] = "xdpzoom";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_list_is_full),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_names_and_addresses),
		cmocka_unit_test(test_network_namespaces),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_missing_and_unknown),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_usage_is_cut),
		cmocka_unit_test(test_other_help),
	};

	program_invocation_short_name = name;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
