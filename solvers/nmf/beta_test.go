package nmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// betaShapes are the β of the tests: of all branches of the rule and at their borders.
var betaShapes = []float64{-1, 0, 0.3, 0.5, 1, 1.2, 1.5, 2, 2.5, 3, 4}

// entryBeta is d(x|y) as Févotte and Idier write it.
func entryBeta(beta, x, y float64) float64 {
	switch {
	case beta == 0:
		return x/y - math.Log(x/y) - 1
	case x == 0:
		return math.Pow(y, beta) / beta
	case beta == 1:
		return x*math.Log(x/y) - x + y
	}
	return (math.Pow(x, beta) + (beta-1)*math.Pow(y, beta) - beta*x*math.Pow(y, beta-1)) / (beta * (beta - 1))
}

// plainBeta is the penalised β-divergence of the factors.
func plainBeta(d Data, beta float64, p Penalties, r int, w, h []float64) float64 {
	w1, w2, h1, h2 := plainPenalties(p, d.Rows, d.Cols)
	var sum float64
	for at, y := range plainProduct(d.Rows, d.Cols, r, w, h) {
		sum += entryBeta(beta, d.Dense[at], y)
	}
	for _, v := range w {
		sum += w1*v + w2*v*v/2
	}
	for _, v := range h {
		sum += h1*v + h2*v*v/2
	}
	return sum
}

// betaData are data without zeros, and for β > 0 with some.
func betaData(n, m int, beta float64) Data {
	d := lowRankData(n, m, 3, 5)
	random := blas.NewStream(11)
	for at := range d.Dense {
		d.Dense[at] = (d.Dense[at] + 0.02) * (0.5 + random.Uniform())
		if beta > 0 && at%5 == 0 {
			d.Dense[at] = 0
		}
	}
	return d
}

// betaPenalties are none and of every kind.
var betaPenalties = []Penalties{{}, {0.02, 0.01, 1}, {0.03, 0.02, 0}, {0.02, 0.05, 0.4}}

// byBeta runs the general algorithm, also for β = 1 and 2.
func byBeta(t *testing.T, d Data, o Options, beta float64) *Result {
	t.Helper()
	o.Loss, o.Beta = Beta, beta
	return factorize(t, d, o)
}

// No iteration raises the divergence, whatever is penalised and whichever factor is fixed, of
// dense and sparse data; and the trace is the divergence by its definition.
func TestBetaIsMonotone(t *testing.T) {
	const n, m, r = 47, 23, 3
	for _, beta := range betaShapes {
		d := betaData(n, m, beta)
		for _, p := range betaPenalties {
			for _, fixed := range []string{NoneFixed, WFixed, HFixed} {
				t.Run(fmt.Sprintf("%v %v %s", beta, p, fixed), func(t *testing.T) {
					o := Options{Rank: r, Seed: 3, Iterations: 60, TraceEvery: 1, Normalize: Never, Penalties: p}
					if fixed != NoneFixed {
						start := byBeta(t, d, asStarted(o), beta)
						o.Init, o.W, o.H, o.Fixed = Given, start.W, start.H, fixed
					}
					for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
						got := byBeta(t, data, o, beta)
						paid := p
						if fixed == WFixed {
							paid.W = 0
						} else if fixed == HFixed {
							paid.H = 0
						}
						last := got.Trace[len(got.Trace)-1].Objective
						if want := plainBeta(d, beta, paid, r, got.W, got.H); !(math.Abs(last-want) <= 1e-9*want) {
							t.Errorf("%s: the trace ends with %v, want %v", what, last, want)
						}
						for i, q := range got.Trace[1:] {
							if before := got.Trace[i].Objective; !(q.Objective <= before*(1+1e-12)) {
								t.Errorf("%s: iteration %d rises from %v to %v", what, i+1, before, q.Objective)
							}
						}
						if first := got.Trace[0].Objective; !(last < 0.95*first) {
							t.Errorf("%s: the divergence falls from %v to %v only", what, first, last)
						}
					}
				})
			}
		}
	}
}

