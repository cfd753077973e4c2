package nmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// noisyParts is data of r components, half of whose entries are zero, with noise of mean 1 and the deviation
// given on each entry (Erlang), or of a negative number counts (Poisson) of this mean.
func noisyParts(n, m, r int, noise float64, seed uint64) (d Data, w, h []float64) {
	random := blas.NewStream(seed)
	w, h = make([]float64, n*r), make([]float64, r*m)
	for _, a := range [][]float64{w, h} {
		for i := range a {
			if random.Uniform() < 0.5 {
				a[i] = random.Uniform()
			}
		}
	}
	x := plainProduct(n, m, r, w, h)
	if noise > 0 {
		shape := int(math.Round(1 / (noise * noise)))
		for i, v := range x {
			var sum float64
			for range shape {
				sum -= math.Log(1 - random.Uniform())
			}
			x[i] = v * sum / float64(shape)
		}
		return Dense(n, m, x), w, h
	}
	scale := -noise * float64(len(x)) / total(x)
	for i, v := range x {
		x[i] = 0
		for p, limit := random.Uniform(), math.Exp(-scale*v); p > limit; p *= random.Uniform() {
			x[i]++
		}
	}
	for i := range w {
		w[i] *= scale
	}
	return Dense(n, m, x), w, h
}

func threeMasks(most int) RankSearch {
	return RankSearch{Least: 1, Most: most, Share: 0.1, Masks: []uint64{11, 12, 13}, Starts: []uint64{21, 22, 23}}
}

// The number of components is found in every form of the data and for every loss.
func TestRankIsFound(t *testing.T) {
	const n, m = 120, 70
	entries, _, _ := noisyParts(n, m, 5, 0.2, 1)
	counts, _, _ := noisyParts(n, m, 3, -8, 2)
	weighted := entries
	weighted.Weights.Dense = make([]float64, n*m)
	random := blas.NewStream(5)
	for i := range weighted.Weights.Dense {
		if random.Uniform() < 0.9 {
			weighted.Weights.Dense[i] = 0.5 + random.Uniform()
		}
	}
	for name, c := range map[string]struct {
		d    Data
		o    Options
		want int
	}{
		"dense":          {entries, Options{}, 5},
		"weighted":       {weighted, Options{}, 5},
		"l21":            {entries, Options{Loss: L21}, 5},
		"counts":         {counts, Options{Loss: KL}, 3},
		"sparse counts":  {Sparse(storedWhere(n, m, counts.Dense, notZero)), Options{Loss: KL}, 3},
		"β = 1.5":        {counts, Options{Loss: Beta, Beta: 1.5}, 3},
		"sparse β = 1.5": {Sparse(storedWhere(n, m, counts.Dense, notZero)), Options{Loss: Beta, Beta: 1.5}, 3},
	} {
		tried := must.Get(SearchRank(t.Context(), c.d, c.o, threeMasks(20)))(t)
		best, sparing := BestRank(tried)
		if tried[best].Rank != c.want || tried[sparing].Rank != c.want {
			t.Errorf("%s: rank %d is best and %d is as good, want %d", name, tried[best].Rank, tried[sparing].Rank, c.want)
		}
		for i, of := range tried {
			if len(of.Losses) != 3 || len(of.Relative) != 3 || i > 0 && of.Rank <= tried[i-1].Rank {
				t.Fatalf("%s: %v", name, tried)
			}
		}
		for _, beside := range []int{c.want - 1, c.want + 1} { // nothing between was passed over
			if !slices.ContainsFunc(tried, func(of RankTried) bool { return of.Rank == beside }) {
				t.Errorf("%s: rank %d was not tried", name, beside)
			}
		}
	}
}

// A search has the same bits on any number of threads, in the range that is asked for.
func TestRankSearchOnThreads(t *testing.T) {
	d, _, _ := noisyParts(90, 60, 5, 0.3, 3)
	for _, o := range []Options{{}, {Loss: KL}, {Loss: Beta, Beta: 1.5}} {
		by := threeMasks(9)
		by.Least = 3
		var first []RankTried
		for _, threads := range []int{1, 3} {
			o.Threads = threads
			var told []int
			by.Tried = func(of RankTried) { told = append(told, of.Rank) }
			tried := must.Get(SearchRank(t.Context(), d, o, by))(t)
			if first == nil {
				first = tried
			}
			if fmt.Sprint(tried) != fmt.Sprint(first) || len(told) != len(tried) || told[0] != 3 {
				t.Errorf("%v, %d threads: %v, told of %v; with one %v", o.Loss, threads, tried, told, first)
			}
			if last := tried[len(tried)-1].Rank; tried[0].Rank < 3 || last > 9 {
				t.Errorf("ranks from %d to %d", tried[0].Rank, last)
			}
		}
	}
}

// Losses that can be checked by hand: the differences of two ranks have their own standard error.
func TestBestRank(t *testing.T) {
	tried := []RankTried{{Rank: 1, Losses: []float64{9, 19, 29}}, {Rank: 2, Losses: []float64{1.25, 11, 21}}, {Rank: 3, Losses: []float64{1, 11, 21}}, {Rank: 4, Losses: []float64{2, 12, 22.5}}}
	if best, sparing := BestRank(tried); best != 2 || sparing != 1 {
		t.Errorf("place %d is best, %d is as good; want 2 and 1", best, sparing)
	}
	mean, standard := tried[3].Behind(tried[2])
	if want := math.Sqrt((1./36 + 1./36 + 1./9) / 2 / 3); math.Abs(mean-3.5/3) > 1e-15 || math.Abs(standard-want) > 1e-15 {
		t.Errorf("%v ± %v, want %v ± %v", mean, standard, 3.5/3, want)
	}
	tried[1].Losses = []float64{1.25, 11.25, 21.25} // always behind by a quarter
	if best, sparing := BestRank(tried); best != 2 || sparing != 2 {
		t.Errorf("place %d is best, %d is as good; want 2", best, sparing)
	}
}

