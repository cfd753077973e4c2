package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/memory"
)

// denseReference are Φ as a dense matrix, Q = XᵀΦX and the method's B, computed
// plainly from the patches.
func denseReference(t *testing.T, x *mat.Dense, m Method) (phi, q, b *mat.Dense) {
	t.Helper()
	n, cols := x.Dims()
	phi, q, b = alignmentOf(t, x, m), mat.NewDense(cols, cols, nil), mat.NewDense(cols, cols, nil)
	var half mat.Dense
	half.Mul(x.T(), phi)
	q.Mul(&half, x)
	switch m.Name() {
	case "lpp", "olpp-cai":
		half.CloneFrom(x)
		for i := range n {
			blas.Scale(phi.At(i, i), half.RawRowView(i))
		}
		b.Mul(x.T(), &half)
	case "npp":
		b.Mul(x.T(), x)
	case "onpp", "olpp":
		for j := range cols {
			b.Set(j, j, 1)
		}
	default:
		t.Fatalf("say here which B is that of %s", m.Name())
	}
	return phi, q, b
}

// inner is VᵀAV.
func inner(v, a mat.Matrix) *mat.Dense {
	var half, out mat.Dense
	half.Mul(v.T(), a)
	out.Mul(&half, v)
	return &out
}

func projectionOf(r *Result) *mat.Dense { return r.extension.Map.(extend.LinearMap).Projection }

// The constraint VᵀBV = I, the values vᵀQv, orthogonality to Q off the diagonal,
// Y = XV and the objective, for tall and wide data.
func TestProjectionConstraints(t *testing.T) {
	each(t, projections(t, "3"), nil, func(t *testing.T, m Method) {
		for _, shape := range []struct{ n, m int }{{150, 7}, {120, 40}, {60, 90}} {
			t.Run(fmt.Sprintf("%d × %d", shape.n, shape.m), func(t *testing.T) {
				x := steptest.Sheet(shape.n, shape.m, 3)
				name := fmt.Sprintf("%d × %d", shape.n, shape.m)
				r := embed(t, x, m, Options{Components: "joint"})
				_, q, b := denseReference(t, x, m)
				v := projectionOf(r)
				if rows, cols := v.Dims(); rows != shape.m || cols != 3 || !r.Converged {
					t.Fatalf("%s: a %d × %d projection, residuals %g", name, rows, cols, r.Residuals)
				}
				scale := mat.Norm(q, math.Inf(1)) * mat.Norm(v, 2) * mat.Norm(v, 2)
				constraint := b
				if m.Name() == "olpp-cai" {
					constraint = mat.DenseCopyOf(mat.NewDiagDense(shape.m, slices.Repeat([]float64{1}, shape.m)))
				}
				one, values, weights := inner(v, constraint), inner(v, q), inner(v, b)
				var objective float64
				for i := range 3 {
					objective += values.At(i, i)
					for j := range 3 {
						want := 0.0
						if i == j {
							want = 1
						}
						// B's condition is below 1e5 in all cases.
						if got := one.At(i, j); math.Abs(got-want) > 1e-9 {
							t.Errorf("%s: VᵀBV has %g at (%d, %d)", name, got, i, j)
						}
					}
					if got := values.At(i, i) / weights.At(i, i); math.Abs(got-r.Values[i]) > 1e-11*scale/weights.At(i, i) {
						t.Errorf("%s: the quotient of direction %d is %g, the eigenvalue %g", name, i, got, r.Values[i])
					}
				}
				if got := r.Details["objective"].(float64); math.Abs(got-objective) > 1e-11*scale {
					t.Errorf("%s: objective %g, tr(VᵀQV) = %g", name, got, objective)
				}
				if !slices.IsSorted(r.Values) || r.Next < r.Values[2] {
					t.Errorf("%s: eigenvalues %g then %g", name, r.Values, r.Next)
				}
				var y mat.Dense
				y.Mul(x, v)
				if !mat.EqualApprox(&y, r.Y, 1e-11*mat.Max(&y)) {
					t.Errorf("%s: Y is not XV", name)
				}
				for j := range 3 {
					if vector.Dominant(mat.Col(nil, j, v)) < 0 {
						t.Errorf("%s: the largest entry of direction %d is negative", name, j)
					}
				}
			})
		}
	})
}

