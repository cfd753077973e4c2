package neighbors

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// UnorderedIndex finds large neighbourhoods of many points, if the order of the neighbours does not
// matter: it guesses a ball, whose radius is the distance of the k-th nearest. With hundreds of
// neighbours that is several times as fast as sorted lists ([Index]). It shares no storage
// with the samples and takes 8m + 12 bytes for each. It is safe for concurrent searches,
// each by its own [Searcher].
type UnorderedIndex struct {
	tree *kdTree   // of the samples, or of their coordinates along axes
	axes []float64 // p × m, orthonormal; nil: the tree has the samples
	rows []float64 // the samples in the tree's order
	m    int
}

// NewUnorderedIndex prepares finite samples of ordinary magnitude (see [Exact]). With p orthonormal
// axes, p × m, the tree divides the coordinates along those, which never exceed distances:
// a few axes of large variance make searches in many columns fast. O(n log n + npm).
func NewUnorderedIndex(x Points, axes []float64) *UnorderedIndex {
	s := &UnorderedIndex{m: x.M, axes: axes}
	if axes == nil {
		s.tree = newKDTree(x, 1)
		s.rows = s.tree.points
		return s
	}
	p := len(axes) / x.M
	along := Points{N: x.N, M: p, Data: make([]float64, x.N*p)}
	for i := range x.N {
		s.along(x.Row(i), along.Row(i))
	}
	s.tree = newKDTree(along, 1)
	s.rows = make([]float64, x.N*x.M)
	for at, i := range s.tree.order {
		copy(s.rows[at*x.M:(at+1)*x.M], x.Row(int(i)))
	}
	return s
}

func (s *UnorderedIndex) along(x, coordinates []float64) {
	for a := range coordinates {
		coordinates[a] = blas.Dot(s.axes[a*s.m:(a+1)*s.m], x)
	}
}

// N returns the number of samples.
func (s *UnorderedIndex) N() int { return len(s.tree.order) }

// At returns the sample at a place. Samples at close places are close to each other.
func (s *UnorderedIndex) At(place int) []float64 { return s.rows[place*s.m : (place+1)*s.m] }

// Number returns the original number of the sample at a place.
func (s *UnorderedIndex) Number(place int) int { return int(s.tree.order[place]) }

// Searcher is the search of one worker among [UnorderedIndex].
type Searcher struct {
	*UnorderedIndex
	// Places and Squares are the samples found and their squared distances from the point.
	Places  []int32
	Squares []float64

	point  []float64
	target []float64 // along the axes
	side   []float64
	far    float64
	kth    []float64
	guess  float64
}

// NewSearcher returns a search with its own memory.
func (s *UnorderedIndex) NewSearcher() *Searcher {
	return &Searcher{UnorderedIndex: s, side: make([]float64, s.tree.m), target: make([]float64, s.tree.m)}
}

// Nearest finds the k nearest samples of a point, 1 ≤ k ≤ n, including the sample itself
// if the point is one, and all that tie with the last. It returns the squared distance of the
// last. The samples found, and their order, depend only on the point and k; the search is fast if
// the point is near the preceding one.
func (s *Searcher) Nearest(point []float64, k int) float64 {
	s.point = point
	target := point
	if s.axes != nil {
		s.along(point, s.target)
		target = s.target
	}
	if s.far = s.guess; s.far == 0 {
		s.far = s.reach(target, k)
	}
	for {
		s.Places, s.Squares = s.Places[:0], s.Squares[:0]
		clear(s.side)
		s.visit(target, 0, 0)
		if len(s.Squares) >= k {
			break
		}
		s.far = max(2*s.far, math.SmallestNonzeroFloat64)
	}
	s.kth = append(s.kth[:0], s.Squares...)
	last := orderstat.NthSmallest(s.kth, k-1)
	s.guess = last * 1.2
	kept := 0
	for q, square := range s.Squares {
		if square <= last {
			s.Places[kept], s.Squares[kept] = s.Places[q], square
			kept++
		}
	}
	s.Places, s.Squares = s.Places[:kept], s.Squares[:kept]
	return last
}

// reach returns an initial squared radius: that of the smallest part of the
// tree around the point that has k samples.
func (s *Searcher) reach(target []float64, k int) float64 {
	at := int32(0)
	for {
		n := &s.tree.nodes[at]
		if n.dim < 0 {
			break
		}
		next := n.right
		if target[n.dim] < n.split {
			next = at + 1
		}
		if c := &s.tree.nodes[next]; int(c.hi-c.lo) < 2*k {
			break
		}
		at = next
	}
	n := &s.tree.nodes[at]
	var sum float64
	step := max((n.hi-n.lo)/32, 1)
	count := 0
	for p := n.lo; p < n.hi; p += step {
		sum += blas.SquaredDistance(s.point, s.At(int(p)))
		count++
	}
	return sum / float64(count) * float64(k) / float64(max(n.hi-n.lo, 1)) * 2
}

func (s *Searcher) visit(target []float64, at int32, cell float64) {
	n := &s.tree.nodes[at]
	if n.dim < 0 {
		s.scan(n.lo, n.hi)
		return
	}
	near, far := at+1, n.right
	away := n.split - target[n.dim]
	if away <= 0 {
		near, far = far, near
		away = -away
	}
	s.visit(target, near, cell)
	before := s.side[n.dim]
	beyond := max(cell-before*before+away*away, away*away)
	if beyond*slack > s.far {
		return
	}
	s.side[n.dim] = away
	s.visit(target, far, beyond)
	s.side[n.dim] = before
}

func (s *Searcher) scan(lo, hi int32) {
	if s.m == 3 { // the same sum as SquaredDistance, without the call
		x, y, z := s.point[0], s.point[1], s.point[2]
		rows := s.rows[3*lo : 3*hi]
		for p := lo; p < hi; p++ {
			d0, d1, d2 := x-rows[0], y-rows[1], z-rows[2]
			rows = rows[3:]
			if square := float64(d0*d0) + float64(d1*d1) + float64(d2*d2); square <= s.far {
				s.Places, s.Squares = append(s.Places, p), append(s.Squares, square)
			}
		}
		return
	}
	for p := lo; p < hi; p++ {
		if square := blas.SquaredDistance(s.point, s.At(int(p))); square <= s.far {
			s.Places, s.Squares = append(s.Places, p), append(s.Squares, square)
		}
	}
}

// Surroundings is [UnorderedIndex].
//
// Deprecated: use [UnorderedIndex].
type Surroundings = UnorderedIndex

// NewSurroundings is [NewUnorderedIndex].
//
// Deprecated: use [NewUnorderedIndex].
func NewSurroundings(x Points, axes []float64) *UnorderedIndex { return NewUnorderedIndex(x, axes) }
