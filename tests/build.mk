# tests/: what `make check` runs. A test is one line below, or a file in its folder.
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT     := $(UNIT_SRC:%.c=$(O)/%)

# Unit tests are built with the sanitizers, and so is all they link.
$(UNIT): $(O)/tests/unit/%: $(O)/asan/tests/unit/%.o $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(CC) $(SAN) -o $@ $^ -lcmocka $(REPORTS_LDLIBS)

check-unit: $(UNIT)
	CMOCKA_MESSAGE_OUTPUT=TAP prove $(UNIT)

# Prints what the commands print, of runs that tests make; sanitized like the unit tests.
RENDER := $(O)/tests/golden/render
$(RENDER): $(O)/asan/tests/golden/render.o $(REPORTS_SRC:%.c=$(O)/asan/%.o) $(PERFPARSE_SRC:%.c=$(O)/asan/%.o)
	@mkdir -p $(@D)
	$(CC) $(SAN) -o $@ $^ $(REPORTS_LDLIBS)

CHECK_SH := $(filter-out %/lib.sh,$(wildcard tests/code/*.sh tests/golden/*.sh tests/rig/*.sh))

# Everything, in one count. Rig tests measure, so nothing runs beside them.
check: deps
	@$(MAKE) --no-print-directory programs $(UNIT) $(RENDER)
	CMOCKA_MESSAGE_OUTPUT=TAP prove $(UNIT) $(CHECK_SH)

.PHONY: check check-unit
