package sddm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// graph is a list of edges.
type graph struct {
	n     int
	edges []sparse.Triplet
}

func (g *graph) join(i, j int, w float64) {
	g.edges = append(g.edges, sparse.Triplet{Row: i, Col: j, Val: w})
}

// laplacian is D − W, with this added to the diagonal.
func (g *graph) laplacian(t *testing.T, diagonal func(i int) float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for _, e := range g.edges {
		entries = append(entries, sparse.Triplet{Row: e.Row, Col: e.Col, Val: -e.Val}, sparse.Triplet{Row: e.Col, Col: e.Row, Val: -e.Val},
			sparse.Triplet{Row: e.Row, Col: e.Row, Val: math.Abs(e.Val)}, sparse.Triplet{Row: e.Col, Col: e.Col, Val: math.Abs(e.Val)})
	}
	if diagonal != nil {
		for i := range g.n {
			if d := diagonal(i); d != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: d})
			}
		}
	}
	return must.Get(sparse.FromTriplets(g.n, g.n, entries))(t)
}

func path(n int) *graph {
	g := &graph{n: n}
	for i := range n - 1 {
		g.join(i, i+1, 1)
	}
	return g
}

func star(n int) *graph {
	g := &graph{n: n}
	for i := 1; i < n; i++ {
		g.join(0, i, 1)
	}
	return g
}

func grid(rows, cols int) *graph {
	g := &graph{n: rows * cols}
	for y := range rows {
		for x := range cols {
			if x+1 < cols {
				g.join(y*cols+x, y*cols+x+1, 1)
			}
			if y+1 < rows {
				g.join(y*cols+x, (y+1)*cols+x, 1)
			}
		}
	}
	return g
}

// expander joins each vertex to its successor and to two vertices at random.
func expander(n int) *graph {
	g, s := &graph{n: n}, blas.NewStream(4)
	for i := range n {
		g.join(i, (i+1)%n, 1)
		for range 2 {
			if j := s.Below(n); j != i {
				g.join(i, j, 1)
			}
		}
	}
	return g
}

// weighted gives the edges weights of 10^−power to 10^power.
func (g *graph) weighted(power float64) *graph {
	s, h := blas.NewStream(9), &graph{n: g.n}
	for _, e := range g.edges {
		h.join(e.Row, e.Col, e.Val*math.Pow(10, power*(2*s.Uniform()-1)))
	}
	return h
}

// side is a right-hand side with the mean zero over each component.
func side(n, components int, seed uint64) []float64 {
	b := make([]float64, n)
	blas.NewStream(seed).Normals(b)
	each := n / components
	for c := range components {
		part, sum := b[c*each:(c+1)*each], 0.0
		for _, v := range part {
			sum += v
		}
		for i := range part {
			part[i] -= sum / float64(each)
		}
	}
	return b
}

// pseudoInverse is A⁺b by the eigenvectors.
func pseudoInverse(t *testing.T, a *sparse.CSR, b []float64) []float64 {
	t.Helper()
	n := a.Rows
	v, w := make([]float64, n*n), make([]float64, n)
	for i := range n {
		cols, vals := a.Row(i)
		for p, j := range cols {
			v[i*n+int(j)] = vals[p]
		}
	}
	must.Do(t, must.Get(blas.Select(""))(t).SymEig(n, v, n, w, new(blas.Work)))
	x := make([]float64, n)
	for j, lambda := range w {
		if q := v[j*n : (j+1)*n]; lambda > 1e-11*w[n-1] {
			blas.Axpy(blas.Dot(q, b)/lambda, q, x)
		}
	}
	return x
}

func apart(x, y []float64) float64 {
	d := slices.Clone(x)
	blas.Axpy(-1, y, d)
	return math.Sqrt(blas.Dot(d, d) / blas.Dot(y, y))
}

func remainderOf(a *sparse.CSR, x, b []float64) float64 {
	r := make([]float64, len(b))
	a.MulVec(1, x, r)
	return apart(r, b)
}

