package files

// Many programs write ; between the fields of a .csv where a comma is the decimal mark.
const semicolon = ';'

// delimiterOf tells by the first lines whether ; separates the fields of a text in which a
// comma is expected to. It does where both lines have as many fields by it, more than one,
// and commas make no sense: the first line has none, they make other numbers of fields of
// the lines, or what is between the semicolons of the second line is numbers, and what is
// between the commas is not.
func delimiterOf(line, second []byte, sep byte) byte {
	count := countFields(line, semicolon)
	if sep != ',' || count < 2 || !isBlank(second) && countFields(second, semicolon) != count {
		return sep
	}
	commas := countFields(line, sep)
	if commas == 1 || !isBlank(second) && countFields(second, sep) != commas {
		return semicolon
	}
	if isBlank(second) {
		second = line
	}
	if allNumbers(second, semicolon) && !allNumbers(second, sep) {
		return semicolon
	}
	return sep
}

// allNumbers tells whether all fields of a line are numbers, or say that there is none.
func allNumbers(line []byte, sep byte) bool {
	for {
		n := fieldEnd(line, sep)
		if text := fieldText(line[:n]); !isMissing(text) && !isNumber(text) {
			return false
		}
		if n == len(line) {
			return true
		}
		line = line[n+1:]
	}
}
