# engine.sh - drive the kernel's pktgen: options, checks, devices on threads, start, stop, results, clean-up
# usage: pg_about="what it sends"; [ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"; pg_main "$@"
#
# in:    options; a script sets the defaults that make it what it is (BURST, FLOWS, XMIT ...) before it calls pg_main
# out:   the result of each thread, as text or JSON ("xdpzoom.pktgen/1"), on stdout; everything else on stderr
# units: bytes without FCS, ns, frames, bits of frames a second
# law:   every write to pktgen is checked by the kernel's answer. Whatever ends a script, Ctrl-C and kill -9
# included, no
#        device stays on any thread; only -a leaves its devices there on purpose
# error: exit status 0 sent, 1 failed, 2 usage, 77 no pktgen or no root
# src:   kernel Documentation/networking/pktgen.rst, samples/pktgen, net/core/pktgen.c
# shellcheck shell=sh

# shellcheck disable=SC2034 # the scripts that source this file read the variable
pg_engine=1
PG=${PG-/proc/net/pktgen}
pg_about=${pg_about-}
pg_name=${0##*/}
pg_ours=        # not empty: this script has put devices on threads
pg_starter=     # pid of the process that waits in "start"
pg_guard=       # pid of the process that cleans up after a kill -9
pg_interrupted=

pg_say() { echo "$pg_name: $*" >&2; }
pg_die() { # status, sentence
	pg_status=$1
	shift
	pg_say "$*"
	exit "$pg_status"
}

# ---- options: the letters and variables of the kernel's samples/pktgen, with their defaults, and some more

pg_usage() {
	cat <<-END
	usage: $pg_name -i DEV [OPTIONS]

	$pg_about.

	  -i DEV        device to send from
	  -s BYTES      frame size without FCS ($PKT_SIZE)
	  -d ADDR[/N]   destination address or network (198.18.0.42; with -6 fd00::1)
	  -m MAC        destination MAC ($DST_MAC)
	  -p PORT[-TO]  destination UDP port, or ports in a random order (9)
	  -k            UDP checksums
	  -t N          threads, one per CPU; 0: one per TX queue ($THREADS)
	  -f CPU        the CPU of the first thread ($F_THREAD)
	  -c N          times an skb is sent before a new one is made ($CLONE_SKB)
	  -n N          frames per thread, rounded up to whole bursts (exact with -b 1); 0: until Ctrl-C ($COUNT)
	  -w NS         time from one frame to the next ($DELAY)
	  -b N          frames handed to the driver at a time ($BURST)
	  -v            print what is written to pktgen
	  -x            shell trace
	  -6            IPv6
	  -a            configure only: start nothing, and leave the configuration in place
	  -F N          flows: source addresses, with -6 source ports (${FLOWS:-1})
	  -r PPS        frames per second, all threads together (${RATE:-no limit})
	  -q ID[:PRIO]  VLAN tag
	  -z "SIZE,WEIGHT ..."  frame sizes in a random order (${IMIX:-one size})
	  -j            results as JSON
	  -e SECONDS    end when standard input ends, or is silent for this time
	  -h            this text
	END
}

pg_number() { # option, text, lowest, highest
	case $2 in
	"" | *[!0-9]* | 0[0-9]*) pg_die 2 "-$1 $2: not a whole number" ;;
	esac
	if [ "${#2}" -gt 18 ] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		pg_die 2 "-$1 $2: outside $3..$4"
	fi
}

pg_defaults() {
	DEV=${DEV-} PKT_SIZE=${PKT_SIZE-60} DEST_IP=${DEST_IP-} DST_MAC=${DST_MAC-90:e2:ba:ff:ff:ff} DST_PORT=${DST_PORT-}
	THREADS=${THREADS-1} F_THREAD=${F_THREAD-0} CLONE_SKB=${CLONE_SKB-0} COUNT=${COUNT-0} BURST=${BURST-1} DELAY=${DELAY-0}
	UDP_CSUM=${UDP_CSUM-} IP6=${IP6-} APPEND=${APPEND-} VERBOSE=${VERBOSE-}
	FLOWS=${FLOWS-} RATE=${RATE-} VLAN=${VLAN-} IMIX=${IMIX-} XMIT=${XMIT-start_xmit} NUMA=${NUMA-}
	pg_json='' pg_silence='' pg_given='' VLAN_BYTES=0
}