// Solutions are those of a dense solver, by both preconditioners, on singular and regular matrices.
func TestEqualToDense(t *testing.T) {
	graphs := map[string]*graph{"path": path(60), "star": star(60), "grid": grid(8, 9), "expander": expander(80)}
	for name, g := range graphs {
		for _, diagonal := range []struct {
			name string
			of   func(i int) float64
		}{{"laplacian", nil}, {"one", func(i int) float64 { return float64(i&1) * 0.3 }}, {"ground", func(i int) float64 {
			if i == 5 {
				return 1e-3
			}
			return 0
		}}} {
			for _, kind := range []string{Diagonal, Sampled, Auto} {
				for splits := 1; splits <= 2; splits++ {
					a := g.laplacian(t, diagonal.of)
					s := must.Get(New(t.Context(), a, Options{Preconditioner: kind, Splits: splits, Tolerance: 1e-13, Seed: 7}))(t)
					b := side(g.n, 1, 3)
					x := slices.Clone(b)
					found, err := s.Solve(t.Context(), x, 1)
					if err != nil {
						t.Fatalf("%s, %s, %s: %v", name, diagonal.name, kind, err)
					}
					if d := apart(x, pseudoInverse(t, a, b)); d > 1e-9 {
						t.Errorf("%s, %s, %s: off by %.2g after %d iterations", name, diagonal.name, kind, d, found.Iterations)
					}
					if d := math.Abs(found.Residual - remainderOf(a, x, b)); d > 1e-14 {
						t.Errorf("%s, %s, %s: the residual is %g, off by %g", name, diagonal.name, kind, found.Residual, d)
					}
				}
			}
		}
	}
}

// Trees have no cliques but those of edges, so that the factor is exact and one iteration is enough.
func TestTreesAreExact(t *testing.T) {
	tree := &graph{n: 3000}
	s := blas.NewStream(2)
	for i := 1; i < tree.n; i++ {
		tree.join(i, s.Below(i), 1)
	}
	for name, g := range map[string]*graph{"path": path(3000), "star": star(3000), "tree": tree, "weighted": tree.weighted(8)} {
		solver := must.Get(New(t.Context(), g.laplacian(t, nil), Options{Preconditioner: Sampled, Splits: 1}))(t)
		b := make([]float64, g.n)
		g.laplacian(t, nil).MulVec(1, side(g.n, 1, 1), b)
		found, err := solver.Solve(t.Context(), b, 1)
		if err != nil || found.Iterations > 3 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if entries := solver.Plan().FactorEntries; entries != int64(g.n-1) {
			t.Errorf("%s: %d entries of the factor, want the %d edges", name, entries, g.n-1)
		}
	}
}

// Large graphs are solved in few iterations, whatever the weights.
func TestFewIterations(t *testing.T) {
	for _, c := range []struct {
		name   string
		g      *graph
		splits int
		most   int
	}{
		{"grid", grid(150, 150), 1, 60}, {"grid", grid(150, 150), 2, 40},
		{"weighted grid", grid(150, 150).weighted(8), 2, 60},
		{"weighted path", path(20000).weighted(8), 2, 10},
		{"expander", expander(20000), 2, 40}, {"weighted expander", expander(20000).weighted(8), 2, 60},
	} {
		a := c.g.laplacian(t, nil)
		s := must.Get(New(t.Context(), a, Options{Preconditioner: Sampled, Splits: c.splits, Seed: 1}))(t)
		b := make([]float64, c.g.n)
		a.MulVec(1, side(c.g.n, 1, 6), b) // of the size of the larger weights
		found, err := s.Solve(t.Context(), b, 1)
		if err != nil || found.Iterations > c.most || found.Residual > 1e-8 {
			t.Errorf("%s, %d splits: %+v, %v", c.name, c.splits, found, err)
		}
	}
}

