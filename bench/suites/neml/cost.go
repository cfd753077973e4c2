package neml

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// "Almost the same cost as LLE": by the processor time of both, turn by turn, and by the
// work of both, counted.

var costs = []struct {
	name, data string
	n, k, d    int
	load       func(*bench.Env) (*datasets.Set, error)
	full       bool
}{
	{"roll", "swiss-roll", 1500, 10, 2, bench.GeneratedSet("swiss-roll", 1500, 1, nil), false},
	{"hole", "swiss-roll-hole", 1500, 15, 2, bench.GeneratedSet("swiss-roll-hole", 1500, 1, nil), false},
	{"roll-20000", "swiss-roll", 20000, 10, 2, bench.GeneratedSet("swiss-roll", 20000, 1, nil), true},
	{"faces", "faces", 698, 14, 3, bench.SelectedSet("faces"), false},
	{"usps", "usps6000", 6000, 20, 9, bench.SelectedSet("usps6000"), true},
}

func costName(name, method string) string { return "cost/" + name + "/" + method }

func costCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, x := range costs {
		for _, method := range []string{"lle", "neml"} {
			c := bench.SetEmbedding{
				Name: costName(x.name, method), Data: x.data, Load: x.load, Method: method,
				Set: map[string]string{"neighbors": fmt.Sprint(x.k), "dim": fmt.Sprint(x.d)},
				Measure: func(_ context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
					return takeWork(r, x.k, method, out)
				},
			}.Case()
			c.Group, c.Full, c.N = "cost/"+x.name, x.full, x.n
			if c.Repeats = 5; e.Quick {
				c.Repeats = 1
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// takeWork counts multiplications and additions, in billions, without the search for
// neighbours, which is the same for both.
//
// A patch of LLE is the Gram matrix, k²m, its factors and two solves, k³/3 + 2k², and an
// outer product of k + 1 numbers. NEML adds the eigenvectors of the Gram matrix of order
// q = min(k, m), 9q³ as by reduction to a tridiagonal matrix and QR steps, and a patch of
// the projector on the k − s ≈ d largest vectors, dk², with three outer products. The rest
// is the plan of the eigensolver: its factorisation, and for every solve and product two
// operations an entry.
func takeWork(r *engine.Result, k int, method string, out *bench.Outcome) error {
	if r.Plan == nil {
		return fmt.Errorf("%s has no plan of a solver", method)
	}
	kk, m, n := float64(k), float64(r.Features), float64(r.Samples)
	q := min(kk, m)
	patch := kk*kk*m + kk*kk*kk/3 + 2*kk*kk + (kk+1)*(kk+1)
	if method == "neml" {
		patch += 9*q*q*q + float64(r.Dim)*kk*kk + 3*kk*kk
	}
	solve := r.Plan.Flops + 4*float64(r.Solves)*float64(r.Plan.FactorEntries) + 4*float64(r.Products)*float64(r.Plan.MatrixEntries)
	const billion = 1e9
	out.Quality["patch-work"], out.Quality["solve-work"] = n*patch/billion, solve/billion
	out.Quality["work"] = (n*patch + solve) / billion
	out.Quality["solves"], out.Quality["products"] = float64(r.Solves), float64(r.Products)
	out.Quality["factor-entries"] = float64(r.Plan.FactorEntries)
	return nil
}

// almostSame and twice bound the ratios of NEML to LLE: a quarter more is "almost the
// same", twice as much is a part of it.
const almostSame, twice = 1.25, 2.0

var costClaims = []bench.Claim{
	{
		Name: "cost-work", Source: papers.NEML + ", on the cost",
		Statement: "NEML costs almost the same as LLE, by counted work.", Paper: "almost the same",
		Check: func(r *bench.Records) bench.Finding {
			return costFinding(r, "in operations counted", func(name string) (float64, bool) { return r.Quality(name, "work") })
		},
	},
	{
		Name: "cost-time", Source: papers.NEML + ", on the cost",
		Statement: "NEML costs almost the same as LLE, by processor time.", Paper: "almost the same",
		Check: func(r *bench.Records) bench.Finding {
			return costFinding(r, "in processor seconds", r.CPU)
		},
	},
}

// costFinding compares both methods on every available example; the largest ratio decides.
func costFinding(r *bench.Records, unit string, of func(string) (float64, bool)) bench.Finding {
	var names []string
	ours, worst := "", 0.0
	for _, x := range costs {
		pair := []string{costName(x.name, "lle"), costName(x.name, "neml")}
		lle, one := of(pair[0])
		neml, two := of(pair[1])
		if !one || !two || lle == 0 {
			continue
		}
		names = append(names, pair...)
		worst = max(worst, neml/lle)
		ours += fmt.Sprintf(", %s %.2f", x.name, neml/lle)
	}
	if len(names) == 0 {
		return r.FindingWithout(costName("roll", "lle"), costName("roll", "neml"))
	}
	f := bench.Finding{Verdict: bench.DoesNot, Ours: "NEML over LLE, " + unit + ": " + ours[2:], Cases: names}
	switch {
	case worst <= almostSame:
		f.Verdict = bench.Reproduces
	case worst <= twice:
		f.Verdict = bench.PartlyHolds
	}
	if f.Verdict != bench.Reproduces {
		f.Why = fmt.Sprintf("The largest ratio is above %v, which we take for \"almost the same\"; up to %v counts as a part of it.", almostSame, twice)
	}
	return f
}

func costSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "What NEML costs compared with LLE",
		Text:  "γ = 1e-3, one thread, both methods turn by turn. Work is billions of multiplications and additions, counted from k, m, d and the eigensolver's plan, without the search for neighbours, which is the same for both; solves are right-hand sides of the eigensolver, and the residual is the largest of its eigenpairs, relative to the matrix.",
		Table: &bench.Table{Columns: []string{"example", "method", "processor time", "of which patches", "of which the solve", "work of the patches", "work of the solve", "solves", "residual"}},
	}
	for _, x := range costs {
		for _, method := range []string{"lle", "neml"} {
			name := costName(x.name, method)
			row := []bench.Cell{bench.PlainCell(fmt.Sprintf("%s, n = %d, k = %d, d = %d", x.name, x.n, x.k, x.d)), bench.PlainCell(method)}
			for _, phase := range []string{"total", "patches", "solve"} {
				row = append(row, r.Cell(name, bench.CPUText(phase)))
			}
			for _, key := range []string{"patch-work", "solve-work"} {
				row = append(row, r.QualityCell(name, key, "%.3g"))
			}
			s.Table.Rows = append(s.Table.Rows, append(row, r.QualityCell(name, "solves", "%.0f"), r.QualityCell(name, "residual", "%.1e")))
		}
	}
	return []bench.Section{s}
}
