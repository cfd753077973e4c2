package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
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
// solve, so that it is named here again. What the method tells of it at a start has to
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
	own := must(take(s, job, pipeline.Locality{X: points, Found: found}, start, untried))(t)
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
