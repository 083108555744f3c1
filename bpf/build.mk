# bpf/: programs for the kernel; each NAME.bpf.c becomes a libbpf skeleton, build/bpf/NAME.skel.h
BPF_SRC := $(wildcard bpf/*.bpf.c)
SKELS   := $(BPF_SRC:%.bpf.c=$(O)/%.skel.h)
# clang -target bpf does not search the folder in which Debian keeps asm/types.h
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -Wall -Wextra -Wno-unused-parameter $(if $(DEV),-Werror) $(MAPPED) -I. \
	-idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)

$(O)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h)
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<
	$(Q)$(STRIP) -g $@

$(O)/bpf/%.skel.h: $(O)/bpf/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

.SECONDARY: $(BPF_SRC:%.bpf.c=$(O)/%.bpf.o) $(SKELS)
