package neml

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

var exactClaims = []bench.Claim{{
	Name: "planar-exact", Source: papers.NEML + ", Fig. 3",
	Statement: "Points of the plane: by sets of weights that reconstruct every point exactly LLE does not give the plane back; NEML is perfect.",
	Paper:     "pictures of one sample",
	Check: func(r *bench.Records) bench.Finding {
		one := r.Get(exactCase)
		if one == nil {
			return r.FindingWithout(exactCase)
		}
		perfect, fails, both, draws := 0, 0, 0, len(one.Series["seed"])
		for i := range draws {
			first, second := one.Series["lle, least norm"][i] > distorted, one.Series["lle, another set"][i] > distorted
			if one.Series["neml"][i] <= recovered {
				perfect++
			}
			if first || second {
				fails++
			}
			if first && second {
				both++
			}
		}
		f := bench.Finding{Verdict: bench.DoesNot, Cases: []string{exactCase}, Ours: fmt.Sprintf(
			"of %d draws whose neighbourhoods determine the plane NEML gives back %d (dev ≤ %.0e), LLE fails by one of the two sets on %d, by both on %d (dev > %v)", draws, perfect, recovered, fails, both, distorted)}
		switch {
		case draws > 0 && perfect == draws && 2*fails >= draws:
			f.Verdict = bench.Reproduces
		case perfect > 0 && fails > 0:
			f.Verdict = bench.PartlyHolds
			f.Why = "The paper shows one sample; it is reproduced where all draws are perfect by NEML and half or more are distorted by LLE."
		}
		return f
	},
}}

func exactSections(r *bench.Records) []bench.Section {
	one := r.Get(exactCase)
	if one == nil {
		return nil
	}
	s := bench.Section{
		Title: "Weights without error (Fig. 3)",
		Text:  "20 points of the unit square, k = 4: every point is reconstructed exactly by the weights of least norm, and by these plus a drawn vector that changes no reconstruction. The table counts draws by dev. Below, a draw on which LLE fails where there is one, each embedding after the affine map that brings it nearest to the points.",
		Table: &bench.Table{Columns: []string{"embedding", "dev ≤ 1e-6", "between", "dev > 0.1"}},
	}
	for _, name := range []string{"lle, least norm", "lle, another set", "neml"} {
		var counts [3]int
		for _, dev := range one.Series[name] {
			switch {
			case dev <= recovered:
				counts[0]++
			case dev <= distorted:
				counts[1]++
			default:
				counts[2]++
			}
		}
		row := []bench.Cell{bench.PlainCell(name)}
		for _, count := range counts {
			row = append(row, bench.Cell{Text: fmt.Sprint(count), Case: exactCase})
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	for _, name := range []string{"points", "lle, least norm", "lle, another set", "neml"} {
		s.Pictures = append(s.Pictures, bench.Figure{Case: exactCase, Picture: name, Caption: name + ", coloured by the first coordinate"})
	}
	return []bench.Section{s}
}