pg_options() {
	pg_defaults
	while getopts :i:s:d:m:p:kt:f:c:n:w:b:vx6aF:r:q:z:je:h pg_option; do
		pg_given=$pg_given$pg_option
		case $pg_option in
		i) DEV=$OPTARG ;;
		s) PKT_SIZE=$OPTARG ;;
		d) DEST_IP=$OPTARG ;;
		m) DST_MAC=$OPTARG ;;
		p) DST_PORT=$OPTARG ;;
		k) UDP_CSUM=1 ;;
		t) THREADS=$OPTARG ;;
		f) F_THREAD=$OPTARG ;;
		c) CLONE_SKB=$OPTARG ;;
		n) COUNT=$OPTARG ;;
		w) DELAY=$OPTARG ;;
		b) BURST=$OPTARG ;;
		v) VERBOSE=1 ;;
		x) set -x ;;
		6) IP6=6 ;;
		a) APPEND=1 ;;
		F) FLOWS=$OPTARG ;;
		r) RATE=$OPTARG ;;
		q) VLAN=$OPTARG ;;
		z) IMIX=$OPTARG ;;
		j) pg_json=1 ;;
		e) pg_silence=$OPTARG ;;
		h) pg_usage && exit 0 ;;
		:) pg_die 2 "-$OPTARG wants an argument; -h lists the options" ;;
		*) pg_die 2 "no option -$OPTARG; -h lists the options" ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -eq 0 ] || pg_die 2 "$1: not an option; -h lists them"
	[ -n "$DEV" ] || pg_die 2 "name the device to send from: -i DEV"
	pg_check_words
	pg_check_together
}

pg_given() { # letter
	case $pg_given in
	*"$1"*) return 0 ;;
	*) return 1 ;;
	esac
}

