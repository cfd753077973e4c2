package exemplars

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/projections"
)

// norms reads "inf" or 2.
func normOf(t *testing.T, raw json.RawMessage) projections.Norm {
	t.Helper()
	switch s := string(raw); s {
	case `"inf"`:
		return projections.Max
	case `"2"`, "2":
		return projections.Euclidean
	default:
		t.Fatalf("p = %s", s)
		return 0
	}
}

// distances are the Euclidean ones between all samples.
func distances(n, m int, x []float64) []float64 {
	d := make([]float64, n*n)
	for i := range n {
		for j := range n {
			var sum float64
			for k := range m {
				sum += (x[i*m+k] - x[j*m+k]) * (x[i*m+k] - x[j*m+k])
			}
			d[i*n+j] = math.Sqrt(sum)
		}
	}
	return d
}

func TestGoldenDS3(t *testing.T) {
	ctx := context.Background()
	golden.Cases(t, "smrmf-ds3", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol   float64
			TolA  float64 `json:"tol_a2dm2"`
			X     [][]float64
			Tau   float64
			K     int
			Mu    float64
			Delta float64
			A2DM2 []struct {
				P     json.RawMessage
				Iters int
				Z, C  [][]float64
			}
			DS3 []struct {
				Kind       string
				P          json.RawMessage
				Alpha, Tau float64
				RhoMax     float64 `json:"rho_max"`
				Z          [][]float64
				Objective  float64
				Reps       []int
			}
		}
		must.Do(t, json.Unmarshal(raw, &c))
		n, m, x := len(c.X[0]), len(c.X), golden.ColumnMajor(c.X)
		kernel := must.Get(Kernel(ctx, n, m, x, KernelOptions{Neighbors: c.K}))(t)
		for _, one := range c.A2DM2 {
			r := must.Get(Split(ctx, kernel.D, SplitOptions{Norm: normOf(t, one.P), Radius: c.Tau, Mu: c.Mu, Delta: c.Delta, Accelerated: true, Iterations: one.Iters}))(t)
			golden.Expect(t, "Z of A2DM2", r.Z.Dense(), golden.Flat(one.Z), c.TolA)
			golden.Expect(t, "C of A2DM2", r.C.Dense(), golden.Flat(one.C), c.TolA)
		}
		for _, one := range c.DS3 {
			o := DS3Options{Norm: normOf(t, one.P), Alpha: one.Alpha}
			if one.Kind == "constrained" {
				o.Tau, o.Iterations = one.Tau, 20000
			}
			r := must.Get(DS3(ctx, distances(n, m, x), n, o))(t)
			golden.Expect(t, one.Kind+" Z", r.Z, golden.Flat(one.Z), c.Tol)
			golden.Expect(t, one.Kind+" objective", []float64{r.Objective}, []float64{one.Objective}, c.Tol)
			if !slices.Equal(r.Representatives, one.Reps) {
				t.Errorf("%s: representatives %v, want %v", one.Kind, r.Representatives, one.Reps)
			}
			if one.Kind == "regularised" {
				golden.Expect(t, "ρ_max", []float64{r.RhoMax}, []float64{one.RhoMax}, 1e-9*one.RhoMax)
			}
		}
	})
}
