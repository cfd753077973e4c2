package lnp

import (
	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// The duck of COIL-20 on its turntable (Figs 4 and 7).

var duck = closedCurve{prefix: "duck", title: "the views of the duck", data: "coil20-duck", load: bench.SelectedSet("coil20-duck"), drawn: []int{5, 10, 20, 60}}

const duckSizes = 71 // the largest K: all the other views

func duckCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, x := range embedders {
		cases = append(cases, duck.asCase(x, sizesUpTo(e, duckSizes)))
	}
	return cases
}

var duckClaims = []bench.Claim{
	{
		Name: "duck-dimension", Source: papers.LNP + ", Fig. 2(c)",
		Statement: "On 72 views of the COIL-20 duck the largest gap in the mean sorted weights of LNP tells the dimension 1 for every K.",
		Paper:     "curves",
		Check:     func(r *bench.Records) bench.Finding { return dimensionOne(r, duck, false) },
	},
	{
		Name: "duck-embedding", Source: papers.LNP + ", Fig. 7",
		Statement: "LNP embeds the views of the duck as a ring for every K, and of the four methods it alone does.",
		Paper:     "pictures",
		// LNP misses one view of the 72 at every K.
		Check: func(r *bench.Records) bench.Finding { return onlyRing(r, duck, 0.95) },
	},
	highestOfFour(duck, "nalac", "Fig. 4(c)"), highestOfFour(duck, "soft-nalac", "Fig. 4(d)"),
}

func duckSections(r *bench.Records) []bench.Section {
	return duck.sections(r, "The COIL-20 duck", "Figs 4 and 7", duckSizes,
		"72 views of object 0 of COIL-20, 5 degrees apart, 32 × 32 pixels (the paper gives 192 × 168, the size of its faces; the program that its authors published reads 32 × 32), embedded in two dimensions at every K.",
		"the angle in degrees")
}