pg_check_words() {
	pg_number s "$PKT_SIZE" 60 9216
	pg_number t "$THREADS" 0 4096
	pg_number f "$F_THREAD" 0 8191
	pg_number c "$CLONE_SKB" 0 2147483647
	pg_number n "$COUNT" 0 999999999999999999
	pg_number w "$DELAY" 0 999999999
	pg_number b "$BURST" 0 4096
	[ "$BURST" -gt 0 ] || BURST=1 # the samples' way to say: no bursts
	[ -z "$FLOWS" ] || pg_number F "$FLOWS" 1 65000
	[ -z "$RATE" ] || pg_number r "$RATE" 1 999999999
	[ -z "$pg_silence" ] || pg_number e "$pg_silence" 1 86400
	expr "$DST_MAC" : '\([0-9a-fA-F][0-9a-fA-F]:\)\{5\}[0-9a-fA-F][0-9a-fA-F]$' >/dev/null ||
		pg_die 2 "-m $DST_MAC: not a MAC address, as 90:e2:ba:ff:ff:ff"
	if [ -z "$DEST_IP" ]; then
		DEST_IP=198.18.0.42
		[ -z "$IP6" ] || DEST_IP=fd00::1
	fi
	pg_to=$(pg_addresses "$DEST_IP")
	[ -n "$pg_to" ] || pg_die 2 "-d $DEST_IP: not an IPv${IP6:-4} address or network"
	pg_ports_from=${DST_PORT%-*} pg_ports_to=${DST_PORT#*-}
	if [ -n "$DST_PORT" ]; then
		pg_number p "$pg_ports_from" 1 65535
		pg_number p "$pg_ports_to" "$pg_ports_from" 65535
		# pktgen takes a last port for the first that is not meant, and knows no 65536.
		[ "$pg_ports_from" -eq "$pg_ports_to" ] || pg_number p "$pg_ports_to" 1 65534
	fi
	if [ -n "$VLAN" ]; then
		VLAN_BYTES=4
		pg_number q "${VLAN%%:*}" 0 4095
		[ "$VLAN" = "${VLAN%%:*}" ] || pg_number q "${VLAN#*:}" 0 7
	fi
	pg_check_sizes
}

# The least size is the headers plus the 16 bytes that pktgen puts behind them. For a smaller size pktgen sends
# frames of
# the least size, but counts the bytes of the smaller one.
pg_check_sizes() {
	pg_least=$((58 + VLAN_BYTES))
	[ -z "$IP6" ] || pg_least=$((78 + VLAN_BYTES))
	if [ -n "$IMIX" ]; then
		pg_check_imix
	elif [ "$PKT_SIZE" -lt $pg_least ]; then
		! pg_given s || pg_die 2 "-s $PKT_SIZE: frames with these headers have at least $pg_least bytes"
		PKT_SIZE=$pg_least
	fi
}

# pktgen has a table of 20 sizes, but does not refuse a 21st. It spreads the sizes over 100 draws, so a size with a
# weight
# below 1 in 100 is never sent.
pg_check_imix() {
	pg_error=$(echo "$IMIX" | awk -v least=$((pg_least > 60 ? pg_least : 60)) '
		{ for (i = 1; i <= NF; i++) {
			if ($i !~ /^[0-9]+,[0-9]+$/ || length($i) > 15) { print $i ": not SIZE,WEIGHT"; exit }
			split($i, a, ",")
			if (a[1] < least || a[1] > 9216) { print $i ": sizes are " least "..9216"; exit }
			weight[i] = a[2]
			sum += a[2]
		}
		if (NF == 0) print "no sizes"
		else if (NF > 20) print "more than 20 sizes"
		else for (i = 1; i <= NF; i++) if (weight[i] * 100 < sum) { print $i ": the weight is less than one in a hundred, pktgen would send none"; exit }
		}')
	[ -z "$pg_error" ] || pg_die 2 "-z $pg_error"
	PKT_SIZE=$(echo "$IMIX" | tr ' ' '\n' | sort -n | sed -n '$s/,.*//p')
}

# Refuses options that pktgen would accept without an error, and then do something other than the user asked for.
pg_check_together() {
	[ -z "$RATE" ] || [ "$DELAY" -eq 0 ] || pg_die 2 "-r and -w: one of them"
	if [ -n "$RATE" ] || [ "$DELAY" -gt 0 ]; then
		if pg_given b; then
			[ "$BURST" -eq 1 ] || pg_die 2 "-b $BURST: pktgen waits between bursts, not between the frames of one; use -b 1"
		fi
		BURST=1
	fi
	if [ -n "$FLOWS" ] && [ "$FLOWS" -gt 1 ]; then
		pg_given b || BURST=1
		[ "$BURST" -eq 1 ] || pg_die 2 "-b $BURST: a burst is one frame many times, not many flows; use -b 1"
	fi
	if [ -n "$IMIX" ]; then
		! pg_given s || pg_die 2 "-s and -z: one of them"
		pg_given b || BURST=1
		[ "$BURST" -eq 1 ] || pg_die 2 "-b $BURST: a burst is one frame many times, not many sizes; use -b 1"
		[ "$CLONE_SKB" -eq 0 ] || pg_die 2 "-c $CLONE_SKB: a clone has the size of its original; use -c 0"
	fi
	[ "$XMIT" != netif_receive ] || [ "$CLONE_SKB" -eq 0 ] || pg_die 2 "-c $CLONE_SKB: an injected skb cannot be cloned; use -b"
	[ -z "$APPEND" ] || [ -z "$pg_silence" ] || pg_die 2 "-a and -e: -a does not send, so -e has nothing to end"
}

# "198.18.0.0/15" -> "198.18.0.0 198.19.255.255"; prints nothing for a text that is not an address. In IPv6, pktgen
# makes
# the bits random in which the two addresses differ.
pg_addresses() {
	awk -v text="$1" -v v6="$IP6" '
		function hex(s,  i, n) { n = 0; for (i = 1; i <= length(s); i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
		# Splits an address into part[1..parts], each of so many bits; false for a text that is not an
		# address.
		function parse4(s,  i) {
			if (split(s, part, ".") != 4) return 0
			for (i = 1; i <= 4; i++) if (part[i] !~ /^[0-9]+$/ || length(part[i]) > 3 || part[i] > 255) return 0
			return 1
		}
		function parse6(s,  i, n, a, at, gap) {
			s = tolower(s)
			if (s ~ /:::/ || s ~ /[^0-9a-f:]/ || s !~ /:/ || (s ~ /^:/ && s !~ /^::/) || (s ~ /:$/ && s !~ /::$/)) return 0
			gap = index(s, "::")
			if (gap && index(substr(s, gap + 1), "::")) return 0
			sub(/^::/, "0::", s); sub(/::$/, "::0", s)
			n = split(s, a, ":")
			if (gap ? n > 8 + (n == 9) : n != 8) return 0
			for (i = at = 1; i <= n; i++) {
				if (a[i] == "") { while (at <= 8 - (n - i)) part[at++] = 0; continue }
				if (length(a[i]) > 4) return 0
				part[at++] = hex(a[i])
			}
			return at == 9
		}
		BEGIN {
			bits = v6 ? 16 : 8; parts = v6 ? 8 : 4
			slash = index(text, "/")
			prefix = slash ? substr(text, slash + 1) : bits * parts
			if (slash) text = substr(text, 1, slash - 1)
			if (prefix !~ /^[0-9]+$/ || prefix + 0 > bits * parts || !(v6 ? parse6(text) : parse4(text))) exit
			for (i = 1; i <= parts; i++) {
				free = i * bits - prefix
				free = free < 0 ? 0 : free > bits ? bits : free
				low = part[i] - part[i] % 2 ^ free
				high = low + 2 ^ free - 1
				from = from (i > 1 ? (v6 ? ":" : ".") : "") sprintf(v6 ? "%x" : "%d", low)
				to = to (i > 1 ? (v6 ? ":" : ".") : "") sprintf(v6 ? "%x" : "%d", high)
			}
			print from, to
		}'
}

# ---- the device, and the receiver of its frames

pg_sys() { cat "/sys/class/net/$DEV/$1" 2>/dev/null; }

pg_check_device() {
	[ "$(id -u)" -eq 0 ] || pg_die 77 "pktgen needs root"
	case $DEV in */* | . | ..) pg_die 1 "$DEV is not a name that a device can have" ;; esac
	[ -d "/sys/class/net/$DEV" ] || pg_die 1 "$DEV: no such device"
	[ "$(($(pg_sys flags) & 1))" -eq 1 ] || pg_die 1 "$DEV is down; bring it up first: ip link set $DEV up"
	[ "$(pg_sys carrier)" = 1 ] || pg_die 1 "$DEV has no link: cable, other end?"
	[ "$PKT_SIZE" -le $(($(pg_sys mtu) + 14 + VLAN_BYTES)) ] ||
		pg_die 1 "$PKT_SIZE bytes are more than $DEV takes: MTU $(pg_sys mtu) plus the Ethernet header"
	pg_find_receiver
	pg_check_receiver
}

pg_link() { ip -o -d link show dev "$1" 2>/dev/null; }

# The XDP mode in a line of "ip -o link": "generic", "native", or nothing.
pg_xdp() {
	case $(sed 's/^[^<]*<[^>]*> mtu [0-9]* \([^ ]*\) .*/\1/') in
	xdpgeneric | xdpmulti) echo generic ;;
	xdp | xdpoffload) echo native ;;
	esac
}

# Finds the device on this machine that receives the frames (pg_rx), and its XDP mode (pg_rx_xdp). A wire: pg_rx is
# empty.
pg_find_receiver() {
	pg_rx='' pg_rx_xdp=''
	if [ "$XMIT" = netif_receive ] || [ "$(($(pg_sys flags) & 8))" -ne 0 ]; then
		pg_rx=$DEV pg_rx_xdp=$(pg_link "$DEV" | pg_xdp)
		return
	fi
	pg_words=$(pg_link "$DEV" | sed 's/^[^<]*//')
	case " $pg_words " in
	*" veth "*) ;;
	*) return ;;
	esac
	pg_peer="^$(pg_sys iflink): "
	case $pg_words in
	*" link-netns "*) pg_peer_line=$(ip -n "$(echo "$pg_words" | sed 's/.* link-netns \([^ ]*\) .*/\1/')" -o link | grep "$pg_peer") ;;
	*" link-netnsid "*) pg_peer_line= ;;
	*) pg_peer_line=$(ip -o link | grep "$pg_peer") ;;
	esac
	pg_rx=$(echo "$pg_peer_line" | sed 's/^[0-9]*: \([^:@]*\).*/\1/')
	pg_rx_xdp=$(echo "$pg_peer_line" | pg_xdp)
	[ -n "$pg_rx" ] || pg_rx="the other end of $DEV" pg_rx_xdp=unknown
}