// The signed optimum is the best of all: no other feasible V has a smaller
// tr(VᵀQV), nonnegative ones among them (section 7 of the nonnegative methods).
func TestSignedOptimumBounds(t *testing.T) {
	const m, d = 6, 2
	x := steptest.Sheet(80, m, 5)
	type reference struct {
		name string
		best float64
		q, b *mat.Dense
	}
	var all []reference
	for _, method := range []Method{NPP{Neighbors: 8}, ONPP{Neighbors: 8}, LPP{Neighbors: 8}, OLPP{Neighbors: 8}} {
		_, q, b := denseReference(t, x, method)
		all = append(all, reference{method.Name(), embed(t, x, method, Options{}).Details["objective"].(float64), q, b})
	}
	var values []float64
	pca := embed(t, x, PCA{Dim: d}, Options{})
	values = append(values, pca.Values...)
	centred := samples.Of(x).Centered(samples.Of(x).Mean()).Dense()
	covariance := mat.NewDense(m, m, nil)
	covariance.Mul(centred.T(), centred)
	covariance.Scale(1.0/79, covariance)
	rapid.Check(t, func(t *rapid.T) {
		v := mat.NewDense(m, d, nil)
		nonnegative := rapid.Bool().Draw(t, "nonnegative")
		for i := range m {
			if nonnegative { // one entry a row: nonnegative and orthogonal
				v.Set(i, rapid.IntRange(0, d-1).Draw(t, "column"), rapid.Float64Range(0.01, 1).Draw(t, "entry"))
				continue
			}
			for j := range d {
				v.Set(i, j, rapid.Float64Range(-1, 1).Draw(t, "entry"))
			}
		}
		for _, r := range all {
			// VR⁻¹ is feasible for VᵀBV = RᵀR.
			var chol mat.Cholesky
			gram := inner(v, r.b)
			if !chol.Factorize(mat.NewSymDense(d, gram.RawMatrix().Data)) || chol.Cond() > 1e8 {
				return
			}
			var solved mat.Dense
			if err := chol.SolveTo(&solved, inner(v, r.q)); err != nil {
				return
			}
			if got := mat.Trace(&solved); got < r.best*(1-1e-7) {
				t.Fatalf("%s: a feasible V reaches %g, below the optimum %g", r.name, got, r.best)
			}
		}
		var chol mat.Cholesky
		var gram, solved mat.Dense
		gram.Mul(v.T(), v)
		if chol.Factorize(mat.NewSymDense(d, gram.RawMatrix().Data)) && chol.Cond() < 1e8 && chol.SolveTo(&solved, inner(v, covariance)) == nil {
			if got := mat.Trace(&solved); got > (values[0]+values[1])*(1+1e-7) {
				t.Fatalf("pca: a feasible V has variance %g, above the optimum %g", got, values[0]+values[1])
			}
		}
	})
}

// Each successive direction is a stationary point of its constrained quotient, as
// the paper's nonsymmetric eigenproblem states it, and no direction of a sample of
// feasible ones is better.
func TestSuccessiveDirections(t *testing.T) {
	x := steptest.Sheet(120, 6, 7)
	method := OLPPCai{Neighbors: 8, Dim: 4}
	r := embed(t, x, method, Options{})
	_, q, b := denseReference(t, x, method)
	v := projectionOf(r)
	first := projectionOf(embed(t, x, LPP{Neighbors: 8, Dim: 1}, Options{}))
	unit := mat.Col(nil, 0, first)
	vector.Normalize(unit)
	expectClose(t, "the first direction", mat.Col(nil, 0, v), unit, 1e-9)
	quotient := func(a []float64) float64 {
		u := mat.NewDense(6, 1, a)
		return inner(u, q).At(0, 0) / inner(u, b).At(0, 0)
	}
	var binv mat.Dense
	if err := binv.Inverse(b); err != nil {
		t.Fatal(err)
	}
	s := blas.NewStream(1)
	for k := range 4 {
		a := mat.Col(nil, k, v)
		if k > 0 {
			before := v.Slice(0, 6, 0, k)
			// M = (I − B⁻¹A(AᵀB⁻¹A)⁻¹Aᵀ)B⁻¹Q, Ma = λa.
			var left, small, right, projector, product, ma mat.Dense
			left.Mul(&binv, before)
			small.Mul(before.T(), &left)
			if err := right.Solve(&small, before.T()); err != nil {
				t.Fatal(err)
			}
			projector.Mul(&left, &right)
			product.Mul(&binv, q)
			ma.Mul(&product, mat.NewDense(6, 1, a))
			var off mat.Dense
			off.Mul(&projector, &ma)
			ma.Sub(&ma, &off)
			want := slices.Clone(a)
			blas.Scale(r.Values[k], want)
			expectClose(t, fmt.Sprintf("direction %d under the paper's matrix", k), mat.Col(nil, 0, &ma), want, 1e-9)
		}
		for range 200 {
			w := make([]float64, 6)
			s.Normals(w)
			for j := range k {
				c := mat.Col(nil, j, v)
				blas.Axpy(-blas.Dot(c, w), c, w)
			}
			if quotient(w) < r.Values[k]*(1-1e-9) {
				t.Fatalf("direction %d: %g where another has %g", k, r.Values[k], quotient(w))
			}
		}
	}
}

