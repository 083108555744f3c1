# tests/: what `make check` runs. A test is one line below, or a file in its folder.
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT     := $(UNIT_SRC:%.c=$(O)/%)
# It simulates thousands of runs and takes too long with the sanitizers; other tests run the same functions with them.
UNIT_LONG := $(O)/tests/unit/test_coverage

$(UNIT_LONG): $(O)/tests/unit/%: $(O)/obj/tests/unit/%.o $(REPORTS_LIB) $(PERFPARSE_LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $^ -lcmocka $(REPORTS_LDLIBS)

# The other unit tests are built with the sanitizers, and so is all they link.
$(filter-out $(UNIT_LONG),$(UNIT)): $(O)/tests/unit/%: $(O)/asan/tests/unit/%.o $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o) $(BASE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ -lcmocka $(REPORTS_LDLIBS)

# Tests of what the commands are made of link all of it but the commands.
UNIT_USER := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/user/*.c))
UNIT      += $(UNIT_USER)
UNIT_USER_SRC := $(filter-out user/main.c user/commands/%.c,$(USER_SRC))

$(UNIT_USER): $(O)/%: $(O)/asan/%.o $(UNIT_USER_SRC:%.c=$(O)/asan/%.o) $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o) $(BASE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ -lcmocka $(USER_LDLIBS)

# Runs that tests and the documentation read: tests/runs/pack.sh packs them.
RUNS := $(O)/runs.made
$(RUNS): tests/runs/blocks.tar.xz $(wildcard tests/runs/*.json)
	$(call say,UNPACK)
	$(Q)rm -rf $(O)/runs && mkdir -p $(O)/runs && tar --no-same-owner -C $(O)/runs -xJf $<
	$(Q)for f in tests/runs/*.json; do install -D -m 644 $$f $(O)/runs/$$(basename $$f .json)/run.json; done
	$(Q)touch $@

runs: $(RUNS)

check-unit: $(UNIT) $(RUNS)
	CMOCKA_MESSAGE_OUTPUT=TAP prove $(UNIT)

# The demo's last screen; sanitized like the unit tests.
SCREEN := $(O)/tests/golden/screen
$(SCREEN): $(O)/asan/tests/golden/screen.o $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o) $(BASE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ $(REPORTS_LDLIBS)

# What calls the counting plugin as QEMU does, for tests/cases/exact/plugin.cases.
EMULATE := $(O)/tests/vm/emulate
$(EMULATE): tests/vm/emulate.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) -O1 -rdynamic -D_GNU_SOURCE -o $@ $< -ldl

# The programs as golden/cases_sanitized.sh runs them, sanitized like the unit tests: they begin six times as slowly.
SANITIZED := $(O)/sanitized/xdpzoom $(O)/sanitized/perfparse
$(O)/sanitized/xdpzoom: $(USER_SRC:%.c=$(O)/asan/%.o) $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o) $(BASE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ $(USER_LDLIBS)

$(O)/sanitized/perfparse: $(PERFPARSE_BIN_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o) $(BASE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ $(PERFPARSE_LDLIBS) -lgsl -lgslcblas

# Programs and preloaded libraries of the rig's tests; a test that finds none makes its own.
RIG_BUILT := $(patsubst tests/rig/own/%.bpf.c,$(O)/rig/%.o,$(wildcard tests/rig/own/*.bpf.c)) $(patsubst tests/rig/%.c,$(O)/rig/%.so,$(wildcard tests/rig/*.c))
$(O)/rig/%.o: tests/rig/own/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<
$(O)/rig/%.so: tests/rig/%.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) -shared -fPIC -D_GNU_SOURCE -o $@ $< -ldl

# Fuzz targets, where clang has libFuzzer: 160 inputs each of those that are built in a minute in "check", 5 s each in
# "check-all", 5 minutes each in "fuzz".
# -O1 and short debug information build a third sooner. A null pointer plus 0 is no fault: an empty array is one.
FUZZ_SAN := -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize=pointer-overflow -fno-sanitize-recover=all
FUZZ_SAN += -O1 -gline-tables-only -Wno-gnu-variable-sized-type-not-at-end
HAVE_FUZZ = $(shell echo 'int LLVMFuzzerTestOneInput(void){return 0;}' | $(CLANG) -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null && echo 1)
FUZZ     := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/*.c))
# These take all of reports/ or much of user/ once more: minutes.
FUZZ_LARGE := $(addprefix $(O)/fuzz/fuzz_,run history moment doctor proc watch)

$(O)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CLANG) $(XCFLAGS) $(FUZZ_SAN) -MMD -MP -c -o $@ $<

$(FUZZ): $(O)/fuzz/%: $(O)/fuzz/obj/tests/fuzz/%.o $(PERFPARSE_SRC:%.c=$(O)/fuzz/obj/%.o) $(BASE_SRC:%.c=$(O)/fuzz/obj/%.o)
	$(call say,LD)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) -lgsl -lgslcblas $(PERFPARSE_LDLIBS) $(FUZZ_LIBS)

# The reader of exact counts.
$(O)/fuzz/fuzz_exact: $(patsubst %.c,$(O)/fuzz/obj/%.o,$(wildcard reports/exact/*.c) reports/run/fields.c reports/run/made.c)

# Runs and histories, with all that is computed and printed of them; and moments of dumps.
FUZZ_REPORTS := $(REPORTS_SRC:%.c=$(O)/fuzz/obj/%.o)
$(addprefix $(O)/fuzz/,fuzz_run fuzz_history fuzz_moment): $(FUZZ_REPORTS)
$(addprefix $(O)/fuzz/,fuzz_run fuzz_history fuzz_moment): FUZZ_LIBS := $(REPORTS_LDLIBS)

$(O)/fuzz/obj/reports/page/html_assets.o: $(HTML_ASSETS) $(O)/reports/page/html_digests.h

# What doctor --root reads: the checks, and what they ask the running kernel by where there is no copy.
FUZZ_DOCTOR_SRC := $(wildcard user/doctor/*.c user/machine/*.c user/settings/changes.c user/settings/kinds.c user/programs/bench*.c \
	user/programs/own*.c reports/run/*.c) $(addprefix user/,programs/dispatcher.c bed/rig.c bed/rig_arms.c bed/target.c)
$(O)/fuzz/fuzz_doctor: $(FUZZ_DOCTOR_SRC:%.c=$(O)/fuzz/obj/%.o)
$(O)/fuzz/fuzz_doctor: FUZZ_LIBS := $(USER_LDLIBS)
$(FUZZ_DOCTOR_SRC:%.c=$(O)/fuzz/obj/%.o): | $(SKELS)

# What watch reads of the kernel's texts.
FUZZ_PROC_SRC := $(FUZZ_DOCTOR_SRC) $(wildcard user/map/*.c) $(addprefix user/watch/,devices.c ksyms.c probe.c state.c)
$(O)/fuzz/fuzz_proc: $(FUZZ_PROC_SRC:%.c=$(O)/fuzz/obj/%.o)
$(O)/fuzz/fuzz_proc: FUZZ_LIBS := $(USER_LDLIBS)
$(FUZZ_PROC_SRC:%.c=$(O)/fuzz/obj/%.o): | $(SKELS)

# What watch and map read back.
FUZZ_WATCH_SRC := $(FUZZ_DOCTOR_SRC) $(wildcard user/map/*.c user/watch/*.c) $(REPORTS_SRC)
$(O)/fuzz/fuzz_watch: $(FUZZ_WATCH_SRC:%.c=$(O)/fuzz/obj/%.o)
$(O)/fuzz/fuzz_watch: FUZZ_LIBS := $(USER_LDLIBS)
$(FUZZ_WATCH_SRC:%.c=$(O)/fuzz/obj/%.o): | $(SKELS)

# What another machine's generator prints.
$(O)/fuzz/fuzz_remote: $(O)/fuzz/obj/user/gen/remote_lines.o

# Frames and rates.
$(O)/fuzz/fuzz_frames: $(patsubst %.c,$(O)/fuzz/obj/%.o,user/gen/frames.c)
$(O)/fuzz/fuzz_frames: FUZZ_LIBS := -lpcap
$(O)/fuzz/fuzz_rates: $(patsubst %.c,$(O)/fuzz/obj/%.o,reports/import/rates.c reports/run/counter_names.c)

fuzzers fuzzers-small:
	@$(if $(HAVE_FUZZ),$(MAKE) --no-print-directory $(filter-out $(if $(filter %-small,$@),$(FUZZ_LARGE)),$(FUZZ)),echo "no clang with libFuzzer here" >&2)

fuzz: fuzzers
	tests/fuzz/fuzz.sh 300

# Four groups of tests, by what can make them fail.
#   check          what the code decides: units, cases, goldens, the rig, exact counts in a VM, short fuzzing
#   check-all      the same and what takes long: each night
#   check-vm       the whole matrix of kernels and NICs: minutes, by hand (tests/vm/build.mk)
#   check-measure  what a steady machine is needed for: figures against their bars, by hand
# With CHECK_ALL=1 a test goes on behind its line "nightly".
CHECK_SH := $(filter-out %lib.sh,$(wildcard tests/rig/*.sh tests/integrations/*.sh tests/fuzz/*.sh tests/browser/*.sh tests/code/*.sh tests/golden/*.sh))
# What make check leaves to check-all: kills, failures of each call, demonstrations of whole ladders, other machines, simulations,
# what valgrind and analysers take. Each capability has its test in make check.
NIGHTLY := $(wildcard tests/integrations/*.sh) $(addprefix tests/rig/,demo.sh docs.sh exchange.sh faults.sh hostile_names.sh ladders.sh \
	ladder_device.sh ntuple.sh observers.sh odd.sh pktgen.sh privileges.sh queues.sh record_fails.sh \
	trouble.sh watch_missing.sh watch_screen.sh) $(addprefix tests/code/,cppcheck.sh hardened.sh measure.sh mutants.sh) \
	$(addprefix tests/golden/,cases_sanitized.sh escapes.sh exact_trouble.sh fail_nth.sh growth.sh speeds.sh)
# The rig's tests mostly wait, for a lock that they share, too: beside each of them stands one of the others. VMs begin first.
mix = $(firstword $1) $(firstword $2) $(if $1$2,$(call mix,$(wordlist 2,999,$1),$(wordlist 2,999,$2)))
ON_RIG := tests/rig/% tests/integrations/%
CHECKED_BY_check-all := $(UNIT_LONG) $(CHECK_SH) $(filter-out $(UNIT_LONG),$(UNIT))
CHECKED_BY_check     := $(filter-out $(NIGHTLY),$(CHECKED_BY_check-all))
CHECK_JOBS ?= $(shell echo $$(($$(nproc) + 2)))
# make check CHECK='tests/rig/turns.sh build/tests/unit/test_stats': these alone
CHECK ?=

check check-all: deps
	@$(MAKE) -j$$(nproc) --no-print-directory programs $(if $(CHECK),$(filter $(UNIT),$(CHECK)),$(UNIT) $(SCREEN) $(EMULATE) $(RUNS) $(RIG_BUILT) $(if $(filter check,$@),fuzzers-small,fuzzers $(SANITIZED)) deps-vm-if-any)
	CMOCKA_MESSAGE_OUTPUT=TAP $(if $(filter check,$@),FUZZ_INPUTS=160,CHECK_ALL=1) prove -j$(CHECK_JOBS) --timer --failures --comments --exec tests/run \
		$(or $(CHECK),$$(tests/vm/case --list check) $(if $(filter check-all,$@),$$(tests/vm/case --list all)) \
			$(call mix,$(filter $(ON_RIG),$(CHECKED_BY_$@)),$(filter-out $(ON_RIG),$(CHECKED_BY_$@))))

# Between two edits: what takes no root, no virtual machine and few seconds each.
SLOW_SH := $(addprefix tests/golden/,cases_sanitized.sh docs.sh escapes.sh exact_trouble.sh fail_nth.sh fetch.sh growth.sh history.sh history_entries.sh install.sh large.sh \
	matrix.sh perf_data.sh plot.sh speeds.sh strangers.sh summary.sh terminal.sh)
FAST    := $(addprefix tests/code/,budget.sh format.sh functions.sh headers.sh includes.sh words.sh) \
	$(filter-out %lib.sh $(SLOW_SH),$(wildcard tests/golden/*.sh)) $(filter-out $(UNIT_LONG),$(UNIT))

check-fast:
	@$(MAKE) -j$$(nproc) --no-print-directory programs $(filter-out $(UNIT_LONG),$(UNIT)) $(SCREEN) $(EMULATE) $(RUNS) $(RIG_BUILT)
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(CHECK_JOBS) --failures --exec tests/run $(FAST)

# Those of tests/measure/ that are named: make check-measure MEASURE='truth queues'. The exit status: 0 all hold, 3 one misses its
# bar, 4 none does, but some cannot be told on this machine, as it is now.
check-measure: deps
	@$(MAKE) -j$$(nproc) --no-print-directory programs
	@tests/measure/all $(MEASURE)

# Exact figures in README.rst and docs/ that this tree does not count any more, by hand. WRITE=1 writes those that it counts.
check-figures: programs
	@tests/docs/figures.py $(if $(WRITE),write)

# What analysers find, by .clang-tidy and tests/.shellcheckrc: nothing, or it fails. Takes minutes. make lint TOOLS='cppcheck analyzer' runs two of them.
lint: export LINT_FLAGS = $(filter-out -W%,$(XCFLAGS))
lint: programs
	@tests/lint/all $(TOOLS)

# Lowers what tests/budget allows to the lines that there are now.
budget:
	@UPDATE=1 tests/code/budget.sh

# Lays out every C source as tests/code/format.sh wants it.
format:
	clang-format-19 -i $$(find base bpf perfparse reports user vm tests docs -name "*.[ch]" ! -path "*/fixtures/*")

# Changes one thing at a time in a copy of the tree, and lists what no test notices: tests/mutants/README.rst.
MUTANTS   ?= 200
SEED      ?= 1
FILES     ?=
TESTS     ?=
AGAIN     ?=
NICE      ?= 10
KEEP      ?=
FIRST     ?= 0
SECONDS   ?= inf
GENERATED  = $(SKELS) $(MANPAGES) $(MANPAGES:=.rst) $(COMPLETIONS) \
	$(addprefix $(O)/reports/page/,html_digests.h page.css palette_rows.h)
MUTANT_LIB = $(BASE_SRC) $(PERFPARSE_SRC) $(REPORTS_SRC) $(filter-out user/main.c,$(USER_SRC))
MUTANT_ASAN = $(patsubst %.c,$(O)/asan/%.o,$(MUTANT_LIB) $(UNIT_SRC) $(wildcard tests/unit/user/*.c))

mutants: export MUTANT_FLAGS = $(XCFLAGS)
mutants: programs $(MUTANT_ASAN) $(EMULATE) $(RUNS) $(RIG_BUILT)
	@tests/mutants/mutants.py --mutants=$(MUTANTS) --seed=$(SEED) --files='$(FILES)' --tests='$(TESTS)' --again='$(AGAIN)' --nice=$(NICE) \
		--keep='$(KEEP)' --first=$(FIRST) --seconds=$(SECONDS) --bpf='$(BPF_SRC)' --plugin='$(wildcard vm/plugin/*.c)' \
		--clang='$(CLANG)' --bpftool='$(BPFTOOL)' --bpf-flags='$(BPF_CFLAGS)' \
		--cc='$(CC)' --lib='$(MUTANT_LIB)' --filter='$(PERFPARSE_BIN_SRC)' \
		--user='$(O)/obj/user/main.o' --generated='$(GENERATED)' --asan='$(MUTANT_ASAN)' --sanitizers='$(SAN)' \
		--ldlibs='$(USER_LDLIBS)'

.PHONY: budget check check-all check-fast check-figures check-measure check-unit format fuzz fuzzers fuzzers-small lint mutants runs
