# lib.sh - for benches: the lab, a temporary folder, clean-up. Benches print figures; tests/measure/ holds figures against bars.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d)
pids=
cleanup() {
	for p in $pids; do kill -TERM "$p" 2>/dev/null && wait "$p" 2>/dev/null; done
	"$X" lab down 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 129' HUP INT TERM
[ "$(id -u)" -eq 0 ] || { echo "needs root" >&2; exit 77; }
"$X" lab up >/dev/null || exit 77
# checks WHAT JSON...: what report or diff printed as JSON. Succeeds when no check failed; else it prints that there is no figure of WHAT,
# and why. Tests of single symbols need more blocks than sums do.
checks() {
	checks_of=$1
	shift
	failed=$(jq -rs '[.[] | (.quality // empty, (.variants // [])[].quality)[] | select(.ok == false and .check != "symbol-blocks").check] | unique | join(", ")' "$@") &&
		[ -z "$failed" ] && return
	echo "$checks_of: no figure; checks that failed: ${failed:-unreadable}"
	return 1
}
