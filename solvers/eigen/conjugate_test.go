package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// expander is the Laplacian of a random graph without small separators: every vertex joins up
// to five earlier ones, those of its own part alone.
func expander(t *testing.T, n, parts int) *sparse.CSR {
	t.Helper()
	s := blas.NewStream(7)
	var list []sparse.Triplet
	for i := range n {
		for range min(5, i/parts) {
			j := s.Below(i/parts)*parts + i%parts
			if j < i {
				list = append(list, sparse.Triplet{Row: i, Col: j, Val: -1}, sparse.Triplet{Row: j, Col: i, Val: -1},
					sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: j, Col: j, Val: 1})
			}
		}
	}
	a := must.Get(sparse.FromTriplets(n, n, list))(t)
	return a
}

// dear is a problem whose factorisation is said to cost so much that conjugate gradients
// are worth any number of iterations.
func dear(t *testing.T, a *sparse.CSR, count, threads int) *problem {
	t.Helper()
	n := a.Rows
	constant := make([]float64, n)
	for i := range constant {
		constant[i] = 1 / math.Sqrt(float64(n))
	}
	p := &problem{a: a, n: n, null: [][]float64{constant}, count: count, wanted: count + 1, norm: a.RowSumNorm(), Options: Options{Threads: threads, Seed: 3}}
	must.Do(t, p.fill())
	must.Do(t, p.analyze(t.Context()))
	p.plan.Flops = math.Inf(1)
	return p
}

func TestConjugateGradientsFindThePairs(t *testing.T) {
	a := expander(t, 3000, 1)
	const count = 9
	p := dear(t, a, count, 1)
	e := must.Get(p.conjugate(t.Context()))(t)
	p.finish(e)
	want := must.Get(Smallest(t.Context(), a, p.null, count, Options{}))(t)
	if want.Plan.Solver == e.Plan.Solver {
		t.Fatal("both are the same solver")
	}
	for j, v := range want.Values {
		if math.Abs(v-e.Values[j]) > 1e-9*v || !(e.Residuals[j] < 1e-10) {
			t.Errorf("eigenvalue %d is %.15g with a residual of %g, want %.15g", j, e.Values[j], e.Residuals[j], v)
		}
		if d := math.Abs(blas.Dot(want.Vectors[j], e.Vectors[j])); math.Abs(d-1) > 1e-8 {
			t.Errorf("vector %d: cosine %g", j, d)
		}
	}
	if !e.Converged || math.Abs(e.Next-want.Next) > 1e-5*want.Next || e.Products < e.Solves {
		t.Errorf("converged %v, next %g, want %g; %d products for %d solves", e.Converged, e.Next, want.Next, e.Products, e.Solves)
	}
	other := dear(t, a, count, 3)
	same := must.Get(other.conjugate(t.Context()))(t)
	other.finish(same)
	for j := range e.Vectors {
		if !slices.Equal(e.Vectors[j], same.Vectors[j]) {
			t.Fatalf("vector %d has other bits on three threads", j)
		}
	}
}

// A shift below the spectrum is taken off the products.
func TestConjugateGradientsOfAShift(t *testing.T) {
	a := expander(t, 2500, 1)
	p := dear(t, a, 4, 2)
	p.sigma = -0.5
	p.null = nil
	p.wanted = 5
	e := must.Get(p.conjugate(t.Context()))(t)
	p.finish(e)
	if math.Abs(e.Values[0]) > 1e-9 || e.Values[1] < 0.1 || !(e.Residuals[3] < 1e-10) {
		t.Errorf("eigenvalues %v, residuals %v", e.Values, e.Residuals)
	}
}

// What conjugate gradients cannot do is left to the factorisation.
func TestConjugateGradientsDecline(t *testing.T) {
	path := make([]sparse.Triplet, 0, 4*4000)
	for i := range 3999 {
		path = append(path, sparse.Triplet{Row: i, Col: i + 1, Val: -1}, sparse.Triplet{Row: i + 1, Col: i, Val: -1}, sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: i + 1, Col: i + 1, Val: 1})
	}
	long := must.Get(sparse.FromTriplets(4000, 4000, path))(t)
	negative := expander(t, 500, 1)
	for i := range negative.Rows {
		cols, vals := negative.Row(i)
		vals[slices.Index(cols, int32(i))] -= 100
	}
	cheap := dear(t, expander(t, 800, 1), 3, 1)
	cheap.plan.Flops = 1
	for what, p := range map[string]*problem{
		"a path":                dear(t, long, 3, 1),
		"two components":        dear(t, expander(t, 2000, 2), 3, 1),
		"a negative diagonal":   dear(t, negative, 3, 1),
		"a cheap factorisation": cheap,
	} {
		if e, err := p.conjugate(t.Context()); !errors.Is(err, errDeclined) {
			t.Errorf("%s: %v, %v", what, e, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dear(t, expander(t, 800, 1), 3, 1).conjugate(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	starved := dear(t, expander(t, 800, 1), 3, 1)
	starved.Memory = 1000
	var memory *MemoryError
	if _, err := starved.conjugate(t.Context()); !errors.As(err, &memory) {
		t.Errorf("without memory: %v", err)
	}
}
