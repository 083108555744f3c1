# perfparse/: perf's texts -> profile -> ns/packet; libperfparse and the perfparse filter
PERFPARSE_BIN_SRC := perfparse/main.c perfparse/options.c perfparse/filter.c
PPROF := $(O)/gen/perfparse/pprof.pb-c.c
PERFPARSE_SRC := $(filter-out $(PERFPARSE_BIN_SRC),$(wildcard perfparse/*.c)) $(PPROF)
PERFPARSE_LDLIBS := -ljansson -lseccomp -lprotobuf-c -lz -lm
PERFPARSE_LIB := $(O)/libperfparse.a

PERFPARSE_ABI := 0
PERFPARSE_SO  := $(O)/libperfparse.so.$(PERFPARSE_ABI)

LIBS     += $(PERFPARSE_LIB) $(PERFPARSE_SO)
PROGRAMS += $(O)/perfparse
MANPAGES += $(O)/man/perfparse.1
# Headers for programs that link libperfparse: include "perfparse/NAME.h", with what pkg-config prints for perfparse.
HEADERS  += base/base.h perfparse/perfparse.h
DATA     += perfparse/facilities.conf perfparse/renames.conf

$(PERFPARSE_LIB): $(BASE_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_SRC:%.c=$(O)/obj/%.o)
	$(call say,AR)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(PPROF): perfparse/pprof.proto
	@mkdir -p $(@D)
	$(call say,PROTO)
	$(Q)$(if $(shell command -v protoc),protoc,protoc-c) --c_out=$(O)/gen $<

$(foreach of,perfparse/pprof reports/format/format_pprof,$(addsuffix $(of).o,$(O)/obj/ $(O)/shared/ $(O)/asan/ $(O)/fuzz/obj/)): | $(PPROF)

# The same sources for a library at any address, with only the functions of its headers in sight.
$(O)/shared/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(HARDEN) $(XCFLAGS) -fPIC -MMD -MP -c -o $@ $<

# Of base/, the linker takes what perfparse/ needs.
$(O)/shared/base.a: $(BASE_SRC:%.c=$(O)/shared/%.o)
	$(call say,AR)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(PERFPARSE_SO): $(PERFPARSE_SRC:%.c=$(O)/shared/%.o) $(O)/shared/base.a perfparse/libperfparse.map
	$(call say,LD)
	$(Q)$(CC) -shared $(HARDEN_LD) $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script=perfparse/libperfparse.map -Wl,-z,defs \
		-o $@ $(filter %.o %.a,$^) $(PERFPARSE_LDLIBS)

$(O)/perfparse: $(PERFPARSE_BIN_SRC:%.c=$(O)/obj/%.o) $(PERFPARSE_LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $^ $(PERFPARSE_LDLIBS)

$(O)/man/perfparse.1.rst: perfparse/perfparse.rst $(O)/perfparse
	@mkdir -p $(@D)
	$(Q)$(O)/perfparse --help=rst > $@.options
	$(Q)sed -e '/^\.\. OPTIONS$$/{r $@.options' -e 'd}' $< > $@

# The rules and the renames are built into the library.
$(addsuffix perfparse/facilities.o,$(O)/obj/ $(O)/shared/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/facilities.conf
$(addsuffix perfparse/symkey.o,$(O)/obj/ $(O)/shared/ $(O)/asan/ $(O)/fuzz/obj/): perfparse/renames.conf