# Generic XDP may write to its skbs, so it needs skbs that nobody shares: a shared skb is a BUG() in
# pskb_expand_head().
pg_check_receiver() {
	case $pg_rx_xdp:$XMIT in
	native:netif_receive)
		pg_die 1 "$DEV runs XDP in its driver, and injected skbs enter above the driver: the program would see none; attach in skb mode"
		;;
	native:*)
		pg_die 1 "$pg_rx runs XDP natively and has to copy each skb into a frame first, so native XDP would look too slow; send frames instead: xdpzoom gen $DEV"
		;;
	generic:*)
		[ "$BURST" -eq 1 ] || pg_die 1 "$pg_rx runs generic XDP, and a burst is one skb many times: the kernel would crash; use -b 1"
		[ "$CLONE_SKB" -eq 0 ] || pg_die 1 "$pg_rx runs generic XDP, and clones are one skb many times: the kernel would crash; use -c 0"
		;;
	esac
}

# ---- pktgen

pg_try() { { echo "$2" >"$1"; } 2>/dev/null && grep -q '^Result: OK' "$1"; } # file, words

# The shell's own echo hides the kernel's reason, so /bin/echo writes again and reports it.
pg_refused() {
	pg_error=$({ /bin/echo "$*" >"$pg_file"; } 2>&1)
	case $* in
	"burst "* | "clone_skb "*) pg_error="the driver keeps each skb (no IFF_TX_SKB_SHARING), so it takes no bursts and no clones; use -b 1 -c 0" ;;
	add_device*) pg_error="pktgen takes a device once per thread, and only Ethernet and loopback devices" ;;
	esac
	pg_die 1 "${pg_file##*/}: $*: ${pg_error##*: }"
}

