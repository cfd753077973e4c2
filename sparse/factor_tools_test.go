package sparse

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// tools is what both factorisations do with their parts.
type tools interface {
	Apply(x []float64, nrhs int, parts ...Part) error
	Parts() (*Parts, error)
	InverseDiagonal(ctx context.Context) ([]float64, error)
	InverseEntries(ctx context.Context, pattern mat.Matrix) (*CSR, error)
}

// toolCases are matrices with the shift that makes them what they are, with and without scaling, interchanges, blocks of two and delayed pivots.
func toolCases(t testing.TB) map[string]struct {
	a     *CSR
	shift float64
	f     tools
} {
	cases := map[string]struct {
		a     *CSR
		shift float64
		f     tools
	}{}
	random := blas.NewStream(21)
	points := saddle(t, 60, 35, 3, random)
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{
		"grid": {grid(9, false), 1}, "cliques": {cliques(130, 3, 9, 13), 0.5}, "full": {star(70, 70), 0.1}, "diagonal": {fromNeighbors(make([][]int32, 7), random), 0},
		"two blocks": {blocks(2, 21), 0.3}, "graded": {rescaled(grid(8, true)), 0}, "one": {fromPairs(t, 1, []Triplet{{0, 0, 4}}), 0},
	} {
		cases["LLᵀ "+name] = struct {
			a     *CSR
			shift float64
			f     tools
		}{c.a, c.shift, must.Get(NewCholesky(t.Context(), c.a, c.shift, CholeskyOptions{Threads: 1}))(t)}
	}
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{
		"definite": {grid(9, false), 1}, "grid": {grid(9, true), -3}, "cliques": {cliques(130, 3, 9, 13), -8}, "full": {star(70, 70), -31}, "saddle": {points, 0},
		"scaled saddle": {rescaled(points), 0}, "zero diagonal": {fromPairs(t, 2, []Triplet{{1, 0, 1}}), 0}, "adjacency": {adjacency(t, grid(8, true)), 0.05},
		"delayed": {adjacency(t, grid(12, true)), 0}, "negative": {fromPairs(t, 1, []Triplet{{0, 0, -2}}), 0}, "wide": {cliques(160, 6, 14, 13), -14},
	} {
		cases["LDLᵀ "+name] = struct {
			a     *CSR
			shift float64
			f     tools
		}{c.a, c.shift, mustLDLT(t, c.a, c.shift, 1)}
	}
	delayed, interchanges, two := 0, 0, 0
	for _, c := range cases {
		if f, is := c.f.(*LDLT); is && f.delayed != nil {
			delayed++
		} else if is {
			for _, traits := range f.numeric.factor.pivots.traits {
				interchanges, two = interchanges+int(traits&interchanged), two+int(traits&paired)
			}
		}
	}
	if delayed == 0 || interchanges == 0 || two == 0 {
		t.Fatalf("%d factors with delayed pivots, %d panels with interchanges, %d with blocks: some kind is not tested", delayed, interchanges, two)
	}
	return cases
}

// dense is A + shift·I in full.
func dense(a *CSR, shift float64) *mat.Dense {
	full := a.Dense()
	for i := range a.Rows {
		full.Set(i, i, full.At(i, i)+shift)
	}
	return full
}

func identity(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = 1
	}
	return x
}

// far is the largest difference of the entries, over what the rows and columns of want are scaled by.
func far(got, want []float64, n int, size func(i, j int) float64) float64 {
	var worst float64
	for q, v := range want {
		if e := math.Abs(got[q]-v) / size(q/n, q%n); !(e <= worst) {
			worst = e
		}
	}
	return worst
}

// diagonalSizes are the roots of the sizes of rows.
func diagonalSizes(a *mat.Dense) func(i, j int) float64 {
	n, _ := a.Dims()
	size := make([]float64, n)
	for i := range size {
		for j := range n {
			size[i] = max(size[i], math.Abs(a.At(i, j)))
		}
	}
	return func(i, j int) float64 { return math.Sqrt(size[i]) * math.Sqrt(size[j]) }
}

