package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/sddm"
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
	return must.Get(sparse.FromTriplets(n, n, list))(t)
}

// filling is a problem whose factorisation is said to be out of reach.
func filling(t *testing.T, a *sparse.CSR, null [][]float64, count, threads int) *problem {
	t.Helper()
	p := &problem{a: a, n: a.Rows, null: null, count: count, wanted: count + 1, norm: a.RowSumNorm(), filling: true, Options: Options{Threads: threads, Seed: 3}}
	must.Do(t, p.fill())
	return p
}

func unitOnes(n int) [][]float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1 / math.Sqrt(float64(n))
	}
	return [][]float64{v}
}

// normalized is D^−½AD^−½ and its null vector.
func normalized(a *sparse.CSR) (*sparse.CSR, [][]float64) {
	c := *a
	c.Val = slices.Clone(a.Val)
	null := make([]float64, a.Rows)
	for i := range a.Rows {
		null[i] = math.Sqrt(a.At(i, i))
		for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
			c.Val[p] /= math.Sqrt(a.At(i, i)) * math.Sqrt(a.At(int(a.Col[p]), int(a.Col[p])))
		}
	}
	blas.Scale(-1/math.Sqrt(blas.Dot(null, null)), null) // of any sign
	return &c, [][]float64{null}
}

// The pairs are those that a factor finds, of Laplacians for which the diagonal is enough and of those that need more.
func TestDavidsonFindsThePairs(t *testing.T) {
	social := expander(t, 3000, 1)
	tree := pathWithTails(t)
	normal, root := normalized(tree)
	for _, c := range []struct {
		name  string
		a     *sparse.CSR
		null  [][]float64
		count int
		by    string
	}{
		{"expander", social, unitOnes(3000), 9, "the diagonal"},
		{"few pairs", social, unitOnes(3000), 2, "the diagonal"},
		{"tails", tree, unitOnes(tree.Rows), 9, "an approximate Cholesky factor"},
		{"normalised", normal, root, 9, "an approximate Cholesky factor"},
	} {
		p := filling(t, c.a, c.null, c.count, 1)
		p.plan.Reason = "the test says so"
		e := must.Get(p.davidson(t.Context()))(t)
		p.finish(e)
		want := must.Get(Smallest(t.Context(), c.a, c.null, c.count, Options{}))(t)
		if want.Plan.Solver == "block davidson" || !strings.Contains(e.Plan.Reason, c.by) {
			t.Fatalf("%s: %+v compared with %+v", c.name, e.Plan, want.Plan)
		}
		for j, v := range want.Values {
			if math.Abs(v-e.Values[j]) > 1e-9*v+1e-13*p.norm || !(e.Residuals[j] < residualLimit) {
				t.Errorf("%s: eigenvalue %d is %.15g with a residual of %g, want %.15g", c.name, j, e.Values[j], e.Residuals[j], v)
			}
		}
		if !e.Converged || math.Abs(e.Next-want.Next) > 1e-5*want.Next || e.Products == 0 {
			t.Errorf("%s: converged %v, next %g, want %g; %d products", c.name, e.Converged, e.Next, want.Next, e.Products)
		}
		other := filling(t, c.a, c.null, c.count, 3)
		same := must.Get(other.davidson(t.Context()))(t)
		other.finish(same)
		for j := range e.Vectors {
			if !slices.Equal(e.Vectors[j], same.Vectors[j]) {
				t.Fatalf("%s: vector %d has other bits on three threads", c.name, j)
			}
		}
	}
}

// pathWithTails is a graph with weak places: a ring with chords, and tails.
func pathWithTails(t *testing.T) *sparse.CSR {
	t.Helper()
	const ring, tails, length = 1500, 30, 25
	s, n := blas.NewStream(4), ring+tails*length
	var list []sparse.Triplet
	join := func(i, j int) {
		list = append(list, sparse.Triplet{Row: i, Col: j, Val: -1}, sparse.Triplet{Row: j, Col: i, Val: -1},
			sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: j, Col: j, Val: 1})
	}
	for i := range ring {
		join(i, (i+1)%ring)
		if j := s.Below(ring); j != i {
			join(i, j)
		}
	}
	for q := range tails {
		last := s.Below(ring)
		for k := range length {
			join(last, ring+q*length+k)
			last = ring + q*length + k
		}
	}
	return must.Get(sparse.FromTriplets(n, n, list))(t)
}

// Components have a null vector each, which are found without a search.
func TestDavidsonOfComponents(t *testing.T) {
	a := expander(t, 2000, 4)
	p := filling(t, a, unitOnes(2000), 6, 2)
	e := must.Get(p.davidson(t.Context()))(t)
	p.finish(e)
	for j, v := range e.Values {
		if (v == 0) != (j < 3) || !(e.Residuals[j] < residualLimit) {
			t.Errorf("eigenvalue %d is %g, with a residual of %g", j, v, e.Residuals[j])
		}
	}
	p = filling(t, expander(t, 2000, 40), nil, 6, 1)
	e = must.Get(p.davidson(t.Context()))(t)
	if e.Plan = p.plan; e.Plan.Solver != "components" || e.Products != 0 || len(e.Values) != 7 {
		t.Errorf("%+v", e)
	}
}