# pg_write FILE WORDS...: the kernel's answer is the error of the write, or the Result line of the file.
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

pg_listed() { grep -qs '^\(Running\|Stopped\): *[^ ]' "$PG"/kpktgend_*; }

# Takes all devices away, and waits until they are gone: pktgen's threads do it one by one, on a CPU with other work long
# after the write has returned, and a device that is added before is taken away, too.
pg_clear() {
	pg_listed || return 0
	echo reset >"$PG/pgctrl" || return 1
	pg_tries=100
	while pg_listed && [ $((pg_tries -= 1)) -gt 0 ]; do sleep 0.1; done
}

pg_running() { grep -l '^Running: *[^ ]' "$PG"/kpktgend_* | head -n 1; }

# Writes "stop" until the starter and all threads have ended: a stop just before the start is lost, and the start would
# last for ever. On a CPU with other work a thread begins, and ends, later than the starter's write returns.
pg_stop() {
	[ -n "$pg_starter" ] || return 0
	pg_tries=300
	while kill -0 "$pg_starter" 2>/dev/null || { pg_unfinished && [ $((pg_tries -= 1)) -gt 0 ]; }; do
		echo stop >"$PG/pgctrl"
		sleep 0.1
	done
	wait "$pg_starter"
	pg_starter=
}

# Stops, then resets: the starter's write returns when pktgen has stopped, and a reset may follow only then.
pg_close() {
	pg_stop 2>/dev/null
	[ -z "$pg_ours" ] || pg_clear 2>/dev/null
	pg_ours=
	[ -z "$pg_guard" ] || { kill "$pg_guard" && wait "$pg_guard"; } 2>/dev/null
	pg_guard=
}

# The guard waits for the end of the script. If the script did not end the guard before (kill -9), the guard cleans up. It
# holds the lock until then.
pg_watch() {
	trap '' INT HUP
	while kill -0 $$ 2>/dev/null; do sleep 1 9>&-; done
	echo stop >"$PG/pgctrl"
	pg_tries=300
	while [ -n "$(pg_running)" ] && [ $((pg_tries -= 1)) -gt 0 ]; do
		sleep 0.1 9>&-
		echo stop >"$PG/pgctrl"
	done
	pg_clear
}

pg_open() {
	pg_check_device
	[ -d "$PG" ] || modprobe pktgen 2>/dev/null
	[ -d "$PG" ] || pg_die 77 "this kernel has no pktgen (CONFIG_NET_PKTGEN, module pktgen)"
	# Each network namespace has its own pktgen and its own threads, so there is a lock for each.
	exec 9>"/run/xdpzoom-pktgen-$(stat -Lc %i /proc/self/ns/net)"
	# With -e the sender before may have lost its connection: its guard gets up to 10 s to clean up.
	flock -w "$([ -z "$pg_silence" ] && echo 0 || echo 10)" 9 || pg_die 1 "another script already drives pktgen; it is left alone"
	pg_busy=$(pg_running)
	[ -z "$pg_busy" ] || pg_die 1 "pktgen already sends (${pg_busy##*/}); it is left alone"
	pg_queues=$(find "/sys/class/net/$DEV/queues" -name 'tx-*' | wc -l)
	pg_choose_cpus
	trap pg_close EXIT
	trap 'pg_interrupted=1' INT TERM HUP
	trap '' PIPE # the clean-up is done even if the reader of the results has ended
	[ -n "$APPEND" ] || pg_reset
}

pg_reset() {
	pg_ours=1
	pg_watch </dev/null >/dev/null 2>&1 &
	pg_guard=$!
	[ -z "$VERBOSE" ] || pg_say "pgctrl: reset"
	pg_clear || pg_die 1 "pgctrl: reset: refused"
}

