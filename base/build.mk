# base/: code that perfparse/, reports/ and user/ all use
BASE_SRC := $(wildcard base/*.c base/*/*.c)

# Completion for three shells, made from each program's option tables.
COMPLETION := base/completion
$(O)/completion/%.bash: $(O)/% $(COMPLETION)/bash.awk $(COMPLETION)/bash.in
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)$(O)/$* --help=table | awk -v program=$* -v template=$(COMPLETION)/bash.in -f $(COMPLETION)/bash.awk > $@

$(O)/completion/zsh/_%: $(O)/% $(COMPLETION)/zsh.awk
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)$(O)/$* --help=table | awk -v program=$* -f $(COMPLETION)/zsh.awk > $@

$(O)/completion/%.fish: $(O)/% $(COMPLETION)/fish.awk
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)$(O)/$* --help=table | awk -v program=$* -f $(COMPLETION)/fish.awk > $@