// Components are independent of each other, in numbers and in errors.
func TestComponents(t *testing.T) {
	g := &graph{n: 400}
	for c := range 4 {
		for _, e := range expander(100).edges {
			g.join(100*c+e.Row, 100*c+e.Col, e.Val*math.Pow(10, float64(4*c-8)))
		}
	}
	a := g.laplacian(t, nil)
	b := side(400, 4, 8)
	x := slices.Clone(b)
	s := must.Get(New(t.Context(), a, Options{Tolerance: 1e-13, Preconditioner: Sampled}))(t)
	must.Get(s.Solve(t.Context(), x, 1))(t)
	if p := s.Plan(); p.Components != 4 || p.Singular != 4 {
		t.Errorf("%+v", p)
	}
	for c := range 4 {
		sum := 0.0
		for _, v := range x[100*c : 100*(c+1)] {
			sum += v
		}
		if sum > 1e-10*math.Sqrt(blas.Dot(x, x)) {
			t.Errorf("component %d has the sum %g", c, sum)
		}
	}
	if r := remainderOf(a, x, b); r > 1e-12 {
		t.Errorf("the residual is %g", r)
	}
	b[250] += 1
	must.Refuse(t, "right-hand side 0 has no solution: its sum over the component of vertex 200 (100 vertices) is 1 instead of 0")(s.Solve(t.Context(), b, 1))

	// A diagonal on one component makes that one regular.
	grounded := g.laplacian(t, func(i int) float64 {
		if i == 230 {
			return 2
		}
		return 0
	})
	s = must.Get(New(t.Context(), grounded, Options{Tolerance: 1e-12}))(t)
	x = slices.Clone(b)
	must.Get(s.Solve(t.Context(), x, 1))(t)
	if r := remainderOf(grounded, x, b); r > 1e-11 || s.Plan().Singular != 3 {
		t.Errorf("the residual is %g, with %+v", r, s.Plan())
	}
}

func TestVertexWithoutEdges(t *testing.T) {
	g := path(10)
	g.n = 12
	s := must.Get(New(t.Context(), g.laplacian(t, nil), Options{Preconditioner: Sampled}))(t)
	b := append(side(10, 1, 1), 0, 0)
	must.Get(s.Solve(t.Context(), b, 1))(t)
	if b[10] != 0 || b[11] != 0 {
		t.Errorf("%v", b[10:])
	}
	must.Refuse(t, "right-hand side 1 has no solution: its sum over vertex 11, which has no edge, is 3")(s.Solve(t.Context(), append(make([]float64, 23), 3), 2))
}

// Positive entries off the diagonal are solved for by the double cover.
func TestPositiveEntries(t *testing.T) {
	for _, c := range []struct {
		name     string
		balanced bool
	}{{"balanced", true}, {"unbalanced", false}} {
		s, g := blas.NewStream(5), &graph{n: 90}
		for _, e := range expander(90).edges {
			w := 1 + s.Uniform()
			if c.balanced && (e.Row < 40) != (e.Col < 40) || !c.balanced && s.Uniform() < 0.3 {
				w = -w
			}
			if e.Row < e.Col { // no edge twice, perhaps of other signs
				g.join(e.Row, e.Col, w)
			}
		}
		a := g.laplacian(t, nil)
		b := make([]float64, 90)
		a.MulVec(1, side(90, 1, 2), b)
		x := slices.Clone(b)
		solver := must.Get(New(t.Context(), a, Options{Tolerance: 1e-13}))(t)
		must.Get(solver.Solve(t.Context(), x, 1))(t)
		if d := apart(x, pseudoInverse(t, a, b)); d > 1e-9 || !solver.Plan().Cover {
			t.Errorf("%s: off by %g, %+v", c.name, d, solver.Plan())
		}
		if c.balanced {
			b[3]++
			must.Refuse(t, "not orthogonal to its null vector")(solver.Solve(t.Context(), b, 1))
		}
	}
}

