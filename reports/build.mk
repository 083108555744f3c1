# reports/: run directory -> comparison with intervals -> text, JSON, exports, pages, flame graphs
REPORTS_SRC := $(wildcard reports/*/*.c)
REPORTS_LIB := $(O)/libreports.a
REPORTS_LDLIBS := -lgsl -lgslcblas -lsqlite3 -lz $(PERFPARSE_LDLIBS)

LIBS += $(REPORTS_LIB)

$(REPORTS_LIB): $(REPORTS_SRC:%.c=$(O)/obj/%.o)
	rm -f $@
	$(AR) rcs $@ $^

# Colours: one table makes the classes of the style sheet and the rows of palette.c. Lines begin with a class.
PALETTE := reports/page/palette.conf

$(O)/reports/page/palette_rows.h: $(PALETTE)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)sed -nE -e 's/^(f[0-9]+) +(#[^ ]+) +(#[^ ]+) +#[^ ]+ +#[^ ]+ +(.*)/COMPONENT("\1", "\2", "\3", "\4")/p' \
		-e 's/^(d[0-9]+) +(#[^ ]+) +(#[^ ]+) .*/CHANGE("\1", "\2", "\3")/p' $< > $@

$(O)/reports/page/page.css: reports/page/assets/page.css $(PALETTE)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q){ cat $< && sed -nE 's/^([fd][0-9]+) +(#[^ ]+) +(#[^ ]+) +(#[^ ]+) +(#[^ ]+) .*/.\1 { --c: light-dark(\2, \4); --k: light-dark(\3, \5); }/p' \
		$(PALETTE); } > $@

$(addsuffix reports/page/palette.o,$(O)/obj/ $(O)/asan/): $(O)/reports/page/palette_rows.h

# The style sheet and the script are built in, with the digests that let a page run these and nothing else.
HTML_ASSETS := $(O)/reports/page/page.css reports/page/assets/page.js

$(O)/reports/page/html_digests.h: $(HTML_ASSETS)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)for f in $^; do \
		digest=$$(env printf "$$(sha256sum $$f | cut -c1-64 | sed 's/../\\x&/g')" | base64); \
		echo "#define DIGEST_$$(basename $$f | tr . _) \"sha256-$$digest\""; \
	done > $@
	$(Q)echo '#define PAGE_CSS "$(O)/reports/page/page.css"' >> $@

$(addsuffix reports/page/html_assets.o,$(O)/obj/ $(O)/asan/): $(HTML_ASSETS) $(O)/reports/page/html_digests.h
