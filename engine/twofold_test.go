package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/internal/twofold"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

const ulp = 0x1p-52

// Eigenvalues and residuals of the local methods agree with their alignment matrix in twice the
// precision: ‖Φy − λy‖/|Φ|, for le and smce with D^−½ΦD^−½ and D^½y.
func TestResidualsInTwiceThePrecision(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 3).X
	each(t, local(t), exceptions{
		"isomap":         "its matrix is that of squared paths: TestGramsInTwiceThePrecision",
		"diffusion-maps": "its eigenvalues are those of a walk: TestDiffusionMapsConstraint",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{Threads: 1})
		phi := alignmentOf(t, x, m)
		n := phi.RawMatrix().Rows
		y := mat.DenseCopyOf(r.Y)
		if name := m.Name(); name == "le" || name == "smce" {
			root := make([]float64, n)
			for i := range n {
				root[i] = math.Sqrt(phi.At(i, i))
			}
			phi.Apply(func(i, j int, v float64) float64 { return v / (root[i] * root[j]) }, phi)
			y.Apply(func(i, _ int, v float64) float64 { return v * root[i] }, y)
		}
		norm := mat.Norm(phi, math.Inf(1))
		for j := range r.Values {
			value, residual := quotient(phi, mat.Col(nil, j, y))
			// A plain product of a row has an error of ε times its length.
			if off := math.Abs(value-r.Values[j]) / norm; off > 8*ulp {
				t.Errorf("eigenvalue %d is %g, by its vector %g: %.1f ε of the norm apart", j, r.Values[j], value, off/ulp)
			}
			if reported, is := r.Residuals[j], residual/norm; math.Abs(reported-is) > 8*ulp+0.01*is {
				t.Errorf("residual %d is reported as %g and is %g", j, reported, is)
			}
			if residual/norm > 1e-10 {
				t.Errorf("residual %d is %g", j, residual/norm)
			}
		}
	})
}

// alignmentOf returns Φ of a method, from the steps of its row.
func alignmentOf(t *testing.T, x *mat.Dense, m Method) *mat.Dense {
	t.Helper()
	full := must(param.Resolve(m.Name(), m, x.RawMatrix().Rows, t.Logf))(t)
	job, s := steptest.Run(t), method.RowOf(full).Embed()
	found := must(s.Neighbors.Find(job, samples.Of(x)))(t)
	a := must(align.SumOfPatches(align.Input{Local: patch.Local{Run: job, X: samples.Of(x), Graph: found.Graph}, Patch: s.Patch}))(t)
	return a.Phi.Dense()
}

// quotient returns vᵀAv/vᵀv and ‖Av − λv‖/‖v‖ for λ = vᵀAv/vᵀv.
func quotient(a *mat.Dense, v []float64) (value, residual float64) {
	n := len(v)
	av := make([]twofold.Number, n)
	var along, square, left twofold.Number
	for i := range n {
		av[i] = twofold.Dot(a.RawRowView(i), v)
		along = along.Plus(av[i].Times(twofold.Of(v[i])))
		square = square.Plus(twofold.Product(v[i], v[i]))
	}
	lambda := along.Over(square)
	for i := range n {
		d := av[i].Minus(lambda.Times(twofold.Of(v[i])))
		left = left.Plus(d.Times(d))
	}
	return lambda.Value(), left.Over(square).Root().Value()
}

// The results of pca, mds and isomap are eigenpairs of the Gram matrices that define them.
func TestGramsInTwiceThePrecision(t *testing.T) {
	const n = 150
	x := generate(t, "swiss-roll", n, 3).X
	paths := squaredGeodesics(t, x, 10)
	squares := func(i, j int) twofold.Number { return twofold.SquaredDistance(x.RawRowView(i), x.RawRowView(j)) }
	for _, c := range []struct {
		method  Method
		squares func(i, j int) twofold.Number
		times   float64 // eigenvalues of the Gram matrix relative to the method's values
	}{
		{PCA{}, squares, n - 1}, {MDS{}, squares, 1},
		{Isomap{Neighbors: 10}, func(i, j int) twofold.Number { return twofold.Of(paths[i][j]) }, 1},
	} {
		t.Run(c.method.Name(), func(t *testing.T) {
			r := embed(t, x, c.method, Options{Threads: 1})
			gram := doublyCentred(n, c.squares)
			for j, value := range r.Values {
				is, residual := quotient(gram, mat.Col(nil, j, r.Y))
				// Entries of the Gram matrix lose accuracy by cancellation, compared with the squares.
				if math.Abs(value*c.times-is) > 64*ulp*is {
					t.Errorf("eigenvalue %d is %g, and of its coordinates %g", j, value*c.times, is)
				}
				if residual > 1e-11*is {
					t.Errorf("residual %d is %g of the eigenvalue", j, residual/is)
				}
			}
		})
	}
}

