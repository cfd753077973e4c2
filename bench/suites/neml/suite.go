// Package neml is the suite of the paper that introduced NEML.
package neml

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// Suite measures what the paper on NEML shows.
var Suite = bench.Suite{
	Name:  "neml",
	Title: "Nonlinear embedding preserving multiple local-linearities",
	About: `The figures and tables of the paper that introduced NEML, on the same data where it is to be had, with our numbers next to the paper's. Most of the paper's figures are curves and pictures without numbers; there the claim is what the text says of them.

The swiss rolls are drawn by our own definition, so that single values depend on the draw; where a claim is about an ordering it is checked on two draws. dev is eq. 7.1 against the roll's own coordinates (height and angle), of which no map that keeps lengths is an affine image: about 0.023 is the best that can be had.

Not everything can be checked: the rolling hands (Fig. 9) are not at hand, the faces are 32 × 32 where the paper has 64 × 64, which 600 digits of each class the paper took of USPS it does not say, and of Table 1 half is lost. The first table lists the paper item by item.

Smaller than in the paper: all 11 000 digits are split five times, where Fig. 7 splits 6000 of them 25 times. The quick form takes fewer samples for the inequalities, one dimension and two splits of the newsgroups, three dimensions and two splits of the digits, and leaves out all 11 000.`,
	Cases: func(e *bench.Env) []bench.Case {
		return slices.Concat(weightCases(), limitCases(), boundCases(e), planarCases(), exactCases(), holeCases(), peakCases(), tumorCases(), faceCases(), newsCases(e), digitCases(e), allDigitsCases(), costCases(e))
	},
	Claims: claims,
	Sections: func(r *bench.Records) []bench.Section {
		return slices.Concat(inventorySections(r), weightSections(r), limitSections(r), boundSections(r), exactSections(r), sheetSections(r), tumorSections(r), newsSections(r), digitSections(r), allDigitsSections(r), faceSections(r), costSections(r))
	},
}

// claims are the claims of all parts, in the order of the cases.
var claims = slices.Concat(weightClaims, limitClaims, boundClaims, exactClaims, sheetClaims, tumorClaims, newsClaims, digitClaims, allDigitsClaims, faceClaims, costClaims)

// sweptGammas are the γ of Fig. 5.
var sweptGammas = []float64{1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}

// powerOfTen writes a γ.
func powerOfTen(v float64) string { return fmt.Sprintf("1e%d", int(math.Round(math.Log10(v)))) }

// statement is a figure, table, theorem or statement of the paper, in its order, with the
// claims that judge it, and what has to be said where something is not judged.
type statement struct {
	what   string
	claims []string
	said   string
}

var inventory = []statement{
	{"Figs 1 and 2: how w(γ) depends on γ and noise", []string{"weights-sensitive", "weights-limits", "weights-noise"}, "Curves without numbers; levels of noise are ours."},
	{"Theorem 3.1 and the bounds of section 4: many weight vectors, nearly optimal and independent", []string{"bound-residual", "bound-condition"}, "The bounds of w(γ) itself, bound-exact and bound-small, are derived here."},
	{"Fig. 3: exact weights on points of the plane", []string{"planar-exact"}, "The paper's 20 points are not printed."},
	{"Eq. 4.7: how many weight vectors a sample gets", nil, "A definition. Its \"<\" would leave out the median sample itself, so it is \"≤\" here, and η has a floor of 1e-14."},
	{"Algorithm: its references to eqs 4.24 and 4.21", nil, "Misprints for the definitions of W and of the update of the alignment matrix."},
	{"Almost the same cost as LLE", []string{"cost-work", "cost-time"}, "The exponents are in the suite complexity."},
	{"Theorem 6.1: NEML compared with LTSA", []string{"bound-angle", "bound-angle-printed"}, "Printed with σ_d of the weights; its proof needs their smallest singular value."},
	{"Fig. 4: the roll with a hole", []string{"hole-neml-lle", "hole-ltsa", "hole-isomap"}, ""},
	{"Fig. 5: the error against γ", []string{"hole-gamma-flat", "hole-lle-erratic"}, ""},
	{"Fig. 6: the triple peak", []string{"peak", "peak-curvature"}, ""},
	{"Section 7.2: all digits are too many for eigs", []string{"usps-all-eigs"}, "What orthant makes of all of them: usps-all, usps-all-order."},
	{"Fig. 7: digits, errors of two classifiers", []string{"usps-below-lle", "usps-below-le"}, "Which 600 of each digit is not said."},
	{"Section 7.3: faces", []string{"faces-order", "faces-values"}, ""},
	{"Fig. 8: tumours", []string{"wdbc"}, ""},
	{"Fig. 9: the rolling hand", []string{"hands"}, ""},
	{"Table 1: newsgroups", []string{"20news-order", "20news-nn-raw", "20news-nn-lle", "20news-nn-le", "20news-nn-neml", "20news-nfl-raw", "20news-nfl-lle", "20news-nfl-le", "20news-nfl-neml",
		"20news-nn-d3", "20news-nn-d6", "20news-nn-d12", "20news-nn-d15", "20news-nfl-d3", "20news-nfl-d6", "20news-nfl-d12", "20news-nfl-d15"}, "Of 30 errors of projected postings 14 are legible, 8 of these without their row; the other 16 are lost."},
	{"Times", nil, "None is printed; the suite timing times the paper's examples."},
}

// inventorySections is the paper item by item.
func inventorySections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"of the paper", "claims", "remark"}}
	for _, item := range inventory {
		judged := []string{}
		for _, name := range item.claims {
			i := slices.IndexFunc(claims, func(c bench.Claim) bool { return c.Name == name })
			judged = append(judged, name+": "+string(claims[i].Check(r).Verdict))
		}
		text := strings.Join(judged, "; ")
		if text == "" {
			text = "not judged"
		}
		t.Rows = append(t.Rows, []bench.Cell{bench.PlainCell(item.what), bench.PlainCell(text), bench.PlainCell(item.said)})
	}
	return []bench.Section{{Title: "The paper, item by item", Text: "Every figure, table, theorem and statement about cost, with the claims that judge it or the reason why none does.", Table: t}}
}