// With W first the factors agree with scikit-learn's formulas; without an l2 the factors of our
// order agree with them on the transpose.
func TestBetaFollowsTheFormulas(t *testing.T) {
	const n, m, r, iterations = 31, 17, 3, 7
	for _, beta := range betaShapes {
		d := betaData(n, m, beta)
		turned := Dense(m, n, plainTransposed(n, m, d.Dense))
		for _, p := range betaPenalties {
			t.Run(fmt.Sprintf("%v %v", beta, p), func(t *testing.T) {
				w, h := withZeros(n, m, r, false)
				if beta <= 0 { // a row of W that is zero makes the divergence infinite
					w[2*r], w[2*r+1], w[2*r+2] = 0.3, 0.2, 0.1
				}
				wantW, wantH := plainBetaSteps(d, beta, p, iterations, r, w, h)
				o := Options{Rank: r, Init: Given, W: w, H: h, Iterations: iterations, Order: WFirst, Penalties: p}
				for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
					for _, threads := range []int{1, 3} {
						o.Threads = threads
						got := byBeta(t, data, o, beta)
						closeTo(t, what+" W", got.W, wantW, 1e-12)
						closeTo(t, what+" H", got.H, wantH, 1e-12)
					}
				}
				if p.L1Ratio < 1 && p.Present() && beta < 2 {
					return
				}
				o = Options{Rank: r, Init: Given, W: plainTransposed(r, m, h), H: plainTransposed(n, r, w), Iterations: iterations, Normalize: Never, Penalties: Penalties{p.H, p.W, p.L1Ratio}}
				got := byBeta(t, turned, o, beta)
				closeTo(t, "W of the transpose", got.W, plainTransposed(r, m, wantH), 1e-12)
				closeTo(t, "H of the transpose", got.H, plainTransposed(n, r, wantW), 1e-12)
			})
		}
	}
}

// plainBetaSteps takes iterations of scikit-learn's formulas.
func plainBetaSteps(d Data, beta float64, p Penalties, iterations, r int, w, h []float64) (newW, newH []float64) {
	n, m := d.Rows, d.Cols
	w, h = slices.Clone(w), slices.Clone(h)
	w1, w2, h1, h2 := plainPenalties(p, n, m)
	flush := func(a []float64, below bool) {
		for i, v := range a {
			if below && v < 0x1p-52 {
				a[i] = 0
			}
		}
	}
	xt := plainTransposed(n, m, d.Dense)
	for range iterations {
		plainRatios(d.Dense, n, m, r, w, h, w1, w2, beta)
		flush(w, beta < 1)
		ht := plainTransposed(r, m, h)
		plainRatios(xt, m, n, r, ht, plainTransposed(n, r, w), h1, h2, beta)
		flush(ht, beta <= 1)
		h = plainTransposed(m, r, ht)
	}
	return w, h
}

// At β = 1 and 2 the general algorithm gives the same results as the algorithms of the two losses,
// with penalties of every kind; and [Divergence] uses the latter.
func TestBetaMeetsItsNeighbours(t *testing.T) {
	const n, m, r = 47, 23, 3
	for beta, loss := range map[float64]*Loss{1: KL, 2: Frobenius} {
		d := betaData(n, m, beta)
		half := 1.0
		if loss == Frobenius {
			half = 0.5
		}
		for _, p := range betaPenalties {
			for _, order := range []string{BasisFirst, WFirst} {
				for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
					o := Options{Rank: r, Seed: 3, Iterations: 40, TraceEvery: 1, Order: order, Penalties: p, Loss: loss}
					want, got := factorize(t, data, o), byBeta(t, data, o, beta)
					name := fmt.Sprintf("%v, %v, %s, %s", loss, p, order, what)
					closeTo(t, name+": W", got.W, want.W, 1e-12)
					closeTo(t, name+": H", got.H, want.H, 1e-12)
					for i, q := range want.Trace {
						if v := got.Trace[i].Objective; !(math.Abs(v-half*q.Objective) <= 1e-10*v) || !(math.Abs(got.Trace[i].Residual-q.Residual) <= 1e-10) {
							t.Errorf("%s: point %d is %+v, want %+v", name, i, got.Trace[i], q)
						}
					}
				}
			}
		}
		if Divergence(beta) != loss {
			t.Errorf("β = %v is not loss %s", beta, loss)
		}
	}
	if Divergence(0) != Beta {
		t.Error("β = 0 has another loss")
	}
}

