package align

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Distances returns the rule that uses given distances, n × n, in place of those along a graph.
func Distances(d samples.Samples) Rule[*Geodesic] {
	return func(in Input) (*Geodesic, error) {
		defer in.Phase("alignment")()
		n := d.N()
		if err := in.Fit(eigen.UpperBytes(int64(n)), fmt.Sprintf("the squares of the distances between %d samples need", n), "take fewer samples, or raise the limit"); err != nil {
			return nil, err
		}
		if err := warnTriangle(in, d); err != nil {
			return nil, err
		}
		g := &Geodesic{Squares: eigen.NewUpper(n)}
		err := blas.For(in.Context(), in.Threads(), n, eigen.UpperPanel, func(_, lo, hi int) {
			row := make([]float64, n)
			for i := lo; i < hi; i++ {
				for j := i + 1; j < n; j++ {
					v := meanDistance(d, i, j)
					row[j] = v * v
				}
				g.Squares.Set(i, i+1, row[i+1:])
			}
		})
		if err != nil {
			return nil, err
		}
		g.Squares.Mirror()
		in.Explain("alignment: the squares of the given distances, order %d", n)
		return g, g.checkRange(in.Method())
	}
}

// DistanceGram returns the rule K = −½JD²J for given distances D, n × n.
func DistanceGram(d samples.Samples) Rule[*Similarity] {
	return func(in Input) (*Similarity, error) {
		defer in.Phase("alignment")()
		n := d.N()
		if err := in.Fit(numbersOf(n, n), fmt.Sprintf("the Gram matrix of %d samples needs", n), "take fewer samples, or raise the limit"); err != nil {
			return nil, err
		}
		if err := warnTriangle(in, d); err != nil {
			return nil, err
		}
		k := gramOfSquares(n, func(i, j int) float64 {
			if i == j {
				return 0
			}
			v := meanDistance(d, i, j)
			return v * v
		})
		in.Explain("alignment: Gram matrix of the given distances, order %d", n)
		return &Similarity{K: k}, in.Err()
	}
}

// meanDistance returns the mean of the two entries of a pair, which differ at most by rounding.
func meanDistance(d samples.Samples, i, j int) float64 { return (d.Row(i)[j] + d.Row(j)[i]) / 2 }

const (
	// allTriangles is the largest number of samples for which every triangle is checked; for more
	// samples only those through someMiddles samples, chosen by the seed.
	allTriangles, someMiddles = 1000, 64
	// triangleRounding is the excess, relative to the longer path, that is due to rounding.
	triangleRounding = 1e-7
)

// excess is a pair that is farther apart than the path through a third sample.
type excess struct {
	i, j, middle int
	direct, way  float64
}

// above reports whether e violates the inequality more than the other.
func (e excess) above(than excess) bool { return e.direct-e.way > than.direct-than.way }

// warnTriangle warns if distances violate the triangle inequality, so that they are not the distances of
// any metric space. O(n³) up to 1000 samples, O(64n²) beyond.
func warnTriangle(in Input, d samples.Samples) error {
	n := d.N()
	middles := make([]int, n)
	for i := range middles {
		middles[i] = i
	}
	if n > allTriangles {
		s := blas.NewStream(in.Seed())
		for i := range someMiddles {
			j := i + s.Below(n-i)
			middles[i], middles[j] = middles[j], middles[i]
		}
		middles = middles[:someMiddles]
	}
	const block = 16
	worst := make([]excess, (n+block-1)/block)
	err := blas.For(in.Context(), in.Threads(), n, block, func(_, lo, hi int) {
		most := &worst[lo/block]
		for i := lo; i < hi; i++ {
			row := d.Row(i)
			for _, middle := range middles {
				first, second := row[middle], d.Row(middle)
				for j := i + 1; j < n; j++ {
					if way := first + second[j]; row[j] > way*(1+triangleRounding) {
						if e := (excess{i, j, middle, row[j], way}); e.above(*most) {
							*most = e
						}
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	most := worst[0]
	for _, e := range worst[1:] {
		if e.above(most) {
			most = e
		}
	}
	if most.direct > 0 {
		in.Warn("the distances break the triangle inequality: samples %d and %d (counting from 1) are %.4g apart, and %.4g by way of sample %d; no space has such distances, and the embedding keeps them as well as one can",
			most.i+1, most.j+1, most.direct, most.way, most.middle+1)
	}
	return nil
}
