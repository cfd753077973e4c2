package bench

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// placeKinds are what a paper's claims are found at, in the order of the tables.
var placeKinds = []string{"fig", "table", "theorem", "section", "eq"}

// comparePlaces orders places in a paper: figures, tables, theorems, sections and
// equations by their numbers, then what has no number. Unlike words are not compared, so
// that a stable sort leaves them as they are.
func comparePlaces(a, b string) int {
	kindA, numberA := placeOf(a)
	kindB, numberB := placeOf(b)
	return cmp.Or(cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB))
}

// placeOf splits a place such as "Figs 5–7, Tables I–II" into the rank of its first
// word and its first number.
func placeOf(place string) (kind int, number float64) {
	words := strings.Fields(strings.ToLower(place))
	kind = len(placeKinds)
	if len(words) < 2 {
		return kind, 0
	}
	for i, name := range placeKinds {
		if strings.HasPrefix(words[0], name) {
			kind = i
		}
	}
	if kind == len(placeKinds) {
		return kind, 0
	}
	digits := strings.FieldsFunc(words[1], func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && !strings.ContainsRune("ivx", r) })
	if len(digits) == 0 {
		return kind, 0
	}
	if n, err := strconv.ParseFloat(strings.Trim(digits[0], "."), 64); err == nil {
		return kind, n
	}
	return kind, float64(roman(digits[0]))
}

// roman reads a small Roman number, such as those of tables and sections.
func roman(text string) int {
	values := map[rune]int{'i': 1, 'v': 5, 'x': 10}
	sum, last := 0, 0
	for _, r := range text {
		v := values[r]
		if v > last {
			v -= 2 * last // what was added before it counts against it
		}
		sum, last = sum+v, values[r]
	}
	return sum
}
