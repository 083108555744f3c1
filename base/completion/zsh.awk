# zsh.awk - option tables ("PROGRAM --help=table") -> zsh completion; awk -v program=NAME -f zsh.awk
# Fields of a line, with tabs between: command; option or number of an argument; letter; kind; value's name; words;
# help.
BEGIN {
	FS = "\t"
	print "#compdef " program
	print "# zsh completion for " program ", made from its option tables"
	print ""
	print "_" program "_devices() { local -a found; found=(/sys/class/net/*(N:t) $@); compadd -a found }"
	print "_" program "_netns() { local -a found; found=(/run/netns/*(N:t)); compadd -a found }"
	print "_" program "_runs() {"
	print "\tlocal -a found"
	print "\tif compset -P '*:'; then"
	print "\t\tfound=(${(f)\"$(sed -n 's/^[ {]*\"id\": \"\\([^\"]*@[^\"]*\\)\".*$/\\1/p' ${IPREFIX%:}/run.json 2>/dev/null)\"})"
	print "\t\tcompadd -a found"
	print "\telse"
	print "\t\t_directories -S ''"
	print "\tfi"
	print "}"
}
# Escapes the characters that _arguments reads as its own syntax, between brackets or colons.
function text(s) {
	gsub(/\\/, "\\\\&", s)
	gsub(/\[/, "\\[", s)
	gsub(/\]/, "\\]", s)
	gsub(/:/, "\\:", s)
	gsub(/'/, "'\\''", s)
	return s
}
function action(kind, words) {
	gsub(/:[A-Z]+/, "\\:", words) # "redirect:DEV" is offered up to the colon
	if (kind == "word") return "(" words ")"
	if (kind == "list") return words ? "_sequence compadd - " words : " "
	if (kind == "file") return "_files"
	if (kind == "dir") return "_directories"
	if (kind == "run") return "_" program "_runs"
	if (kind == "dev") return "_" program "_devices " words
	if (kind == "netns") return "_" program "_netns"
	return " "
}
$4 == "command" {
	if (open) print "}"
	open = 1
	if ($1 != program) described = described "\t\t\t'" $1 ":" text($7) "'\n"
	print "\n_" program "_command_" $1 "() {"
	print "\t_arguments -s -S \\"
	next
}
{
	value = $4 == "flag" ? "" : ":" text($5) ":" action($4, $6)
	sign = $4 == "flag" ? "" : "="
	if ($2 !~ /^--/) spec = "'" $2 ":" text($5) ":" action($4, $6) "'"
	else if ($3) spec = ($4 == "list" ? "'*'" : "'(-" $3 " " $2 ")'") "{-" $3 ($4 == "flag" ? "" : "+") "," $2 sign "}'[" text($7) "]" value "'"
	else spec = "'" ($4 == "list" ? "*" : "") $2 sign "[" text($7) "]" value "'"
	print "\t\t" spec ($2 == "--help" ? "" : " \\")
}
END {
	print "}\n"
	print "_" program "() {"
	if (described) {
		print "\tlocal curcontext=$curcontext state line\n\tlocal -a commands"
		print "\t_arguments -C '--help[print the commands]' '--version[print the version]' '1:command:->command' '*::argument:->argument'"
		print "\tcase $state in"
		print "\tcommand)"
		print "\t\tcommands=("
		printf "%s", described
		print "\t\t)"
		print "\t\t_describe command commands ;;"
		print "\targument) (( $+functions[_" program "_command_$words[1]] )) && _" program "_command_$words[1] ;;"
		print "\tesac"
	} else
		print "\t_" program "_command_" program
	print "}\n"
	print "if [ \"$funcstack[1]\" = _" program " ]; then _" program " \"$@\"; else compdef _" program " " program "; fi"
}
