// Package papers holds what several suites quote of a paper: its name, and the data that
// it prints.
package papers

import "github.com/orthant-go/orthant/bench"

// The papers, as the claims name them.
const (
	NEML        = "Wang, Zhang, Pattern Recognition 43, 2010"
	LNP         = "Chen, Lv, Yi, AAAI 2014"
	Nonnegative = "Zafeiriou, Laskaris, ICPR 2010"
	RNPA        = "You, Ou, Chen, Li, Zhu, Tang, IEEE TNNLS 26(11), 2015"
	SMRMF       = "Mani, Domeniconi, Griva (SMRMF), 2020"
)

// FourPoints is the example of Chen, Lv and Yi (2014): four points of the plane,
// one a row. It is shared: leave it as it is.
var FourPoints = []float64{9.8, 15.4, 12.35, 13.7, 11.75, 8.2, 4.9, 1.95}

// All lists the papers in the order in which reports show their claims.
func All() []bench.Publication {
	return []bench.Publication{
		{Name: "NEML", Source: NEML},
		{Name: "LNP", Source: LNP},
		{Name: "Nonnegative embeddings", Source: Nonnegative},
		{Name: "RNPA", Source: RNPA},
		{Name: "SMRMF", Source: SMRMF},
	}
}
