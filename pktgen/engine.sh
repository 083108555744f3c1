# engine.sh - drive the kernel's pktgen: options, devices on threads, start, stop, results, clean-up
# usage: pg_about="what it sends"; . "$(dirname "$0")/engine.sh"
#        pg_options "$@"; pg_open; pg_each pg_dev COMMAND...; pg_run
#
# Every word written is checked by what the kernel answers. However a script ends, Ctrl-C included, its threads carry no
# device afterwards. pktgen counts frames without FCS. One thread is one CPU and one device DEV@CPU.
#
# src: kernel Documentation/networking/pktgen.rst
# shellcheck shell=sh

PG=${PG-/proc/net/pktgen}
pg_about=${pg_about-}
pg_name=${0##*/}
pg_threads=       # CPUs whose threads are ours
pg_starter=       # pid of the process that waits in "start"
pg_interrupted=

pg_say() { echo "$pg_name: $*" >&2; }
pg_die() { # status, sentence
	pg_status=$1
	shift
	pg_say "$*"
	exit "$pg_status"
}

# The letters are those of the kernel's samples/pktgen, and so are the defaults.
pg_usage() {
	cat <<-END
	usage: $pg_name -i DEV [OPTIONS]

	$pg_about.

	  -i DEV    device to send from
	  -s BYTES  frame size without FCS ($SIZE)
	  -d ADDR   destination address ($DST; with -6 $DST6)
	  -m MAC    destination MAC ($MAC)
	  -t N      threads, one a CPU ($THREADS)
	  -f CPU    the first of them ($FIRST)
	  -c N      times an skb is cloned before a new one is made ($CLONE)
	  -n N      frames a thread sends, the last burst whole (exact with -b 1); 0: until Ctrl-C ($COUNT)
	  -w NS     from one frame to the next ($DELAY)
	  -b N      frames handed to the driver at a time ($BURST)
	  -v        say what is written to pktgen
	  -x        shell trace
	  -6        IPv6
	  -h        this text
	END
}

pg_number() { # option, text, lowest, highest
	case $2 in
	"" | *[!0-9]*) pg_die 2 "-$1 $2: not a whole number" ;;
	esac
	if [ "${#2}" -gt 18 ] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		pg_die 2 "-$1 $2: outside $3..$4"
	fi
}

pg_options() {
	DEV='' SIZE=${SIZE-60} DST=${DST-198.18.0.42} DST6=${DST6-fd00::1} MAC=${MAC-90:e2:ba:ff:ff:ff}
	THREADS=${THREADS-1} FIRST=${FIRST-0} CLONE=${CLONE-0} COUNT=${COUNT-0} BURST=${BURST-1} DELAY=${DELAY-0} VERBOSE='' IPV6='' ADDR=''
	while getopts :i:s:d:m:t:f:c:n:w:b:vx6h pg_option; do
		case $pg_option in
		i) DEV=$OPTARG ;;
		s) pg_number s "$OPTARG" 60 9000 && SIZE=$OPTARG ;;
		d) ADDR=$OPTARG ;;
		m) MAC=$OPTARG ;;
		t) pg_number t "$OPTARG" 1 4096 && THREADS=$OPTARG ;;
		f) pg_number f "$OPTARG" 0 8191 && FIRST=$OPTARG ;;
		c) pg_number c "$OPTARG" 0 2147483647 && CLONE=$OPTARG ;;
		n) pg_number n "$OPTARG" 0 999999999999999999 && COUNT=$OPTARG ;;
		w) pg_number w "$OPTARG" 0 999999999 && DELAY=$OPTARG ;;
		b) pg_number b "$OPTARG" 1 4096 && BURST=$OPTARG ;;
		v) VERBOSE=1 ;;
		x) set -x ;;
		6) IPV6=6 ;;
		h) pg_usage && exit 0 ;;
		:) pg_die 2 "-$OPTARG wants an argument; -h lists the options" ;;
		*) pg_die 2 "no option -$OPTARG; -h lists the options" ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -eq 0 ] || pg_die 2 "$1: not an option; -h lists them"
	[ -n "$DEV" ] || pg_die 2 "name the device to send from: -i DEV"
	expr "$MAC" : '\([0-9a-fA-F][0-9a-fA-F]:\)\{5\}[0-9a-fA-F][0-9a-fA-F]$' >/dev/null ||
		pg_die 2 "-m $MAC: not a MAC address, as 90:e2:ba:ff:ff:ff"
	[ -z "$IPV6" ] || DST=$DST6
	DST=${ADDR:-$DST}
	case $IPV6:$DST in
	6:*[!0-9a-fA-F:.]* | :*[!0-9.]*) pg_die 2 "-d $DST: not an IPv${IPV6:-4} address" ;;
	6:*:* | :*.*.*.*) ;;
	*) pg_die 2 "-d $DST: not an IPv${IPV6:-4} address" ;;
	esac
}

# The shell's own echo hides the kernel's reason: ask once more.
pg_refused() {
	pg_error=$({ /bin/echo "$*" >"$pg_file"; } 2>&1)
	case $* in
	"burst "* | "clone_skb "*) pg_error="the driver keeps what it is given, so it takes no bursts and no clones; use -b 1 -c 0" ;;
	esac
	pg_die 1 "${pg_file##*/}: $*: ${pg_error##*: }"
}