func TestRankSearchRefuses(t *testing.T) {
	d, _, _ := noisyParts(20, 10, 2, 0.3, 3)
	for _, change := range []func(*RankSearch){
		func(s *RankSearch) { s.Least = 0 }, func(s *RankSearch) { s.Most = 11 }, func(s *RankSearch) { s.Least, s.Most = 5, 4 },
		func(s *RankSearch) { s.Masks = s.Masks[:1] }, func(s *RankSearch) { s.Starts = nil }, func(s *RankSearch) { s.Share = 1 },
	} {
		by := threeMasks(10)
		change(&by)
		must.Refuse(t, "give")(SearchRank(t.Context(), d, Options{}, by))
	}
	by := threeMasks(10)
	full := errors.New("no room")
	by.Fits = func(rank int, bytes int64) error {
		if rank == 4 && bytes > 1000 {
			return full
		}
		return nil
	}
	if _, err := SearchRank(t.Context(), d, Options{}, by); err != full {
		t.Errorf("a search for which there is no room ends with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	by.Fits, by.Tried = nil, func(RankTried) { cancel() }
	if _, err := SearchRank(ctx, d, Options{}, by); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is cancelled ends with %v", err)
	}
	// Zeros, and data of one entry: no rank is better than 1.
	for _, d := range []Data{Dense(8, 6, make([]float64, 48)), Dense(8, 6, slices.Concat(make([]float64, 47), []float64{1}))} {
		tried := must.Get(SearchRank(t.Context(), d, Options{}, threeMasks(6)))(t)
		if best, _ := BestRank(tried); tried[best].Rank != 1 {
			t.Errorf("rank %d of zeros", tried[best].Rank)
		}
	}
}

// The larger model begins with the smaller one, and with parts of what that leaves: a component that is missing is found.
func TestEnlarged(t *testing.T) {
	const n, m = 40, 30
	d, w, h := noisyParts(n, m, 3, 0.1, 4)
	d.Dense = plainProduct(n, m, 3, w, h)
	two := model{rank: 2, h: slices.Clone(h[:2*m])}
	for i := range n {
		two.w = append(two.w, w[3*i:3*i+2]...)
	}
	mk := &mask{}
	three := must.Get(mk.enlarged(t.Context(), d, Options{}, two, 3))(t)
	got, want := three.h[2*m:], h[2*m:]
	if cosine := blas.Dot(got, want) / math.Sqrt(blas.Dot(got, got)*blas.Dot(want, want)); cosine < 1-1e-9 {
		t.Errorf("the missing component is found with the cosine %v", cosine)
	}
	if product := plainProduct(n, m, 3, three.w, three.h); math.Abs(product[7]-d.Dense[7]) > 1e-9 {
		t.Errorf("the product is %v where the data are %v", product[7], d.Dense[7])
	}
}

// TestFoundRanks prints, with ORTHANT_TABLE set, the ranks found in 400 × 200 data of 3 to 30 components and several
// levels of noise (docs/missing.md).
func TestFoundRanks(t *testing.T) {
	if os.Getenv("ORTHANT_TABLE") == "" {
		t.Skip("ORTHANT_TABLE is not set; TestRankIsFound has a part of it")
	}
	for _, o := range []Options{{}, {Loss: KL}} {
		noises := []float64{0.1, 0.2, 0.3, 0.5, 1}
		if o.Loss == KL {
			noises = []float64{-30, -10, -3, -1}
		}
		for _, noise := range noises {
			for _, truth := range []int{3, 5, 10, 20, 30} {
				fmt.Printf("%v noise %v, truth %d:", o.Loss, noise, truth)
				for seed := range uint64(3) {
					d, w, h := noisyParts(400, 200, truth, noise, seed+1)
					tried := must.Get(SearchRank(t.Context(), d, o, threeMasks(100)))(t)
					_, sparing := BestRank(tried)
					fmt.Printf("  %d", tried[sparing].Rank)
					if !predictsBest(t, d, o, truth, w, h, tried) {
						fmt.Print(" (not to be found)")
					}
				}
				fmt.Println()
			}
		}
	}
}

// predictsBest reports whether fits that start from the true components predict better than all smaller ranks
// that were tried.
func predictsBest(t *testing.T, d Data, o Options, truth int, w, h []float64, tried []RankTried) bool {
	t.Helper()
	o = o.searching()
	o.Rank = truth
	var loss float64
	for _, seed := range threeMasks(100).Masks {
		m := &mask{held: must.Get(HoldOut(d, 0.1, seed))(t)}
		a := must.Get(m.improved(t.Context(), m.seen(d, o), o, model{truth, w, h}, 100))(t)
		mean, _ := m.held.errorBy(o, truth, a.w, a.h)
		loss += mean / 3
	}
	return !slices.ContainsFunc(tried, func(of RankTried) bool { return of.Rank < truth && of.Mean() <= loss })
}
