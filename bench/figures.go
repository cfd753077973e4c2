package bench

import (
	"regexp"
	"strconv"
	"strings"
)

// figure is a number of the README: 3.6e-6, 20 000, 0.26.
var figure = regexp.MustCompile(`\d+( \d{3})*(\.\d+)?(e-?\d+)?`)

// Figures reads the numbers of a text in their order. A claim whose name begins with
// «readme/» has as its Paper the words of the README, or of docs/figures.md which continues it,
// that it judges: so each figure stands in one place, and a test holds the words to both.
func Figures(text string) []float64 {
	var list []float64
	for _, word := range figure.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(word, " ", ""), 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// Spare is by how much a measured figure may be worse than the README's: a tenth.
const Spare = 0.1
