package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// The misprints of Zafeiriou and Laskaris (2010) that docs/nonnegative.md lists: what is
// computed is the corrected form, and the printed one is another.

// misprintData draws samples, and a start for their embedding in two coordinates.
func misprintData() (x, u *mat.Dense) {
	x, u = mat.NewDense(30, 3, nil), mat.NewDense(30, 2, nil)
	blas.NewStream(11).Normals(x.RawMatrix().Data)
	blas.NewStream(12).Uniforms(u.RawMatrix().Data)
	for i := range u.RawMatrix().Data {
		u.RawMatrix().Data[i] += 0.1
	}
	return x, u
}

// traceOf is tr(UᵀQU).
func traceOf(q mat.Matrix, u *mat.Dense) float64 {
	var qu, uqu mat.Dense
	qu.Mul(q, u)
	uqu.Mul(u.T(), &qu)
	return mat.Trace(&uqu)
}

// checkPrinted compares a value to what is to be computed, and to what the paper prints.
func checkPrinted(t *testing.T, got, want, printed float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%.12g is computed, the corrected form gives %.12g", got, want)
	}
	if math.Abs(got-printed) < 1e-3*math.Abs(got) {
		t.Errorf("%.12g is computed, as the printed form gives: %.12g", got, printed)
	}
}

// K = −½JD²J of squared distances is XcXcᵀ; without the ½ its squared norm is four times as
// large. Along the complete graph of the samples lengths of paths are distances.
func TestHalfInTheMatrixOfScaling(t *testing.T) {
	x, _ := misprintData()
	n, m := x.Dims()
	centered := mat.DenseCopyOf(x)
	for j := range m {
		mean := mat.Sum(x.ColView(j)) / float64(n)
		for i := range n {
			centered.Set(i, j, x.At(i, j)-mean)
		}
	}
	var k mat.Dense
	k.Mul(centered, centered.T())
	square := math.Pow(mat.Norm(&k, 2), 2)
	for _, distances := range []string{"euclidean", "geodesic"} {
		r := embed(t, x, NMMS{Distances: distances, Neighbors: n - 1, Round: true}, Options{})
		checkPrinted(t, r.Details["squared_norm"].(float64), square, 4*square)
		// H is N × P with HᵀH = I; HHᵀ has rank P and cannot be I.
		if r.Orthogonality > 1e-9 {
			t.Errorf("%s: ‖HᵀH − I‖ = %g after rounding", distances, r.Orthogonality)
		}
	}
}

// With the weights of a sample in a row of W the matrix of NLLE is (I − W)ᵀ(I − W), which
// sends constants to zero, and not its counterpart.
func TestTransposeInTheMatrixOfWeights(t *testing.T) {
	x, u := misprintData()
	n, _ := x.Dims()
	g := graphOf(t, x, 5)
	weights := must(ReconstructionWeights(t.Context(), x, g, 1e-3, Options{}))(t)
	rest := mat.NewDense(n, n, nil) // I − W
	for i := range n {
		rest.Set(i, i, 1)
		for a, j := range g.Of(i) {
			rest.Set(i, int(j), -weights.At(i, a))
		}
	}
	var right, printed, constant mat.Dense
	right.Mul(rest.T(), rest)
	printed.Mul(rest, rest.T())
	ones := mat.NewDense(n, 1, nil)
	for i := range n {
		ones.Set(i, 0, 1)
	}
	constant.Mul(&right, ones)
	if mat.Norm(&constant, 2) > 1e-12 {
		t.Errorf("(I − W)ᵀ(I − W) takes the constant to a vector of length %g", mat.Norm(&constant, 2))
	}
	r := embed(t, x, NLLE{Neighbors: 5, Gamma: 1e-3, Iterations: 1}, Options{Init: u, Components: "joint"})
	checkPrinted(t, r.Objective[0], traceOf(&right, u), traceOf(&printed, u))
}

// The heat kernel of the default of weights=heat is of squared distances.
func TestSquareInTheHeatKernel(t *testing.T) {
	x, u := misprintData()
	n, _ := x.Dims()
	g := graphOf(t, x, 5)
	const width = 0.7
	laplacian := func(weight func(d float64) float64) *mat.Dense {
		w, degree := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			for a, j := range g.Of(i) {
				v := weight(g.Distances(i)[a])
				w.Set(i, int(j), v)
				w.Set(int(j), i, v)
			}
		}
		for i := range n {
			degree[i] = mat.Sum(w.RowView(i))
		}
		l := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				v := -w.At(i, j) / math.Sqrt(degree[i]*degree[j])
				if i == j {
					v++
				}
				l.Set(i, j, v)
			}
		}
		return l
	}
	squared := traceOf(laplacian(func(d float64) float64 { return math.Exp(-d * d / width) }), u)
	plain := traceOf(laplacian(func(d float64) float64 { return math.Exp(-d / width) }), u)
	at := func(weights string) float64 {
		value := width
		return embed(t, x, NLE{Neighbors: 5, Weights: weights, T: &value, Iterations: 1}, Options{Init: u, Components: "joint"}).Objective[0]
	}
	checkPrinted(t, at("heat"), squared, plain)
	checkPrinted(t, at("heat_norm"), plain, squared)
}