// doublyCentred returns −½JSJ for squares S with J = I − 11ᵀ/n, rounded once.
func doublyCentred(n int, squares func(i, j int) twofold.Number) *mat.Dense {
	s, means := make([]twofold.Number, n*n), make([]twofold.Number, n)
	var whole twofold.Number
	count, half := twofold.Of(float64(n)), twofold.Of(-0.5)
	for i := range n {
		for j := range n {
			s[i*n+j] = squares(i, j)
			means[i] = means[i].Plus(s[i*n+j])
		}
		means[i] = means[i].Over(count)
		whole = whole.Plus(means[i])
	}
	whole = whole.Over(count)
	g := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, s[i*n+j].Minus(means[i]).Minus(means[j]).Plus(whole).Times(half).Value())
		}
	}
	return g
}

// The relative error that a factorisation reports is that of its factors.
func TestRelativeErrorsInTwiceThePrecision(t *testing.T) {
	x, labels := groups(90, 20)
	all := slices.Concat(factorizers(t), indicatorMethods(t))
	each(t, all, exceptions{"apmf": "its error is that of a projection, which its factors do not tell"}, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels, Threads: 1}})
		n, cols := x.Dims()
		var left, whole twofold.Number
		for i := range n {
			for j := range cols {
				is := twofold.Of(x.At(i, j))
				if r.Offset != nil {
					is = is.Minus(twofold.Of(r.Offset[j]))
				}
				whole = whole.Plus(is.Times(is))
				is = is.Minus(twofold.Dot(r.W.RawRowView(i), mat.Col(nil, j, r.H)))
				left = left.Plus(is.Times(is))
			}
		}
		// The squared error may be computed as ‖X‖² − 2⟨X, WH⟩ + ‖WH‖².
		want := left.Over(whole).Root().Value()
		if math.Abs(r.RelativeError-want) > 32*ulp/want {
			t.Errorf("the error is reported as %v, and is %v", r.RelativeError, want)
		}
	})
}

// The objectives of nmf and nmf-kl are those of their factors.
func TestObjectivesInTwiceThePrecision(t *testing.T) {
	x, _ := groups(90, 20)
	for _, c := range []struct {
		method Method
		loss   func(x float64, model twofold.Number) twofold.Number
	}{
		{NMF{Updates: Updates{Iterations: 30}}, func(x float64, model twofold.Number) twofold.Number {
			d := twofold.Of(x).Minus(model)
			return d.Times(d)
		}},
		{NMFKL{Updates: Updates{Iterations: 30}}, func(x float64, model twofold.Number) twofold.Number {
			d := model.Minus(twofold.Of(x))
			if x > 0 { // the logarithm is rounded, as it is small only where x and the model are near
				d = d.Plus(twofold.Of(x * math.Log(twofold.Of(x).Over(model).Value())))
			}
			return d
		}},
	} {
		r := factorized(t, x, c.method, FactorizeOptions{Options: Options{Threads: 1}})
		n, cols := x.Dims()
		var sum twofold.Number
		for i := range n {
			for j := range cols {
				sum = sum.Plus(c.loss(x.At(i, j), twofold.Dot(r.W.RawRowView(i), mat.Col(nil, j, r.H))))
			}
		}
		reported, want := r.Trace[len(r.Trace)-1].Objective, sum.Value()
		if math.Abs(reported-want) > 1e-12*mat.Norm(x, 2)*mat.Norm(x, 2) {
			t.Errorf("%s: the objective is reported as %v, and is %v", c.method.Name(), reported, want)
		}
	}
}

// Distances are rounded sums of squares, and no sample outside a list is nearer.
func TestDistancesInTwiceThePrecision(t *testing.T) {
	for _, m := range []int{1, 2, 3, 17, 64, 300} {
		const n, k = 160, 7
		x := steptest.Sheet(n, m, uint64(m))
		x.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, x) // where differences cancel
		g := graphOf(t, x, k)
		for i := range n {
			listed := map[int]bool{i: true}
			for p := g.Ptr[i]; p < g.Ptr[i+1]; p++ {
				listed[int(g.Index[p])] = true
				want := twofold.SquaredDistance(x.RawRowView(i), x.RawRowView(int(g.Index[p]))).Root().Value()
				if math.Abs(g.Dist[p]-want) > float64(m+4)*ulp*want {
					t.Errorf("%d columns: from %d to %d it is %v, reported as %v", m, i, g.Index[p], want, g.Dist[p])
				}
			}
			farthest := twofold.Of(g.Dist[g.Ptr[i+1]-1])
			for j := range n {
				if d := twofold.SquaredDistance(x.RawRowView(i), x.RawRowView(j)).Root(); !listed[j] && d.Value() < farthest.Value()*(1-float64(m+4)*ulp) {
					t.Errorf("%d columns: %d is nearer to %d than one that is listed", m, j, i)
				}
			}
		}
	}
}