// Magnitudes of the matrix and of the right-hand side change nothing but powers of two.
func TestMagnitudes(t *testing.T) {
	a, b := grid(12, 11).laplacian(t, nil), side(132, 1, 3)
	solve := func(matrix, sides int) []float64 {
		scaled := *a
		scaled.Val = slices.Clone(a.Val)
		for p, v := range scaled.Val {
			scaled.Val[p] = math.Ldexp(v, matrix)
		}
		x := slices.Clone(b)
		for i, v := range x {
			x[i] = math.Ldexp(v, sides)
		}
		s := must.Get(New(t.Context(), &scaled, Options{}))(t)
		must.Get(s.Solve(t.Context(), x, 1))(t)
		for i, v := range x {
			x[i] = math.Ldexp(v, matrix-sides)
		}
		return x
	}
	want := solve(0, 0)
	for _, p := range [][2]int{{900, 0}, {-900, 0}, {0, 900}, {0, -900}, {900, 900}, {-900, -900}, {500, -400}} {
		if x := solve(p[0], p[1]); !slices.Equal(x, want) {
			t.Errorf("2^%d·A and 2^%d·b have other bits", p[0], p[1])
		}
	}
}

// Any number of threads gives the same bits, for any number of right-hand sides.
func TestSameBitsOnAnyThreads(t *testing.T) {
	g := grid(130, 120).weighted(1)
	a := g.laplacian(t, nil)
	for _, sides := range []int{1, 3, 9} {
		b := make([]float64, g.n*sides)
		for j := range sides {
			for i, v := range side(g.n, 1, uint64(j)) {
				b[i*sides+j] = v
			}
		}
		var want []float64
		for _, threads := range []int{1, 2, 5} {
			x := slices.Clone(b)
			s := must.Get(New(t.Context(), a, Options{Threads: threads, Seed: 3, Preconditioner: Sampled}))(t)
			must.Get(s.Solve(t.Context(), x, sides))(t)
			if want == nil {
				want = x
			}
			if !slices.Equal(x, want) {
				t.Errorf("%d threads give other bits of %d solutions", threads, sides)
			}
		}
	}
}

// The diagonal is taken where it is enough, and left where a right-hand side shows that it is not.
func TestChoice(t *testing.T) {
	s := must.Get(New(t.Context(), expander(5000).laplacian(t, nil), Options{}))(t)
	if p := s.Plan(); p.Preconditioner != Diagonal || p.FactorEntries != 0 {
		t.Errorf("an expander is solved by %+v", p)
	}
	// A long tail, of which a random right-hand side shows little.
	g := expander(5000)
	g.n += 400
	for i := range 400 {
		g.join(4999+i, 5000+i, 1)
	}
	s = must.Get(New(t.Context(), g.laplacian(t, nil), Options{}))(t)
	if p := s.Plan(); p.Preconditioner != Sampled {
		t.Errorf("a graph with a tail is solved by %+v", p)
	}
	s.plan.Preconditioner = Diagonal // as a trial that saw nothing of it would have chosen
	b := make([]float64, g.n)
	b[0], b[g.n-1] = 1, -1
	if found := must.Get(s.Solve(t.Context(), b, 1))(t); !found.Switched || found.Residual > 1e-8 {
		t.Errorf("%+v", found)
	}
}

