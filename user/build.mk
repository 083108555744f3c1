# user/: the xdpzoom command
USER_SRC := $(wildcard user/*.c)

PROGRAMS += $(O)/xdpzoom

$(O)/xdpzoom: $(USER_SRC:%.c=$(O)/%.o) $(REPORTS_LIB) $(PERFPARSE_LIB)
	$(CC) $(LDFLAGS) -o $@ $^ -lbpf $(shell $(PKGCONF) --libs libnl-route-3.0) $(REPORTS_LDLIBS) -lpthread
