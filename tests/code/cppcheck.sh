#!/bin/sh
# cppcheck over every C file; a finding is a failure.
cd "$(dirname "$0")/../.." || exit 1
command -v cppcheck >/dev/null || { echo "1..0 # SKIP no cppcheck here"; exit 0; }

echo "1..1"
if out=$(cppcheck --quiet --enable=warning,portability --inline-suppr --error-exitcode=1 --std=c11 -j2 \
	--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches -I. -D_GNU_SOURCE '-DXDPZOOM_VERSION="x"' \
	'-DLIBBPF_OPTS(type, name, ...)=struct type name = {0}' '-Djson_object_foreach(o, k, v)=while (next_of(o, &k, &v))' \
	'-Djson_array_foreach(a, i, v)=while (next_of(a, &i, &v))' \
	'-Dbpf_object__for_each_program(p, o)=while (next_of(o, &p))' base user perfparse reports 2>&1); then
	echo "ok 1 - cppcheck finds nothing"
else
	echo "not ok 1 - cppcheck finds nothing"
	echo "$out" | sed 's/^/# /'
fi