# "0-3,8" -> "0 1 2 3 8", without CPUs that have no pktgen thread
pg_cpu_list() {
	echo "$1" | tr ',' '\n' | while IFS=- read -r pg_from pg_last; do
		for pg_cpu in $([ -z "$pg_from" ] || seq "$pg_from" "${pg_last:-$pg_from}"); do
			[ ! -f "$PG/kpktgend_$pg_cpu" ] || echo "$pg_cpu"
		done
	done
}

# Chooses the CPUs that send, from F_THREAD on: in the order of their numbers, or with NUMA from the device's node.
pg_choose_cpus() {
	pg_cpus=
	[ -z "$NUMA" ] || pg_cpus=$(pg_cpu_list "$(pg_sys device/local_cpulist)" | tail -n "+$((F_THREAD + 1))")
	[ -n "$pg_cpus" ] || pg_cpus=$(seq "$F_THREAD" $((F_THREAD + (THREADS ? THREADS : pg_queues) - 1)))
	pg_there=$(echo "$pg_cpus" | wc -l)
	if [ "$THREADS" -eq 0 ]; then
		pg_cpus=$(pg_cpu_list "$(echo "$pg_cpus" | head -n "$pg_queues" | tr '\n' ',' | sed 's/,$//')")
	elif [ "$THREADS" -gt "$pg_there" ]; then
		pg_die 1 "-t $THREADS: the NUMA node of $DEV has $pg_there CPUs with a pktgen thread from -f $F_THREAD on"
	else
		pg_cpus=$(echo "$pg_cpus" | head -n "$THREADS")
	fi
	[ -n "$pg_cpus" ] || pg_die 1 "no pktgen thread for CPU $F_THREAD"
	for pg_cpu in $pg_cpus; do
		[ -f "$PG/kpktgend_$pg_cpu" ] || pg_die 1 "no pktgen thread for CPU $pg_cpu"
	done
	pg_threads=$(echo "$pg_cpus" | wc -l)
}

# If a device on this machine receives the skbs, pktgen must not keep a reference to them (flag !SHARED, since Linux 6.7).
pg_unshare() { # CPU
	[ -n "$pg_rx" ] && [ "$BURST" -eq 1 ] && [ "$CLONE_SKB" -eq 0 ] || return 0
	pg_try "$PG/$DEV@$1" "flag !SHARED" && return
	case $pg_rx_xdp in
	generic) pg_die 1 "$pg_rx runs generic XDP, and this kernel's pktgen (before Linux 6.7) keeps a reference to each skb: the kernel would crash" ;;
	unknown) pg_die 1 "$pg_rx is in a namespace without a name; with generic XDP there, this kernel's pktgen would crash the kernel; name the namespace with ip netns attach" ;;
	esac
}

pg_configure() { # CPU, its place among ours
	pg_write "$PG/kpktgend_$1" "add_device $DEV@$1"
	pg_dev "$1" "count $COUNT"
	pg_dev "$1" "pkt_size $PKT_SIZE"
	pg_dev "$1" "queue_map_min $(($2 % pg_queues))"
	pg_dev "$1" "queue_map_max $(($2 % pg_queues))"
	pg_dev "$1" "flag NO_TIMESTAMP"
	pg_dev "$1" "dst_mac $DST_MAC"
	[ "$XMIT" = start_xmit ] || pg_dev "$1" "xmit_mode $XMIT"
	pg_unshare "$1"
	[ "$CLONE_SKB" -eq 0 ] || pg_dev "$1" "clone_skb $CLONE_SKB"
	[ "$BURST" -eq 1 ] || pg_dev "$1" "burst $BURST"
	[ "$DELAY" -eq 0 ] || pg_dev "$1" "delay $DELAY"
	[ -z "$RATE" ] || pg_dev "$1" "ratep $(((RATE + pg_threads - 1) / pg_threads))"
	[ -z "$UDP_CSUM" ] || pg_dev "$1" "flag UDPCSUM"
	pg_addresses_of "$1" "$2"
	pg_ports_of "$1"
	[ -z "$VLAN" ] || pg_dev "$1" "vlan_id ${VLAN%%:*}"
	[ "$VLAN" = "${VLAN%%:*}" ] || pg_dev "$1" "vlan_p ${VLAN#*:}"
	[ -z "$IMIX" ] || pg_dev "$1" "imix_weights $IMIX"
}

