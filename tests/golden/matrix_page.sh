#!/bin/sh
# What xdpzoom exact writes of a matrix of runs in a folder (tests/golden/matrix/runs.tar.xz, counted on Debian's kernels): text, page, JSON
# and CSV, to the byte; and that they depend on nothing but the folder.
. "$(dirname "$0")/lib.sh"
need "$X"
mkdir "$tmp/m" && tar -C "$tmp/m" -xf tests/golden/matrix/runs.tar.xz || exit 1
# All that is asked for is there, so nothing is counted.
look() { folder=$1 && shift && env -C "$tmp" "$X" exact -q -f text -o "$folder" -k 6.12,trixie:6.12.117 -n veth "$@"; }
plain() { # FILE: without style sheets, scripts, and what is the same in every page
	sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e '/id="data">/d' -e '/Content-Security-Policy/d' \
		-e '/xdpzoom [0-9.]*[0-9]/s/xdpzoom [0-9.]*[0-9]/xdpzoom VERSION/' "$1"
}
golden tests/golden/matrix/matrix.txt look m
golden tests/golden/matrix/index.html plain "$tmp/m/index.html"
golden tests/golden/matrix/matrix.json cat "$tmp/m/matrix.json"
golden tests/golden/matrix/matrix.csv cat "$tmp/m/matrix.csv"
same() { (cd "$tmp/m" && sha256sum index.html matrix.json matrix.csv); }
same >"$tmp/before"
again() { rm "$tmp"/m/index.html && env -C "$tmp" "$X" exact -q -o m -k "$@" -n veth >"$tmp/out" && same | diff "$tmp/before" -; }
ok "the same runs make the same bytes, in whatever order kernels are named" again trixie:6.12.117,6.12
gathered() { # by another way: another folder, the files in another order, and with times of now
	mkdir "$tmp/g" && (cd "$tmp/m" && find . -mindepth 2 -type f | sort -r | tar -T - -cf -) | tar -C "$tmp/g" -xmf - &&
		look g >"$tmp/out" && (cd "$tmp/g" && sha256sum index.html matrix.json matrix.csv) | diff "$tmp/before" -
}
ok "... and wherever they were counted and gathered from" gathered
ok "the page's data is that of the JSON" sh -c 'sed -n "/id=\"data\">/s/.*id=\"data\">//p" "$1/index.html" | sed "s/<.script>//" | jq -S . >"$1/data" && jq -S . "$1/matrix.json" | diff "$1/data" -' - "$tmp/m"
sums() { # the functions that are listed, and the rest, add up to the change of the totals
	jq -e '[.changes[] | .change - (.new_instructions - .base_instructions) | fabs < 1e-6] | all' "$tmp/m/matrix.json"
}
ok "a change is the difference of its cells" sums
cells() { # a command for each kernel and driver, that a shell takes
	env -C "$tmp" "$X" exact -o 'a b' -k "6.1,./it's" -n veth,igb --memory --setup 'x; y' -V prog:a.o@native --cells >"$tmp/cells" && [ "$(wc -l <"$tmp/cells")" = 4 ] &&
		env -C "$tmp" sh -c "xdpzoom() { printf '%s|' \"\$@\"; }; $(tail -n 1 "$tmp/cells")" >"$tmp/words" &&
		[ "$(cat "$tmp/words")" = "exact|-q|--force|-o|a b/.,it's/igb/all|-k|./it's|-n|igb|-V|prog:a.o@native|--setup|x; y|--memory|" ] &&
		[ "$(ls "$tmp/a b/.,it's/igb")" = all.log ]
}
ok "--cells prints commands, and counts nothing" cells
damaged() { # a run that cannot be read is the reason of its cells, and of no others
	cp -r "$tmp/m" "$tmp/damaged" && echo '{"schema": "xdpzoom.exact/1"' >"$tmp/damaged/trixie-backports:7.2/virtio_net/all/run.json" &&
		look damaged -f json >"$tmp/out" &&
		[ "$(jq -c '[.cells[] | select(.driver == "virtio_net" and .kernel == "trixie-backports:7.2") | .why | test("run.json")] | unique' "$tmp/out")" = '[true]' ] &&
		[ "$(jq '[.cells[] | select(.instructions)] | length' "$tmp/out")" = 5 ]
}
ok "a run that is damaged" damaged
ordered() { # a candidate before its release, numbers as numbers, and not by the names of the folders
	mkdir "$tmp/order"
	for release in a=6.9.1 b=6.10.0 c=6.10.0-rc2 d=6.10.0-rc1; do
		mkdir -p "$tmp/order/${release%=*}" && cp -r "$tmp/m/6.12/veth" "$tmp/order/${release%=*}/" &&
			jq --arg kernel "${release#*=}" '.kernel = $kernel' "$tmp/m/6.12/veth/all/run.json" >"$tmp/order/${release%=*}/veth/all/run.json" || return 1
	done
	[ "$(env -C "$tmp" "$X" exact -q -o order -k a,b -n veth -f csv | cut -d, -f1 | uniq | paste -sd' ')" = "kernel a d c b" ]
}
ok "kernels stand in the order of their releases" ordered
later() { # of two runs of a variant the later one is shown
	cp -r "$tmp/m" "$tmp/later" && cp -r "$tmp/m/6.12/veth/all" "$tmp/later/6.12/veth/drop,no-touch@skb" &&
		jq '.time = "2030-01-01T00:00:00Z"' "$tmp/m/6.12/veth/all/run.json" >"$tmp/later/6.12/veth/drop,no-touch@skb/run.json" &&
		look later >"$tmp/out" && [ "$(jq -c '[.cells[] | select(.kernel == "6.12" and .driver == "veth").run] | unique' "$tmp/later/matrix.json")" = '["6.12/veth/drop,no-touch@skb"]' ]
}
ok "of two runs the later one" later
joined() { # what two drivers have in common is one line, with both; the page has both
	cp -r "$tmp/m" "$tmp/joined" && for k in 6.18 7.2; do cp -r "$tmp/m/trixie-backports:$k/virtio_net" "$tmp/joined/trixie-backports:$k/igb"; done &&
		look joined >"$tmp/out" && [ "$(grep -c ' to [^,]*, ' "$tmp/out")" = "$(grep -c ' to [^,]*, ' tests/golden/matrix/matrix.txt)" ] &&
		[ "$(paste -sd' ' "$tmp/out" | grep -c '(gone); *the same on igb native -831.1 (-47.6 %)')" = 1 ] &&
		[ "$(jq -c '[.changes[].same_as]' "$tmp/joined/matrix.json" | grep -c '^\[null,"trixie-backports-6.18-trixie-backports-7.2-virtio-net-drop-no-touch-native",null')" = 1 ] &&
		[ "$(grep -c '<details id="trixie-backports-6.18-trixie-backports-7.2-igb-drop-no-touch-native">' "$tmp/joined/index.html")" = 1 ]
}
ok "a change that two drivers share is one line" joined
configured() { # options that both kernels have: in the line of the change, in a list, in the page and the JSON
	cp -r "$tmp/m" "$tmp/set" && for k in 6.18=n 7.2=y; do
		run=$tmp/set/trixie-backports:${k%=*}/virtio_net/all/run.json
		jq --arg v "${k#*=}" '.configuration = ["HZ=250", "PAGE_POOL_STATS=" + $v, "V" + $v + "=y"]' "$run" >"$run.new" && mv "$run.new" "$run" || return 1
	done
	look set >"$tmp/out" && paste -sd' ' "$tmp/out" | grep -q ' -47.6  6.18.15 to 7.2.12, virtio_net native *by source or configuration: ' && grep -A 1 '^  6.18.15 to 7.2.12$' "$tmp/out" | grep -qx ' *PAGE_POOL_STATS n and y' &&
		grep -q 'PAGE_POOL_STATS n and y' "$tmp/set/index.html" &&
		[ "$(jq -c '[.changes[] | .cause, .configuration]' "$tmp/set/matrix.json")" = '["source or configuration","PAGE_POOL_STATS n and y","compiler",null,"compiler",null]' ] &&
		for k in 6.18 7.2; do cp -r "$tmp/set/trixie-backports:$k/virtio_net" "$tmp/set/trixie-backports:$k/igb"; done &&
		[ "$(look set | grep -c '^ *PAGE_POOL_STATS n and y$')" = 1 ] &&
		jq '.configuration[1] = "HZ=\n"' "$run" >"$run.new" && mv "$run.new" "$run" && look set -f json | jq -r '.cells[].why' | grep -q 'configuration is no list of options'
}
ok "configurations that differ" configured
many() { # of 13 changes the text has 12
	for minor in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do
		mkdir -p "$tmp/many/$minor" && cp -r "$tmp/m/trixie-backports:$([ $((minor % 2)) = 0 ] && echo 6.18 || echo 7.2)/virtio_net" "$tmp/many/$minor/" &&
			sed -i "s/\"kernel\": \"[^\"]*\"/\"kernel\": \"6.$minor.0\"/" "$tmp/many/$minor/virtio_net/all/run.json" || return 1
	done
	[ "$(env -C "$tmp" "$X" exact -q -f text -o many -k 0,1 -n virtio_net | grep -c ' to 6.* native$')" = 12 ] && [ "$(jq '.changes | length' "$tmp/many/matrix.json")" = 13 ]
}
ok "a text has the largest changes alone" many
# A kernel's name is a stranger's: that of a tree.
mkdir "$tmp/m/<b>&\"" && cp -r "$tmp/m/6.12/veth" "$tmp/m/<b>&\"/" && look m >"$tmp/out"
escaped() { grep -q '&lt;b&gt;&amp;' "$tmp/m/index.html" && ! grep -q '<b>&' "$tmp/m/index.html"; }
ok "a name is no markup" escaped
