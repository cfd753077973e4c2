package scaling

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// readmeRows are the rows of the README's table of a million samples: processor seconds,
// the error, and GiB.
var readmeRows = []struct{ method, words string }{
	{"le", "| Laplacian eigenmaps | 19 | angle 0.0025 | 1.3 |"},
	{"neml", "| NEML | 46 | dev 1.1e-5 | 2.9 |"},
	{"lle", "| LLE | 50 | dev 7.6e-4 | 3.0 |"},
	{"ltsa", "| LTSA | 49 | dev 3.6e-6 | 2.9 |"},
}

func readmeClaims() []bench.Claim {
	var list []bench.Claim
	for _, row := range readmeRows {
		list = append(list, bench.Claim{
			Name: "readme/million/" + row.method, Source: "orthant", Paper: row.words,
			Statement: "A million samples of a surface by " + row.method + " take the processor seconds and memory that the README prints, with its error, a tenth more of each at most.",
			Check: func(r *bench.Records) bench.Finding {
				name := caseName("surface", row.method, millionSamples)
				f, ready := r.Sound(name)
				if !ready {
					return f
				}
				one, figures := r.Get(name), bench.Figures(row.words)
				cpu, _ := r.CPU(name)
				v, _ := r.Quality(name, one.Accuracy[0].Quality)
				gib := float64(one.PeakBytes) / (1 << 30)
				var why []string
				for i, got := range []float64{cpu, v, gib} {
					if got > figures[i]*(1+bench.Spare) {
						why = append(why, fmt.Sprintf("%s, not %g%s", bench.ErrorText(got), figures[i], []string{" s", "", " GiB"}[i]))
					}
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g s, %s, %.1f GiB", cpu, r.AccuracyCell(name).Text, gib), f.Cases, why...)
			},
		})
	}
	return list
}