// The parts as matrices have the product that they should, and Apply multiplies by these matrices and their inverses.
func TestParts(t *testing.T) {
	for name, c := range toolCases(t) {
		n, full := c.a.Rows, dense(c.a, c.shift)
		p := must.Get(c.f.Parts())(t)
		var ld, product mat.Dense
		l := p.L.Dense()
		ld.CloneFrom(l)
		if p.D != nil {
			ld.Mul(l, p.D.Dense())
		}
		product.Mul(&ld, l.T())
		back := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				back.Set(int(p.Order[i]), int(p.Order[j]), product.At(i, j))
				if j > i && l.At(i, j) != 0 || p.D != nil && j == i && l.At(i, i) != 1 {
					t.Fatalf("%s: L has %g at %d, %d", name, l.At(i, j), i, j)
				}
			}
		}
		if e := far(back.RawMatrix().Data, full.RawMatrix().Data, n, diagonalSizes(full)); !(e < 1e-12) {
			t.Errorf("%s: LDLᵀ differs from A by %g", name, e)
		}
		scale := make([]float64, n)
		equilibrate(c.a, c.shift, scale, make([]float64, n))
		random := blas.NewStream(4)
		for _, nrhs := range []int{1, 3, 11} {
			x := make([]float64, n*nrhs)
			random.Normals(x)
			for part, m := range map[Part]mat.Matrix{PartL: l, PartLT: l.T(), PartD: nil, PartP: nil} {
				got := slices.Clone(x)
				inverse := map[Part]Part{PartL: PartInverseL, PartLT: PartInverseLT, PartD: PartInverseD, PartP: PartPT}[part]
				switch part {
				case PartD:
					if p.D == nil {
						continue
					}
					m = p.D
				case PartP:
					order := mat.NewDense(n, n, nil)
					for k, i := range p.Order {
						order.Set(k, int(i), 1)
					}
					m = order
				}
				must.Do(t, c.f.Apply(got, nrhs, part))
				var want mat.Dense
				want.Mul(m, mat.NewDense(n, nrhs, slices.Clone(x)))
				size := func(i, _ int) float64 {
					s := 1.0
					for j := range n {
						s = max(s, math.Abs(m.At(i, j)))
					}
					return s
				}
				if e := far(got, want.RawMatrix().Data, nrhs, size); !(e < 1e-12) {
					t.Errorf("%s: %s·x differs by %g", name, part, e)
				}
				y := slices.Clone(x)
				must.Do(t, c.f.Apply(y, nrhs, inverse))
				want.Mul(m, mat.NewDense(n, nrhs, y))
				terms := func(i, q int) float64 { // what cancels in a row of the product
					s := math.Abs(x[i*nrhs+q])
					for j := range n {
						s += math.Abs(m.At(i, j) * y[j*nrhs+q])
					}
					return s
				}
				if p.D != nil && (part == PartL || part == PartLT) { // blocks of two mix rows, in the units of the scaled matrix
					unit, own := func(i int) float64 { return scale[p.Order[i]] }, terms
					if part == PartLT {
						unit = func(i int) float64 { return 1 / scale[p.Order[i]] }
					}
					largest := 0.0
					for i := range n {
						for q := range nrhs {
							largest = max(largest, own(i, q)*unit(i))
						}
					}
					terms = func(i, _ int) float64 { return largest / unit(i) }
				}
				if e := far(want.RawMatrix().Data, x, nrhs, terms); !(e < 1e-13) {
					t.Errorf("%s: %s·x times %s is not x, by %g", name, inverse, part, e)
				}
			}
		}
	}
}

// The formulas for samples and for whitening: their covariances are A and its inverse.
func TestPartsSampleAndWhiten(t *testing.T) {
	a := cliques(90, 3, 8, 5)
	n, f := a.Rows, must.Get(NewCholesky(t.Context(), a, 0.5, CholeskyOptions{}))(t)
	full := dense(a, 0.5)
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(full))
	for want, parts := range map[*mat.Dense][]Part{full: {PartPT, PartL}, &inverse: {PartPT, PartInverseLT}} {
		root := identity(n)
		must.Do(t, f.Apply(root, n, parts...))
		var covariance mat.Dense
		w := mat.NewDense(n, n, root)
		covariance.Mul(w, w.T())
		if e := far(covariance.RawMatrix().Data, want.RawMatrix().Data, n, diagonalSizes(want)); !(e < 1e-12) {
			t.Errorf("%q: the covariance differs by %g", parts, e)
		}
		back := map[Part][]Part{PartL: {PartInverseL, PartP}, PartInverseLT: {PartLT, PartP}}[parts[1]]
		must.Do(t, f.Apply(root, n, back...))
		if e := far(root, identity(n), n, func(int, int) float64 { return 1 }); !(e < 1e-12) {
			t.Errorf("%q does not undo %q, by %g", back, parts, e)
		}
	}
	x, y := make([]float64, n), make([]float64, n)
	blas.NewStream(1).Normals(x)
	copy(y, x)
	must.Do(t, f.Apply(x, 1, PartPT, PartInverseLT, PartInverseL, PartP))
	must.Do(t, f.Solve(y, 1))
	if !slices.Equal(x, y) {
		t.Error("the parts do not solve as Solve does")
	}
}

