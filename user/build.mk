# user/: the xdpzoom command
USER_SRC := $(wildcard user/*.c user/*/*.c)

# built in by remote.c
$(addsuffix user/load/remote.o,$(O)/ $(O)/asan/): pktgen/engine.sh pktgen/live.sh

PROGRAMS += $(O)/xdpzoom
MANPAGES += $(O)/user/xdpzoom.1

$(O)/xdpzoom: $(USER_SRC:%.c=$(O)/%.o) $(REPORTS_LIB) $(PERFPARSE_LIB)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lxdp -lbpf -lnl-route-3 -lnl-genl-3 -lnl-3 $(REPORTS_LDLIBS) -lpthread

# The options and formats in the man page are those of the tables: xdpzoom prints them itself.
$(O)/user/xdpzoom.1.rst: user/xdpzoom.1.rst $(O)/xdpzoom
	$(Q)$(O)/xdpzoom --help=rst > $@.tables
	$(Q)sed -e '/^\.\. TABLES$$/{r $@.tables' -e 'd}' $< > $@

$(O)/user/xdpzoom.1: $(O)/user/xdpzoom.1.rst
	$(call say,MAN)
	$(Q)rst2man $< $@
