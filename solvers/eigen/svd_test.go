package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// checkTriplets asserts what must hold of any result.
func checkTriplets(t *testing.T, a mat.Matrix, r *Singular, want []float64) {
	t.Helper()
	if !r.Converged {
		t.Errorf("not converged: residuals %.2g", r.Residuals)
	}
	largest := max(want[0], 1e-300)
	for j, sigma := range r.Values {
		if math.Abs(sigma-want[j]) > 1e-10*largest {
			t.Errorf("singular value %d is %.15g, want %.15g", j, sigma, want[j])
		}
		u, v := mat.NewVecDense(len(r.Left[j]), r.Left[j]), mat.NewVecDense(len(r.Right[j]), r.Right[j])
		var av, au mat.VecDense
		av.MulVec(a, v)
		av.AddScaledVec(&av, -sigma, u)
		au.MulVec(a.T(), u)
		au.AddScaledVec(&au, -sigma, v)
		if worst := max(mat.Norm(&av, 2), mat.Norm(&au, 2)) / largest; worst > 1e-10 || math.Abs(worst-r.Residuals[j]) > 1e-13 {
			t.Errorf("triplet %d: residual %g, reported %g", j, worst, r.Residuals[j])
		}
		for i := range j + 1 {
			unit := map[bool]float64{true: 1}[i == j]
			if du, dv := blas.Dot(r.Left[i], r.Left[j]), blas.Dot(r.Right[i], r.Right[j]); math.Abs(du-unit) > 1e-10 || math.Abs(dv-unit) > 1e-10 {
				t.Errorf("triplets %d and %d: products %g and %g", i, j, du, dv)
			}
		}
	}
	if n := len(r.Values); n < len(want) && math.Abs(r.Next-want[n]) > 1e-5*largest || n == len(want) && !math.IsNaN(r.Next) {
		t.Errorf("next is %g", r.Next)
	}
}

// Sparse, dense and operator, wide and tall, with values that repeat, decay and vanish.
func TestSVD(t *testing.T) {
	tall := make([]sparse.Triplet, 0)
	random := blas.NewStream(3)
	u := make([]float64, 3)
	for range 4000 {
		random.Normals(u)
		tall = append(tall, sparse.Triplet{Row: int(math.Abs(u[0])*1e6) % 1500, Col: int(math.Abs(u[1])*1e6) % 600, Val: u[2]})
	}
	scattered := must.Get(sparse.FromTriplets(1500, 600, tall))(t)
	diagonal := func(m, n int, value func(i int) float64) *sparse.CSR {
		var entries []sparse.Triplet
		for i := range min(m, n) {
			if v := value(i); v != 0 {
				entries = append(entries, sparse.Triplet{Row: (i * 7) % m, Col: i, Val: v})
			}
		}
		a := must.Get(sparse.FromTriplets(m, n, entries))(t)
		return a
	}
	for name, c := range map[string]struct {
		a     *sparse.CSR
		count int
	}{
		"scattered":      {scattered, 9},
		"wide":           {scattered.Transposed(), 9},
		"small":          {diagonal(30, 20, func(i int) float64 { return float64(i) }), 20},
		"decaying":       {diagonal(1001, 700, func(i int) float64 { return math.Pow(0.5, float64(i)) }), 20},
		"repeated":       {diagonal(1001, 700, func(i int) float64 { return float64(10 - min(i/13, 9)) }), 11},
		"rank three":     {diagonal(1001, 700, func(i int) float64 { return float64(max(3-i, 0)) }), 6},
		"zero":           {diagonal(1001, 700, func(int) float64 { return 0 }), 2},
		"a third of all": {diagonal(2500, 900, func(i int) float64 { return 1 + float64(i) }), 5},
	} {
		t.Run(name, func(t *testing.T) {
			var full mat.SVD
			if !full.Factorize(c.a.Dense(), mat.SVDNone) {
				t.Fatal("no reference")
			}
			want := full.Values(nil)
			operator := Rectangular{Rows: c.a.Rows, Cols: c.a.Cols,
				Multiply:           func(width int, x, y []float64) { c.a.MulBlock(1, width, x, y) },
				MultiplyTransposed: func(width int, x, y []float64) { c.a.Transposed().MulBlock(1, width, x, y) }}
			for kind, solve := range map[string]func(o Options) (*Singular, error){
				"sparse":   func(o Options) (*Singular, error) { return SVD(context.Background(), c.a, c.count, o) },
				"dense":    func(o Options) (*Singular, error) { return SVD(context.Background(), c.a.Dense(), c.count, o) },
				"operator": func(o Options) (*Singular, error) { return operator.SVD(context.Background(), c.count, o) },
			} {
				one, err := solve(Options{Threads: 1, Seed: 5})
				if err != nil {
					t.Fatal(kind, err)
				}
				checkTriplets(t, c.a, one, want)
				two, err := solve(Options{Threads: 2, Seed: 5})
				if err != nil {
					t.Fatal(kind, err)
				}
				for j := range one.Left {
					if !slices.Equal(one.Left[j], two.Left[j]) || !slices.Equal(one.Right[j], two.Right[j]) {
						t.Errorf("%s: threads change triplet %d", kind, j)
					}
				}
			}
		})
	}
}

func TestSVDRefuses(t *testing.T) {
	good := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	bad := mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6})
	sparseBad := must.Get(sparse.FromTriplets(3, 2, []sparse.Triplet{{Row: 2, Col: 1, Val: math.Inf(1)}}))(t)
	for says, c := range map[string]struct {
		a     mat.Matrix
		count int
		o     Options
	}{
		"give a number from 1 to 2": {good, 3, Options{}},
		"0 singular triplets":       {good, 0, Options{}},
		"row 1, column 1":           {bad, 1, Options{}},
		"row 2, column 1":           {sparseBad, 1, Options{}},
		"the limit is 100 B":        {good, 1, Options{Memory: 100}},
	} {
		must.Refuse(t, says)(SVD(context.Background(), c.a, c.count, c.o))
	}
	if _, err := (Rectangular{Rows: 2, Cols: 2}).SVD(context.Background(), 1, Options{}); err == nil {
		t.Error("an operator without products was accepted")
	}
	nan := func(_ int, _, y []float64) { y[0] = math.NaN() }
	if _, err := (Rectangular{Rows: 900, Cols: 900, Multiply: nan, MultiplyTransposed: nan}).SVD(context.Background(), 1, Options{}); err == nil {
		t.Error("an operator of NaN was solved")
	}
}

func TestLargestOf(t *testing.T) {
	a := randomSymmetric(t, 500, 3, 0.5, 4)
	want := denseSpectrum(t, a, nil)
	slices.Reverse(want)
	for name, m := range map[string]mat.Matrix{"sparse": a, "dense": a.Dense()} {
		e, err := LargestOf(context.Background(), m, 4, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		for j, v := range e.Values {
			if math.Abs(v-want[j]) > 1e-10*want[0] || !e.Converged {
				t.Errorf("%s: eigenvalue %d is %g, want %g", name, j, v, want[j])
			}
		}
		bad := a.Dense()
		bad.Set(7, 3, 9)
		for says, m := range map[string]mat.Matrix{"row 7, column 3": bad, "symmetric one": a.RowRange(0, 3)} {
			must.Refuse(t, says)(LargestOf(context.Background(), m, 4, Options{}))
		}
	}
}