// thirds are labels of three classes in turn.
func thirds(n int) []int64 {
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	return labels
}

// Training samples get their own bits again, alone or among others.
func TestLinearModels(t *testing.T) {
	each(t, linearMethods(t), nil, func(t *testing.T, m Method) {
		for _, shape := range []struct{ n, m int }{{400, 9}, {60, 80}} {
			x := steptest.Sheet(shape.n, shape.m, 8)
			r, model := fittedModel(t, x, m, Options{Components: "joint", Labels: thirds(shape.n)})
			for _, span := range [][2]int{{0, shape.n}, {17, 18}, {3, 50}} {
				if y := transformed(t, model, x.Slice(span[0], span[1], 0, shape.m), Options{}); !mat.Equal(y, r.Y.Slice(span[0], span[1], 0, 2)) {
					t.Errorf("%d × %d: rows %v are mapped to other bits than they were embedded to", shape.n, shape.m, span)
				}
			}
		}
	})
}

// PCA of tall and wide data against the singular values of the centred data.
func TestPCAModel(t *testing.T) {
	for _, shape := range []struct{ n, m int }{{50, 8}, {20, 35}, {20, 20}} {
		x := steptest.Sheet(shape.n, shape.m, 11)
		r := embed(t, x, PCA{Dim: 5}, Options{})
		v := projectionOf(r)
		var one, centred mat.Dense
		one.Mul(v.T(), v)
		for i := range 5 {
			for j := range 5 {
				if got := one.At(i, j); i == j && math.Abs(got-1) > 1e-12 || i != j && math.Abs(got) > 1e-12 {
					t.Errorf("%v: VᵀV has %g at (%d, %d)", shape, got, i, j)
				}
			}
		}
		centred.CloneFrom(samples.Of(x).Centered(samples.Of(x).Mean()).Dense())
		var svd mat.SVD
		svd.Factorize(&centred, mat.SVDThin)
		var total float64
		for _, s := range svd.Values(nil) {
			total += s * s
		}
		shares := r.Details["explained_variance_ratio"].([]float64)
		for j, s := range svd.Values(nil)[:5] {
			expectClose(t, "variance", []float64{r.Values[j]}, []float64{s * s / float64(shape.n-1)}, 1e-10)
			expectClose(t, "share", []float64{shares[j]}, []float64{s * s / total}, 1e-10)
			score := mat.Col(nil, j, r.Y)
			expectClose(t, "length of the scores", []float64{math.Sqrt(blas.Dot(score, score))}, []float64{s}, 1e-10)
		}
	}
}

// Columns of zeros change nothing.
func TestLinearMethodsOnColumnsOfZeros(t *testing.T) {
	x := steptest.Sheet(90, 5, 12)
	padded := mat.NewDense(90, 8, nil)
	for i := range 90 {
		padded.SetRow(i, append(slices.Clone(x.RawRowView(i)), 0, 0, 0))
	}
	each(t, linearMethods(t), nil, func(t *testing.T, m Method) {
		a := embed(t, x, m, Options{Labels: thirds(90)})
		b := embed(t, padded, m, Options{Labels: thirds(90)})
		if d := farthest(a.Y, b.Y); d > 1e-9 {
			t.Errorf("%s: columns of zeros change the embedding by %g", m.Name(), d)
		}
		if rank, known := b.Details["rank"]; known && rank != 5 {
			t.Errorf("%s: rank %v of data with 5 columns and zeros", m.Name(), rank)
		}
	})
}

// Constant columns and copies of columns leave finite coordinates, and no direction
// without data counts as perfect.
func TestLinearMethodsOnDependentColumns(t *testing.T) {
	x := steptest.Sheet(90, 5, 12)
	padded := mat.NewDense(90, 8, nil)
	for i := range 90 {
		padded.SetRow(i, append(slices.Clone(x.RawRowView(i)), 4, x.At(i, 0), 0))
	}
	each(t, linearMethods(t), nil, func(t *testing.T, m Method) {
		r := embed(t, padded, m, Options{Labels: thirds(90)})
		if !r.Converged || slices.ContainsFunc(r.Y.RawMatrix().Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			t.Errorf("%s: constant and copied columns give %v", m.Name(), r.Residuals)
		}
		if name := m.Name(); (name == "onpp" || name == "olpp") && r.Values[0] < 1e-8 {
			t.Errorf("%s: a direction without data counts as perfect: %g", name, r.Values)
		}
	})
	// A constant column combines to the trivial coordinate, which is said.
	for _, m := range []Method{LPP{Neighbors: 8, Dim: 2}, NPP{Neighbors: 8, Dim: 2}} {
		t.Run(m.Name()+" with a constant", func(t *testing.T) {
			if r := embed(t, padded, m, Options{}); !strings.Contains(fmt.Sprint(r.Warnings), "coordinate 1 is constant") {
				t.Errorf("%s: warnings %q", m.Name(), r.Warnings)
			}
		})
	}
	r := embed(t, padded, LPP{Neighbors: 8, Dim: 1, Skip: 1}, Options{})
	whole := embed(t, padded, LPP{Neighbors: 8, Dim: 2}, Options{})
	if len(r.Warnings) > 0 || !slices.Equal(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, whole.Y)) {
		t.Errorf("Skip: 1 is not the second coordinate; warnings %q", r.Warnings)
	}
}

// Several projections make no model.
func TestProjectionsOfComponents(t *testing.T) {
	x := steptest.Sheet(120, 5, 13)
	for i := 70; i < 120; i++ { // two clouds far apart
		x.Set(i, 1, x.At(i, 1)+200)
	}
	r := refusing(t)
	each(t, projections(t, "2"), nil, func(t *testing.T, m Method) {
		r.of(m.Name(), failed(embed(t, x, m, Options{Components: "each"}).Model()))
		if joint := embed(t, x, m, Options{Components: "joint"}); !joint.Converged {
			t.Errorf("joint residuals %g", joint.Residuals)
		}
	})
}

func TestProjectionsOfEveryWeight(t *testing.T) {
	x := steptest.Sheet(100, 6, 16)
	var every []string
	for _, graph := range []string{"union", "mutual", "average"} {
		for _, weights := range []string{"binary", "heat", "heat_norm", "cosine"} {
			every = append(every, "neighbors=10 graph="+graph+" weights="+weights)
		}
	}
	weighted := func(e Entry) bool { return isProjection(e) && has(e, "weights") }
	each(t, trials(t, weighted, settings{"": every}), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		_, q, b := denseReference(t, x, m)
		for j := range 2 {
			v := projectionOf(r).Slice(0, 6, j, j+1)
			if got := inner(v, q).At(0, 0) / inner(v, b).At(0, 0); math.Abs(got-r.Values[j]) > 1e-9*math.Abs(got) {
				t.Errorf("quotient %g, eigenvalue %g", got, r.Values[j])
			}
		}
	})
}

func TestLinearMethodsRefuse(t *testing.T) {
	x := steptest.Sheet(40, 4, 18)
	flat := mat.NewDense(40, 4, nil) // rank 2
	for i := range 40 {
		flat.SetRow(i, []float64{x.At(i, 0), x.At(i, 1), x.At(i, 0) + x.At(i, 1), x.At(i, 0) - x.At(i, 1)})
	}
	constant := mat.NewDense(30, 3, slices.Repeat([]float64{2}, 90))
	zero := mat.NewDense(30, 3, nil)
	tenths := mat.NewDense(30, 3, slices.Repeat([]float64{0.1}, 90)) // whose mean rounds
	tiny := 1e-300
	negative := -1.0
	nan := mat.DenseCopyOf(x)
	nan.Set(3, 2, math.NaN())
	r := refusing(t)
	r.embed("", x, LPP{Dim: 5}, Options{})
	r.embed("", x, ONPP{Dim: 3, Skip: 2}, Options{})
	r.embed("", x, OLPPCai{Dim: 5}, Options{})
	r.embed("", flat, LPP{Dim: 3}, Options{})
	r.embed("", flat, NPP{Dim: 3}, Options{})
	r.embed("", flat, ONPP{Dim: 3}, Options{})
	r.embed("", flat, OLPP{Dim: 1, Skip: 2}, Options{})
	r.embed("", flat, OLPPCai{Dim: 3}, Options{})
	r.embed("", constant, ONPP{}, Options{})
	r.embed("", tenths, OLPP{}, Options{})
	r.embed("", constant, LPP{}, Options{})
	r.embed("", zero, NPP{}, Options{})
	r.embed("", zero, OLPPCai{Weights: "cosine"}, Options{})
	r.embed("", x, LPP{T: &tiny}, Options{})
	r.embed("", x, LPP{T: &negative}, Options{})
	r.embed("", x, OLPP{Weights: "warm"}, Options{})
	r.embed("", x, NPP{Gamma: -1}, Options{})
	r.embed("", x, LPP{Skip: -1}, Options{})
	r.embed("", x, ONPP{Neighbors: 40}, Options{})
	r.embed("", nan, LPP{}, Options{})
	r.embed("", x, LPP{}, Options{Memory: 1000})
	r.embed("", mat.NewDense(30, 5000, slices.Repeat([]float64{1, 2, 5}, 50000)), LPP{}, Options{Memory: memory.Program + 12<<20})
	r.embed("", x, LDA{}, Options{})
	r.embed("", x, LDA{}, Options{Labels: thirds(39)})
	r.embed("", x, LPP{}, Options{Labels: thirds(39)})
	r.embed("", x, LDA{}, Options{Labels: make([]int64, 40)})
	r.embed("", x, LDA{Dim: 3}, Options{Labels: thirds(40)})
	r.embed("", x, LDA{Dim: 5}, Options{Labels: thirds(40)})
	r.embed("", constant, LDA{}, Options{Labels: thirds(30)})
}