// bandedQR triangularises the rows of bt, whose entries lie close to a diagonal,
// by Givens rotations in twice the precision. It is the reference for eigenvalues of BBᵀ far below the
// rounding error of BBᵀ; QR in float64 would have an error of 1e-5 of
// the smallest eigenvalue below. Row i of the result holds columns i … i+width−1 of R.
func bandedQR(bt *sparse.CSR, width int) [][]twofold.Number {
	type sorted struct{ row, first int }
	rows := make([]sorted, bt.Rows)
	for i := range rows {
		cols, _ := bt.Row(i)
		rows[i] = sorted{i, int(slices.Min(cols))}
	}
	slices.SortStableFunc(rows, func(a, b sorted) int { return a.first - b.first })
	r := make([][]twofold.Number, bt.Cols)
	for i := range r {
		r[i] = make([]twofold.Number, width)
	}
	v := make([]twofold.Number, width)
	for _, at := range rows {
		cols, vals := bt.Row(at.row)
		clear(v)
		for q, c := range cols {
			v[int(c)-at.first] = twofold.Of(vals[q]) // panics if the band is too narrow
		}
		for j := at.first; j < bt.Cols; j++ {
			if r[j][0].Hi == 0 { // the first row that starts here
				copy(r[j], v)
				break
			}
			if v[0].Hi != 0 {
				h := r[j][0].Times(r[j][0]).Plus(v[0].Times(v[0])).Root()
				c, s := r[j][0].Over(h), v[0].Over(h)
				for q := range width {
					x, y := r[j][q], v[q]
					if x.Hi == 0 && y.Hi == 0 {
						continue
					}
					r[j][q], v[q] = c.Times(x).Plus(s.Times(y)), c.Times(y).Minus(s.Times(x))
				}
			}
			copy(v, v[1:])
			v[width-1] = twofold.Number{}
		}
	}
	return r
}

// smallestByQR is inverse iteration with RᵀR on the complement of the constants,
// its null space: the last unknown is held at zero and the mean subtracted.
func smallestByQR(r [][]twofold.Number, start []float64) float64 {
	n, width := len(r), len(r[0])
	x := make([]twofold.Number, n)
	for i, v := range start {
		x[i].Hi = v
	}
	for range 3 { // each step gains at least four digits because of the gap
		x[n-1] = twofold.Number{}
		for i := range n - 1 { // Rᵀu = x
			x[i] = x[i].Over(r[i][0])
			for q := 1; q < width && i+q < n-1; q++ {
				x[i+q] = x[i+q].Minus(r[i][q].Times(x[i]))
			}
		}
		for i := n - 2; i >= 0; i-- { // Ry = u
			for q := 1; q < width && i+q < n-1; q++ {
				x[i] = x[i].Minus(r[i][q].Times(x[i+q]))
			}
			x[i] = x[i].Over(r[i][0])
		}
		var total, square twofold.Number
		for _, v := range x {
			total = total.Plus(v)
		}
		mean := total.Over(twofold.Of(float64(n)))
		for i := range x {
			x[i] = x[i].Minus(mean)
			square = square.Plus(x[i].Times(x[i]))
		}
		norm := square.Root()
		for i := range x {
			x[i] = x[i].Over(norm)
		}
	}
	var lambda twofold.Number
	for i := range n {
		var y twofold.Number
		for q := 0; q < width && i+q < n; q++ {
			y = y.Plus(r[i][q].Times(x[i+q]))
		}
		lambda = lambda.Plus(y.Times(y))
	}
	return lambda.Hi
}

// A long curve: its smallest eigenvalue falls to 1e-20 of the matrix, below the accuracy of the
// stored matrix. The factors are accurate enough.
func TestRefinementReachesWhatRoundingHides(t *testing.T) {
	for _, c := range []struct{ n, k int }{{3000, 8}, {10000, 8}, {30000, 8}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			if testing.Short() && c.n > 3000 {
				t.Skip("a long curve, left out by -short")
			}
			x := generate(t, "helix", c.n, 1).X
			rows := samples.Of(x)
			g := must(neighbors.Exact(t.Context(), rows.Points(), c.k, neighbors.Options{}))(t)
			a := must(align.SumOfPatches(align.Input{Local: patch.Local{Run: steptest.Run(t), X: rows, Graph: g}, Patch: patch.Tangent(1, false)}))(t)
			blocks := must(a.Factored())(t)
			bt := steptest.Whole(blocks)
			r := embed(t, x, LTSA{Neighbors: c.k, Dim: 1}, Options{})
			want := smallestByQR(bandedQR(bt, 4*c.k), r.Y.RawMatrix().Data)
			if math.Abs(r.Values[0]/want-1) > 1e-6 || r.Details["refinements"] == nil {
				t.Errorf("n=%d: λ = %.9g after %v refinements, by QR %.9g", c.n, r.Values[0], r.Details["refinements"], want)
			}
			t.Logf("n=%d: λ = %.9g, by QR %.9g, refinements %v", c.n, r.Values[0], want, r.Details["refinements"])
		})
	}
}
