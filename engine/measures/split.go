package measures

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Split is a partition of the samples into those to learn from and those to
// judge by, each ascending.
type Split struct{ Train, Test []int }

// StratifiedSplits draws count random splits in which every class has the share
// train of its samples in the training part: ⌊train·c⌋ of c, but at least one
// and at most c − 1.
//
// All of them come from one stream, that of the seed: split after split, and in
// each the classes by ascending label. A class draws its training samples by the
// first steps of a Fisher–Yates shuffle of its samples p, in ascending order:
// for i = 0, 1, …, j = i + below(c − i) and p[i], p[j] change places.
//
// Errors are about fewer than one split, a share outside (0, 1), labels of one
// class alone, and a class of one sample.
func StratifiedSplits(labels []int64, count int, train float64, seed uint64) ([]Split, error) {
	switch {
	case count < 1:
		return nil, fmt.Errorf("splits: %d splits asked, want at least 1", count)
	case !(train > 0 && train < 1): // NaN too
		return nil, fmt.Errorf("splits: a training share of %v, want a number between 0 and 1, such as 0.5", train)
	}
	names := distinct(labels)
	if len(names) < 2 {
		return nil, fmt.Errorf("splits: the labels are of %d class, want at least two to tell apart", len(names))
	}
	members := map[int64][]int{}
	for i, l := range labels {
		members[l] = append(members[l], i)
	}
	for _, l := range names {
		if len(members[l]) == 1 {
			return nil, fmt.Errorf("splits: class %d has one sample, want at least two, one to learn from and one to judge by; leave the class out", l)
		}
	}
	rng, splits := blas.NewStream(seed), make([]Split, count)
	trains := make([]bool, len(labels))
	for s := range splits {
		clear(trains)
		for _, l := range names {
			p := append([]int(nil), members[l]...)
			for i := range trainingCount(len(p), train) {
				j := i + rng.Below(len(p)-i)
				p[i], p[j] = p[j], p[i]
				trains[p[i]] = true
			}
		}
		for i, first := range trains {
			if first {
				splits[s].Train = append(splits[s].Train, i)
			} else {
				splits[s].Test = append(splits[s].Test, i)
			}
		}
	}
	return splits, nil
}

// trainingCount is ⌊share·c⌋ within 1…c−1. The product is lifted by less than
// matters to anybody, so that 0.29 of 100 is 29.
func trainingCount(c int, share float64) int {
	return min(max(int(math.Floor(share*float64(c)+1e-9)), 1), c-1)
}
