# perfparse/: perf's texts -> profile -> ns/packet; libperfparse.a and the perfparse filter
PERFPARSE_BIN_SRC := perfparse/main.c perfparse/options.c $(wildcard perfparse/filter*.c)
PERFPARSE_SRC := $(filter-out $(PERFPARSE_BIN_SRC),$(wildcard perfparse/*.c))
PERFPARSE_LIB := $(O)/libperfparse.a

LIBS     += $(PERFPARSE_LIB)
PROGRAMS += $(O)/perfparse
MANPAGES += $(O)/man/perfparse.1
# Headers for programs that link libperfparse.a: include "perfparse/NAME.h" with -I$(PREFIX)/include/xdpzoom.
HEADERS  += base/diag.h $(addprefix perfparse/,linescan.h profile.h script.h report.h perfstat.h annotate.h facilities.h cost.h diff.h symkey.h)
DATA     += perfparse/facilities.conf perfparse/renames.conf

$(PERFPARSE_LIB): $(BASE_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_SRC:%.c=$(O)/obj/%.o)
	$(call say,AR)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(O)/perfparse: $(PERFPARSE_BIN_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $^ -ljansson -lm

$(O)/man/perfparse.1.rst: perfparse/perfparse.rst $(O)/perfparse
	@mkdir -p $(@D)
	$(Q)$(O)/perfparse --help=rst > $@.options
	$(Q)sed -e '/^\.\. OPTIONS$$/{r $@.options' -e 'd}' $< > $@

# The rules and the renames are built into the library.
$(addsuffix perfparse/facilities.o,$(O)/obj/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/facilities.conf
$(addsuffix perfparse/symkey.o,$(O)/obj/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/renames.conf
