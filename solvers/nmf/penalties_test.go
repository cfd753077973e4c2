package nmf

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// plainPenalties are the four numbers that the documentation writes: α_W·ρ·m and so on.
func plainPenalties(p Penalties, n, m int) (w1, w2, h1, h2 float64) {
	a, b := p.W*float64(m), p.H*float64(n)
	return a * p.L1Ratio, a * (1 - p.L1Ratio), b * p.L1Ratio, b * (1 - p.L1Ratio)
}

// plainProduct is WH.
func plainProduct(n, m, r int, w, h []float64) []float64 {
	x := make([]float64, n*m)
	for i := range n {
		for k := range r {
			for j := range m {
				x[i*m+j] += w[i*r+k] * h[k*m+j]
			}
		}
	}
	return x
}

// plainObjective is ‖X − WH‖² + 2P or D(X, WH) + P, entry by entry.
func plainObjective(d Data, loss *Loss, p Penalties, r int, w, h []float64) float64 {
	n, m := d.Rows, d.Cols
	var fit, penalty float64
	for at, y := range plainProduct(n, m, r, w, h) {
		x := d.Dense[at]
		switch {
		case loss != KL:
			fit += (x - y) * (x - y)
		case x > 0:
			fit += x*math.Log(x/y) - x + y
		default:
			fit += y
		}
	}
	w1, w2, h1, h2 := plainPenalties(p, n, m)
	for _, v := range w {
		penalty += w1*v + w2*v*v/2
	}
	for _, v := range h {
		penalty += h1*v + h2*v*v/2
	}
	if loss != KL {
		penalty *= 2
	}
	return fit + penalty
}

// plainStep updates the rows of A, count × r, of X ≈ AB, with the penalties l1 and l2 on A. It
// returns the violation where it descends: Σ|g|, of zeros Σ max(−g, 0).
func plainStep(x []float64, count, other, r int, a, b []float64, l1, l2 float64, o Options) (violation float64) {
	y := plainProduct(count, other, r, a, b)
	before := append([]float64(nil), a...)
	for i := range count {
		for k := range r {
			old := before[i*r+k]
			row := b[k*other : (k+1)*other]
			var products, models, sum, quotients, square float64
			for j, v := range row {
				products += x[i*other+j] * v
				models += y[i*other+j] * v
				quotients += x[i*other+j] / y[i*other+j] * v
				sum += v
				square += v * v
			}
			switch {
			case o.Solver == HALS:
				models = 0 // with the columns that are new already
				for l := range r {
					for j, v := range row {
						models += a[i*r+l] * b[l*other+j] * v
					}
				}
				if g := models - products + l1 + l2*old; old > 1e-16 || g < 0 {
					violation += math.Abs(g)
				}
				a[i*r+k] = math.Max(1e-16, old+(products-models-l1-l2*old)/(square+l2))
			case o.Loss == KL && l2 > 0: // the root of l2·z² + (sum + l1)·z − old·quotients
				s := sum + l1
				a[i*r+k] = (math.Sqrt(s*s+4*l2*old*quotients) - s) / (2 * l2)
			case o.Loss == KL:
				a[i*r+k] = old * quotients / (sum + l1)
			default:
				a[i*r+k] = old * products / (models + l1 + l2*old)
			}
		}
	}
	return violation
}

func plainTransposed(n, m int, a []float64) []float64 {
	t := make([]float64, n*m)
	for i := range n {
		for j := range m {
			t[j*n+i] = a[i*m+j]
		}
	}
	return t
}

// penalised are penalties of every kind, with every solver that takes them.
func penalised() map[string]Options {
	all := map[string]Options{}
	for solver, o := range map[string]Options{"mu": {}, "hals": {Solver: HALS, Sweeps: 1}, "kl": {Loss: KL}} {
		for kind, p := range map[string]Penalties{
			"L1": {0.02, 0.01, 1}, "L2": {0.03, 0.02, 0}, "mix": {0.02, 0.05, 0.4}, "of W": {W: 0.02, L1Ratio: 0.5}, "of H": {H: 0.03, L1Ratio: 0.5},
		} {
			o.Penalties = p
			all[solver+", "+kind] = o
		}
	}
	return all
}

