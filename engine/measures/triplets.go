package measures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// tripletsOfSample triplets are drawn for each sample, or more if there are few samples, so that there are minTriplets.
const (
	tripletsOfSample = 5
	minTriplets      = 100_000
)

// RandomTriplet returns the accuracy of random triplets of an embedding y of the data x (Wang, Huang, Rudin and
// Shaposhnik 2021, section 7): the share of triplets (i, j, k) of different samples for which the order
// of the distances d(i, j) and d(i, k) is the same in the data and in the embedding. It measures
// how much of the global structure is preserved: the best value is 1, and an unrelated embedding
// has about ½.
//
// Five triplets are drawn for each sample, and at least 100 000 in all, from streams of the seed; for
// up to 59 samples all triplets count. A triplet with two equal distances in the data has no
// order and does not count; if only the distances in the embedding are equal, it counts half.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values that are not
// finite, fewer than 3 samples, triplets that all have equal distances in the data, and a cancelled
// context. Time is O(m + d) for each triplet.
func RandomTriplet(ctx context.Context, x, y mat.Matrix, seed uint64, o Options) (float64, error) {
	const measure = "random-triplet"
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	if data.N < 3 {
		return 0, fmt.Errorf("%s: the number of samples is %d; give at least 3", measure, data.N)
	}
	share, found, err := orderKept(ctx, o.Threads, tame(data)[0], tame(shown)[0], seed)
	if err == nil && !found {
		err = fmt.Errorf("%s: all distances in the data are equal; there is no order to keep", measure)
	}
	return share, err
}

// CentroidTriplet is [RandomTriplet] for the centroids of the classes: the means of each
// class in the data and in the embedding (Wang et al. 2021, section 7). It measures whether
// the arrangement of the classes is preserved.
//
// All triplets of up to 59 classes count; for more, as many are drawn as for that number of
// samples. labels has the class of each sample.
//
// It returns an error if the numbers of rows or labels differ, for values that are not finite, fewer
// than 3 classes, centroids whose distances in the data are all equal, and a cancelled context. Time is O(n(m + d))
// plus the time of RandomTriplet for the centroids.
func CentroidTriplet(ctx context.Context, x, y mat.Matrix, labels []int64, seed uint64, o Options) (float64, error) {
	const measure = "centroid-triplet"
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	if len(labels) != data.N {
		return 0, fmt.Errorf("%s: %d labels for %d samples; give one for each", measure, len(labels), data.N)
	}
	classes := distinct(labels)
	if len(classes) < 3 {
		return 0, fmt.Errorf("%s: the number of classes is %d; give at least 3", measure, len(classes))
	}
	share, found, err := orderKept(ctx, o.Threads, centroids(tame(data)[0], labels, classes), centroids(tame(shown)[0], labels, classes), seed)
	if err == nil && !found {
		err = fmt.Errorf("%s: all distances of the centroids in the data are equal; there is no order to keep", measure)
	}
	return share, err
}

// centroids returns the means of the classes, one in each row.
func centroids(p blas.Rows, labels, classes []int64) blas.Rows {
	place, size := map[int64]int{}, make([]int, len(classes))
	for c, label := range classes {
		place[label] = c
	}
	for _, label := range labels {
		size[place[label]]++
	}
	means := blas.Rows{N: len(classes), M: p.M, Data: make([]float64, len(classes)*p.M)}
	for i, label := range labels {
		c := place[label]
		blas.Axpy(1/float64(size[c]), p.Row(i), means.Row(c))
	}
	return means
}

// orderKept returns the share of triplets whose order of distances is preserved; found is false if
// no triplet has an order in the data.
func orderKept(ctx context.Context, threads int, data, shown blas.Rows, seed uint64) (share float64, found bool, err error) {
	n := data.N
	blocks := make([]orders, (n+tileRows-1)/tileRows)
	draws := max(tripletsOfSample, (minTriplets+n-1)/n)
	err = blas.For(ctx, threads, n, tileRows, func(_, lo, hi int) {
		count := &blocks[lo/tileRows]
		for i := lo; i < hi; i++ {
			if n <= draws && (n-1)*(n-2)/2 <= draws {
				count.addAll(data, shown, i)
			} else {
				count.addDrawn(data, shown, i, draws, blas.NewStream(seed^uint64(i)<<20))
			}
		}
	})
	var all orders
	for _, b := range blocks {
		all.kept, all.tied, all.compared = all.kept+b.kept, all.tied+b.tied, all.compared+b.compared
	}
	return (float64(all.kept) + float64(all.tied)/2) / float64(max(all.compared, 1)), all.compared > 0, err
}

// orders counts the triplets whose distances differ in the data, and among these the triplets with the same order
// in the embedding, and with equal distances there.
type orders struct{ compared, kept, tied int }

// add counts a triplet by the distances from a sample to two others, in the data and in the embedding.
func (c *orders) add(first, second, shownFirst, shownSecond float64) {
	if first == second {
		return
	}
	c.compared++
	switch {
	case shownFirst == shownSecond:
		c.tied++
	case (shownFirst < shownSecond) == (first < second):
		c.kept++
	}
}

// addAll counts all triplets of sample i.
func (c *orders) addAll(data, shown blas.Rows, i int) {
	apart, shownApart := make([]float64, data.N), make([]float64, data.N)
	for j := range data.N {
		apart[j] = blas.SquaredDistance(data.Row(i), data.Row(j))
		shownApart[j] = blas.SquaredDistance(shown.Row(i), shown.Row(j))
	}
	for j := range data.N {
		for k := range j {
			if j != i && k != i {
				c.add(apart[j], apart[k], shownApart[j], shownApart[k])
			}
		}
	}
}

// addDrawn counts some triplets of sample i, drawn at random.
func (c *orders) addDrawn(data, shown blas.Rows, i, draws int, stream *blas.Stream) {
	n := data.N
	for range draws {
		j := skipping(stream.Below(n-1), i, i)
		k := skipping(stream.Below(n-2), min(i, j), max(i, j))
		c.add(blas.SquaredDistance(data.Row(i), data.Row(j)), blas.SquaredDistance(data.Row(i), data.Row(k)),
			blas.SquaredDistance(shown.Row(i), shown.Row(j)), blas.SquaredDistance(shown.Row(i), shown.Row(k)))
	}
}

// skipping returns the sample with the given number when two samples a ≤ b, which may be equal, are skipped.
func skipping(number, a, b int) int {
	if number >= a {
		number++
	}
	if b > a && number >= b {
		number++
	}
	return number
}
