package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/eigen"
)

// The eigenvectors of the alignment matrix are the embedding, by the eigensolver and by
// the type of the other package.
func TestAlignmentIsWhatEmbedSolves(t *testing.T) {
	x := generate(t, "swiss-roll", 500, 1).X
	for _, m := range []Method{LLE{}, NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, LNP{Neighbors: 25}, LE{}, SMCE{}} {
		t.Run(m.Name(), func(t *testing.T) {
			phi := must(Alignment(t.Context(), x, m, Options{}))(t)
			if !mat.Equal(phi, phi.T()) || phi.Rows != 500 {
				t.Error("it is not symmetric")
			}
			r := embed(t, x, m, Options{Components: "joint"})
			if m.Name() != "le" && m.Name() != "smce" { // whose null vector is not constant
				constant := slices.Repeat([]float64{1 / math.Sqrt(500)}, 500)
				e := must(eigen.Smallest(t.Context(), phi.Storage(), [][]float64{constant}, 2, eigen.Options{}))(t)
				for j, v := range e.Values {
					if math.Abs(v-r.Values[j]) > 1e-10*phi.RowSumNorm() {
						t.Errorf("eigenvalue %d: %g, of the embedding %g", j, v, r.Values[j])
					}
				}
			}
			again, err := Alignment(t.Context(), x, m, Options{Threads: 1})
			if err != nil || !slices.Equal(again.Val, phi.Val) || !slices.Equal(again.Col, phi.Col) {
				t.Errorf("another matrix with one thread: %v", err)
			}
		})
	}
}

// Φ of LLE is (I − W)ᵀ(I − W) of its weights, of any unit of the data.
func TestAlignmentByWeights(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	g := must(Represent(t.Context(), x, LLE{}, Options{}))(t)
	w := must(g.Matrix())(t)
	var rest, want mat.Dense
	rest.Sub(mat.NewDiagDense(200, slices.Repeat([]float64{1}, 200)), w.Dense())
	want.Mul(rest.T(), &rest)
	var far mat.Dense
	far.Scale(0x1p600, x)
	for _, data := range []mat.Matrix{x, &far} {
		phi := must(Alignment(t.Context(), data, LLE{}, Options{}))(t)
		if !mat.EqualApprox(phi, &want, 1e-12) {
			t.Error("Φ is not (I − W)ᵀ(I − W)")
		}
	}
}

func TestAlignmentRefusals(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	for want, try := range map[string]struct {
		x mat.Matrix
		m Method
		o Options
	}{
		"pca: it has no sparse alignment matrix; take lle": {x, PCA{}, Options{}},
		"npp: it has no sparse alignment matrix; take lle": {x, NPP{}, Options{}},
		"nmf does not embed":                            {x, NMF{}, Options{}},
		"lle: 1 × 3 data cannot be embedded":            {x.Slice(0, 1, 0, 3), LLE{}, Options{}},
		"lle: row 2, column 1 (counting from 1) is NaN": {mat.NewDense(3, 1, []float64{1, math.NaN(), 2}), LLE{}, Options{}},
		"lle: 60 samples need about":                    {x, LLE{}, Options{Memory: 1 << 10}},
		"engine: no data given":                         {nil, LLE{}, Options{}},
	} {
		if _, err := Alignment(t.Context(), try.x, try.m, try.o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that begins with %q", err, want)
		}
	}
}