pg_addresses_of() { # CPU, place
	pg_dev "$1" "dst${IP6}_min ${pg_to% *}"
	pg_dev "$1" "dst${IP6}_max ${pg_to#* }"
	if [ -n "$IP6" ]; then
		# pktgen uses the device's link-local address as source address, and fails where IPv6 is off.
		# shellcheck disable=SC2015 # src6 is set if either condition fails
		[ -z "$NUMA" ] && grep -q "^fe80.* $DEV\$" /proc/net/if_inet6 || pg_dev "$1" "src6 fd00::$(printf %x $((2 + $2)))"
	elif [ -n "$FLOWS" ]; then
		pg_dev "$1" "src_min 198.18.0.1"
		pg_dev "$1" "src_max 198.18.$((FLOWS / 256)).$((FLOWS % 256))"
	elif [ -n "$NUMA" ]; then
		pg_dev "$1" "src_min 198.18.$(($2 / 250 + 1)).$(($2 % 250 + 1))"
		pg_dev "$1" "src_max 198.18.$(($2 / 250 + 1)).$(($2 % 250 + 1))"
	elif [ -z "$(ip -4 -o addr show dev "$DEV" 2>/dev/null)" ]; then
		# pktgen takes the device's address, or 0.0.0.0, whose packets no receiver's stack takes.
		pg_dev "$1" "src_min 198.18.0.1"
		pg_dev "$1" "src_max 198.18.0.1"
	fi
}

pg_ports_of() { # CPU
	if [ -n "$IP6" ] && [ -n "$FLOWS" ]; then
		pg_dev "$1" "udp_src_min 9"
		pg_dev "$1" "udp_src_max $((9 + FLOWS))"
	fi
	[ -n "$DST_PORT" ] || return 0
	pg_dev "$1" "udp_dst_min $pg_ports_from"
	if [ "$pg_ports_from" -eq "$pg_ports_to" ]; then
		pg_dev "$1" "udp_dst_max $pg_ports_to"
	else
		pg_dev "$1" "flag UDPDST_RND"
		pg_dev "$1" "udp_dst_max $((pg_ports_to + 1))"
	fi
}

# ---- sending

# True while a thread has not begun, or has not ended. The starter's write alone does not tell: the kernel gives threads
# 125 ms to begin, and a thread on a CPU with other work begins later than the write returns.
pg_unfinished() {
	for pg_cpu in $pg_cpus; do
		[ ! -f "$PG/$DEV@$pg_cpu" ] || grep -qs '^Result: \(OK.* usec\|Failed\)' "$PG/$DEV@$pg_cpu" || return 0
	done
	return 1
}

# True until all threads have ended, a signal came, or with -e standard input ended or was silent for too long.
pg_sending() {
	[ -z "$pg_interrupted" ] && { kill -0 "$pg_starter" 2>/dev/null || pg_unfinished; } || return 1
	if [ -n "$pg_silence" ]; then
		[ -n "$(timeout "$pg_silence" dd bs=64 count=1 2>/dev/null)" ] || pg_interrupted=1
	elif kill -0 "$pg_starter" 2>/dev/null; then
		wait "$pg_starter"
	else
		sleep 0.1
	fi
}

pg_start() {
	# With -e a program reads the output: print the device before the first frame.
	[ -z "$pg_silence" ] || pg_about_device
	(trap - INT TERM HUP; exec 9>&-; echo start >"$PG/pgctrl") >/dev/null 2>&1 &
	pg_starter=$!
}

pg_about_device() {
	pg_driver=$(basename "$(readlink "/sys/class/net/$DEV/device/driver")")
	pg_pause=$(ethtool -a "$DEV" 2>/dev/null | awk '/^(RX|TX):/ { print tolower($1) $2 }' | tr '\n' ' ')
	printf '{"schema":"xdpzoom.pktgen/1","state":"sending","device":"%s","mac":"%s","driver":"%s","speed_mbps":%d,"pause":"%s","kernel":"%s","threads":%d,"queues":%d,"ssh":"%s"}\n' \
		"$DEV" "$(pg_sys address)" "$pg_driver" "$(pg_sys speed || echo -1)" "${pg_pause% }" "$(uname -r)" "$pg_threads" "$pg_queues" "${SSH_CONNECTION-}"
}

