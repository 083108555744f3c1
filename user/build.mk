# user/: the xdpzoom command
USER_SRC := $(wildcard user/*.c user/*/*.c)
USER_LDLIBS = -lpcap -lxdp -lbpf -lnl-route-3 -lnl-genl-3 -lnl-3 -lnftables -luring -lmicrohttpd -lncursesw $(REPORTS_LDLIBS) -lpthread
USER_LDLIBS += -lz -lcrypt

# remote.c contains these two scripts
$(addsuffix user/gen/remote.o,$(O)/obj/ $(O)/asan/): pktgen/engine.sh pktgen/live.sh

PROGRAMS += $(O)/xdpzoom
# There is one page for each command, and xdpzoom.rst for all of them.
COMMANDS := $(patsubst user/man/%.rst,%,$(filter-out %/xdpzoom.rst,$(wildcard user/man/*.rst)))
MANPAGES += $(O)/man/xdpzoom.1 $(COMMANDS:%=$(O)/man/xdpzoom-%.1)

$(O)/xdpzoom: $(USER_SRC:%.c=$(O)/obj/%.o) $(REPORTS_LIB) $(PERFPARSE_LIB)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $^ $(USER_LDLIBS)

# xdpzoom prints the titles, synopses, options and formats of the man pages from its own option tables.
$(O)/man/xdpzoom.1.rst: user/man/xdpzoom.rst $(O)/xdpzoom
	@mkdir -p $(@D)
	$(Q)$(O)/xdpzoom --help=commands > $@.commands
	$(Q)sed -e '/^\.\. COMMANDS$$/{r $@.commands' -e 'd}' $< > $@

$(O)/man/xdpzoom-%.1.rst: user/man/%.rst $(O)/xdpzoom
	@mkdir -p $(@D)
	$(Q)$(O)/xdpzoom $* --help=head > $@
	$(Q)$(O)/xdpzoom $* --help=rst > $@.options
	$(Q)sed -e '/^\.\. OPTIONS$$/{r $@.options' -e 'd}' $< >> $@
