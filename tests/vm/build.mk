# tests/vm/: the matrix: tests on other kernels and NICs, each in a virtual machine of its own
# A VM uses at most one CPU, and waits now and then.
VM_JOBS ?= $(shell echo $$(($$(nproc) + 1)))
# Those lines of the matrix that match: make check-vm VM_LINES='^6.12:vmxnet3'
VM_LINES ?= .

# The suites of Debian whose QEMUs the matrix compares with the installed one.
VM_EMULATORS := bookworm-backports sid

deps-vm:
	@./deps.sh --vm
	@vm/fetch
	@for suite in $(VM_EMULATORS); do vm/emulator $$suite >/dev/null || echo "no QEMU of $$suite here: its tests are skipped" >&2; done

# For "make check", which skips its lines of the matrix where there can be no VMs.
deps-vm-if-any:
	@./deps.sh --vm && timeout 600 vm/fetch || echo "no virtual machines here: their tests are skipped" >&2
	@for suite in $(VM_EMULATORS); do timeout 300 vm/emulator $$suite >/dev/null || echo "no QEMU of $$suite here: its tests are skipped" >&2; done

check-vm: deps deps-vm
	@$(MAKE) --no-print-directory programs
	prove -j $(VM_JOBS) --timer --failures --comments --exec tests/vm/case $$(tests/vm/case --list | grep -E '$(VM_LINES)')

.PHONY: deps-vm deps-vm-if-any check-vm
