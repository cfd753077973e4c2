package trust

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// verdict is what the truth makes of a map.
type verdict int

const (
	good verdict = iota
	neither
	bad
)

// Bounds of the truth. A map of clusters is bad if less than whole of a cluster is one piece, or fewer than keptLabels of the nearest samples have
// its label; of a curve or surface, if more than lostNeighbors of the true nearest are far, or a curve is torn.
const (
	whole, wholeGood        = 0.8, 0.9
	keptLabels, keptGood    = 0.9, 0.97
	lostNeighbors, lostGood = 0.05, 0.02
	near                    = 5      // nearest samples of the truth that are looked at
	farShare                = 10     // far: not among a tenth of all samples
	gap, narrow             = 3., 2. // a gap is this many times as wide as samples are apart; a good map has none that is narrow
)

// judge returns what the truth makes of a map, and its numbers.
func judge(s *shape, d drawn, y *mat.Dense) (verdict, map[string]float64) {
	switch s.kind {
	case noise:
		return bad, nil
	case clusters:
		piece, strict, kept := pieces(d.label, y, gap), pieces(d.label, y, narrow), purity(d.label, y)
		numbers := map[string]float64{"piece": piece, "strict": strict, "purity": kept}
		switch {
		case purity(d.label, d.x) < keptGood:
			return neither, numbers
		case piece < whole || kept < keptLabels:
			return bad, numbers
		case strict > wholeGood && kept > keptGood:
			return good, numbers
		}
		return neither, numbers
	}
	lost, invented := far(d.truth, y), far(y, d.truth)
	numbers := map[string]float64{"lost": lost, "invented-far": invented}
	tears, rifts := 0.0, 0.0
	if s.kind == curve {
		tears, rifts = torn(d.truth, y, 10, 0.1), torn(d.truth, y, 5, 0.05)
		numbers["tears"], numbers["rifts"] = tears, rifts
	}
	n, _ := y.Dims()
	one := make([]int, n)
	piece, strict := pieces(one, y, gap), pieces(one, y, narrow)
	numbers["piece"], numbers["strict"] = piece, strict
	if s.kind == curve {
		piece, strict = 1, 1 // random samples of a curve have gaps themselves
	}
	switch {
	case lost > lostNeighbors || invented > lostNeighbors || tears > 0 || piece < whole:
		return bad, numbers
	case lost < lostGood && invented < lostGood && strict > wholeGood && rifts == 0:
		return good, numbers
	}
	return neither, numbers
}

// pieces returns the smallest share of a cluster in its largest piece: samples of it are in one piece if they are linked by steps of at most
// gap times the median distance to the fifth nearest of the cluster.
func pieces(label []int, y *mat.Dense, gap float64) float64 {
	least := 1.0
	for c := range slices.Max(label) + 1 {
		var rows []int
		for i, l := range label {
			if l == c {
				rows = append(rows, i)
			}
		}
		if len(rows) < 3*near {
			continue
		}
		fifth := make([]float64, len(rows))
		apart := make([]float64, len(rows))
		for a, i := range rows {
			for b, j := range rows {
				apart[b] = blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j))
			}
			slices.Sort(apart)
			fifth[a] = apart[near]
		}
		slices.Sort(fifth)
		reach := gap * gap * fifth[len(fifth)/2]
		largest := 0
		left := slices.Clone(rows)
		for len(left) > 0 {
			queue := []int{left[0]}
			left = left[1:]
			size := 0
			for ; len(queue) > 0; size++ {
				i := queue[0]
				queue = queue[1:]
				left = slices.DeleteFunc(left, func(j int) bool {
					linked := blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)) <= reach
					if linked {
						queue = append(queue, j)
					}
					return linked
				})
			}
			largest = max(largest, size)
		}
		least = min(least, float64(largest)/float64(len(rows)))
	}
	return least
}

// order returns the samples by their distance from sample i, without itself.
func order(y *mat.Dense, i int) []int {
	n, _ := y.Dims()
	apart, list := make([]float64, n), make([]int, 0, n-1)
	for j := range n {
		apart[j] = blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j))
		if j != i {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		switch {
		case apart[a] < apart[b]:
			return -1
		case apart[a] > apart[b]:
			return 1
		}
		return 0
	})
	return list
}

// purity returns the share of the nearest samples that have the label of a sample.
func purity(label []int, y *mat.Dense) float64 {
	same := 0
	for i, l := range label {
		for _, j := range order(y, i)[:near] {
			if label[j] == l {
				same++
			}
		}
	}
	return float64(same) / float64(near*len(label))
}

// far returns the share of the nearest samples by some coordinates that are not among a tenth of all by others.
func far(by, other *mat.Dense) float64 {
	n, _ := by.Dims()
	lost := 0
	for i := range n {
		here := order(other, i)[:n/farShare]
		for _, j := range order(by, i)[:near] {
			if !slices.Contains(here, j) {
				lost++
			}
		}
	}
	return float64(lost) / float64(near*n)
}

// torn returns the number of places where a curve is torn: nearest samples of the truth that are at least a share of the width of the map apart, and
// times as far as usual.
func torn(truth, y *mat.Dense, times, share float64) float64 {
	n, _ := y.Dims()
	var steps []float64
	var width float64
	for i := range n {
		for _, j := range order(truth, i)[:4] {
			steps = append(steps, math.Sqrt(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j))))
		}
		width = max(width, math.Sqrt(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(0))))
	}
	slices.Sort(steps)
	reach := max(times*steps[len(steps)/2], share*width)
	at, _ := slices.BinarySearch(steps, reach)
	return float64(len(steps) - at)
}
