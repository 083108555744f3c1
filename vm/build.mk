# vm/: virtual machines in which packets are counted and tests run
HARNESS := $(addprefix vm/,run fetch tree config options suite emulator cache kernels nics init guest)
HARNESS_DIR := share/xdpzoom/vm

# The counting plugin, for each version of QEMU's plugin interface that differs for it; user/exact/vm.c tries them.
PLUGINS := $(foreach api,1 2 3 7,$(O)/count-$(api).so)
LIBS += $(PLUGINS)
PLUGIN_SRC := $(wildcard vm/plugin/*.c) base/array.c base/printable.c

$(O)/count-%.so: $(PLUGIN_SRC) $(wildcard vm/plugin/*.h) vm/build.mk Makefile
	$(call say,LD)
	$(Q)$(CC) $(if $(HARDEN),$(CHECKED)) $(XCFLAGS) -DPLUGIN_API=$* -fPIC -fvisibility=hidden -flto=auto -shared $(HARDEN_LD) $(LDFLAGS) -o $@ $(PLUGIN_SRC)
