package diagnosis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

const (
	// largeShare of a neighbourhood's variance off its d leading directions is no flat piece,
	// and bentShare of it is much for a bent one: sound rolls have 0.005 and less.
	largeShare, bentShare = 0.05, 0.01
	// fallOfDim: so much less is left of the variance by the dimension that the data has.
	fallOfDim = 0.25
	// fallOfScale: so much less is left at another scale where noise, or curvature, is what is
	// left. Of a surface it is about a half, of a curve a quarter.
	fallOfScale = 0.75
	// leastNoise: below it what is left may be rounding.
	leastNoise = 1e-8
	// Where the nearest half leaves so much less than the whole of a neighbourhood in more
	// than bridgeShare of them, the other half is of another part of the data.
	bridgeFall, bridgeShare = 0.1, 0.02
	// flatHalf: where the nearest halves leave more than this (median), they are not flat, and few
	// samples within noise are so by chance.
	flatHalf = 0.02
	// leastOff: this many samples more than directions have something off them.
	leastOff       = 2
	blockOfCenters = 8
	// maxMore is the number of dimensions beyond d that are looked at.
	maxMore = 20
)

// scales are the spectra of neighbourhoods at three scales. Shares depend on the number of
// samples, so that scales are compared with as many samples each: every second of the
// larger neighbourhood.
type scales struct {
	half, thinned tails // the nearest half, and every second of all
	same, twice   tails // all, and every second of twice as many
	most          int   // the dimensions looked at
}

// tails are what j directions leave of each neighbourhood, row j for j = 0, 1, …
type tails [][]float64

// median is the lower median over the neighbourhoods.
func (t tails) median(j int) float64 { return orderstat.LowerMedian(t[j]) }

func lookAround(c Case) (scales, error) {
	some := centers(c.X.N())
	lists := make([][][]int32, 4)
	for at := range lists {
		lists[at] = make([][]int32, len(some))
	}
	err := blas.For(c.Context(), c.Threads(), len(some), blockOfCenters, func(_, lo, hi int) {
		for l := lo; l < hi; l++ {
			all := c.Graph.Of(some[l])
			lists[0][l], lists[1][l] = all[:(len(all)+1)/2], everySecond(all)
			lists[2][l], lists[3][l] = all, everySecond(wider(c.Local, some[l]))
		}
	})
	if err != nil {
		return scales{}, err
	}
	s := scales{most: min(c.Graph.MaxDegree(), c.X.M(), c.dim()+maxMore)}
	for at, into := range []*tails{&s.half, &s.thinned, &s.same, &s.twice} {
		shares, err := patch.TailShares(c.Local, some, lists[at], s.most)
		if err != nil {
			return s, err
		}
		*into = shares
	}
	return s, nil
}

// everySecond are the entries of a list at even places.
func everySecond(list []int32) []int32 {
	thin := make([]int32, 0, (len(list)+1)/2)
	for at := 0; at < len(list); at += 2 {
		thin = append(thin, list[at])
	}
	return thin
}

// cause reports whether the neighbourhoods are too few samples for their noise, or too many for
// their curvature, or have another dimension than the embedding.
func (s scales) cause(c Case) cause {
	dim, k := c.dim(), c.Graph.MaxDegree()
	if s.most < dim {
		return cause{}
	}
	left := s.same.median(dim)
	what := fmt.Sprintf("%s %.2g of a neighbourhood's variance (median)", directions(dim), left)
	// Half of the samples show what is off d directions where they are more than those take.
	halves := (k+1)/2 >= dim+leastOff
	bridges := s.bridges(dim)
	switch {
	case left > leastNoise && s.twice.median(dim) <= fallOfScale*left:
		return c.noisy(fmt.Sprintf("‹neighbors=%d› is too few for the noise: %s, and %.2g with twice as many neighbours", k, what, s.twice.median(dim)))
	case halves && bridges > bridgeShare && s.half.median(dim) < flatHalf:
		return cause{text: fmt.Sprintf("‹neighbors=%d› is too many: %.0f %% of the neighbourhoods reach parts of the data that their nearest half does not lead to", k, 100*bridges), advice: "take fewer, or more samples", tries: c.fewer()}
	case halves && left >= bentShare && s.half.median(dim) <= fallOfScale*s.thinned.median(dim):
		return cause{text: fmt.Sprintf("‹neighbors=%d› is too many for the curvature: %s, and %.2g of the nearest half", k, what, s.half.median(dim)), advice: "take fewer, or more samples", tries: c.fewer()}
	case left >= largeShare:
		for j := dim + 1; j <= min(s.most, k/2, c.X.M()-1); j++ { // of k samples the spectrum ends at k, and all columns leave nothing
			if more := s.same.median(j); more <= fallOfDim*s.same.median(j-1) {
				return cause{text: fmt.Sprintf("‹dim=%d› is too small: %s, and %s %.2g", dim, what, directions(j), more), advice: fmt.Sprintf("take ‹dim=%d›", j), tries: []Remedy{{Dim: j}}}
			}
		}
	}
	if !c.Bent && !c.Scores.Charts.TooThin(dim) {
		return cause{}
	}
	less := dim
	for less > 1 && quality.Thin(s.same.median(less-1)-s.same.median(less), less, k) {
		less--
	}
	if less == dim {
		return cause{}
	}
	return cause{text: fmt.Sprintf("‹dim=%d› is too large: %s %.2g of a neighbourhood's variance (median)", dim, directions(less), s.same.median(less)), advice: fmt.Sprintf("take ‹dim=%d›", less), tries: []Remedy{{Dim: less}}}
}

// measured says how much variance the directions miss, where that is much.
func (s scales) measured(dim int) string {
	if s.most < dim || s.same.median(dim) < largeShare {
		return ""
	}
	return fmt.Sprintf("%s %.2g of a neighbourhood's variance (median)", directions(dim), s.same.median(dim))
}

// bridges is the share of neighbourhoods of which the far half alone is off the directions.
func (s scales) bridges(dim int) float64 {
	count := 0
	for at, whole := range s.same[dim] {
		if whole >= largeShare && s.half[dim][at] <= bridgeFall*whole {
			count++
		}
	}
	return float64(count) / float64(len(s.same[dim]))
}

// directions words what this many directions do, before the share of the variance that is outside them.
func directions(j int) string {
	if j == 1 {
		return "1 direction misses"
	}
	return fmt.Sprintf("%d directions miss", j)
}

// wider are the nearest of a sample's neighbours and of theirs, twice as many as it has.
// They are nearly its nearest. O(k²m).
func wider(in patch.Local, i int) []int32 {
	reached := slices.Clone(in.Graph.Of(i))
	for _, j := range in.Graph.Of(i) {
		reached = append(reached, in.Graph.Of(int(j))...)
	}
	slices.Sort(reached)
	reached = slices.DeleteFunc(slices.Compact(reached), func(j int32) bool { return int(j) == i })
	distance := make([]float64, len(reached))
	order := indices(len(reached))
	xi := in.X.Row(i)
	for a, j := range reached {
		distance[a] = blas.SquaredDistance(in.X.Row(int(j)), xi)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b)) })
	list := make([]int32, 0, 2*len(in.Graph.Of(i)))
	for _, a := range order[:min(len(order), cap(list))] {
		list = append(list, reached[a])
	}
	return list
}

// indices are 0 … n−1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
