#!/bin/bash
# Completion for bash, zsh and fish offers what the option tables hold; each shell that is here is really asked.
. "$(dirname "$0")/lib.sh"
top=$PWD
ln -s "$top/build/runs/recorded" "$tmp/run1"

# The words a shell offers behind LINE, one a line; in the folder that has run1
ask_bash() {
	# shellcheck disable=SC1003 # a quote within a quote
	bash --norc -c '
		cd "$1" && . "$2/build/completion/xdpzoom.bash" && . "$2/build/completion/perfparse.bash"
		COMP_LINE=$3 COMP_POINT=${#3} COMP_WORDBREAKS=$'\'' \t\n"\'\''@><=;|&(:'\''
		command=${3%% *}
		"_$command" && printf "%s\n" "${COMPREPLY[@]}"' bash "$tmp" "$top" "$1"
}

# zsh completes only where somebody types, so it has a terminal of its own; compadd writes down what it is given. The
# line is typed when the editor is there to read it (zle-line-init).
ask_zsh() {
	: >"$tmp/hits"
	rm -f "$tmp/done" "$tmp/ready"
	(cd "$tmp" && timeout 120 zsh -f -c '
		wait_for() {
			while [[ ! -e $1 ]]; do
				zpty -r -t shell ignored
				sleep 0.05
			done
		}
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "fpath=($1/build/completion/zsh \$fpath); autoload -Uz compinit; compinit -u -D"
		zpty -w shell "compadd() { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi; local -a hits; builtin compadd -A hits \"\$@\"; print -rl -- \$hits >>$2/hits; builtin compadd \"\$@\" }"
		zpty -w shell "finished() { : >$2/done }; comppostfuncs=(finished)"
		zpty -w shell "zle-line-init() { : >$2/ready }; bindkey ^I complete-word; zle -N zle-line-init"
		wait_for $2/ready
		zpty -n -w shell "$3"$'\''\t'\''
		wait_for $2/done
		zpty -d shell' zsh "$top" "$tmp" "$1") >/dev/null 2>&1
	grep . "$tmp/hits" | sort -u
}

ask_fish() {
	(cd "$tmp" && HOME=$tmp XDG_CONFIG_HOME=$tmp/config fish --no-config -c '
		set -p PATH $argv[1]/build
		source $argv[1]/build/completion/xdpzoom.fish
		source $argv[1]/build/completion/perfparse.fish
		complete -C $argv[2]' "$top" "$1") | cut -f 1
}

# offers SHELL LINE WORD...: exactly these, in any order
offers() {
	local shell=$1 line=$2
	shift 2
	"ask_$shell" "$line" | sed 's/ *$//' | sort >"$tmp/got"
	printf '%s\n' "$@" | sort | diff - "$tmp/got" >"$tmp/why"
	result $? "$shell: $line"
}

# offers_among SHELL LINE WORD: with others
offers_among() {
	"ask_$1" "$2" >"$tmp/why"
	grep -qxF -e "$3" "$tmp/why"
	result $? "$1: $2 ... $3"
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP no $1 here"
}

offers bash "xdpzoom re" record replay report
offers bash "xdpzoom record --tun" --tune
offers bash "xdpzoom lab " up down status
offers bash "xdpzoom record lab --tune=ring=4,th" 4,threaded
offers bash "xdpzoom report run1 -f fo" folded
offers bash "xdpzoom stat lab --variant=dr" ""
offers bash "xdpzoom stat -V drop@skb la" lab
offers_among bash "xdpzoom stat -V drop " lo
offers bash "xdpzoom report r" run1
offers bash "xdpzoom report run1:drop" drop/no-touch@native drop/no-touch@skb
offers bash "xdpzoom report run1:drop/no-touch@s" skb
offers bash "xdpzoom diff run1:drop/no-touch@native tx" tx/swap-macs@native
offers bash "xdpzoom report run1 --plot ns,wat" ns,waterfall
offers bash "xdpzoom record -V drop/no-touch@native,tx/swap-macs@s" skb
offers bash "xdpzoom record -V drop/no-touch@native,tx" native,tx/swap-macs@native native,tx/swap-macs@skb
offers bash "xdpzoom history " add list check
offers bash "xdpzoom gen lab --rate " ""
offers bash "perfparse --format " text json csv folded
offers bash "perfparse --pps 5 r" run1

# Every option of every command, as the tables have them
for program in xdpzoom perfparse; do
	for command in $(build/$program --help=table | awk -F '\t' '$4 == "command" { print $1 }'); do
		line="xdpzoom $command --"
		[ $program = xdpzoom ] || line="perfparse --"
		# shellcheck disable=SC2046 # a word each
		offers bash "$line" $(build/$program --help=table | awk -F '\t' -v c="$command" '$1 == c && $2 ~ /^--/ { print $2 }')
	done
done

if command -v zsh >/dev/null; then
	offers zsh "xdpzoom re" record replay report
	offers zsh "xdpzoom report run1:drop" drop/no-touch@native drop/no-touch@skb
else
	skip zsh
fi

if command -v fish >/dev/null; then
	offers fish "xdpzoom re" record replay report
	offers fish "xdpzoom report run1:drop" run1:drop/no-touch@native run1:drop/no-touch@skb
else
	skip fish
fi
nightly

if command -v zsh >/dev/null; then
	offers zsh "xdpzoom record --tun" --tune
	offers zsh "xdpzoom lab " up down status
	offers zsh "xdpzoom report run1 -f fo" folded
	offers_among zsh "xdpzoom stat -V drop " lo
	offers zsh "perfparse --format=" text json csv folded
fi
if command -v fish >/dev/null; then
	offers fish "xdpzoom record --tun" --tune
	offers fish "xdpzoom lab " up down status
	offers fish "xdpzoom report run1 -f fo" folded
	offers_among fish "xdpzoom stat -V drop " lo
	offers fish "xdpzoom history --name x " add list check
	offers fish "perfparse --format=" --format=text --format=json --format=csv --format=folded
fi
