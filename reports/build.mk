# reports/: run directory -> comparison with intervals -> text, JSON, exports, pages, flame graphs
# reports/render/pprof.pb-c.c is made of reports/render/pprof.proto, in $(O).
REPORTS_SRC := $(wildcard reports/*/*.c) reports/render/pprof.pb-c.c
REPORTS_LIB := $(O)/libreports.a
REPORTS_LDLIBS := -ljansson -lgsl -lgslcblas -lprotobuf-c -lz -lsqlite3 -lm

LIBS += $(REPORTS_LIB)

$(REPORTS_LIB): $(REPORTS_SRC:%.c=$(O)/obj/%.o)
	rm -f $@
	$(AR) rcs $@ $^

PPROF := $(O)/reports/render/pprof.pb-c.c

$(PPROF): reports/render/pprof.proto
	@mkdir -p $(@D)
	$(call say,PROTO)
	$(Q)protoc-c --c_out=$(O) $<

$(O)/obj/reports/render/pprof.pb-c.o: $(PPROF)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(XCFLAGS) -c -o $@ $<

$(O)/asan/reports/render/pprof.pb-c.o: $(PPROF)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(XCFLAGS) $(SAN) -c -o $@ $<

$(O)/obj/reports/render/render_pprof.o $(O)/asan/reports/render/render_pprof.o: | $(PPROF)

# Style sheets and scripts are built in, with the digests that let a page run these and nothing else.
HTML_ASSETS := $(wildcard reports/page/assets/*.css reports/page/assets/*.js)

$(O)/reports/page/html_digests.h: $(HTML_ASSETS)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)for f in $^; do \
		digest=$$(env printf "$$(sha256sum $$f | cut -c1-64 | sed 's/../\\x&/g')" | base64); \
		echo "#define DIGEST_$$(basename $$f | tr . _) \"sha256-$$digest\""; \
	done > $@

$(addsuffix reports/page/html_assets.o,$(O)/obj/ $(O)/asan/): $(HTML_ASSETS) $(O)/reports/page/html_digests.h