// The stopping rules, threads and many runs work as for the other losses.
func TestBetaRuns(t *testing.T) {
	d := betaData(120, 40, 0.5)
	for _, data := range []Data{d, Sparse(compressed(t, 120, 40, d.Dense))} {
		o := Options{Loss: Beta, Beta: 0.5, Rank: 3, Seed: 2, Iterations: 60}
		want := factorize(t, data, o)
		for _, threads := range []int{1, 2, 7} {
			o.Threads = threads
			sameBits(t, fmt.Sprint(threads), factorize(t, data, o), want)
		}
		runs := []Run{{3, 2}, {2, 5}}
		must.Do(t, FactorizeRuns(context.Background(), data, runs, o, func(run int, got *Result) error {
			one := o
			one.Rank, one.Seed = runs[run].Rank, runs[run].Seed
			sameBits(t, "of many", got, factorize(t, data, one))
			return nil
		}))
		for _, rule := range []string{Change, RelativeDecrease} {
			o.Iterations, o.Stop, o.Tolerance = 2000, rule, 1e-3
			if got := factorize(t, data, o); !got.Converged || got.Iterations < 5 {
				t.Errorf("%s: %d iterations, converged %v", rule, got.Iterations, got.Converged)
			}
		}
	}
}

// The divergence of c·X is c^β times the divergence of X, from factors that differ only by c.
func TestBetaScales(t *testing.T) {
	for _, beta := range betaShapes {
		d := betaData(30, 20, beta)
		big := Dense(30, 20, slices.Clone(d.Dense))
		blas.Scale(1024, big.Dense)
		o := Options{Rank: 3, Seed: 2, Iterations: 30}
		a, b := byBeta(t, d, o, beta), byBeta(t, big, o, beta)
		closeTo(t, fmt.Sprint(beta, " H"), b.H, a.H, 1e-10)
		blas.Scale(1024, a.W)
		closeTo(t, fmt.Sprint(beta, " W"), b.W, a.W, 1e-10)
		last := func(r *Result) float64 { return r.Trace[len(r.Trace)-1].Objective }
		if got, want := last(b), math.Pow(1024, beta)*last(a); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("β = %v: the divergence is %v, want %v", beta, got, want)
		}
	}
}

func TestBetaRefuses(t *testing.T) {
	d := betaData(10, 6, 0)
	full := Sparse(compressed(t, 10, 6, d.Dense))
	hole := Dense(10, 6, slices.Clone(d.Dense))
	hole.Dense[3*6+2] = 0
	_, graph := sample(10, 6, 2, 1)
	for _, c := range []struct {
		data Data
		o    Options
		says string
	}{
		{hole, Options{}, "nmf: row 4, column 3 (counting from 1) of the data is 0, where the divergence with β = 0 is infinite; give β > 0, or add a small number to all data"},
		{Sparse(compressed(t, 10, 6, hole.Dense)), Options{Beta: -0.5}, "nmf: row 4, column 3 (counting from 1) of the data is 0, where the divergence with β = -0.5 is infinite; give β > 0, or add a small number to all data"},
		{d, Options{Beta: math.NaN()}, "nmf: β is NaN; give a finite number"},
		{d, Options{Solver: HALS}, "nmf: solver hals is for loss frobenius; take solver mu for beta"},
		{d, Options{Order: CodesFirst}, "nmf: order codes-first is for solver mu and loss frobenius; leave it out"},
		{d, Options{Graph: graph.Graph, Lambda: 1}, "nmf: loss beta goes with no graph term; leave out one of them"},
	} {
		c.o.Loss, c.o.Rank = Beta, 2
		if _, err := Factorize(t.Context(), c.data, c.o); err == nil || err.Error() != c.says {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
	for _, data := range []Data{d, full} {
		o := Options{Loss: Beta, Rank: 2, Iterations: 5}
		got := factorize(t, data, o)
		if last, want := got.Trace[len(got.Trace)-1].Objective, plainBeta(d, 0, Penalties{}, 2, got.W, got.H); !(math.Abs(last-want) <= 1e-9*want) {
			t.Errorf("sparse data without zeros: %v, want %v", last, want)
		}
	}
	_, err := Encode(t.Context(), hole, lowRankData(2, 6, 2, 1).Dense, Options{Loss: Beta})
	if zero := (*ZeroError)(nil); !errors.As(err, &zero) || zero.Row != 3 || zero.Col != 2 {
		t.Errorf("a new sample with a zero: %v", err)
	}
}
