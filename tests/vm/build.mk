# tests/vm/: the matrix: tests on other kernels and NICs, each in a virtual machine of its own
VM_JOBS ?= 2

deps-vm:
	@./deps.sh --vm
	@tests/vm/fetch

check-vm: deps deps-vm
	@$(MAKE) --no-print-directory programs
	prove -j $(VM_JOBS) --timer --failures --comments --exec tests/vm/case $$(tests/vm/case --list)

.PHONY: deps-vm check-vm
