package engine

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Counts of 100 000 samples, of which 4 % are not zero, are factorised by every loss, with
// and without a graph, in a small part of the 1.6 GB that they would take dense.
func TestLossesOfManySparseSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("50 million entries")
	}
	const n, m, most = 25_000, 2000, 75 << 20
	p := must(datasets.GenerateProgrammes(n, 1, map[string]string{"programmes": "8", "depth": "83"}))(t)
	if filled := float64(p.Counts.NNZ()) / (n * m); filled < 0.035 || filled > 0.045 {
		t.Fatalf("%.2f %% of the counts are not zero", 100*filled)
	}
	ring := &neighbors.Graph{Ptr: []int{0}} // the two after it among the samples of the same main programme
	for i := range n {
		ring.Index = append(ring.Index, int32((i+8)%n), int32((i+16)%n))
		ring.Dist = append(ring.Dist, 1, 1)
		ring.Ptr = append(ring.Ptr, len(ring.Index))
	}
	one, few := Updates{Iterations: 1}, Updates{Iterations: 2}
	wide := Correntropy{Theta: 12.5} // half the mean square over the entries that are not zero
	refresh := wide
	refresh.Schedule = "refresh"
	for _, c := range []struct {
		name string
		m    Method
	}{
		{"nmf by mu", NMF{LeastSquares: LeastSquares{Solver: "mu"}, Updates: few}},
		{"nmf by hals", NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: few}},
		{"nmf-kl", NMFKL{Updates: few}},
		{"l21-nmf", L21NMF{Updates: few}},
		{"cim-nmf", CIMNMF{Updates: one, Correntropy: wide}},
		{"cim-nmf, refresh", CIMNMF{Updates: one, Correntropy: refresh}},
		{"gnmf", GNMF{Updates: few}},
		{"npaf by kl", NPAF{Loss: "kl", LeastSquares: LeastSquares{Solver: "mu"}, Updates: few}},
		{"cim-gnmf", CIMGNMF{Updates: one, CorrentropyTerm: CorrentropyTerm{Correntropy: wide}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := FactorizeOptions{Rank: 4, Options: Options{Threads: 2, Seed: 1}}
			if slices.Contains([]string{"gnmf", "npaf", "cim-gnmf"}, c.m.Name()) {
				o.Graph = ring
			}
			var r *Factorization
			var err error
			live := peakOf(t, func() { r, err = Factorize(t.Context(), p.Counts, c.m, o) })
			if err != nil {
				t.Fatal(err)
			}
			if live > most {
				t.Errorf("%d MiB are live beside the counts, %d MiB at most are due", live>>20, most>>20)
			}
			first, last := r.Trace[0], r.Trace[len(r.Trace)-1]
			if !r.Sparse || last.Iteration < 1 || !(last.Residual < first.Residual) {
				t.Errorf("sparse %v, the residual went from %v to %v in %d iterations", r.Sparse, first.Residual, last.Residual, last.Iteration)
			}
			t.Logf("%d MiB live, residual %.4f, %.2f s", live>>20, last.Residual, r.Seconds["solve"])
		})
	}
}
