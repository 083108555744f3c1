# reports/: run directory -> comparison with intervals -> text and JSON
REPORTS_SRC := $(wildcard reports/*.c)
REPORTS_LIB := $(O)/libreports.a
REPORTS_LDLIBS := -ljansson -lgsl -lgslcblas -lm

LIBS += $(REPORTS_LIB)

$(REPORTS_LIB): $(REPORTS_SRC:%.c=$(O)/%.o)
	rm -f $@
	$(AR) rcs $@ $^
