# reports/: run directory -> comparison with intervals -> text, JSON, exports, pages, flame graphs
# reports/pprof.pb-c.c is made of reports/pprof.proto, in $(O).
REPORTS_SRC := $(wildcard reports/*.c) reports/pprof.pb-c.c
REPORTS_LIB := $(O)/libreports.a
REPORTS_LDLIBS := -ljansson -lgsl -lgslcblas -lprotobuf-c -lz -lsqlite3 -lm

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

# Style sheets and scripts are built in, with the digests that let a page run these and nothing else.
HTML_ASSETS := $(wildcard reports/html/*.css reports/html/*.js)

$(O)/reports/html_digests.h: $(HTML_ASSETS)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)for f in $^; do \
		digest=$$(env printf "$$(sha256sum $$f | cut -c1-64 | sed 's/../\\x&/g')" | base64); \
		echo "#define DIGEST_$$(basename $$f | tr . _) \"sha256-$$digest\""; \
	done > $@

$(addsuffix reports/html_assets.o,$(O)/ $(O)/asan/): $(HTML_ASSETS) $(O)/reports/html_digests.h
