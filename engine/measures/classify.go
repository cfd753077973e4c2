package measures

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// ClassifyNN assigns to each test point (a row of test) the label of the nearest
// training point in Euclidean distance, ties by lower index.
//
// It returns an error for shapes that do not match, values that are not finite and a
// cancelled context. Time is O(tests·n·m), divided over the threads, or about
// O(tests·log n) in few dimensions; see [neighbors.Search].
// O(tests·log n) in few dimensions; see [neighbors.Search].
func ClassifyNN(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, o Options) ([]int64, error) {
	x, y, err := trainingAndTest("nn", train, labels, test)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults("nn"); err != nil {
		return nil, err
	}
	g, err := neighbors.Search(ctx, neighbors.Points(x), neighbors.Points(y), 1,
		neighbors.Options{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	predicted := make([]int64, y.N)
	for i := range predicted {
		predicted[i] = labels[g.Of(i)[0]]
	}
	return predicted, nil
}

// ErrorRate returns the share of predictions that differ from the labels. It returns an
// error if their numbers differ or are zero.
func ErrorRate(labels, predicted []int64) (float64, error) {
	if len(labels) == 0 || len(labels) != len(predicted) {
		return 0, fmt.Errorf("error rate: %d labels and %d predictions, want one of each for every sample", len(labels), len(predicted))
	}
	wrong := 0
	for i, l := range labels {
		if predicted[i] != l {
			wrong++
		}
	}
	return float64(wrong) / float64(len(labels)), nil
}

// trainingAndTest checks the input of a classifier.
func trainingAndTest(measure string, train mat.Matrix, labels []int64, test mat.Matrix) (x, y blas.Rows, err error) {
	if x, err = readPoints(measure, "training data", train); err != nil {
		return x, y, err
	}
	if y, err = readPoints(measure, "test data", test); err != nil {
		return x, y, err
	}
	switch {
	case x.M != y.M:
		err = fmt.Errorf("%s: the training data has %d columns and the test data %d", measure, x.M, y.M)
	case len(labels) != x.N:
		err = fmt.Errorf("%s: %d labels for %d training points", measure, len(labels), x.N)
	}
	if err != nil {
		return x, y, err
	}
	both := tame(x, y)
	return both[0], both[1], nil
}

// maxInClass bounds the table of the lines of a class (8 GiB).
const maxInClass = 1 << 15

// nflQueries is the number of test points compared with a line together, so that a line is fetched once
// for all of them.
const nflQueries = 8

// ClassifyNFL assigns to each test point the class of the nearest feature line: the
// infinite line through two training points of one class (Li and Lu 1999). For a
// class of one point, and for a pair of equal points, the distance to
// the point counts. Among equally near classes the smallest label wins.
//
// It returns the errors of [ClassifyNN], and an error for a class of more than 32768 points. Time
// is O(tests·(n·m + Σ c²/2)) for classes of size c, divided over the
// threads; memory is 8c² bytes for the largest class.
func ClassifyNFL(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, o Options) ([]int64, error) {
	x, y, err := trainingAndTest("nfl", train, labels, test)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults("nfl"); err != nil {
		return nil, err
	}
	classes := map[int64][]int{}
	for i, l := range labels {
		classes[l] = append(classes[l], i)
	}
	names := distinct(labels)
	for _, l := range names {
		if size := len(classes[l]); size > maxInClass {
			return nil, fmt.Errorf("nfl: class %d has %d training points, want at most %d; train on a part of them", l, size, maxInClass)
		}
	}
	predicted, nearest := make([]int64, y.N), make([]float64, y.N)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	scratch := make([]*lineScan, o.Threads)
	for _, l := range names {
		c, err := newLines(ctx, o.Threads, x, classes[l])
		if err != nil {
			return nil, err
		}
		err = blas.For(ctx, o.Threads, y.N, nflQueries, func(worker, lo, hi int) {
			if scratch[worker] == nil {
				scratch[worker] = new(lineScan)
			}
			var before [nflQueries]float64
			copy(before[:], nearest[lo:hi])
			c.nearest(y, lo, hi, nearest, scratch[worker])
			for i := lo; i < hi; i++ {
				if nearest[i] < before[i-lo] {
					predicted[i] = l
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return predicted, nil
}

// lines are the feature lines of one class.
//
// With r the squared distances of a point to two of the class and D the squared distance between
// these two, the squared distance to the line through a and b is
//
//	½(r_a + r_b) − (r_a − r_b)²/4D − D/4
//
// which in ρ = r/2 is below β if (ρ_b − ρ_a)²/D + (D/4 − ρ_b) > ρ_a − β: a few
// operations on D and ρ_b for all b, without a division. It is inaccurate if
// D is small compared with r, or the line is near. With β raised by an error bound
// it therefore only excludes lines, and the few that remain are measured in full.
type lines struct {
	x       blas.Rows
	of      []int     // the points of the class
	inverse []float64 // 1/D of points a > b at position a(a−1)/2 + b
	quarter []float64 // D/4; −∞ for equal points, ∞ if D is too small for the scan
	least   []float64 // of each a, the smallest D that is scanned; +∞ if there is none
	most    float64   // the largest D
}

// scanned is the smallest D that the scan uses, as a share of the largest: a
// smaller one would invalidate the error bound of its whole row.
const scanned = 1e-12

func newLines(ctx context.Context, threads int, x blas.Rows, of []int) (*lines, error) {
	n := len(of)
	c := &lines{x: x, of: of, inverse: make([]float64, n*(n-1)/2), quarter: make([]float64, n*(n-1)/2), least: make([]float64, n)}
	err := blas.For(ctx, threads, n, 16, func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			for b := range a {
				c.quarter[a*(a-1)/2+b] = blas.SquaredDistance(x.Row(of[a]), x.Row(of[b])) / 4
			}
		}
	})
	for _, q := range c.quarter {
		c.most = math.Max(c.most, 4*q)
	}
	for a := range c.least {
		c.least[a] = math.Inf(1)
		for p := a * (a - 1) / 2; p < a*(a+1)/2; p++ {
			switch d := 4 * c.quarter[p]; {
			case d == 0:
				c.quarter[p] = math.Inf(-1)
			case d < scanned*c.most || d < 0x1p-1000:
				c.quarter[p] = math.Inf(1)
			default:
				c.inverse[p] = 1 / d
				c.least[a] = math.Min(c.least[a], d)
			}
		}
	}
	return c, err
}

// lineScan is the scratch of one worker.
type lineScan struct {
	half  [nflQueries][]float64 // ρ of each query
	reach [nflQueries]float64   // the largest r of each
	mask  []uint64
}

func (s *lineScan) fit(n int) {
	if len(s.half[0]) < n {
		for q := range s.half {
			s.half[q] = make([]float64, n)
		}
		s.mask = make([]uint64, (n+63)/64)
	}
}

// nearest lowers best[i], for lo ≤ i < hi, to the squared distance of point i to
// the nearest line of the class, if that is smaller.
func (c *lines) nearest(y blas.Rows, lo, hi int, best []float64, s *lineScan) {
	n := len(c.of)
	s.fit(n)
	for i := lo; i < hi; i++ {
		half := s.half[i-lo]
		s.reach[i-lo] = 0
		for a, j := range c.of {
			r := blas.SquaredDistance(y.Row(i), c.x.Row(j))
			half[a] = r / 2
			s.reach[i-lo] = math.Max(s.reach[i-lo], r)
			best[i] = math.Min(best[i], r) // no line is farther than its points
		}
	}
	// Each r and D has a relative error of at most (m+2)·2⁻⁵³.
	eps := 4 * float64(c.x.M+8) * 0x1p-53
	for a := 1; a < n; a++ {
		from := a * (a - 1) / 2
		g, h := c.inverse[from:from+a], c.quarter[from:from+a]
		for i := lo; i < hi; i++ {
			half, reach := s.half[i-lo], s.reach[i-lo]
			// If ρ has the error δ = eps·R, with R = reach and |ρ_a − ρ_b| ≤ √(D·R), the square divided by D has the
			// error (2δ√(D·R) + δ²)/D; every other term has the relative error eps.
			delta := eps * reach
			slack := 2*delta*math.Sqrt(reach/c.least[a]) + delta*(delta/c.least[a]) + 4*eps*(reach+c.most)
			if !blas.CandidatesSquared(s.mask, g, h, half, half[a], half[a]-best[i]-slack) {
				continue
			}
			for w, word := range s.mask[:(a+63)/64] {
				for ; word != 0; word &= word - 1 {
					b := w*64 + bits.TrailingZeros64(word)
					if worthwhile(half[a], half[b], g[b], h[b], eps, best[i]) {
						best[i] = math.Min(best[i], lineDistance(y.Row(i), c.x.Row(c.of[a]), c.x.Row(c.of[b])))
					}
				}
			}
		}
	}
}

// worthwhile repeats the test of the scan for one line with its own error bound, which a single far point
// does not loosen.
func worthwhile(halfA, halfB, inverse, quarter, eps, best float64) bool {
	if inverse == 0 {
		return true // not scanned
	}
	u, sum := halfA-halfB, halfA+halfB
	delta := eps * sum
	off := (2*delta*math.Abs(u)+delta*delta)*inverse + 4*eps*(sum+quarter)
	return sum-u*u*inverse-quarter-off < best
}

// lineDistance returns the squared distance of a point to the line through the distinct points a and b,
// computed from the nearer of the two.
func lineDistance(x, a, b []float64) float64 {
	if blas.SquaredDistance(x, b) < blas.SquaredDistance(x, a) {
		a, b = b, a
	}
	uv, vv := 0.0, 0.0
	for i, o := range a {
		v := b[i] - o
		uv += (x[i] - o) * v
		vv += v * v
	}
	if vv == 0 {
		return blas.SquaredDistance(x, a)
	}
	share, sum := uv/vv, 0.0
	for i, o := range a {
		d := x[i] - o - share*(b[i]-o)
		sum += d * d
	}
	return sum
}