// A few iterations agree with the formulas, written without a product of matrices; and the trace is
// the objective as defined, for dense and for sparse data.
func TestPenaltiesFollowTheFormulas(t *testing.T) {
	const n, m, r = 61, 23, 3
	d := lowRankData(n, m, r, 5)
	w, h := uniformFactors(n, m, r, 8)
	for name, o := range penalised() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Init, o.W, o.H, o.Iterations, o.TraceEvery = r, Given, w, h, 4, 1
			wantW, wantH := append([]float64(nil), w...), append([]float64(nil), h...)
			w1, w2, h1, h2 := plainPenalties(o.Penalties, n, m)
			objectives := []float64{plainObjective(d, o.Loss, o.Penalties, r, w, h)}
			for range o.Iterations {
				ht := plainTransposed(r, m, wantH)
				plainStep(plainTransposed(n, m, d.Dense), m, n, r, ht, plainTransposed(n, r, wantW), h1, h2, o)
				wantH = plainTransposed(m, r, ht)
				plainStep(d.Dense, n, m, r, wantW, wantH, w1, w2, o)
				objectives = append(objectives, plainObjective(d, o.Loss, o.Penalties, r, wantW, wantH))
			}
			for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
				got := factorize(t, data, o)
				closeTo(t, what+" coordinates", got.W, wantW, 1e-9)
				closeTo(t, what+" components", got.H, wantH, 1e-9)
				for i, p := range got.Trace {
					if want := objectives[i]; !(math.Abs(p.Objective-want) <= 1e-10*want) || !(p.Penalty > 0) {
						t.Errorf("%s: objective %d is %v (penalty %v), want %v", what, i, p.Objective, p.Penalty, want)
					}
				}
			}
		})
	}
}

// Long iterations end where the conditions of a minimum hold: the slope of the plain
// objective, by differences, is zero in positive entries and nowhere negative.
func TestPenalisedFactorsAreStationary(t *testing.T) {
	const n, m, r = 14, 9, 2
	d := lowRankData(n, m, r, 3)
	for name, o := range penalised() {
		if o.Penalties.W == 0 || o.Penalties.H == 0 {
			continue // there is no minimum
		}
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Seed, o.Iterations = r, 4, 20000
			got := factorize(t, d, o)
			slope := func(x []float64, i int) float64 {
				const step = 1e-6
				at := x[i]
				defer func() { x[i] = at }()
				x[i] = at + step
				up := plainObjective(d, o.Loss, o.Penalties, r, got.W, got.H)
				if at < step {
					x[i] = at
					return (up - plainObjective(d, o.Loss, o.Penalties, r, got.W, got.H)) / step
				}
				x[i] = at - step
				return (up - plainObjective(d, o.Loss, o.Penalties, r, got.W, got.H)) / (2 * step)
			}
			for what, x := range map[string][]float64{"W": got.W, "H": got.H} {
				for i, v := range x {
					if g := slope(x, i); math.Abs(min(v, g)) > 1e-3 {
						t.Errorf("%s[%d] is %v with slope %v", what, i, v, g)
					}
				}
			}
		})
	}
}

// More of L1 makes more zeros, and a penalty that outweighs the data makes all zero.
func TestPenaltiesMakeZeros(t *testing.T) {
	d := lowRankData(60, 30, 4, 9)
	zeros := func(alpha float64) (count int) {
		r := factorize(t, d, Options{Rank: 4, Solver: HALS, Iterations: 400, Penalties: Penalties{alpha, alpha, 1}})
		for _, x := range [][]float64{r.W, r.H} {
			for _, v := range x {
				if v == 0 {
					count++
				}
			}
		}
		return count
	}
	none, some, all := zeros(0), zeros(0.1), zeros(100)
	if !(none < some && some < all) || all != 4*(60+30) {
		t.Errorf("zeros: %d, %d, %d", none, some, all)
	}
}

// The components keep the scale that the penalties choose, unless it is asked otherwise.
func TestPenaltiesChooseTheScale(t *testing.T) {
	d := lowRankData(30, 12, 2, 9)
	o := Options{Rank: 2, Penalties: Penalties{0.02, 0.02, 0.5}}
	own := factorize(t, d, o)
	o.Normalize = Never
	sameBits(t, "the default", own, factorize(t, d, o))
	o.Normalize = AtEnd
	unit := factorize(t, d, o)
	if got := blas.Dot(unit.H[:12], unit.H[:12]); math.Abs(got-1) > 1e-12 {
		t.Errorf("normalised at the end, a component has ‖h‖² = %v", got)
	}
	closeTo(t, "WH", plainProduct(30, 12, 2, unit.W, unit.H), plainProduct(30, 12, 2, own.W, own.H), 1e-9)
	o.Penalties = Penalties{W: 0.02}
	if r := factorize(t, d, o); !strings.Contains(fmt.Sprint(r.Warnings), "W shrinks while H grows") {
		t.Errorf("warnings: %v", r.Warnings)
	}
}
