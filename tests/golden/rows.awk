# rows.awk - JSON as it is printed, but with a line for each element of a list of objects, however much it holds: a table
# usage: awk -f tests/golden/rows.awk [-v levels=4] FILE; numbers stay as they are
function indent(line) { match(line, /^ */); return RLENGTH }
BEGIN { levels = levels ? levels : 4 }
{
	at = indent($0)
	if (NR == 2)
		unit = at ? at : 1
	text = substr($0, at + 1)
	level = unit ? at / unit : 0
	deep = level > levels || (level == levels && text ~ /^[\]}],?$/)
	printf "%s%s", NR == 1 ? "" : deep ? (opened || text ~ /^[\]}]/ ? "" : " ") : "\n" substr($0, 1, at), text
	opened = text ~ /[\[{]$/
}
END { if (NR) print "" }
