# vm/: virtual machines in which packets are counted and tests run
# The counting plugin, for each version of QEMU's plugin interface.
PLUGINS := $(O)/count-1.so $(O)/count-3.so
LIBS += $(PLUGINS)

$(O)/count-%.so: vm/plugin/count.c $(wildcard vm/plugin/*.h)
	$(call say,LD)
	$(Q)$(CC) $(XCFLAGS) -DPLUGIN_API=$* -fPIC -shared $(LDFLAGS) -o $@ $<
