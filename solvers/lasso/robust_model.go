package lasso

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// robustModel is the quadratic model of the Huber loss over those entries of the
// code, its members, that are or may become nonzero: twice the Gram matrix of
// their rows over the coordinates whose residual is not clipped.
type robustModel struct {
	kernels *blas.Kernels
	lasso   gramLasso

	members []int // entries of the code
	place   []int // of an entry among the members; −1: none
	moved   []int // scratch of forget
	gram    []float64
	ld      int
	inside  []bool  // m: the coordinates that gram holds
	count   int     // of them
	joining []int32 // coordinates
	leaving []int32
	packed  []float64

	h, b, z []float64
}

func (s *robustModel) begin(p, m int) {
	s.members, s.count, s.ld = s.members[:0], 0, p
	s.place = grownTo(s.place, p)
	for j := range s.place {
		s.place[j] = -1
	}
	s.inside = grownTo(s.inside, m)
	clear(s.inside)
	s.gram = grownTo(s.gram, p*p)
	s.h, s.b, s.z = grownTo(s.h, p*p), grownTo(s.b, p), grownTo(s.z, p)
}

// admit makes members of the nonzero entries and of those that violate their
// condition, the worst first and not all at once.
func (s *robustModel) admit(rows [][]float64, a, g []float64, lambda float64) {
	s.forget(a, g, lambda)
	before := len(s.members)
	for j, v := range a {
		if v != 0 && s.place[j] < 0 {
			s.join(j)
		}
	}
	limit := max(robustBatch, len(s.members)/2)
	for range limit {
		worst, at := lambda, -1
		for j, v := range g {
			if s.place[j] < 0 && math.Abs(v) > worst {
				worst, at = math.Abs(v), j
			}
		}
		if at < 0 {
			break
		}
		s.join(at)
	}
	if len(s.members) > before && s.count > 0 {
		s.newRows(rows, before)
	}
}

// forget drops members that are zero and satisfied where they outnumber the
// others, so that the model stays of the order of the support.
func (s *robustModel) forget(a, g []float64, lambda float64) {
	needed := func(j int) bool { return a[j] != 0 || math.Abs(g[j]) > lambda }
	count := 0
	for _, j := range s.members {
		if needed(j) {
			count++
		}
	}
	if len(s.members) <= 2*count+robustBatch {
		return
	}
	kept := 0
	for q, j := range s.members {
		if !needed(j) {
			s.place[j] = -1
			continue
		}
		// Row q becomes row kept; what its columns become is settled below.
		s.members[kept], s.place[j] = j, kept
		s.moved = append(s.moved[:kept], q)
		kept++
	}
	for r, from := range s.moved {
		row, dst := s.gram[from*s.ld:from*s.ld+s.ld], s.gram[r*s.ld:r*s.ld+kept]
		for c, at := range s.moved {
			dst[c] = row[at]
		}
	}
	s.members = s.members[:kept]
}

func (s *robustModel) join(j int) {
	s.place[j] = len(s.members)
	s.members = append(s.members, j)
}

// newRows computes the rows of the Gram matrix of members that have just joined,
// over the coordinates of before.
func (s *robustModel) newRows(rows [][]float64, before int) {
	s.listInside()
	k, w := len(s.joining), len(s.members)
	s.pack(rows, s.joining)
	s.kernels.Gemm(false, true, w-before, w, k, 1, s.packed[before*k:], k, s.packed, k, 0, s.gram[before*s.ld:], s.ld)
	for r := before; r < w; r++ {
		for c := range r {
			s.gram[c*s.ld+r] = s.gram[r*s.ld+c]
		}
	}
}

// pack gathers the given coordinates of the members' rows.
func (s *robustModel) pack(rows [][]float64, at []int32) {
	k := len(at)
	s.packed = grownTo(s.packed, len(s.members)*k)
	for q, j := range s.members {
		row, dst := rows[j], s.packed[q*k:q*k+k]
		for c, i := range at {
			dst[c] = row[i]
		}
	}
}

// update brings the Gram matrix to the coordinates that are not clipped now.
func (s *robustModel) update(rows [][]float64, residual []float64, c float64) {
	s.joining, s.leaving = s.joining[:0], s.leaving[:0]
	for i, r := range residual {
		in := math.Abs(r) < c
		switch {
		case in == s.inside[i]:
			continue
		case in:
			s.joining = append(s.joining, int32(i))
		default:
			s.leaving = append(s.leaving, int32(i))
		}
		s.inside[i] = in
	}
	after := s.count + len(s.joining) - len(s.leaving)
	w := len(s.members)
	if s.count == 0 || after < len(s.joining)+len(s.leaving) { // from nothing is cheaper
		s.listInside()
		s.leaving = s.leaving[:0]
		for r := range w {
			clear(s.gram[r*s.ld : r*s.ld+w])
		}
	}
	s.count = after
	s.rankUpdate(rows, s.joining, 1)
	s.rankUpdate(rows, s.leaving, -1)
	for r := range w {
		for c := range r {
			s.gram[r*s.ld+c] = s.gram[c*s.ld+r]
		}
	}
}

// listInside lists the coordinates that are not clipped as those that join.
func (s *robustModel) listInside() {
	s.joining = s.joining[:0]
	for i, in := range s.inside {
		if in {
			s.joining = append(s.joining, int32(i))
		}
	}
}

func (s *robustModel) rankUpdate(rows [][]float64, at []int32, sign float64) {
	if len(at) == 0 {
		return
	}
	s.pack(rows, at)
	s.kernels.Syrk(false, len(s.members), len(at), sign, s.packed, len(at), 1, s.gram, s.ld)
}

// minimum returns the members' entries at the minimum of the model around a, where
// the gradient of the smooth part is g; the ridge keeps it definite.
func (s *robustModel) minimum(a, g []float64, smooth, lambda, ridge, tol float64) []float64 {
	w := len(s.members)
	h, b, z := s.h[:w*w], s.b[:w], s.z[:w]
	for r := range w {
		for c, v := range s.gram[r*s.ld : r*s.ld+w] {
			h[r*w+c] = 2 * v
		}
	}
	for r, j := range s.members {
		h[r*w+r] += ridge
		if j > 0 {
			h[r*w+r] += 2 * smooth
		}
		if j+1 < len(a) {
			h[r*w+r] += 2 * smooth
			if c := s.place[j+1]; c >= 0 {
				h[r*w+c] -= 2 * smooth
				h[c*w+r] -= 2 * smooth
			}
		}
		z[r] = a[j]
	}
	for r, j := range s.members {
		b[r] = blas.Dot(h[r*w:r*w+w], z) - g[j]
	}
	s.lasso.solve(h, w, w, b, lambda, tol, z)
	return z
}
