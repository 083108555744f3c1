# live.sh - sends with "xdpzoom gen" instead of pktgen, with the same options and output; for a machine without pktgen
# usage: pg_live OPTIONS...; engine.sh has to be sourced before it
#
# in:    the options of engine.sh that apply to live frames: -i -s -m -n -t -F -r -j -e
# out:   JSON: the sender, then the result of xdpzoom gen, then the number of frames that came back
# law:   as in engine.sh: whatever ends the script, it leaves nothing behind
# error: exit status 77: no xdpzoom in PATH; otherwise the exit status of xdpzoom gen
# shellcheck shell=sh

pg_live() {
	pg_options "$@"
	[ "$(id -u)" -eq 0 ] || pg_die 77 "xdpzoom gen needs root"
	for pg_tool in xdpzoom setpriv; do command -v $pg_tool >/dev/null || pg_die 77 "no $pg_tool in PATH"; done
	[ -d "/sys/class/net/$DEV" ] || pg_die 1 "$DEV: no such device"
	[ -z "$IP6" ] || pg_die 2 "xdpzoom gen sends IPv4"
	# --allow-management-interface: the flood ends by itself when this shell's input is silent
	set -- "$DEV" --allow-management-interface --size "$PKT_SIZE" --flows "${FLOWS:-1}" --dst-mac "$DST_MAC" --format json
	[ -z "$RATE" ] || set -- "$@" --rate "$RATE"
	[ "$COUNT" -eq 0 ] || set -- "$@" --count "$COUNT"
	# shellcheck disable=SC2034 # pg_about_device prints these two
	pg_threads=1 pg_queues=1
	trap 'pg_interrupted=1' INT TERM HUP
	trap '' PIPE
	pg_back=$(pg_sys statistics/rx_packets)
	pg_about_device
	setpriv --pdeathsig KILL xdpzoom gen "$@" </dev/null & # the kernel kills xdpzoom gen when this shell ends
	pg_starter=$!
	while pg_sending; do :; done
	pg_live_end
	wait "$pg_starter"
	pg_status=$?
	sleep 0.1 # the last frames that come back are still under way
	printf '{"received":%d}\n' $(($(pg_sys statistics/rx_packets || echo "$pg_back") - pg_back))
	[ $pg_status -lt 128 ] || pg_die 1 "xdpzoom gen was killed"
	exit $pg_status
}

# Sends the signal until xdpzoom gen ends: a signal just before a long system call begins does not end this call.
pg_live_end() {
	while kill -TERM "$pg_starter" 2>/dev/null; do sleep 0.1; done
}
