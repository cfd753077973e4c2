package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// What Zafeiriou and Laskaris (2010) show in pictures, on a swiss roll of 1000
// samples, and what holds of it. Numbers vary with the start; the limits are what
// eight starts reach, with a margin.

// «NPCA converges»: from every start to the same solution, one direction in the two
// horizontal coordinates and the other along the third.
func TestClaimNPCAOnTheSwissRoll(t *testing.T) {
	x := generate(t, "swiss-roll", 1000, 1).X
	pca := embed(t, x, PCA{}, Options{}).Values
	signed := (pca[0] + pca[1]) / pca[0]
	for seed := uint64(1); seed <= 8; seed++ {
		r := embed(t, x, NPCA{Update: "paper", Round: true}, Options{Seed: seed})
		trace := r.Details["rounded_objective"].(float64) / (999 * pca[0])
		// 1.783 of 1.794: within one per cent of the signed optimum.
		if !r.Converged || trace > signed || trace < 0.99*signed {
			t.Errorf("seed %d: converged %v, trace %.4f of the signed %.4f", seed, r.Converged, trace, signed)
		}
		last, within := r.Objective[r.Iterations], 0
		for i, v := range r.Objective {
			if math.Abs(v-last) > 0.01*last {
				within = i + 1
			}
		}
		if within > 150 {
			t.Errorf("seed %d: within 1 %% of its last value only after %d iterations", seed, within)
		}
		// The directions, by the one that uses the third coordinate of this roll's
		// axis: (h₁, h₂) and the axis, in some order.
		u := factorOf(r)
		axis := 0
		for j := range 2 {
			if c := mat.Col(nil, j, u); math.Abs(blas.Dot(c, c)-1) > 1e-12 {
				t.Errorf("seed %d: column %d has squared length %g", seed, j, blas.Dot(c, c))
			} else if used := countPositive(c); used == 1 {
				axis++
			} else if used != 2 {
				t.Errorf("seed %d: column %d is %g", seed, j, c)
			}
		}
		if axis != 1 {
			t.Errorf("seed %d: %d directions along an axis, want one: %v", seed, axis, mat.Formatted(u))
		}
	}
}

func countPositive(x []float64) int {
	count := 0
	for _, v := range x {
		if v > 1e-9 {
			count++
		}
	}
	return count
}

// «The objective of NLE flattens»: so it does with the shifted rule, near a
// solution; as printed it falls only because both coordinates become the trivial
// vector.
func TestClaimNLEOnTheSwissRoll(t *testing.T) {
	x := generate(t, "swiss-roll", 1000, 1).X
	bound := embed(t, x, LE{Weights: "heat"}, Options{}).Values[0]
	for seed := uint64(1); seed <= 5; seed++ {
		r := embed(t, x, NLE{Update: "paper", Weights: "heat"}, Options{Seed: seed})
		first, last := r.Objective[0], r.Objective[r.Iterations]
		if last > 0.012 || last > first/30 || r.Orthogonality > 0.04 {
			t.Errorf("seed %d: objective %g from %g, orthogonality %g", seed, last, first, r.Orthogonality)
		}
		if fell := r.Objective[400] - last; fell > 0.01*(first-last) {
			t.Errorf("seed %d: the last 100 iterations still bring %g of %g", seed, fell, first-last)
		}
		rounded := embed(t, x, NLE{Update: "paper", Weights: "heat", Round: true}, Options{Seed: seed})
		if v := rounded.Details["rounded_objective"].(float64); v < bound || v > 0.012 {
			t.Errorf("seed %d: rounded objective %g with the bound %g", seed, v, bound)
		}
		// At this orthogonality nearly all samples lie by the axes: a clustering, not
		// the rich picture of an early iterate.
		if share := nearAxes(r.Y); share < 0.75 {
			t.Errorf("seed %d: only %.2f of the samples lie by an axis", seed, share)
		}
		early := embed(t, x, NLE{Update: "paper", Weights: "heat", Iterations: 5}, Options{Seed: seed})
		if share := nearAxes(early.Y); share > 0.5 {
			t.Errorf("seed %d: after 5 iterations %.2f of the samples lie by an axis", seed, share)
		}
		printed := embed(t, x, NLE{Update: "printed", Weights: "heat"}, Options{Seed: seed})
		if c := cosine(printed.Y); c < 0.99 || printed.Objective[printed.Iterations] > 1e-3 {
			t.Errorf("seed %d: as printed, cosine %g, objective %g", seed, c, printed.Objective[printed.Iterations])
		}
	}
}

// nearAxes is the share of samples one of whose coordinates is below a tenth of
// the other.
func nearAxes(y *mat.Dense) float64 {
	n, _ := y.Dims()
	near := 0
	for i := range n {
		if a, b := y.At(i, 0), y.At(i, 1); min(a, b) < max(a, b)/10 {
			near++
		}
	}
	return float64(near) / float64(n)
}

func cosine(y *mat.Dense) float64 {
	a, b := mat.Col(nil, 0, y), mat.Col(nil, 1, y)
	return blas.Dot(a, b) / math.Sqrt(blas.Dot(a, a)*blas.Dot(b, b))
}

// «Converges to a local optimum»: the paper's rule is not monotone on the digits,
// and it stops far from orthogonal columns; the penalty does not.
func TestClaimsOnDigits(t *testing.T) {
	all := dataset(t, "semeion.X.npy")
	x := mat.DenseCopyOf(all.Slice(0, 500, 0, all.RawMatrix().Cols))
	paper := embed(t, x, NPCA{Dim: 5, Update: "paper", Tolerance: zero(), Iterations: 1000}, Options{})
	falls := 0
	for i := range paper.Iterations {
		if paper.Objective[i+1] < paper.Objective[i]*(1-1e-12) {
			falls++
		}
	}
	if falls < 50 {
		t.Errorf("the trace falls in %d of 1000 iterations of the paper's rule", falls)
	}
	penalty := embed(t, x, NPCA{Dim: 5, Update: "penalty", Round: true}, Options{})
	soft := penalty.Details["orthogonality_before_rounding"].(float64)
	if paper.Orthogonality < 0.3 || soft > 0.1 {
		t.Errorf("orthogonality %g by the paper's rule, %g by the penalty", paper.Orthogonality, soft)
	}
	pca := embed(t, x, PCA{Dim: 5}, Options{})
	var bound float64
	for _, v := range pca.Values {
		bound += v * 499
	}
	if trace := penalty.Details["rounded_objective"].(float64); trace > bound || trace < 0.4*bound {
		t.Errorf("rounded trace %g of the signed %g", trace, bound)
	}
	// Nonnegative multidimensional scaling: the penalty is the better rule.
	samples := mat.DenseCopyOf(x.Slice(0, 300, 0, all.RawMatrix().Cols))
	relative := func(update string) (float64, float64) {
		r := embed(t, samples, NMMS{Dim: 3, Update: update}, Options{})
		return r.Objective[r.Iterations] / r.Details["squared_norm"].(float64), r.Orthogonality
	}
	paperError, paperOrth := relative("paper")
	penaltyError, penaltyOrth := relative("penalty")
	if penaltyError > paperError || penaltyOrth > paperOrth || penaltyOrth > 0.3 {
		t.Errorf("nmms: error %.3f, orthogonality %.2f by the paper's rule; %.3f and %.2f by the penalty", paperError, paperOrth, penaltyError, penaltyOrth)
	}
}
