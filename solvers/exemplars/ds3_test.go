package exemplars

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/projections"
)

// Two clouds far from each other have a representative each.
func TestDS3FindsClusters(t *testing.T) {
	const n, m = 24, 2
	x := cloud(1, n, m)
	for i := range n / 2 {
		x[i*m] += 40
	}
	d := distances(n, m, x)
	r, err := DS3(context.Background(), d, n, DS3Options{Tau: 2, Representatives: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Representatives) != 2 || !r.Converged {
		t.Fatalf("representatives %v, converged %v", r.Representatives, r.Converged)
	}
	for i, l := range r.Labels {
		if (l == r.Labels[0]) != (i < n/2) {
			t.Fatalf("labels %v", r.Labels)
		}
	}
	// With τ = 1 the medoid stands for all, and ⟨D, Z⟩ is its sum.
	r = must.Get(DS3(context.Background(), d, n, DS3Options{Tau: 1}))(t)
	best := math.Inf(1)
	for i := range n {
		var sum float64
		for _, v := range d[i*n : (i+1)*n] {
			sum += v
		}
		best = min(best, sum/slices.Max(d))
	}
	if math.Abs(r.Objective-best) > 1e-4*best {
		t.Errorf("one exemplar costs %v, the medoid %v", r.Objective, best)
	}
	// With a bound of n, each sample stands for itself, at no cost.
	if r, err = DS3(context.Background(), d, n, DS3Options{Tau: n}); err != nil || math.Abs(r.Objective) > 1e-5 {
		t.Errorf("all exemplars cost %v (%v)", r.Objective, err)
	}
}

// Encodings are feasible, and no worse than those of a single sample each, whatever
// the dissimilarities are.
func TestDS3IsFeasible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		p := rapid.SampledFrom([]projections.Norm{projections.Max, projections.Euclidean}).Draw(t, "p")
		d := make([]float64, n*n) // not symmetric
		blas.NewStream(rapid.Uint64().Draw(t, "seed")).Uniforms(d)
		o := DS3Options{Norm: p, Threads: 1}
		if rapid.Bool().Draw(t, "constrained") {
			least := 1.0
			if p == projections.Euclidean {
				least = math.Sqrt(float64(n))
			}
			o.Tau = least * (1 + rapid.Float64Range(0, 2).Draw(t, "τ"))
		}
		r := must.Get(DS3(context.Background(), d, n, o))(t)
		for j := range n {
			var sum float64
			for i := range n {
				if z := r.Z[i*n+j]; !(z >= 0) {
					t.Fatalf("z(%d, %d) = %v", i, j, z)
				}
				sum += r.Z[i*n+j]
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("column %d sums to %v", j, sum)
			}
		}
		if len(r.Representatives) == 0 || len(r.Labels) != n {
			t.Fatalf("representatives %v, labels %v", r.Representatives, r.Labels)
		}
		most := int64(len(r.Representatives))
		for _, l := range r.Labels {
			if l < 0 || l >= most {
				t.Fatalf("label %d of %d representatives", l, most)
			}
		}
		if o.Tau > 0 && r.Converged {
			if norm := rowNorms(p, n, r.Z); norm > o.Tau+1e-4*float64(n) {
				t.Fatalf("norms of rows sum to %v, τ = %v", norm, o.Tau)
			}
		}
	})
}

func rowNorms(p projections.Norm, n int, z []float64) float64 {
	var total float64
	for i := range n {
		var norm float64
		for _, v := range z[i*n : (i+1)*n] {
			if p == projections.Max {
				norm = max(norm, v)
			} else {
				norm = math.Hypot(norm, v)
			}
		}
		total += norm
	}
	return total
}

func TestDS3OfEqualSamples(t *testing.T) {
	const n = 6
	for _, tau := range []float64{0, 2} {
		r := must.Get(DS3(context.Background(), make([]float64, n*n), n, DS3Options{Tau: tau}))(t)
		for _, z := range r.Z {
			if math.IsNaN(z) {
				t.Fatalf("τ = %v: %v", tau, r.Z)
			}
		}
		if r.Objective != 0 {
			t.Errorf("τ = %v: objective %v", tau, r.Objective)
		}
	}
}

func TestDS3Refuses(t *testing.T) {
	ctx := context.Background()
	d := []float64{0, 1, 1, 0}
	for name, c := range map[string]struct {
		d    []float64
		n    int
		o    DS3Options
		want string
	}{
		"no samples":     {nil, 0, DS3Options{}, "n² of n ≥ 1"},
		"size":           {d, 3, DS3Options{}, "4 dissimilarities of 3"},
		"NaN":            {[]float64{0, math.NaN(), 1, 0}, 2, DS3Options{}, "row 1, column 2"},
		"infinite":       {[]float64{0, 1, math.Inf(1), 0}, 2, DS3Options{}, "row 2, column 1"},
		"small τ":        {d, 2, DS3Options{Tau: 0.5}, "tau ≥ 1"},
		"small τ, p = 2": {d, 2, DS3Options{Tau: 1.2, Norm: projections.Euclidean}, "tau ≥ 1.414"},
		"negative τ":     {d, 2, DS3Options{Tau: -1}, "tau is -1"},
		"NaN τ":          {d, 2, DS3Options{Tau: math.NaN()}, "tau is NaN"},
		"α":              {d, 2, DS3Options{Alpha: -1}, "alpha = -1"},
		"μ":              {d, 2, DS3Options{Mu: math.NaN()}, "mu = NaN"},
		"iterations":     {d, 2, DS3Options{Iterations: -1}, "-1 iterations"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Refuse(t, c.want)(DS3(ctx, c.d, c.n, c.o))
		})
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	for _, tau := range []float64{0, 1} {
		if _, err := DS3(stopped, d, 2, DS3Options{Tau: tau}); err == nil {
			t.Errorf("τ = %v: a cancelled run gave no error", tau)
		}
	}
}

// The constrained form with p = ∞ is a linear programme; for two samples its solution
// is known: with d(1, 2) = d(2, 1) = 1 and bound τ in [1, 2], ⟨D, Z⟩ = 2 − τ.
func TestDS3SolvesLinearProgrammes(t *testing.T) {
	for _, tau := range []float64{1, 1.25, 1.5, 2} {
		r := must.Get(DS3(context.Background(), []float64{0, 1, 1, 0}, 2, DS3Options{Tau: tau, Iterations: 20000}))(t)
		if want := 2 - tau; math.Abs(r.Objective-want) > 1e-6 {
			t.Errorf("τ = %v: ⟨D, Z⟩ = %v, want %v", tau, r.Objective, want)
		}
	}
}
