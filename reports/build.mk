# reports/: run directory -> comparison with intervals -> text and JSON
# reports/pprof.pb-c.c is made of reports/pprof.proto, in $(O).
REPORTS_SRC := $(wildcard reports/*.c) reports/pprof.pb-c.c
REPORTS_LIB := $(O)/libreports.a
REPORTS_LDLIBS := -ljansson -lgsl -lgslcblas -lprotobuf-c -lz -lm

LIBS += $(REPORTS_LIB)

$(REPORTS_LIB): $(REPORTS_SRC:%.c=$(O)/%.o)
	rm -f $@
	$(AR) rcs $@ $^

PPROF := $(O)/reports/pprof.pb-c.c

$(PPROF): reports/pprof.proto
	@mkdir -p $(@D)
	$(call say,PROTO)
	$(Q)protoc-c --c_out=$(O) $<

$(O)/reports/pprof.pb-c.o: $(PPROF)
	$(call say,CC)
	$(Q)$(CC) $(XCFLAGS) -c -o $@ $<

$(O)/asan/reports/pprof.pb-c.o: $(PPROF)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(XCFLAGS) $(SAN) -c -o $@ $<

$(O)/reports/render_pprof.o $(O)/asan/reports/render_pprof.o: | $(PPROF)