func TestRefusals(t *testing.T) {
	of := func(n int, entries ...sparse.Triplet) *sparse.CSR {
		return must.Get(sparse.FromTriplets(n, n, entries))(t)
	}
	a := path(3).laplacian(t, nil)
	for _, c := range []struct {
		a     *sparse.CSR
		o     Options
		words string
	}{
		{of(2, sparse.Triplet{Row: 0, Col: 0, Val: 1}, sparse.Triplet{Row: 1, Col: 1, Val: 1}, sparse.Triplet{Row: 0, Col: 1, Val: -2}, sparse.Triplet{Row: 1, Col: 0, Val: -2}), Options{}, "row 0 has 1 on the diagonal, and 2 is the sum"},
		{of(2, sparse.Triplet{Row: 0, Col: 1, Val: -2}, sparse.Triplet{Row: 0, Col: 0, Val: 3}), Options{}, "symmetric"},
		{of(1, sparse.Triplet{Val: math.NaN()}), Options{}, "NaN"},
		{of(1, sparse.Triplet{Val: -1}), Options{}, "row 0 has -1"},
		{a, Options{Preconditioner: "ilu"}, `there is no preconditioner "ilu"`},
		{a, Options{Splits: 40}, "splits is 40"},
		{a, Options{Tolerance: 2}, "tolerance is 2"},
		{a, Options{Iterations: -1}, "-1 iterations"},
		{a, Options{Memory: 100}, "raise the limit"},
	} {
		must.Refuse(t, c.words)(New(t.Context(), c.a, c.o))
	}
	s := must.Get(New(t.Context(), a, Options{}))(t)
	must.Refuse(t, "5 numbers are not 1 right-hand sides of a matrix of order 3")(s.Solve(t.Context(), make([]float64, 5), 1))
	must.Refuse(t, "right-hand side 1 has NaN in row 2")(s.Solve(t.Context(), []float64{0, 0, 0, 0, 0, math.NaN()}, 2))

	// Few iterations leave the best solution found, and say what it is worth.
	g := grid(40, 40)
	b := side(g.n, 1, 1)
	x := slices.Clone(b)
	s = must.Get(New(t.Context(), g.laplacian(t, nil), Options{Iterations: 3, Preconditioner: Diagonal}))(t)
	found, err := s.Solve(t.Context(), x, 1)
	missed, is := errors.AsType[*NotConvergedError](err)
	if !is || missed.Iterations != 3 || found == nil || math.Abs(missed.Residual-remainderOf(g.laplacian(t, nil), x, b)) > 1e-12 {
		t.Errorf("%v, %+v", err, found)
	}

	s = must.Get(New(t.Context(), g.laplacian(t, nil), Options{Memory: 1 << 20, Preconditioner: Diagonal}))(t)
	if _, err := New(t.Context(), grid(150, 150).laplacian(t, nil), Options{Memory: 10 << 20, Preconditioner: Sampled}); err == nil {
		t.Error("a factor of more than the limit is made")
	} else if _, is := errors.AsType[*sparse.MemoryError](err); !is {
		t.Error(err)
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(cancelled, a, Options{Preconditioner: Sampled}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.Solve(cancelled, side(g.n, 1, 1), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The factor is the matrix in expectation: the mean of many factors comes near to it.
func TestExpectation(t *testing.T) {
	g := expander(12).weighted(0.5)
	a := g.laplacian(t, func(i int) float64 { return float64(i % 3) })
	const draws = 4000
	n := g.n
	for splits := 1; splits <= 2; splits++ {
		mean, sd := make([]float64, n*n), must.Get(read(a))(t)
		for seed := range draws {
			f := must.Get(newElimination(sd.a, sd.excess, splits, uint64(seed), 0).run(t.Context()))(t)
			for k := range n { // column k of (I − N)P(I − N)ᵀ
				column := make([]float64, n)
				column[k] = 1
				cols, vals := f.upper.Row(k)
				for p, j := range cols {
					column[j] = -vals[p]
				}
				for i := range n {
					for j := range n {
						mean[int(f.order[i])*n+int(f.order[j])] += column[i] * column[j] / f.inverse[k] / draws
					}
				}
			}
		}
		worst := 0.0
		for i := range n {
			for j := range n {
				worst = max(worst, math.Abs(mean[i*n+j]-a.At(i, j)))
			}
		}
		if worst > 0.02*a.RowSumNorm() {
			t.Errorf("%d splits: the mean of the factors is off by %g of %g", splits, worst, a.RowSumNorm())
		}
	}
}

func ExampleNew() {
	// A ring of four vertices.
	a, _ := sparse.FromEntries(4, 4, func(put func(i, j int, v float64)) {
		for i := range 4 {
			put(i, i, 2)
			put(i, (i+1)%4, -1)
			put(i, (i+3)%4, -1)
		}
	})
	s, _ := New(context.Background(), a, Options{})
	x := []float64{1, 0, -1, 0}
	found, _ := s.Solve(context.Background(), x, 1)
	fmt.Printf("%.3f %v\n", x, found.Residual < 1e-8)
	// Output:
	// [0.500 0.000 -0.500 0.000] true
}