// The diagonal and the entries of the inverse agree with a dense inverse, in the units of rows and columns.
func TestInverse(t *testing.T) {
	for name, c := range toolCases(t) {
		n, full := c.a.Rows, dense(c.a, c.shift)
		scale := make([]float64, n) // so that the reference is accurate
		equilibrate(c.a, c.shift, scale, make([]float64, n))
		for i := range n {
			for j := range n {
				full.Set(i, j, full.At(i, j)*scale[i]*scale[j])
			}
		}
		var inverse mat.Dense
		must.Do(t, inverse.Inverse(full))
		largest := mat.Max(&inverse)
		diagonal := must.Get(c.f.InverseDiagonal(t.Context()))(t)
		for i, v := range diagonal {
			if e := math.Abs(v/scale[i]/scale[i]-inverse.At(i, i)) / largest; !(e < 1e-11) {
				t.Errorf("%s: diagonal entry %d of the inverse is off by %g", name, i, e)
			}
		}
		all := must.Get(c.f.InverseEntries(t.Context(), nil))(t)
		on := must.Get(c.f.InverseEntries(t.Context(), c.a))(t)
		all.DoNonZero(func(i, j int, v float64) {
			if e := math.Abs(v/scale[i]/scale[j]-inverse.At(i, j)) / largest; !(e < 1e-11) {
				t.Errorf("%s: entry %d, %d of the inverse is off by %g", name, i, j, e)
			}
			if v != all.At(j, i) {
				t.Errorf("%s: entries %d, %d differ", name, i, j)
			}
		})
		on.DoNonZero(func(i, j int, v float64) {
			if v != all.At(i, j) {
				t.Errorf("%s: entry %d, %d is not the one of all places", name, i, j)
			}
		})
		if !slices.Equal(on.Col, c.a.Col) || all.NNZ() < on.NNZ() {
			t.Errorf("%s: other places than those of A", name)
		}
	}
}

// All bits are the same on one thread and on more: above the subtrees and within.
func TestInverseSameBits(t *testing.T) {
	for _, name := range []string{"cliques, 2d", "cliques, 8d", "arrow"} {
		a := parallelPatterns[name]()
		var want []float64
		for _, threads := range append([]int{1}, manyThreads()...) {
			f := must.Get(NewCholesky(t.Context(), a, 0.1, CholeskyOptions{Threads: threads}))(t)
			got := must.Get(f.InverseDiagonal(t.Context()))(t)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d threads give other bits", name, threads)
			}
		}
		// A column of the inverse by a solution.
		f := must.Get(NewCholesky(t.Context(), a, 0.1, CholeskyOptions{}))(t)
		for _, i := range []int{0, a.Rows / 2, a.Rows - 1} {
			x := make([]float64, a.Rows)
			x[i] = 1
			must.Do(t, f.Solve(x, 1))
			if math.Abs(x[i]-want[i]) > 1e-12*want[i] {
				t.Errorf("%s: entry %d is %g, and by a solution %g", name, i, want[i], x[i])
			}
		}
	}
}

