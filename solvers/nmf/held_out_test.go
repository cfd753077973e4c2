package nmf

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Held-out entries are of the share that was asked for, known, with the data's values, and
// leave every row and column something.
func TestHoldOut(t *testing.T) {
	const n, m = 60, 40
	d, v := weightedSample(n, m, 3, 6)
	forms := weightedForms(d, masked(v))
	forms["none"] = d
	forms["none, sparse"] = Sparse(storedWhere(n, m, d.Dense, notZero))
	for form, data := range forms {
		known := n * m
		if data.Weights.Present() {
			known = 0
			for _, w := range v {
				if w > 0 {
					known++
				}
			}
		}
		for _, share := range []float64{0.001, 0.1, 0.5, 0.999} {
			h, err := HoldOut(data, share, 4)
			if err != nil {
				if share == 0.001 {
					continue // of some seeds it is none
				}
				t.Fatal(err)
			}
			again, _ := HoldOut(data, share, 4)
			other, _ := HoldOut(data, share, 5)
			if !slices.Equal(h.Values.Col, again.Values.Col) || other != nil && slices.Equal(h.Values.Col, other.Values.Col) {
				t.Errorf("%s: the seed does not say which entries are held out", form)
			}
			got := float64(h.Values.NNZ()) / float64(known)
			if share < 0.9 && math.Abs(got-share) > 0.02 {
				t.Errorf("%s: %v of the known entries are held out, want %v", form, got, share)
			}
			for i := range n {
				cols, vals := h.Values.Row(i)
				for p, j := range cols {
					if vals[p] != d.Dense[i*m+int(j)] || data.Weights.Present() && v[i*m+int(j)] == 0 {
						t.Fatalf("%s: row %d, column %d has %v, held out is %v", form, i, j, d.Dense[i*m+int(j)], vals[p])
					}
				}
			}
			rest := data.Without(h.Values)
			if err := rest.Weights.checkKnown(n, m, true); err != nil {
				t.Errorf("%s, %v: %v", form, share, err)
			}
		}
	}
	for _, share := range []float64{0, 1, -1, math.NaN()} {
		if _, err := HoldOut(d, share, 1); err == nil {
			t.Errorf("a share of %v is taken", share)
		}
	}
}

// The error of held-out entries, entry by entry.
func TestHeldOutError(t *testing.T) {
	const n, m, r = 12, 9, 2
	d, v := weightedSample(n, m, r, 6)
	d.Weights = Weights{Dense: v}
	h := must.Get(HoldOut(d, 0.3, 1))(t)
	o := givenStart(n, m, r, Options{})
	model := plainProduct(n, m, r, o.W, o.H)
	for _, loss := range []*Loss{Frobenius, KL, L21} {
		var sum, weights, squares, size, average, all float64
		for i := range n {
			cols, _ := h.Values.Row(i)
			for _, j := range cols {
				average, all = average+v[i*m+int(j)]*d.Dense[i*m+int(j)], all+v[i*m+int(j)]
			}
		}
		for i := range n {
			cols, _ := h.Values.Row(i)
			for _, j := range cols {
				at := i*m + int(j)
				x, y := d.Dense[at], model[at]
				squares += v[at] * (x - y) * (x - y)
				size += v[at] * x * x
				weights += v[at]
				if loss == KL {
					y = 0.99*y + 0.01*average/all
					sum += v[at] * (y - x)
					if x > 0 {
						sum += v[at] * x * math.Log(x/y)
					}
				} else {
					sum += v[at] * (x - y) * (x - y)
				}
			}
		}
		mean, relative := h.Error(loss, r, o.W, o.H)
		if math.Abs(mean-sum/weights) > 1e-12*mean || math.Abs(relative-math.Sqrt(squares/size)) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v, %v", loss, mean, relative, sum/weights, math.Sqrt(squares/size))
		}
	}
}

// Entries of data of a low rank that were held out are found again, by every form and solver.
func TestMissingEntriesAreFound(t *testing.T) {
	const n, m, r = 80, 60, 3
	random := blas.NewStream(2)
	w, hs := make([]float64, n*r), make([]float64, r*m)
	random.Uniforms(w)
	random.Uniforms(hs)
	d := Dense(n, m, plainProduct(n, m, r, w, hs))
	for name, o := range map[string]Options{"mu": {}, "hals": {Solver: HALS}, "kl": {Loss: KL}, "l21": {Loss: L21}} {
		for _, data := range []Data{d, Sparse(storedWhere(n, m, d.Dense, notZero))} {
			if !taking(o, data) {
				continue
			}
			held := must.Get(HoldOut(data, 0.2, 3))(t)
			o.Rank, o.Iterations, o.Seed = r, 3000, 1
			res := factorize(t, data.Without(held.Values), o)
			if _, e := held.Error(o.Loss, r, res.W, res.H); !(e < 0.01) {
				t.Errorf("%s: error %v of the held-out entries", name, e)
			}
		}
	}
}

// Runs under weights are those that are made alone.
func TestRunsUnderWeights(t *testing.T) {
	const n, m = 50, 30
	d, v := weightedSample(n, m, 3, 6)
	d.Weights = Weights{Sparse: storedWhere(n, m, v, notZero)}
	runs := []Run{{2, 1}, {3, 1}, {2, 5}}
	must.Do(t, FactorizeRuns(context.Background(), d, runs, Options{Iterations: 8, Solver: HALS}, func(i int, r *Result) error {
		alone := factorize(t, d, Options{Rank: runs[i].Rank, Seed: runs[i].Seed, Iterations: 8, Solver: HALS})
		if !slices.Equal(alone.W, r.W) || !slices.Equal(alone.H, r.H) {
			t.Errorf("run %d differs from the same alone", i)
		}
		return nil
	}))
}
