package exemplars

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
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

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
		}
	}
}

func flat(rows [][]float64) []float64 { return slices.Concat(rows...) }

// samples turns columns into rows.
func samples(columns [][]float64) (n, m int, x []float64) {
	n, m = len(columns[0]), len(columns)
	x = make([]float64, n*m)
	for k, row := range columns {
		for i, v := range row {
			x[i*m+k] = v
		}
	}
	return n, m, x
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
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		n, m, x := samples(c.X)
		kernel, err := Kernel(ctx, n, m, x, KernelOptions{Neighbors: c.K})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range c.A2DM2 {
			r, err := Split(ctx, kernel.D, SplitOptions{Norm: normOf(t, one.P), Radius: c.Tau, Mu: c.Mu, Delta: c.Delta, Accelerated: true, Iterations: one.Iters})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "Z of A2DM2", r.Z.Dense(), flat(one.Z), c.TolA)
			near(t, "C of A2DM2", r.C.Dense(), flat(one.C), c.TolA)
		}
		for _, one := range c.DS3 {
			o := DS3Options{Norm: normOf(t, one.P), Alpha: one.Alpha}
			if one.Kind == "constrained" {
				o.Tau, o.Iterations = one.Tau, 20000
			}
			r, err := DS3(ctx, distances(n, m, x), n, o)
			if err != nil {
				t.Fatal(err)
			}
			near(t, one.Kind+" Z", r.Z, flat(one.Z), c.Tol)
			near(t, one.Kind+" objective", []float64{r.Objective}, []float64{one.Objective}, c.Tol)
			if !slices.Equal(r.Representatives, one.Reps) {
				t.Errorf("%s: representatives %v, want %v", one.Kind, r.Representatives, one.Reps)
			}
			if one.Kind == "regularised" {
				near(t, "ρ_max", []float64{r.RhoMax}, []float64{one.RhoMax}, 1e-9*one.RhoMax)
			}
		}
	})
}
