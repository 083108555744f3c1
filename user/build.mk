# user/: the xdpzoom command
USER_SRC := $(wildcard user/*.c)

PROGRAMS += $(O)/xdpzoom

$(O)/xdpzoom: $(USER_SRC:%.c=$(O)/%.o) $(REPORTS_LIB) $(PERFPARSE_LIB)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lbpf -lnl-route-3 -lnl-genl-3 -lnl-3 $(REPORTS_LDLIBS) -lpthread
