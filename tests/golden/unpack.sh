#!/bin/sh
# Archives that machines of an Ansible playbook packed: what is theirs comes, and nothing lands elsewhere.
. "$(dirname "$0")/../rig/lib.sh"
unpack() { sh integrations/ansible/unpack.sh "$tmp/$1.tar.gz" "$2" "$tmp/results"; }
pack() { tar -C "$tmp/$1" -czf "$tmp/$1.tar.gz" "$2"; }
mkdir -p "$tmp/results" "$tmp/outside"
mkdir -p "$tmp/good/matrix/6.1/veth/all/blocks"
echo run >"$tmp/good/matrix/6.1/veth/all/run.json"
echo one >"$tmp/good/matrix/6.1/veth/all.log"
pack good matrix/6.1/veth
ok "a cell is unpacked" unpack good matrix/6.1/veth
echo two >"$tmp/good/matrix/6.1/veth/all.log"
echo other >"$tmp/results/matrix/6.1/veth/kept"
pack good matrix/6.1/veth
ok "... and once more" unpack good matrix/6.1/veth
is "... in the place of the former one, beside what else is there" \
	"$(cat "$tmp/results/matrix/6.1/veth/all/run.json" "$tmp/results/matrix/6.1/veth/all.log" "$tmp/results/matrix/6.1/veth/kept" | paste -sd' ')" "run two other"
mkdir -p "$tmp/link/matrix/6.12/veth" "$tmp/hard/matrix/6.12/veth"
ln -s ../../../../outside "$tmp/link/matrix/6.12/veth/all"
pack link matrix/6.12
fails "a link" 1 "neither a file nor a folder" unpack link matrix/6.12
echo key >"$tmp/hard/matrix/6.12/veth/a" && ln "$tmp/hard/matrix/6.12/veth/a" "$tmp/hard/matrix/6.12/veth/b"
pack hard matrix/6.12
fails "a hard link" 1 "neither a file nor a folder" unpack hard matrix/6.12
fails "another cell" 1 "other names than matrix/6.12/veth" unpack good matrix/6.12/veth
tar -C "$tmp/good/matrix" --transform 's,^6.1,../outside,' -P -czf "$tmp/up.tar.gz" 6.1
fails "a name that goes up" 1 "other names than" unpack up matrix/6.1/veth
ln -s ../outside "$tmp/results/linked"
mkdir -p "$tmp/through/linked" && echo key >"$tmp/through/linked/authorized_keys"
pack through linked
fails "a link that is there" 1 "linked is a link" unpack through linked
is "nothing lands elsewhere, and nothing half is left" "$(ls -A "$tmp/outside") $(ls -A "$tmp/results" | paste -sd' ')" " linked matrix"
