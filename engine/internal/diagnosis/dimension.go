package diagnosis

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

const (
	// A neighbourhood with more than largeShare of its variance off its d leading directions is not flat;
	// bentShare is much for a bent one: correct rolls have 0.005 or less.
	largeShare, bentShare = 0.05, 0.01
	// fallOfDim: the variance remaining falls by this factor at the dimension of the data.
	fallOfDim = 0.25
	// fallOfScale: the variance remaining falls by this factor at another scale if it is due to noise or
	// curvature. For curvature it is about a half on a surface and a quarter on a curve.
	fallOfScale = 0.75
	// minNoise: smaller remainders may be rounding errors.
	minNoise = 1e-8
	// If the nearest half of a neighbourhood leaves less than bridgeFall of what the whole leaves, in more
	// than bridgeShare of the neighbourhoods, the other half belongs to another part of the data.
	bridgeFall, bridgeShare = 0.1, 0.02
	// flatHalf: if the nearest halves leave more than this (median), they are not flat. Below it, few
	// noisy samples may be flat by chance.
	flatHalf = 0.02
	// minOff: this many samples more than directions are needed to see a variance off them.
	minOff         = 2
	blockOfCenters = 8
	// maxMore is the number of dimensions beyond d to examine.
	maxMore = 20
)

// scales are the spectra of neighbourhoods at three scales. Shares depend on the number of
// samples, so scales are compared with equal numbers of samples: every second one of the
// larger neighbourhood.
type scales struct {
	half, thinned tails // the nearest half, and every second of all
	same, twice   tails // all, and every second of twice as many
	most          int   // largest dimension examined
}

// tails are the shares of variance that j directions leave of each neighbourhood, row j for j = 0, 1, …
type tails [][]float64

// median returns the lower median over the neighbourhoods.
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

// everySecond returns the entries of a list at even positions.
func everySecond(list []int32) []int32 {
	thin := make([]int32, 0, (len(list)+1)/2)
	for at := 0; at < len(list); at += 2 {
		thin = append(thin, list[at])
	}
	return thin
}

// cause reports whether the neighbourhoods are too small for their noise or too large for
// their curvature, or have another dimension than the embedding.
func (s scales) cause(c Case) cause {
	dim, k := c.dim(), c.Graph.MaxDegree()
	if s.most < dim {
		return cause{}
	}
	left := s.same.median(dim)
	what := fmt.Sprintf("%s %.2g of a neighbourhood's variance (median)", directions(dim), left)
	// Half of the samples show the variance off d directions only if they outnumber those.
	halves := (k+1)/2 >= dim+minOff
	bridges := s.bridges(dim)
	switch {
	case left > minNoise && s.twice.median(dim) <= fallOfScale*left:
		return c.noisy(fmt.Sprintf("‹neighbors=%d› is too few for the noise: %s, and %.2g with twice as many neighbours", k, what, s.twice.median(dim)))
	case halves && bridges > bridgeShare && s.half.median(dim) < flatHalf:
		return cause{text: fmt.Sprintf("‹neighbors=%d› is too many: %.0f %% of the neighbourhoods reach parts of the data that their nearest half does not lead to", k, 100*bridges), advice: "take fewer, or more samples", tries: c.fewer()}
	case halves && left >= bentShare && s.half.median(dim) <= fallOfScale*s.thinned.median(dim):
		return cause{text: fmt.Sprintf("‹neighbors=%d› is too many for the curvature: %s, and %.2g of the nearest half", k, what, s.half.median(dim)), advice: "take fewer, or more samples", tries: c.fewer()}
	case left >= largeShare:
		for j := dim + 1; j <= min(s.most, k/2, c.X.M()-1); j++ { // k samples have at most k directions, and all columns leave nothing
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

// measured describes the variance that the directions miss, if it is large.
func (s scales) measured(dim int) string {
	if s.most < dim || s.same.median(dim) < largeShare {
		return ""
	}
	return fmt.Sprintf("%s %.2g of a neighbourhood's variance (median)", directions(dim), s.same.median(dim))
}

// bridges returns the share of neighbourhoods in which only the far half is off the directions.
func (s scales) bridges(dim int) float64 {
	count := 0
	for at, whole := range s.same[dim] {
		if whole >= largeShare && s.half[dim][at] <= bridgeFall*whole {
			count++
		}
	}
	return float64(count) / float64(len(s.same[dim]))
}

// directions begins a clause about the variance that the given number of directions miss.
func directions(j int) string {
	if j == 1 {
		return "1 direction misses"
	}
	return fmt.Sprintf("%d directions miss", j)
}

// wider returns the nearest samples among the neighbours of a sample and their neighbours, twice as many
// as the sample has neighbours. They are approximately its nearest. O(k²m).
func wider(in patch.Local, i int) []int32 {
	reached := slices.Clone(in.Graph.Of(i))
	for _, j := range in.Graph.Of(i) {
		reached = append(reached, in.Graph.Of(int(j))...)
	}
	slices.Sort(reached)
	reached = slices.DeleteFunc(slices.Compact(reached), func(j int32) bool { return int(j) == i })
	most, xi := 2*len(in.Graph.Of(i)), in.X.Row(i)
	list, squares := make([]int32, 0, most+1), make([]float64, 0, most+1)
	for _, j := range reached {
		square := blas.SquaredDistance(in.X.Row(int(j)), xi)
		if len(list) == most && !(square < squares[most-1]) {
			continue
		}
		at := len(list)
		for ; at > 0 && square < squares[at-1]; at-- {
		}
		list, squares = slices.Insert(list, at, j), slices.Insert(squares, at, square)
		list, squares = list[:min(len(list), most)], squares[:min(len(list), most)]
	}
	return list
}

// indices returns 0 … n−1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
