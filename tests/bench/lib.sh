# lib.sh - for benches: the lab, a temporary folder, clean-up. Benches print figures and judge nothing.
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
