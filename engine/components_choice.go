package engine

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// What makes one way to deal with several components suit better than the others.
const (
	mostOfAll   = 0.95 // of the samples in one component: the others are outliers
	fewMore     = 1.5  // times k: so many neighbours are still local
	mostBeside  = 12   // parts that are told apart in a picture
	leastBeside = 10   // samples of a part that is worth looking at
)

// adviseOn names the one way to go on that suits components of these sizes, the largest first, and why;
// the others follow in brackets. joining is the least k that joins them, 0 where none was found.
func adviseOn(sizes []int, method row, needConnected, measured bool, k, joining int) string {
	choices := []string{"largest", "each"}
	if !needConnected {
		choices = append(choices, "joint")
	}
	if measured { // a bridge is measured between samples
		choices = append(choices, "bridge")
	}
	total, least := 0, sizes[len(sizes)-1]
	for _, size := range sizes {
		total += size
	}
	others := ""
	if joining > 0 {
		others = fmt.Sprintf("%d neighbours would join them", joining)
		if float64(joining) <= fewMore*float64(k) {
			return fmt.Sprintf("%s, hardly more than the %d asked for: take that many (or choose ‹components=%s›%s)", others, k, choices[0], after(choices))
		}
	}
	suits, why := "each", fmt.Sprintf("each has at least %d samples, enough to be embedded on its own; they are laid side by side", least)
	switch {
	case float64(sizes[0]) >= mostOfAll*float64(total):
		suits, why = "largest", fmt.Sprintf("it holds %.3g %% of the samples; the rows of the others become NaN", 100*float64(sizes[0])/float64(total))
	case len(sizes) <= mostBeside && least >= max(leastBeside, method.dim+1):
	case measured:
		suits, why = "bridge", "some are too small to be embedded on their own, or they are too many; the shortest edges between them are added"
	default:
		suits, why = "largest", "some are too small to be embedded on their own, or they are too many; the rows of the others become NaN"
	}
	var rest []string
	for _, choice := range choices {
		if choice != suits {
			rest = append(rest, choice)
		}
	}
	if others != "" {
		others = "; " + others
	}
	return fmt.Sprintf("choose ‹components=%s›: %s (else %s%s)", suits, why, oneOf(rest), others)
}

// after lists the words behind the first, of which one is to be chosen.
func after(words []string) string {
	if len(words) == 2 {
		return " or " + words[1]
	}
	return ", " + oneOf(words[1:])
}

// oneOf lists words of which one is to be chosen.
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// besideScale is the factor for a part of an embedding without a unit, after which a sample
// takes as much room in it as in the first part: areas (volumes) are as numbers of samples.
func besideScale(first, part *mat.Dense) float64 {
	n, dim := first.Dims()
	m, _ := part.Dims()
	spread := scatterOf(part)
	if spread == 0 {
		return 1
	}
	return math.Pow(float64(m)/float64(n), 1/float64(dim)) * scatterOf(first) / spread
}

// scatterOf is the root of the mean square of the entries, each less the mean of its column.
func scatterOf(y *mat.Dense) float64 {
	n, dim := y.Dims()
	sum := 0.0
	for j := range dim {
		column := mat.Col(nil, j, y)
		mean := 0.0
		for _, v := range column {
			mean += v / float64(n)
		}
		for _, v := range column {
			sum += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(sum / float64(n*dim))
}
