# fish.awk - option tables ("PROGRAM --help=table") -> fish completion; awk -v program=NAME -f fish.awk
# Fields of a line, with tabs between: command; option or number of an argument; letter; kind; value's name; words;
# help.
function quote(s) { gsub(/[\\']/, "\\\\&", s); return "'" s "'" }
# The arguments of "complete" for a value of this kind.
function offer(kind, words) {
	gsub(/:[A-Z]+/, ":", words) # "redirect:DEV" is offered up to the colon
	if (kind == "word") return "-xa " quote(words)
	if (kind == "list") return words ? "-xa " quote("(__fish_complete_list , \"string split ' ' '" words "'\")") : "-x"
	if (kind == "file") return "-rF"
	if (kind == "dir") return "-xa '(__fish_complete_directories)'"
	if (kind == "run") return "-xa '(__" program "_runs)'"
	if (kind == "dev") return "-xa " quote("(path basename /sys/class/net/* 2>/dev/null; or ls /sys/class/net)" (words ? " " words : ""))
	if (kind == "netns") return "-xa '(ls /run/netns 2>/dev/null)'"
	return "-x"
}
BEGIN {
	FS = "\t"
	print "# fish completion for " program ", made from its option tables\n"
}
$4 == "command" { help[$1] = $7; order[++n] = $1; next }
{ rows[++m] = $0 }
$2 ~ /^--/ && $4 != "flag" { takes[$1] = takes[$1] " " $2 ($3 ? " -" $3 : "") }
END {
	alone = n == 1 && order[1] == program
	print "# The number of the argument that is being written, and the command before it; options' values do not count."
	print "function __" program "_at -a command number"
	print "\tset -l words (commandline -opc)[2..-1]"
	if (!alone) {
		print "\ttest \"$words[1]\" = $command; or return 1"
		print "\tset -e words[1]"
	}
	print "\tset -l takes"
	print "\tswitch $command"
	for (i = 1; i <= n; i++)
		print "\t\tcase " order[i] "\n\t\t\tset takes" takes[order[i]]
	print "\tend"
	print "\tset -l count 1"
	print "\tset -l value 0"
	print "\tfor word in $words"
	print "\t\tif test $value = 1"
	print "\t\t\tset value 0"
	print "\t\telse if contains -- $word $takes"
	print "\t\t\tset value 1"
	print "\t\telse if not string match -q -- '-*' $word"
	print "\t\t\tset count (math $count + 1)"
	print "\t\tend"
	print "\tend"
	print "\ttest $count = $number"
	print "end\n"
	print "function __" program "_runs"
	print "\tset -l dir (string replace -r ':.*' '' -- (commandline -ct))"
	print "\tif test -f \"$dir/run.json\""
	print "\t\tstring replace -rf '^[ {]*\"id\": \"([^\"]*@[^\"]*)\".*$' \"$dir:\\$1\" < $dir/run.json"
	print "\tend"
	print "\t__fish_complete_directories"
	print "end\n"
	print "complete -c " program " -f"
	if (!alone) {
		for (i = 1; i <= n; i++)
			print "complete -c " program " -n __fish_use_subcommand -a " order[i] " -d " quote(help[order[i]])
		print "complete -c " program " -n __fish_use_subcommand -l version -d 'print the version'"
	}
	for (i = 1; i <= m; i++) {
		split(rows[i], f, "\t")
		where = alone ? "" : " -n " quote("__fish_seen_subcommand_from " f[1])
		if (f[2] !~ /^--/)
			print "complete -c " program " -n " quote("__" program "_at " f[1] " " f[2]) " " offer(f[4], f[6])
		else
			print "complete -c " program where (f[3] ? " -s " f[3] : "") " -l " substr(f[2], 3) \
				(f[4] == "flag" ? "" : " " offer(f[4], f[6])) " -d " quote(f[7])
	}
}
