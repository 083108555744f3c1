# xdpzoom: what does a packet cost, and where?
#
#   make            build            make demo    measure on the built-in test bed (root)
#   make deps       install packages make check   every test (root for the rig's)
#   make deps-vm    packages for it: make check-vm the tests on other kernels and drivers, in virtual machines
#   make install PREFIX=/usr/local   make uninstall   make dist    make clean
#   make deb        Debian packages, in build/packages
#
# Each folder lists its own sources in its build.mk. This file has the rules.

VERSION := 0.1.0
PREFIX  ?= /usr/local
# Where libraries go: Debian and Fedora have folders of their own for each kind of CPU.
DESTDIR ?=
O       := build

CLANG   ?= clang
BPFTOOL ?= $(shell command -v bpftool || command -v /usr/sbin/bpftool || echo bpftool)
STRIP   ?= llvm-strip
PKGCONF ?= pkg-config

# Warnings are errors in a checkout. In a released tree they are not, because a later compiler has new warnings.
DEV     ?= $(if $(wildcard .git),1,)
WARN    := -Wall -Wextra -Wno-missing-field-initializers $(if $(DEV),-Werror)
CFLAGS  ?= -O2 -g
DEFS    := -D_GNU_SOURCE -DXDPZOOM_VERSION='"$(VERSION)"'
NLFLAGS := $(shell $(PKGCONF) --cflags libnl-route-3.0 libnl-genl-3.0 2>/dev/null)
# What is built does not hold the name of the folder in which it was built.
MAPPED   = -ffile-prefix-map=$(CURDIR)=.
XCFLAGS  = -std=gnu11 $(WARN) $(CFLAGS) $(MAPPED) $(DEFS) -I. -I$(O) -I$(O)/gen $(NLFLAGS)
# The flag, where the compiler knows it for this kind of CPU.
known = $(shell $(CC) -Werror $1 -S -x c /dev/null -o - >/dev/null 2>&1 && echo $1)
# A program that runs as root and opens files of strangers stops at an overflow instead of going on. HARDEN= HARDEN_LD=
# leaves these flags out. Against level 2 of FORTIFY and without the two flags of CHECKS that are asked for, `report -f
# json` takes 1 to 2 % more CPU time.
# gcc 12 and clang 15 know level 3 of FORTIFY; where the C library knows level 2 alone, 3 means 2.
CHECKS    := -fstack-protector-strong $(call known,-fstack-clash-protection) $(call known,-fcf-protection)
CHECKED    = $(CHECKS) $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
HARDEN    ?= -fPIE $(CHECKED)
HARDEN_LD ?= -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
LINK       = $(CC) -pie $(HARDEN_LD) $(LDFLAGS)
# Each rule prints what it makes in one short line. V=1 prints the commands instead; -s prints neither.
SILENT   = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
Q       := $(if $(V),,@)
say      = $(if $(V)$(SILENT),,@printf '  %-6s %s\n' '$1' '$@')
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# These build in 60 % of the time. What is cut is found at -O2.
SAN     += -O1 -g1 -Wno-format-truncation

all: programs runs

# Each folder adds to PROGRAMS and LIBS, and has the rules for its objects.
include base/build.mk vm/build.mk bpf/build.mk perfparse/build.mk reports/build.mk user/build.mk tests/build.mk tests/vm/build.mk

NAMES := $(notdir $(PROGRAMS))
COMPLETIONS := $(foreach n,$(NAMES),$(O)/completion/$n.bash $(O)/completion/zsh/_$n $(O)/completion/$n.fish)

programs: $(PROGRAMS) $(LIBS) $(DATA) $(MANPAGES) $(COMPLETIONS)

.SECONDARY: $(MANPAGES:%=%.rst)

$(O)/obj/%.o: %.c Makefile | $(SKELS)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(HARDEN) $(XCFLAGS) -MMD -MP -c -o $@ $<

# Builds the same sources with AddressSanitizer and UndefinedBehaviorSanitizer, for the tests.
$(O)/asan/%.o: %.c | $(SKELS)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(XCFLAGS) $(SAN) -MMD -MP -c -o $@ $<

$(O)/man/%.1: $(O)/man/%.1.rst
	$(call say,MAN)
	$(Q)rst2man $< $@

