package nmf

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// Given components stay to the bit while those after them are learned by the steps of the formulas, of dense and
// sparse data and on any number of threads; the trace is the objective, and never rises.
func TestKeptComponents(t *testing.T) {
	const n, m, r, kept = 61, 23, 4, 2
	d := lowRankData(n, m, r, 5)
	_, h := uniformFactors(n, m, kept, 8)
	h[4], h[m+3] = 0, 1e-18 // which no floor, and no rounding to zero, may touch
	for name, o := range fixable() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Init, o.H, o.Fixed, o.TraceEvery, o.Sweeps, o.Seed = r, Given, h, HFixed, 1, 1, 3
			begun := o
			begun.Watch = func(Point) bool { return true }
			start := factorize(t, d, begun)
			wantW, wantH := slices.Clone(start.W), slices.Clone(start.H)
			w1, w2, h1, h2 := plainPenalties(o.Penalties, n, m)
			stepH := func() {
				ht, before := plainTransposed(r, m, wantH), slices.Clone(wantH)
				switch wt, xt := plainTransposed(n, r, wantW), plainTransposed(n, m, d.Dense); {
				case o.Solver == HALS:
					plainKeptSweep(d, r, kept, wantW, wantH, h1, h2, o.Order == WFirst)
					return
				case o.Order == WFirst:
					plainWStep(Dense(m, n, xt), o, ht, wt, h1, h2)
				default:
					plainStep(xt, m, n, r, ht, wt, h1, h2, o)
				}
				copy(wantH, plainTransposed(m, r, ht))
				copy(wantH[:kept*m], before)
			}
			stepW := func() {
				if o.Order == WFirst {
					plainWStep(d, o, wantW, wantH, w1, w2)
				} else {
					plainStep(d.Dense, n, m, r, wantW, wantH, w1, w2, o)
				}
			}
			o.Iterations = 5
			for range o.Iterations {
				if o.Order == WFirst {
					stepW()
					stepH()
				} else {
					stepH()
					stepW()
				}
			}
			for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
				for _, o.Threads = range []int{1, 3} {
					got := factorize(t, data, o)
					if !slices.Equal(got.H[:kept*m], h) {
						t.Errorf("%s: a given component moved", what)
					}
					closeTo(t, what+" W", got.W, wantW, 1e-9)
					closeTo(t, what+" H", got.H, wantH, 1e-9)
				}
			}
			for _, o := range []Options{o, withLoss(o, NegativeBinomial), withLoss(o, Huber)} {
				if o.Loss == NegativeBinomial || o.Loss == Huber {
					if o.Order == WFirst || o.Solver == HALS {
						continue
					}
				}
				o.Iterations = 40
				got := factorize(t, d, o)
				if !slices.Equal(got.H[:kept*m], h) {
					t.Errorf("%s: a given component moved", o.Loss)
				}
				if o.Loss != NegativeBinomial && o.Loss != Huber {
					last, want := got.Trace[len(got.Trace)-1].Objective, plainKept(d, o, kept, got.W, got.H)
					if !(math.Abs(last-want) <= 1e-9*want) {
						t.Errorf("the trace ends with %v, want %v", last, want)
					}
				}
				for i, p := range got.Trace[1:] {
					// With the order w-first nothing promises a fall where a divergence has an L2.
					if before := got.Trace[i].Objective; p.Objective > before+1e-12*math.Abs(before) && !(o.Order == WFirst && o.Loss == KL && o.Penalties.Present()) {
						t.Errorf("%s: iteration %d rises from %v to %v", o.Loss, i+1, before, p.Objective)
					}
				}
			}
		})
	}
}

func withLoss(o Options, loss *Loss) Options {
	o.Loss = loss
	return o
}

