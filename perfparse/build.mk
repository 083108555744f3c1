# perfparse/: perf's texts -> profile -> ns/packet; libperfparse.a and the perfparse filter
PERFPARSE_SRC := $(filter-out perfparse/main.c,$(wildcard perfparse/*.c))
PERFPARSE_LIB := $(O)/libperfparse.a

LIBS     += $(PERFPARSE_LIB)
PROGRAMS += $(O)/bin/perfparse
DATA     += perfparse/facilities.conf

$(PERFPARSE_LIB): $(PERFPARSE_SRC:%.c=$(O)/%.o)
	rm -f $@
	$(AR) rcs $@ $^

# In bin/, as $(O)/perfparse is where its objects are.
$(O)/bin/perfparse: $(O)/perfparse/main.o $(PERFPARSE_LIB)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -ljansson -lm

# The rules are built into the library.
$(O)/perfparse/facilities.o $(O)/asan/perfparse/facilities.o: perfparse/facilities.conf