# Installs missing packages. Prints nothing when none is missing, unless `make deps` was called by name.
deps:
	@./deps.sh
	$(if $(filter deps,$(MAKECMDGOALS)),@echo "deps: all packages are installed")

demo: deps
	@$(MAKE) --no-print-directory -q programs >/dev/null 2>&1 || echo "building xdpzoom ..."
	@$(MAKE) --no-print-directory -s $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)) programs
	@$(O)/xdpzoom demo

# RUN=DIR: makes the examples from DIR instead of the newest run of `make demo`
examples: programs
	@reports/examples/make.sh $(RUN)

# What can be run stays so, and what is read by another stays so, too.
install_each = for f in $1; do install -m $$([ -x $$f ] && echo 755 || echo 644) $$f $2; done

install: programs
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/xdpzoom $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(DATA) $(DESTDIR)$(PREFIX)/share/xdpzoom
	install -d $(DESTDIR)$(PREFIX)/share/xdpzoom/pktgen
	$(call install_each,pktgen/*.sh,$(DESTDIR)$(PREFIX)/share/xdpzoom/pktgen)
	cd integrations && find . -type f | while IFS= read -r f; do \
		install -D -m $$([ -x $$f ] && echo 755 || echo 644) $$f $(DESTDIR)$(PREFIX)/share/xdpzoom/$$f; done
	install -d $(DESTDIR)$(PREFIX)/$(HARNESS_DIR) $(DESTDIR)$(PREFIX)/lib/xdpzoom
	$(call install_each,$(HARNESS),$(DESTDIR)$(PREFIX)/$(HARNESS_DIR))
	install -m 644 $(PLUGINS) $(DESTDIR)$(PREFIX)/lib/xdpzoom
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/|$(PREFIX)/bin/|' packaging/systemd/xdpzoom-watch.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/xdpzoom-watch.service
	install -m 644 packaging/grafana/*.json $(DESTDIR)$(PREFIX)/share/xdpzoom
	install -m 644 $(MANPAGES) $(DESTDIR)$(PREFIX)/share/man/man1
	for n in $(NAMES); do \
		install -D -m 644 $(O)/completion/$$n.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$n; \
		install -D -m 644 $(O)/completion/zsh/_$$n $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$n; \
		install -D -m 644 $(O)/completion/$$n.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$n.fish; \
	done

# What is removed is what make install puts there, so that the two cannot differ.
uninstall: programs
	$(Q)tmp=$$(mktemp -d) && $(MAKE) --no-print-directory -s install DESTDIR="$$tmp" && \
		(cd "$$tmp" && find . ! -type d) | (cd "$(DESTDIR)/" && xargs -d '\n' rm -f --) && \
		(cd "$$tmp" && find ./$(PREFIX) -depth -type d -path '*/xdpzoom*') | \
			(cd "$(DESTDIR)/" && xargs -d '\n' rmdir --ignore-fail-on-non-empty -- 2>/dev/null || :); \
		status=$$?; rm -rf "$$tmp"; exit $$status

# The committed files. Building them takes no git; the same commit gives the same bytes.
dist:
	@mkdir -p $(O)
	$(call say,DIST)
	$(Q)git archive --prefix=xdpzoom-$(VERSION)/ HEAD | gzip -9n >$(O)/xdpzoom-$(VERSION).tar.gz

# Packages of the committed files, as in the tarball. Debian's tools look for debian/ at the top of a tree; it is not kept
# there, so that a distribution that packages the tarball finds no other debian/ in its own one's place.
deb: dist
	$(Q)rm -rf $(O)/packages/deb && mkdir -p $(O)/packages/deb
	$(Q)tar -xzf $(O)/xdpzoom-$(VERSION).tar.gz -C $(O)/packages/deb
	$(Q)mv $(O)/packages/deb/xdpzoom-$(VERSION)/packaging/debian $(O)/packages/deb/xdpzoom-$(VERSION)/debian
	cd $(O)/packages/deb/xdpzoom-$(VERSION) && env -u CC -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc -j$(shell nproc)

clean:
	rm -rf $(O)

-include $(shell find $(O) -path $(O)/packages -prune -o -name '*.d' -type f -print 2>/dev/null)

.PHONY: all programs deps demo examples check install uninstall dist deb clean
.DELETE_ON_ERROR:
