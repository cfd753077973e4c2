package engine

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/solvers/nonnegative"
	"github.com/orthant-go/orthant/sparse"
)

// nonnegativeCase is one case of the golden file; which fields it has depends on
// its name.
type nonnegativeCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, U0, H0           [][]float64
		S0                  []float64
		K                   int
		Reg                 float64
		Kind                string
		Shift, Sigma, Alpha float64
	}
	Expect struct {
		C, M, Q, K, W [][]float64
		Degree        []float64
		Iterates      map[string]struct {
			U, H                        [][]float64
			S                           []float64
			Trace, Orth, Penalised, Obj *float64
		}
	}
}

// The iterates of every update on every problem, with the matrix that the
// method's own alignment gives.
func TestGoldenNonnegative(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c nonnegativeCase
		decode(t, raw, &c)
		if len(c.Expect.Iterates) == 0 {
			t.Fatal("a case without iterates: nothing tests it")
		}
		x := mat.DenseCopyOf(matrix(c.Inputs.X).T())
		// Every operator is used up by the iteration that it serves.
		operator, compare := goldenOperator(t, golden.Kind(t, "nonnegative-embeddings", raw), c, x)
		compare(t)
		for text, want := range c.Expect.Iterates {
			iterations := must(strconv.Atoi(text))(t)
			o := nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: iterations, Alpha: c.Inputs.Alpha}
			if _, update, _ := strings.Cut(c.Name, "-"); strings.HasPrefix(update, "penalty") {
				o.Update = nonnegative.UpdatePenalty
			}
			var r *nonnegative.Nonnegative
			var err error
			state := want.U
			if c.Inputs.H0 != nil {
				square := alignedFor(t, x, NMMS{}).square()
				state = want.H
				r, err = nonnegative.FitNMMS(context.Background(), operator(t), square, len(c.Inputs.H0[0]), golden.Flat(c.Inputs.H0), c.Inputs.S0, o)
			} else {
				r, err = nonnegative.Maximize(context.Background(), operator(t), len(c.Inputs.U0[0]), golden.Flat(c.Inputs.U0), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			last, orth := r.Objective[iterations], r.Orthogonality[iterations]
			expectClose(t, text+": state", r.U, golden.Flat(state), c.Tol)
			expectClose(t, text+": orthogonality", []float64{orth}, []float64{*want.Orth}, c.Tol)
			if want.Trace != nil {
				expectClose(t, text+": trace", []float64{last}, []float64{*want.Trace}, c.Tol)
			}
			if want.Penalised != nil {
				expectClose(t, text+": penalised", []float64{-last + c.Inputs.Alpha/2*orth*orth}, []float64{*want.Penalised}, c.Tol)
			}
			if want.Obj != nil {
				expectClose(t, text+": objective", []float64{last}, []float64{*want.Obj}, c.Tol)
				expectClose(t, text+": weights", r.S, want.S, c.Tol)
			}
		}
	})
}

// goldenOperator returns a maker of the case's operator, and a comparison of its
// matrix with the expected one.
func goldenOperator(t *testing.T, method string, c nonnegativeCase, x *mat.Dense) (func(*testing.T) nonnegative.Signed, func(*testing.T)) {
	_, update, _ := strings.Cut(c.Name, "-")
	k := c.Inputs.K
	var m Method
	var want [][]float64
	switch method {
	case "npca":
		m, want = NPCA{}, c.Expect.C
	case "nle":
		m, want = NLE{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.M
	case "nlle":
		m, want = NLLE{Neighbors: k, Gamma: orPaperGamma(c.Inputs.Reg)}, c.Expect.M
	case "nonpp":
		m, want = NONPP{Neighbors: k, Gamma: orPaperGamma(c.Inputs.Reg)}, c.Expect.Q
	case "nolpp":
		m, want = NOLPP{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.Q
	case "nmms":
		m, want = NMMS{}, c.Expect.K
	default:
		t.Fatalf("unknown method %q: nothing tests it", method)
	}
	sigma, negated := c.Inputs.Sigma, method != "npca" && method != "nmms"
	if !negated {
		sigma = c.Inputs.Shift
	}
	if strings.HasPrefix(update, "printed") {
		sigma = 0
	}
	operator := func(t *testing.T) nonnegative.Signed {
		s := must(alignedFor(t, x, m).operator(negated, sigma))(t)
		return s
	}
	return operator, func(t *testing.T) {
		a := alignedFor(t, x, m)
		got := a.matrix()
		if want != nil {
			expectClose(t, "the matrix", got, golden.Flat(want), c.Tol)
		}
		for i, d := range c.Expect.Degree {
			expectClose(t, "degree", []float64{1 / (a.scale[i] * a.scale[i])}, []float64{d}, c.Tol)
		}
		if c.Expect.W != nil {
			expectClose(t, "the matrix of W", got, ofWeights(method, c), c.Tol)
		}
	}
}

// ofWeights is the matrix of a method that the expected weights W give:
// (I − W)ᵀ(I − W), or I − D^−½WD^−½ of weights of edges.
func ofWeights(method string, c nonnegativeCase) []float64 {
	w := matrix(c.Expect.W)
	n, _ := w.Dims()
	left := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			v := -w.At(i, j)
			if method == "nle" {
				v /= math.Sqrt(c.Expect.Degree[i] * c.Expect.Degree[j])
			}
			if i == j {
				v++
			}
			left.Set(i, j, v)
		}
	}
	if method == "nle" {
		return left.RawMatrix().Data
	}
	var product mat.Dense
	product.Mul(left.T(), left)
	return product.RawMatrix().Data
}

