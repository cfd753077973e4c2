package neml

import (
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

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
	{"Eq. 4.7: how many weight vectors a sample gets", nil, "A definition. Its «<» would leave out the median sample itself, so that it is «≤» here, and η has a floor of 1e-14."},
	{"Algorithm: its references to eqs 4.24 and 4.21", nil, "Misprints for the definitions of W and of the update of the alignment matrix."},
	{"Almost the same cost as LLE", []string{"cost-work", "cost-time"}, "The exponents are in the suite complexity."},
	{"Theorem 6.1: NEML beside LTSA", []string{"bound-angle", "bound-angle-printed"}, "Printed with σ_d of the weights; its proof needs their smallest singular value."},
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
