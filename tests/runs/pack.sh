#!/bin/sh
# Packs the runs of build/runs/ again, after one of them was changed or recorded anew: their run.json as a text that one can read and
# compare, the samples and counts of their blocks in an archive. `make` unpacks both.
cd "$(dirname "$0")/../.." || exit 1
for run in build/runs/*/; do
	name=$(basename "$run")
	awk -v levels=2 -f tests/golden/rows.awk "$run/run.json" >"tests/runs/$name.json" || exit 1
done
tar -C build/runs --exclude=run.json --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - . | xz -9e >tests/runs/blocks.tar.xz
ls -l tests/runs/blocks.tar.xz