pg_run() {
	pg_back=$(pg_sys statistics/rx_packets)
	[ -n "$pg_interrupted" ] || pg_start
	while [ -n "$pg_starter" ] && pg_sending; do :; done
	pg_stop
	pg_rows=$(for pg_cpu in $pg_cpus; do pg_row "$pg_cpu"; done)
	[ -z "$pg_silence" ] || sleep 0.2 # the last frames that come back are still under way
	pg_back=$(($(pg_sys statistics/rx_packets || echo "$pg_back") - pg_back))
	pg_close
	echo "$pg_rows" | pg_print
	pg_judge
}

# Prints "CPU sent errors us bits" from a device's file, and the reason of the end if it was not a normal one.
pg_row() { # CPU
	awk -v cpu="$1" -v size="$PKT_SIZE" '
		/^ *pkts-sofar:/ { sent = $2; errors = $4 }
		/^ *imix_size_counts:/ { for (i = 2; i <= NF; i++) { split($i, a, ","); n += a[2]; bytes += a[1] * a[2] } }
		/^Result:/ { us = $3 + 0; sub(/^Result: /, ""); why = $0 ~ /^OK/ ? "" : $0 }
		END { printf "%d %.0f %.0f %.0f %.0f %s\n", cpu, sent, errors, us, 8 * sent * (n ? bytes / n : size), why }' "$PG/$DEV@$1" 2>/dev/null ||
		echo "$1 0 0 0 0 $DEV has vanished"
}

pg_print() {
	awk -v dev="$DEV" -v name="$pg_name" -v json="$pg_json" -v bytes="$PKT_SIZE" -v imix="$IMIX" -v rate="${RATE:-0}" -v back="$pg_back" '
		function per_s(n, us) { return us > 0 ? n / us * 1e6 : 0 }
		function line(who, sent, errors, us, bits) {
			printf "%s: sent %.0f frames of %s bytes in %.3f s, %.0f pps, %.3f Mb/s, %.0f errors\n", who, sent,
				imix == "" ? bytes : imix, us / 1e6, per_s(sent, us), per_s(bits, us) / 1e6, errors
		}
		function numbers(sent, errors, us, bits) {
			return sprintf("\"sent\":%.0f,\"errors\":%.0f,\"seconds\":%.6f,\"pps\":%.0f,\"bits_per_s\":%.0f", sent, errors,
				us / 1e6, per_s(sent, us), per_s(bits, us))
		}
		{
			n++
			if (json) threads = threads (n > 1 ? "," : "") "{\"cpu\":" $1 "," numbers($2, $3, $4, $5) "}"
			else line(dev "@" $1, $2, $3, $4, $5)
			sent += $2; errors += $3; bits += $5; us = $4 > us ? $4 : us
		}
		END {
			if (json) printf "{\"schema\":\"xdpzoom.pktgen/1\",\"state\":\"done\",\"script\":\"%s\",\"device\":\"%s\",\"bytes\":%s,\"rate_pps\":%d,\"received\":%.0f,%s,\"threads\":[%s]}\n", name, dev, imix == "" ? bytes : "\"" imix "\"", rate, back, numbers(sent, errors, us, bits), threads
			else if (n > 1) line(dev, sent, errors, us, bits)
		}'
}

# Checks that each thread sent the wanted number of frames, and that all together reached the wanted rate.
pg_judge() {
	while read -r pg_cpu pg_sent pg_errors pg_us pg_bits pg_why; do
		[ -z "$pg_why" ] || pg_die 1 "$DEV@$pg_cpu: $pg_why"
		[ -n "$pg_interrupted" ] || [ "$COUNT" -gt 0 ] || pg_die 1 "$DEV@$pg_cpu: pktgen stopped by itself after $pg_sent frames; has $DEV lost its link?"
		[ -n "$pg_interrupted" ] || [ "$pg_sent" -ge "$COUNT" ] || pg_die 1 "$DEV@$pg_cpu: $pg_sent frames instead of $COUNT"
	done <<-END
	$pg_rows
	END
	[ -z "$RATE" ] || echo "$pg_rows" | awk -v name="$pg_name" -v rate="$RATE" '
		$4 > 0 { pps += $2 / $4 * 1e6 }
		END { if (pps < 0.95 * rate) printf "%s: asked for %d frames/s, sent %.0f: this CPU sends no faster\n", name, rate, pps }' >&2
}

pg_main() {
	pg_options "$@"
	pg_open
	pg_place=0
	for pg_of in $pg_cpus; do
		pg_configure "$pg_of" $pg_place
		pg_place=$((pg_place + 1))
	done
	if [ -n "$APPEND" ]; then
		pg_say "configured; to start all devices: echo start >$PG/pgctrl"
	else
		pg_run
	fi
}
