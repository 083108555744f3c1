# bash.awk - option tables ("PROGRAM --help=table") -> bash completion; awk -v program=NAME -f bash.awk
# Fields of a line, with tabs between: command; option or number of an argument; letter; kind; value's name; words;
# help.
BEGIN { FS = "\t" }
{ gsub(/:[A-Z]+/, ":", $6) } # "redirect:DEV" is offered up to the colon
$4 == "command" { if ($1 != program) commands = commands (commands ? " " : "") $1; next }
$2 ~ /^--/ { options[$1] = options[$1] (options[$1] ? " " : "") $2; if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 } }
$4 != "flag" {
	values = values "\t'" $1 " " $2 "'" ($3 ? " | '" $1 " -" $3 "'" : "") ") REPLY='" $4 ($6 ? " " $6 : "") "' ;;\n"
}
END {
	print "# bash completion for " program ", made from its option tables"
	print ""
	print "# $1: \"COMMAND OPTION\" or \"COMMAND NUMBER\"; sets REPLY to \"KIND WORDS\"; a flag has none"
	print "_" program "_value() {"
	print "\tcase $1 in"
	printf "%s", values
	print "\t*) REPLY= ;;"
	print "\tesac"
	print "}"
	print ""
	print "_" program "_options() {"
	print "\tcase $1 in"
	for (i = 1; i <= n; i++)
		print "\t" order[i] ") REPLY='" options[order[i]] "' ;;"
	print "\t*) REPLY='--help" (commands ? " --version" : "") "' ;;"
	print "\tesac"
	print "}"
	while ((getline line < template) > 0) {
		gsub(/@PROGRAM@/, program, line)
		gsub(/@COMMANDS@/, commands, line)
		gsub(/@COMMAND@/, commands ? "" : program, line)
		print line
	}
}