// With accuracy to every digit of its own entries: a diagonal that spans thirty orders.
func TestInverseOfGradedMatrices(t *testing.T) {
	n := 60
	a, err := FromEntries(n, n, func(put func(i, j int, v float64)) {
		for i := range n {
			put(i, i, math.Ldexp(2, 2*(i%50)))
			if i > 0 {
				v := -math.Ldexp(0.5, (i-1)%50+i%50)
				put(i, i-1, v)
				put(i-1, i, v)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	even := must.Get(FromEntries(n, n, func(put func(i, j int, v float64)) {
		a.DoNonZero(func(i, j int, v float64) { put(i, j, math.Ldexp(v, -i%50-j%50)) })
	}))(t)
	want := must.Get(must.Get(NewCholesky(t.Context(), even, 0, CholeskyOptions{}))(t).InverseDiagonal(t.Context()))(t)
	for _, f := range []tools{must.Get(NewCholesky(t.Context(), a, 0, CholeskyOptions{}))(t), mustLDLT(t, a, 0, 1)} {
		for i, v := range must.Get(f.InverseDiagonal(t.Context()))(t) {
			if v = math.Ldexp(v, 2*(i%50)); math.Abs(v-want[i]) > 1e-14*want[i] {
				t.Errorf("entry %d is %g in its unit, want %g", i, v, want[i])
			}
		}
	}
}

// vectorsOn are n × k vectors at places where the factor joins their rows: each begins at a row and takes others of its column of A, or is one of two blocks.
func vectorsOn(t testing.TB, f *Cholesky, k int, size float64, random *blas.Stream) *CSR {
	t.Helper()
	s := f.symbolic
	return must.Get(FromTriplets(s.n, k, func() (list []Triplet) {
		for j := range k {
			rows, width := s.panel(int32(random.Below(len(s.rowLo))))
			begin := random.Below(width)
			for _, r := range rows[begin:] {
				if random.Uniform() < 0.6 {
					list = append(list, Triplet{int(s.perm[r]), j, size * (2*random.Uniform() - 1)})
				}
			}
		}
		return list
	}()))(t)
}

// Updated factors are those of the sum, and downdates lead back, for sparse and full vectors, one and many.
func TestUpdateRank(t *testing.T) {
	for name, a := range map[string]*CSR{
		"grid": grid(9, false), "cliques": cliques(150, 3, 9, 13), "full": star(60, 60), "blocks": blocks(3, 15), "graded": rescaled(grid(8, true)),
	} {
		random := blas.NewStream(9)
		for _, k := range []int{1, 3, 37} {
			f := must.Get(NewCholesky(t.Context(), a, 0.5, CholeskyOptions{}))(t)
			before := slices.Clone(f.numeric.factor.values.all())
			w := vectorsOn(t, f, k, 0.7, random)
			must.Do(t, f.UpdateRank(t.Context(), w, false))
			var sum mat.Dense
			sum.Mul(w, w.T())
			sum.Add(&sum, dense(a, 0.5))
			p := must.Get(f.Parts())(t)
			l := p.L.Dense()
			var product mat.Dense
			product.Mul(l, l.T())
			back := mat.NewDense(a.Rows, a.Rows, nil)
			for i := range a.Rows {
				for j := range a.Rows {
					back.Set(int(p.Order[i]), int(p.Order[j]), product.At(i, j))
				}
			}
			if e := far(back.RawMatrix().Data, sum.RawMatrix().Data, a.Rows, diagonalSizes(&sum)); !(e < 1e-13) {
				t.Errorf("%s: LLᵀ differs from A + WWᵀ of %d vectors by %g", name, k, e)
			}
			b := make([]float64, a.Rows)
			random.Normals(b)
			x := slices.Clone(b)
			must.Do(t, f.Solve(x, 1))
			var r mat.VecDense
			r.MulVec(&sum, mat.NewVecDense(len(x), x))
			if e := far(r.RawVector().Data, b, 1, func(int, int) float64 { return mat.Norm(&sum, math.Inf(1)) * slices.Max(x) }); !(e < 1e-12) {
				t.Errorf("%s: a solution after an update of rank %d has the residual %g", name, k, e)
			}
			must.Do(t, f.UpdateRank(t.Context(), w.Dense(), true))
			d, err := f.LogDet()
			want, _ := mat.LogDet(dense(a, 0.5))
			if err != nil || math.Abs(d-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: the log-determinant is %.12g after an update of rank %d and back, want %.12g", name, d, k, want)
			}
			if now := f.numeric.factor.values.all(); len(now) != len(before) {
				t.Error(name, "the factor has another size")
			}
		}
	}
}

// A downdate that would leave no positive definite matrix is refused, and changes no bit, wherever in its block the vector is.
func TestDowndateRefusesAndKeepsTheFactor(t *testing.T) {
	random := blas.NewStream(3)
	for name, a := range map[string]*CSR{"grid": grid(12, false), "cliques": cliques(150, 3, 9, 13)} {
		f := must.Get(NewCholesky(t.Context(), a, 0.5, CholeskyOptions{}))(t)
		before := slices.Clone(f.numeric.factor.values.all())
		n := a.Rows
		for _, grow := range []float64{1, 1 + 1e-15, 1.5, 1e200} {
			w := vectorsOn(t, f, 20, 1e-3, random).Dense()
			last := must.Get(f.Parts())(t).Order[n-1]
			x := make([]float64, n)
			x[last] = 1
			must.Do(t, f.Solve(x, 1))
			for i := range n {
				w.Set(i, 18, 0)
			}
			w.Set(int(last), 18, grow/math.Sqrt(x[last])) // wᵀA⁻¹w is 1 and more
			err := f.UpdateRank(t.Context(), w, true)
			refused, is := errors.AsType[*DowndateError](err)
			if !is || refused.Column != int(last) || refused.Vector != 18 {
				t.Errorf("%s: %v", name, err)
			}
			if _, is := errors.AsType[*NotPositiveDefiniteError](err); !is {
				t.Errorf("%s: %v is not about a matrix that is not definite", name, err)
			}
			if !slices.Equal(before, f.numeric.factor.values.all()) {
				t.Errorf("%s: a refused downdate changed the factor", name)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.UpdateRank(ctx, vectorsOn(t, f, 3, 1, random), false); !errors.Is(err, context.Canceled) || !slices.Equal(before, f.numeric.factor.values.all()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFactorToolsRefuse(t *testing.T) {
	a := grid(6, false)
	f := must.Get(NewCholesky(t.Context(), a, 1, CholeskyOptions{}))(t)
	little := must.Get(NewCholesky(t.Context(), a, 1, CholeskyOptions{Memory: f.Bytes() + 100}))(t)
	singular := mustLDLT(t, laplacian(grid(6, true)), 0, 1)
	indefinite := mustLDLT(t, a, -3, 1)
	apart := mat.NewDense(36, 1, nil)
	apart.Set(0, 0, 1)
	apart.Set(35, 0, 1)
	infinite := mat.NewDense(36, 1, nil)
	infinite.Set(2, 0, math.Inf(1))
	x := make([]float64, 36)
	corners := must.Get(FromTriplets(36, 36, []Triplet{{0, 35, 1}, {35, 0, 1}}))(t)
	for says, call := range map[string]func() error{
		`no part "R"`:                     func() error { return f.Apply(x, 1, "R") },
		`LLᵀ has no part "D"`:             func() error { return f.Apply(x, 1, PartD) },
		"5 numbers for 1":                 func() error { return f.Apply(x[:5], 1, PartL) },
		"with 1 zero pivots, and vectors": func() error { return singular.Apply(x, 1, PartP, PartInverseL) },
		"with 1 zero pivots, and has no":  func() error { _, err := singular.InverseDiagonal(t.Context()); return err },
		"joins rows 35 and 0":             func() error { return f.UpdateRank(t.Context(), apart, false) },
		"the vectors have +Inf in row 2":  func() error { return f.UpdateRank(t.Context(), infinite, true) },
		"vectors of 36 × 36 for a factor": func() error {
			return must.Get(NewCholesky(t.Context(), grid(5, false), 1, CholeskyOptions{}))(t).UpdateRank(t.Context(), a, true)
		},
		"in row 0, column 35":              func() error { _, err := indefinite.InverseEntries(t.Context(), corners); return err },
		"a pattern of order 25":            func() error { _, err := f.InverseEntries(t.Context(), grid(5, false)); return err },
		"the entries of the inverse needs": func() error { _, err := little.InverseDiagonal(t.Context()); return err },
		"the entries of L needs":           func() error { _, err := little.Parts(); return err },
		"an update of the factor needs": func() error {
			return little.UpdateRank(t.Context(), mat.NewDense(36, 1, append([]float64{1}, make([]float64, 35)...)), false)
		},
	} {
		must.Refuse(t, says)(call())
	}
	must.Do(t, f.UpdateRank(t.Context(), mat.NewDense(36, 2, nil), true)) // nothing
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.InverseDiagonal(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