# pg_write FILE WORDS...: the answer is the write's own error, or stands in the file's Result line.
pg_write() {
	pg_file=$1
	shift
	[ -z "$VERBOSE" ] || pg_say "${pg_file##*/}: $*"
	{ echo "$*" >"$pg_file"; } 2>/dev/null || pg_refused "$@"
	pg_result=
	while read -r pg_word pg_rest; do
		[ "$pg_word" != Result: ] || pg_result=$pg_rest
	done <"$pg_file"
	case $pg_result in
	OK*) ;;
	*) pg_die 1 "${pg_file##*/}: $*: $pg_result" ;;
	esac
}

pg_dev() { # CPU, words
	pg_cpu=$1
	shift
	pg_write "$PG/$DEV@$pg_cpu" "$@"
}

# pg_each COMMAND WORDS...: COMMAND CPU WORDS... for each of our CPUs
pg_each() {
	pg_command=$1
	shift
	for pg_each_cpu in $pg_threads; do "$pg_command" "$pg_each_cpu" "$@"; done
}

# However it ends. The starter's write returns when pktgen stops.
pg_close() {
	[ -z "$pg_starter" ] || { echo stop >"$PG/pgctrl"; wait "$pg_starter"; } 2>/dev/null
	for pg_cpu in $pg_threads; do echo rem_device_all >"$PG/kpktgend_$pg_cpu"; done 2>/dev/null
	pg_threads='' pg_starter=
}

# One device on each thread, configured by the options.
pg_open() {
	[ "$(id -u)" -eq 0 ] || pg_die 77 "pktgen needs root"
	[ -d "$PG" ] || modprobe pktgen 2>/dev/null
	[ -d "$PG" ] || pg_die 77 "this kernel has no pktgen (CONFIG_NET_PKTGEN, module pktgen)"
	[ -d "/sys/class/net/$DEV" ] || pg_die 1 "$DEV: no such device"
	[ "$(($(cat "/sys/class/net/$DEV/flags") & 1))" -eq 1 ] || pg_die 1 "$DEV is down; bring it up first: ip link set $DEV up"
	# pktgen and its threads are the network namespace's own.
	exec 9>"/run/xdpzoom-pktgen-$(stat -Lc %i /proc/self/ns/net)"
	flock -n 9 || pg_die 1 "another script already drives pktgen; it is left alone"
	trap pg_close EXIT
	trap 'pg_interrupted=1' INT TERM HUP
	pg_queues=$(find "/sys/class/net/$DEV/queues" -name 'tx-*' | wc -l)
	pg_index=0
	while [ $pg_index -lt "$THREADS" ]; do
		pg_open_thread $((FIRST + pg_index)) $((pg_index % pg_queues))
		pg_index=$((pg_index + 1))
	done
}

pg_open_thread() { # CPU, TX queue
	pg_thread=$PG/kpktgend_$1
	[ -f "$pg_thread" ] || pg_die 1 "no pktgen thread for CPU $1"
	grep -q '^Running: *[^ ]' "$pg_thread" && pg_die 1 "pktgen already sends on CPU $1; it is left alone"
	pg_write "$pg_thread" rem_device_all
	pg_threads="$pg_threads $1"
	pg_write "$pg_thread" "add_device $DEV@$1"
	pg_dev "$1" "count $COUNT"
	pg_dev "$1" "pkt_size $SIZE"
	pg_dev "$1" "delay $DELAY"
	pg_dev "$1" "clone_skb $CLONE"
	pg_dev "$1" "queue_map_min $2"
	pg_dev "$1" "queue_map_max $2"
	pg_dev "$1" "flag NO_TIMESTAMP"
	pg_dev "$1" "dst_mac $MAC"
	pg_dev "$1" "dst${IPV6:-_min} $DST"
	[ -n "$IPV6" ] || pg_dev "$1" "dst_max $DST"
	# pktgen takes the device's link-local address for a source, and complains where IPv6 is off.
	[ -z "$IPV6" ] || grep -q "^fe80.* $DEV\$" /proc/net/if_inet6 || pg_dev "$1" "src6 fd00::2"
}

# Sends, and says what each thread sent. Stopped by a signal, it has still done its work.
pg_run() {
	[ -n "$pg_interrupted" ] || {
		(trap - INT TERM HUP; exec 9>&-; echo start >"$PG/pgctrl") 2>/dev/null &
		pg_starter=$!
	}
	while [ -n "$pg_starter" ] && [ -z "$pg_interrupted" ] && kill -0 "$pg_starter" 2>/dev/null; do wait "$pg_starter"; done
	[ -z "$pg_interrupted" ] || echo stop >"$PG/pgctrl"
	[ -z "$pg_starter" ] || wait "$pg_starter"
	pg_starter=
	pg_failed=0
	pg_each pg_report
	return $pg_failed
}

pg_report() { # CPU
	pg_sent=$(sed -n 's/.*pkts-sofar: \([0-9]*\).*/\1/p' "$PG/$DEV@$1")
	pg_errors=$(sed -n 's/.*pkts-sofar: .*errors: \([0-9]*\).*/\1/p' "$PG/$DEV@$1")
	pg_usec=$(sed -n 's/^Result: OK: \([0-9]*\)(.*/\1/p' "$PG/$DEV@$1")
	awk -v dev="$DEV@$1" -v sent="$pg_sent" -v bytes="$SIZE" -v s="${pg_usec:-0}" -v errors="$pg_errors" 'BEGIN {
		printf "%s: sent %d frames of %d bytes in %.3f s, %.0f pps, %d errors\n", dev, sent, bytes, s / 1e6,
			(s > 0) ? sent / s * 1e6 : 0, errors }'
	[ -n "$pg_interrupted" ] || [ "$pg_sent" -ge "$COUNT" ] || {
		pg_say "$DEV@$1: $pg_sent frames instead of $COUNT"
		pg_failed=1
	}
}
