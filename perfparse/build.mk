# perfparse/: perf's texts -> profile -> ns/packet; the perfparse filter, and the reader that import shares
PERFPARSE_BIN_SRC := perfparse/main.c
PERFPARSE_SRC := $(filter-out $(PERFPARSE_BIN_SRC),$(wildcard perfparse/*.c))
PERFPARSE_LDLIBS := -ljansson -lseccomp -lm
PERFPARSE_LIB := $(O)/libperfparse.a

LIBS     += $(PERFPARSE_LIB)
PROGRAMS += $(O)/perfparse
MANPAGES += $(O)/man/perfparse.1
DATA     += perfparse/components.conf perfparse/renames.conf

$(PERFPARSE_LIB): $(BASE_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_SRC:%.c=$(O)/obj/%.o)
	$(call say,AR)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(O)/perfparse: $(PERFPARSE_BIN_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $^ $(PERFPARSE_LDLIBS)

$(O)/man/perfparse.1.rst: perfparse/perfparse.rst $(O)/perfparse
	@mkdir -p $(@D)
	$(Q)$(O)/perfparse --help=rst > $@.options
	$(Q)sed -e '/^\.\. OPTIONS$$/{r $@.options' -e 'd}' $< > $@

# The rules and the renames are built into the library.
$(addsuffix perfparse/components.o,$(O)/obj/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/components.conf
$(addsuffix perfparse/symkey.o,$(O)/obj/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/renames.conf