// All coordinates keep all distances, and the values are the squared lengths of
// the columns.
func TestMDSKeepsDistances(t *testing.T) {
	s := blas.NewStream(2)
	for _, shape := range [][2]int{{30, 4}, {9, 40}} { // either Gram matrix
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			n, m := shape[0], shape[1]
			x := mat.NewDense(n, m, nil)
			s.Normals(x.RawMatrix().Data)
			dim := min(m, n-1)
			r := embed(t, x, MDS{Dim: dim}, Options{})
			for i := range n {
				for j := range i {
					want := blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))
					if got := blas.SquaredDistance(r.Y.RawRowView(i), r.Y.RawRowView(j)); math.Abs(got-want) > 1e-11*want {
						t.Fatalf("%d × %d: samples %d and %d are at squared distance %g, want %g", n, m, i, j, got, want)
					}
				}
			}
			for j, v := range r.Values {
				c := mat.Col(nil, j, r.Y)
				if length := blas.Dot(c, c); math.Abs(length-v) > 1e-11*v || j > 0 && v > r.Values[j-1] || c[largestAt(c)] < 0 {
					t.Errorf("%d × %d: value %d is %g, its column has squared length %g", n, m, j, v, length)
				}
			}
			pca := embed(t, x, PCA{Dim: dim}, Options{})
			if far := farthest(pca.Y, r.Y); far > 1e-13 {
				t.Errorf("coordinates differ from those of PCA by %g", far)
			}
			if math.Abs(pca.Values[0]*float64(n-1)-r.Values[0]) > 1e-12*r.Values[0] {
				t.Errorf("values %g, variances %g", r.Values, pca.Values)
			}
		})
	}
}

// Training samples come back where they are, also along directions of small
// extent; columns without extent stay 0.
func TestMDSTransform(t *testing.T) {
	s := blas.NewStream(4)
	for _, shape := range [][2]int{{60, 5}, {12, 30}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			n, m := shape[0], shape[1]
			x := mat.NewDense(n, m, nil)
			s.Normals(x.RawMatrix().Data)
			x.Apply(func(_, j int, v float64) float64 { return v*math.Pow(10, -float64(j%4)) + 100 }, x)
			r := embed(t, x, MDS{Dim: 4}, Options{})
			model := must(r.Model())(t)
			back := transformed(t, model, x, Options{})
			if far := farthest(r.Y, back); far > 1e-10 {
				t.Errorf("%d × %d: training samples move by %g", n, m, far)
			}
		})
	}
	flat := mat.NewDense(20, 3, nil)
	for i := range 20 {
		flat.Set(i, 1, float64(i))
	}
	r := embed(t, flat, MDS{}, Options{})
	model := must(r.Model())(t)
	y := transformed(t, model, flat, Options{})
	for i := range 20 {
		if math.Abs(y.At(i, 0)-r.Y.At(i, 0)) > 1e-12 || y.At(i, 1) != 0 || math.Abs(r.Y.At(i, 1)) > 1e-6 {
			t.Errorf("sample %d is at %v, in training at %v", i, y.RawRowView(i), r.Y.RawRowView(i))
		}
	}
	if _, err := model.Transform(context.Background(), mat.NewDense(2, 4, nil), Options{}); err == nil {
		t.Error("samples of another width were mapped")
	}
}

// linear reports whether the rule for new samples is a projection.
func linear(r *Result) bool {
	if r.extension == nil {
		return false
	}
	_, is := r.extension.Map.(extend.LinearMap)
	return is
}