// plainKept is the objective where nothing is paid for the given components.
func plainKept(d Data, o Options, kept int, w, h []float64) float64 {
	_, _, h1, h2 := plainPenalties(o.Penalties, d.Rows, d.Cols)
	paid := plainObjective(d, o.Loss, o.Penalties, o.Rank, w, h)
	half := 2.0
	if o.Loss == KL {
		half = 1
	}
	for _, v := range h[:kept*d.Cols] {
		paid -= half * (h1*v + h2*v*v/2)
	}
	return paid
}

// plainKeptSweep minimizes over the components that are learned, one after the other.
func plainKeptSweep(d Data, r, kept int, w, h []float64, l1, l2 float64, zeros bool) {
	n, m := d.Rows, d.Cols
	floor := denominator
	if zeros {
		floor = 0
	}
	for k := kept; k < r; k++ {
		for j := range m {
			var slope, curve float64
			for i := range n {
				e := d.Dense[i*m+j]
				for l := range r {
					e -= w[i*r+l] * h[l*m+j]
				}
				slope += e * w[i*r+k]
				curve += w[i*r+k] * w[i*r+k]
			}
			h[k*m+j] = max(floor, h[k*m+j]+(slope-l1-l2*h[k*m+j])/(curve+l2))
		}
	}
}

// With two of five spectra given, the other three are found, whatever the loss.
func TestKeptComponentsHelpTheOthers(t *testing.T) {
	const n, m, r, kept = 200, 60, 5, 2
	truth := spectra(r, m)
	random := blas.NewStream(7)
	w := make([]float64, n*r)
	random.Uniforms(w)
	for at := range w { // samples in which components are missing, by which they are found
		if random.Below(2) == 0 {
			w[at] = 0
		}
	}
	d := Dense(n, m, plainProduct(n, m, r, w, truth))
	for _, o := range []Options{{Solver: HALS}, {Loss: KL}, {Loss: NegativeBinomial, Dispersion: []float64{0.01}}, {Loss: Huber, Threshold: 1}, {Loss: Beta, Beta: 1.5}} {
		o.Rank, o.Init, o.H, o.Fixed, o.Iterations, o.Seed = r, Given, truth[:kept*m], HFixed, 800, 2
		got := factorize(t, d, o)
		if least := slices.Min(bestCosines(truth[kept*m:], got.H[kept*m:], m)); least < 0.98 {
			t.Errorf("%s: a component is found with a cosine of %v only", o.Loss, least)
		}
	}
}

// spectra are r curves of two peaks each over m columns.
func spectra(r, m int) []float64 {
	h := make([]float64, r*m)
	for k := range r {
		for j := range m {
			x := float64(j) / float64(m)
			for peak := range 2 {
				at := math.Mod(0.17*float64(k+1)+0.43*float64(peak)+0.05, 1)
				h[k*m+j] += (1 - 0.4*float64(peak)) * math.Exp(-(x-at)*(x-at)/0.006)
			}
			h[k*m+j] += 0.05
		}
	}
	return h
}

// bestCosines are, for each row of want, the largest cosine with a row of got.
func bestCosines(want, got []float64, m int) []float64 {
	var all []float64
	for a := 0; a < len(want); a += m {
		best := 0.0
		for b := 0; b < len(got); b += m {
			u, v := want[a:a+m], got[b:b+m]
			best = max(best, blas.Dot(u, v)/math.Sqrt(blas.Dot(u, u)*blas.Dot(v, v)))
		}
		all = append(all, best)
	}
	return all
}

// A start of some components goes with no other option than Fixed, and rows have to be whole.
func TestKeptRefuses(t *testing.T) {
	d := lowRankData(10, 6, 2, 1)
	for says, o := range map[string]Options{
		"nmf: init given wants 3 × 6 components, not 12 numbers": {Fixed: NoneFixed, H: make([]float64, 12)},
		"nmf: init given wants 3 × 6 components, not 13 numbers": {Fixed: HFixed, H: make([]float64, 13)},
	} {
		o.Rank, o.Init = 3, Given
		if _, err := Factorize(t.Context(), d, o); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
