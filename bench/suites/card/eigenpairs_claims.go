package card

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

func eigenClaims() []bench.Claim {
	claim := func(side, program string) bench.Claim {
		return bench.Claim{
			Name: "eigenpairs" + side, Source: "orthant", Paper: "no slower, and as exact",
			Statement: "The smallest eigenpairs of an alignment matrix and of a Laplacian, factorisation and all, take no more processor time than " + program + ", with residuals of 1e-8 at most.",
			Check:     func(r *bench.Records) bench.Finding { return noSlower(r, side) },
		}
	}
	return []bench.Claim{claim("/arpack", "ARPACK with SuperLU (SciPy)"), claim("/slepc", "SLEPc with MUMPS")}
}

func noSlower(r *bench.Records, side string) bench.Finding {
	var all, ours, why []string
	for i := range eigenMatrices {
		all = append(all, eigenMatrices[i].group()+oursSide, eigenMatrices[i].group()+side)
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		a, _ := r.CPU(m.group() + oursSide)
		b, _ := r.CPU(m.group() + side)
		ours = append(ours, fmt.Sprintf("%s %.3g times as fast, %s to %s", m.name, b/a, r.AccuracyCell(m.group()+oursSide).Text, r.AccuracyCell(m.group()+side).Text))
		if b < a {
			why = append(why, fmt.Sprintf("%s only %.2f times as fast", m.name, b/a))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(ours, "; "), all, why...)
}

func eigenSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "by", "CPU and errors", "solves", "peak of memory"}}
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		for _, side := range solverSides {
			name := m.group() + side.side
			t.Rows = append(t.Rows, []bench.Cell{{Text: m.title}, {Text: side.side[1:]}, r.TimedCell(name, "total"), r.QualityCell(name, "solves", "%.0f"), r.Cell(name, bench.PeakText)})
		}
	}
	order := eigenSamples
	if one := r.Get(eigenMatrices[0].group() + oursSide); one != nil && one.Samples > 0 {
		order = one.Samples
	}
	return []bench.Section{{Title: fmt.Sprintf("The smallest eigenpairs, order %d, one thread", order), Table: t,
		Text: "Ours solves for several right-hand sides at a time. The peers find the constant vector, too, which ours is given; peaks are of the peers' processes."}}
}