// Masses, a shift below the spectrum, and a tolerance.
func TestDavidsonOfAPencil(t *testing.T) {
	a := pathWithTails(t)
	n := a.Rows
	s, m := blas.NewStream(8), make([]float64, n)
	for i := range m {
		m[i] = 0.5 + s.Uniform()
	}
	c := *a
	c.Val = slices.Clone(a.Val)
	for i := range n {
		for q := a.Ptr[i]; q < a.Ptr[i+1]; q++ {
			c.Val[q] /= math.Sqrt(m[i]) * math.Sqrt(m[a.Col[q]])
		}
	}
	root := make([]float64, n)
	for i, v := range m {
		root[i] = math.Sqrt(v)
	}
	p := filling(t, &c, nil, 5, 2)
	p.byMass, p.sigma, p.accuracy = root, -0.1, 1e-7
	e := must.Get(p.davidson(t.Context()))(t)
	p.finish(e)
	want := must.Get(Smallest(t.Context(), &c, nil, 5, Options{}))(t)
	for j, v := range want.Values {
		if math.Abs(v-e.Values[j]) > 1e-6 || !(e.Residuals[j] < 1e-7) || !strings.Contains(e.Plan.Reason, "approximate Cholesky") {
			t.Errorf("eigenvalue %d is %.15g, want %.15g; %s", j, e.Values[j], v, e.Plan.Reason)
		}
	}
}

// What nothing preconditions is left to the factorisation, and limits hold.
func TestDavidsonDeclines(t *testing.T) {
	alternating := make([]sparse.Triplet, 0, 5*4000)
	for i := range 3998 { // of fourth order, as alignment matrices are
		for r, u := range [3]float64{1, -2, 1} {
			for c, v := range [3]float64{1, -2, 1} {
				alternating = append(alternating, sparse.Triplet{Row: i + r, Col: i + c, Val: u * v})
			}
		}
	}
	beam := must.Get(sparse.FromTriplets(4000, 4000, alternating))(t)
	above := filling(t, expander(t, 800, 1), nil, 3, 1)
	above.sigma = 0.1
	cheap := filling(t, pathWithTails(t), unitOnes(2250), 3, 1)
	must.Do(t, cheap.analyze(t.Context()))
	for what, p := range map[string]*problem{"a beam": filling(t, beam, nil, 3, 1), "a shift above zero": above, "a factor that can be made": cheap} {
		if e, err := p.davidson(t.Context()); !errors.Is(err, errDeclined) {
			t.Errorf("%s: %v, %v", what, e, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filling(t, expander(t, 800, 1), nil, 3, 1).davidson(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	starved := filling(t, expander(t, 800, 1), nil, 3, 1)
	starved.Memory = 1000
	var memory *MemoryError
	if _, err := starved.davidson(t.Context()); !errors.As(err, &memory) {
		t.Errorf("without memory: %v", err)
	}
}

// A graph without small separators is seen to fill before it is analysed to the end.
func TestFillIsSeenEarly(t *testing.T) {
	a := expander(t, 6000, 1)
	if _, err := sparse.AnalyzeWithin(t.Context(), a, 1, 1e8); err == nil {
		t.Error("it does not fill")
	} else if fill, is := errors.AsType[*sparse.FillError](err); !is || fill.Most != 1e8 {
		t.Error(err)
	}
	within := must.Get(sparse.AnalyzeWithin(t.Context(), pathWithTails(t), 1, 1e12))(t)
	if best := must.Get(sparse.AnalyzeOrdered(t.Context(), pathWithTails(t), sparse.Best, 1))(t); within.Flops() != best.Flops() {
		t.Errorf("%g operations, want %g", within.Flops(), best.Flops())
	}
}

// An expander is recognised before it is analysed; a graph that hubs hold together, a long one and one with a grounded vertex are not.
func TestExpandersAreRecognised(t *testing.T) {
	const n = sddm.ExpanderRows + 500
	path := func(i int) []int { return []int{i - 1} }
	drawn := blas.NewStream(2)
	random := func(i int) []int { return []int{i - 1, drawn.Below(i), drawn.Below(i), drawn.Below(i)} }
	for _, c := range []struct {
		name     string
		to       func(i int) []int
		grounded float64
		want     bool
	}{
		{"random", random, 0, true}, {"grounded", random, 1, false}, {"path", path, 0, false},
		{"star", func(int) []int { return []int{0} }, 0, false},
		{"stars", func(i int) []int { return []int{i % 50, (i + 1) % 50} }, 0, false},
	} {
		var list []sparse.Triplet
		for i := 1; i < n; i++ {
			for _, j := range c.to(i) {
				if i != j {
					list = append(list, sparse.Triplet{Row: i, Col: j, Val: -1}, sparse.Triplet{Row: j, Col: i, Val: -1}, sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: j, Col: j, Val: 1})
				}
			}
		}
		list = append(list, sparse.Triplet{Row: n - 1, Col: n - 1, Val: c.grounded})
		p := &problem{a: must.Get(sparse.FromTriplets(n, n, list))(t), n: n}
		must.Do(t, p.fill())
		if got := must.Get(p.expands(t.Context()))(t); got != c.want || got != (p.byDiagonal != nil) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &problem{a: expander(t, n, 1), n: n}
	must.Do(t, p.fill())
	if _, err := p.expands(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
