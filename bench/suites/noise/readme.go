package noise

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/bench"
)

const readmeWords = "for 20 000 samples of a roll with noise of half width 0.1, its sheets 2π apart, NEML then has error 0.004. With the 12 nearest of the noisy samples it has 0.23"

// readmeClaim holds the figures that the README prints, to a tenth of each.
var readmeClaim = bench.Claim{
	Name: "readme/noise", Source: "orthant", Paper: readmeWords,
	Statement: "NEML on a noisy roll of 20 000 samples has the errors that the README prints, to a tenth of each.",
	Check: func(r *bench.Records) bench.Finding {
		one := run{surface: &surfaces[0], n: 20_000, noise: 0.1, method: "neml", k: auto}
		plain := one
		plain.k = standard
		names := []string{one.name(), plain.name()}
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		a, _ := dev(r, one)
		b, _ := dev(r, plain)
		held := math.Abs(a-0.004) <= bench.Spare*0.004 && math.Abs(b-0.23) <= bench.Spare*0.23
		return bench.TargetFinding(held, fmt.Sprintf("%s with auto, %s with 12 neighbours", bench.ErrorText(a), bench.ErrorText(b)), names)
	},
}
