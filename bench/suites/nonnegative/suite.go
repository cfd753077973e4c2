// Package nonnegative is the suite of the paper on nonnegative embeddings and projections.
package nonnegative

import (
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite measures what the paper on nonnegative embeddings shows.
var Suite = bench.Suite{
	Name:  "nonnegative",
	Title: "Nonnegative embeddings and projections",
	About: `The paper prints no number and no time: it shows pictures of a swiss roll (how many samples it does not say), LE next to NLE and PCA next to NPCA, and the curves of the objective of NLE and NPCA. The claims are what the text says of them. Where a figure stands as "reference", it is what our reference programs, written independently of this one, measured on a roll or on digits of their own.

The rules for a minimum that the paper prints (eqs 7 and 16) run away from its constraint; they are measured as update=printed, next to the shifted rule that this project takes for them. Objectives are divided by the largest eigenvalue of their matrix where methods or sets are compared.

What the paper has is judged one by one: Fig. 2 in its parts a and b (NLE), c and d (NPCA), e and f (the curves); the rules of eqs 3, 7, 12 and 16, for NLE, NLLE, NPCA, NONPP, NOLPP and NMMS; the sentence that they converge to a local optimum; and faces, the outlook of section 5, for which it has no figure. It has no table, no numbered theorem, no time and no machine, so that there is nothing of these to judge. Misprints that our rules correct are listed in docs/nonnegative.md.

The reference figures for digits are of the 8 × 8 digits that come with scikit-learn, which are not at hand: the same is measured here on USPS digits of 16 × 16 pixels, so that orderings can be compared and numbers cannot. The speed of an iteration is held to what the machine does with plain reads and products in the same run.`,
	Cases: func(*bench.Env) []bench.Case {
		return slices.Concat(rollProjectionCases(), rollEmbeddingCases(), ruleCases(), nmmsCases(), wholeRunCases(), operatorCases(), partsCases(), powerCases(), printedCases(), facesCases())
	},
	Claims: slices.Concat(rollProjectionClaims, rollEmbeddingClaims, ruleClaims, printedClaims(), powerClaims, nmmsClaims, facesClaims, operatorClaims),
	Sections: func(r *bench.Records) []bench.Section {
		return slices.Concat(rollEmbeddingSections(r), rollProjectionSections(r), ruleSections(r), nmmsSections(r), partsSections(r), facesSections(r), wholeRunSections(r), operatorSections(r))
	},
}

// thousand is the paper's swiss roll as this suite draws it.
var thousand = bench.GeneratedSet("swiss-roll", 1000, 1, nil)

// ends returns the least and the largest of some numbers.
func ends(values []float64) (low, high float64) { return slices.Min(values), slices.Max(values) }

// byIteration is a curve of a series whose first number belongs to the start,
// which a logarithmic axis cannot show.
func byIteration(r *bench.Records, name, series, label string, scale float64) bench.Curve {
	c := bench.Curve{Name: label, Cases: []string{name}}
	if one := r.Get(name); one != nil {
		for i, v := range one.Series[series] {
			if i > 0 {
				c.X, c.Y = append(c.X, float64(i)), append(c.Y, v*scale)
			}
		}
	}
	return c
}

// level is a dashed line at a height.
func level(name, label string, y float64, until float64) bench.Curve {
	return bench.Curve{Name: label, X: []float64{1, until}, Y: []float64{y, y}, Dashed: true, Cases: []string{name}}
}
