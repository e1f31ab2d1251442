# strip-c.awk: C source without comments and without the inside of string and character constants,
# line for line, so that what is left can be searched for calls. #include lines are kept whole.
function strip(line,    out, i, c, two) {
	out = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (in_comment) {
			if (two == "*/") { in_comment = 0; i++ }
		} else if (quote != "") {
			if (c == "\\") i++
			else if (c == quote) { quote = ""; out = out c }
		} else if (two == "/*") {
			in_comment = 1; i++
		} else if (two == "//") {
			break
		} else {
			if (c == "\"" || c == "'") quote = c
			out = out c
		}
	}
	quote = "" # a constant ends with its line
	return out
}
FNR == 1 { in_comment = 0; quote = "" }
!in_comment && /^[ \t]*#[ \t]*include/ { print; next }
{ print strip($0) }
