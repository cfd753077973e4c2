package rnpa

import (
	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// lost is a claim on what our copy of the paper does not have.
func lost(name, place, statement, why string) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", " + place, Statement: statement, Paper: "not in our copy",
		Check: func(*bench.Records) bench.Finding { return bench.Finding{Verdict: bench.CannotCheck, Why: why} },
	}
}

var lostClaims = []bench.Claim{
	lost("table-numbers", "Tables I and II", "ACC and NMI of every method on CMU-PIE, at each level and side.", "The numbers of both tables are lost in our copy; what the text says of them is judged as an order (table-1, table-2, pie-table-1, pie-table-2, pie-margin)."),
	lost("other-figures", "Figs 1–4 and 9–12, synthetic data", "What these figures and the synthetic data show.", "Our copy has neither these figures nor a sentence on them."),
	lost("seconds", "section IV", "How long a run takes.", "Our copy has no seconds and no machine of this paper; the cost of an iteration is judged with the other complexities."),
}
