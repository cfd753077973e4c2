package patch_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// The bias agrees with the formula, evaluated with the weights, tangents and maps of each sample
// by gonum's decompositions.
func TestBiasOfWeights(t *testing.T) {
	const n, k, dim = 200, 8, 2
	const gamma, eta = 0.02, 0.03
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, dim, nil)
	for i := range n {
		a, b := math.Mod(float64(i)*0.618034, 1), math.Mod(float64(i)*0.414214, 1)
		x.SetRow(i, []float64{a, b, 0.3 * a * a})
		y.SetRow(i, []float64{a + 0.2*b, b * b})
	}
	in := patch.Local{Run: steptest.Run(t), X: samples.Of(x)}
	found := must.Get(neighborhood.Nearest(k).Find(in.Run, in.X))(t)
	in.Graph = found.Graph
	share := eta
	rule := patch.MultipleWeights{Dim: dim, By: patch.Regularized(gamma, dim), Eta: &share}.Rule()
	var want float64
	for i := range n {
		g, dy := mat.NewDense(k, 3, nil), mat.NewDense(k, dim, nil)
		for a, j := range in.Graph.Of(i) {
			for c := range 3 {
				g.Set(a, c, x.At(int(j), c)-x.At(i, c))
			}
			for c := range dim {
				dy.Set(a, c, y.At(int(j), c)-y.At(i, c))
			}
		}
		want += biasOf(g, dy, k, dim, gamma, eta)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	got := must.Get(rule.Bias(in, all, y))(t)
	if !(want > 0) || math.Abs(got-want) > 1e-9*want {
		t.Errorf("bias %g, want %g", got, want)
	}
	// The bias of a subset is scaled to all samples: the mean of two halves equals the whole.
	var halves float64
	for _, half := range [][]int{all[:n/2], all[n/2:]} {
		of := must.Get(rule.Bias(in, half, y))(t)
		halves += of / 2
	}
	if math.Abs(halves-want) > 1e-9*want {
		t.Errorf("the halves say %g, want %g", halves, want)
	}
}

// biasOf returns a²s‖Mᵀθᵀw‖² of one sample.
func biasOf(g, dy *mat.Dense, k, dim int, gamma, eta float64) float64 {
	var c mat.Dense
	c.Mul(g, g.T())
	trace := mat.Trace(&c)
	for a := range k {
		c.Set(a, a, c.At(a, a)+gamma*trace)
	}
	ones := mat.NewVecDense(k, nil)
	for a := range k {
		ones.SetVec(a, 1)
	}
	var w mat.VecDense
	if err := w.SolveVec(&c, ones); err != nil {
		panic(err)
	}
	w.ScaleVec(1/mat.Sum(&w), &w)
	var svd mat.SVD
	svd.Factorize(g, mat.SVDFull)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	lambda := make([]float64, k)
	for j, s := range svd.Values(nil) {
		lambda[j] = s * s
	}
	count := 1
	for l := k - dim; l > 1; l-- {
		var head, tail float64
		for j, v := range lambda {
			if j < k-l {
				head += v
			} else {
				tail += v
			}
		}
		if tail <= eta*head {
			count = l
			break
		}
	}
	var squared float64 // ‖V₀ᵀ1‖²
	for j := k - count; j < k; j++ {
		along := mat.Dot(u.ColView(j), ones)
		squared += along * along
	}
	alpha := math.Sqrt(squared / float64(count))
	a := 1 - alpha // λ = α of NEML: (1 − λ)(1 − α)
	a *= 1 - alpha
	var theta, m, missed mat.Dense
	theta.Mul(g, v.Slice(0, 3, 0, dim))
	if err := m.Solve(&theta, dy); err != nil {
		panic(err)
	}
	var along mat.VecDense
	along.MulVec(theta.T(), &w)
	missed.Mul(m.T(), &along)
	norm := mat.Norm(&missed, 2)
	return a * a * float64(count) * norm * norm
}