// nonnegativeAlignment is the matrix of a nonnegative method, as it was aligned.
type nonnegativeAlignment struct {
	order int
	dense []float64   // both triangles; nil: the matrix is sparse
	phi   *sparse.CSR // nil: it is dense
	scale []float64   // of a normalised sum
}

// matrix is all of the matrix.
func (a nonnegativeAlignment) matrix() []float64 {
	if a.dense != nil {
		return a.dense
	}
	return a.phi.Dense().RawMatrix().Data
}

// operator is ±Φ + σI.
func (a nonnegativeAlignment) operator(negated bool, sigma float64) (nonnegative.Signed, error) {
	if a.dense != nil {
		return nonnegative.SignedDense(a.order, a.dense, negated, sigma)
	}
	return nonnegative.SignedSparse(a.phi, negated, sigma)
}

// square is ‖K‖²_F of a dense K.
func (a nonnegativeAlignment) square() float64 { return blas.Dot(a.dense, a.dense) }

// trace is tr(UᵀΦU).
func (a nonnegativeAlignment) trace(u *mat.Dense) float64 {
	var product mat.Dense
	product.Mul(mat.NewDense(a.order, a.order, a.matrix()), u)
	product.MulElem(&product, u)
	return mat.Sum(&product)
}

// alignedFor takes a method's steps up to its alignment. The method joins that to its
// solve, so that it is named here again. The method's report about it at a start has to
// be true of the matrix that is returned.
func alignedFor(t *testing.T, x *mat.Dense, m Method) nonnegativeAlignment {
	t.Helper()
	m = must(param.Resolve(m.Name(), m, x.RawMatrix().Rows, func(string, ...any) {}))(t)
	job, points, s := steptest.Run(t), samples.Of(x), method.RowOf(m).Embed()
	var found neighborhood.Found
	if s.Neighbors != nil {
		found = must(s.Neighbors.Find(job, points))(t)
	}
	a := must(alignNonnegative(m, align.Input{Local: patch.Local{Run: job, X: points, Graph: found.Graph}, Patch: s.Patch}))(t)
	start := mat.NewDense(a.order, method.RowOf(m).Dim, nil)
	blas.NewStream(3).Uniforms(start.RawMatrix().Data)
	own := must(take(s, job, pipeline.Locality{X: points, Found: found}, start, diagnosis.Trials{Why: neighborsGiven}))(t)
	got, want := own.Objective[0], a.trace(start)
	if m.Name() == "nmms" { // which has no trace
		got, want = job.Notes()["squared_norm"].(float64), a.square()
	}
	if math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("%s aligns another matrix: it says %.17g, this one %.17g", m.Name(), got, want)
	}
	return a
}

// alignNonnegative adds the patches of a nonnegative method up, as the method does.
func alignNonnegative(m Method, in align.Input) (nonnegativeAlignment, error) {
	switch m.Name() {
	case "nle", "nlle":
		rule := align.SumOfPatches
		if m.Name() == "nle" {
			rule = align.NormalizedSum
		}
		a, err := rule(in)
		if err != nil {
			return nonnegativeAlignment{}, err
		}
		return nonnegativeAlignment{order: a.Phi.Rows, phi: a.Phi, scale: a.Scale}, nil
	case "nmms":
		rule := align.SimilarityGram
		if Values(m)["distances"] == "geodesic" {
			rule = align.GeodesicGram
		}
		a, err := rule(in)
		if err != nil {
			return nonnegativeAlignment{}, err
		}
		return nonnegativeAlignment{order: in.X.N(), dense: a.K}, nil
	}
	rule := align.FeatureGram
	if m.Name() != "npca" {
		rule = align.ProjectedSum(align.UnitInFeatures, method.RowOf(m).Dim)
	}
	a, err := rule(in)
	if err != nil {
		return nonnegativeAlignment{}, err
	}
	return nonnegativeAlignment{order: a.Order, dense: a.Q}, nil
}
