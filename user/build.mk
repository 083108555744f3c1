# user/: the xdpzoom command
USER_SRC := $(wildcard user/*.c user/*/*.c)

# built in by remote.c
$(addsuffix user/load/remote.o,$(O)/obj/ $(O)/asan/): pktgen/engine.sh pktgen/live.sh

PROGRAMS += $(O)/xdpzoom
MANPAGES += $(O)/man/xdpzoom.1

$(O)/xdpzoom: $(USER_SRC:%.c=$(O)/obj/%.o) $(REPORTS_LIB) $(PERFPARSE_LIB)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lxdp -lbpf -lnl-route-3 -lnl-genl-3 -lnl-3 $(REPORTS_LDLIBS) -lpthread

# The options and formats in the man page are those of the tables: xdpzoom prints them itself.
$(O)/man/xdpzoom.1.rst: user/xdpzoom.1.rst $(O)/xdpzoom
	@mkdir -p $(@D)
	$(Q)$(O)/xdpzoom --help=rst > $@.tables
	$(Q)sed -e '/^\.\. TABLES$$/{r $@.tables' -e 'd}' $< > $@

$(O)/man/xdpzoom.1: $(O)/man/xdpzoom.1.rst
	$(call say,MAN)
	$(Q)rst2man $< $@
