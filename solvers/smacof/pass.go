package smacof

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// passGroups is the number of partial sums, and passRows the number of consecutive rows that are added to one of them.
	// They decide bits and are therefore constants.
	passGroups, passRows = 16, 16
	// passColumns is the number of objects whose coordinates and sums stay in the first-level cache.
	passColumns = 1024
)

// sums are those of a pass over all pairs: of the squares of the differences e = d̂ − d, of the products e·d, and of the squares of d.
type sums struct{ difference, cross, distance float64 }

// stress is the least stress of the configuration multiplied by any number, the best of which is [sums.scale]. The formula
// loses no digits of a small stress.
func (s sums) stress() float64 {
	if s.distance == 0 {
		return s.difference
	}
	return max(s.difference-s.cross*s.cross/s.distance, 0)
}

func (s sums) scale() float64 {
	if s.distance == 0 {
		return 1
	}
	return 1 + s.cross/s.distance
}

// passes goes over all pairs of a configuration without storing their distances.
type passes struct {
	pairs   *Pairs
	dim     int
	threads int
	part    [][]float64 // Z of each group of rows
	sum     []sums
}

func newPasses(p *Pairs, dim, threads int) *passes {
	panels := (p.N + passRows - 1) / passRows
	s := &passes{pairs: p, dim: dim, threads: threads, part: make([][]float64, min(panels, passGroups))}
	for g := range s.part {
		s.part[g] = make([]float64, p.N*dim)
	}
	s.sum = make([]sums, len(s.part))
	return s
}

// panels calls do for the panels of rows of each group, groups in parallel.
func (s *passes) panels(ctx context.Context, do func(group, lo, hi int)) error {
	return blas.For(ctx, s.threads, len(s.part), 1, func(_, g, _ int) {
		for lo := g * passRows; lo < s.pairs.N && ctx.Err() == nil; lo += passRows * len(s.part) {
			do(g, lo, min(lo+passRows, s.pairs.N))
		}
	})
}

// transform writes Z = B(X)X and returns the sums of the pass. target returns d̂ of the pairs in [lo, hi), in the given storage
// if it has to.
func (s *passes) transform(ctx context.Context, x []float64, target func(lo, hi int, into []float64) []float64, z []float64) (sums, error) {
	for g := range s.part {
		clear(s.part[g])
		s.sum[g] = sums{}
	}
	err := s.panels(ctx, func(g, lo, hi int) {
		var buffer [passColumns]float64
		p, part, sum := s.pairs, s.part[g], &s.sum[g]
		if p.Ptr != nil {
			for i := lo; i < hi; i++ {
				for from := p.Ptr[i]; from < p.Ptr[i+1]; from += passColumns {
					to := min(from+passColumns, p.Ptr[i+1])
					s.list(i, p.Index[from:to], target(from, to, buffer[:]), p.weights(from, to), x, part, sum)
				}
			}
			return
		}
		for column := lo; column < p.N; column += passColumns {
			for i := lo; i < hi; i++ {
				from, to := max(i+1, column), min(column+passColumns, p.N)
				if from >= to {
					continue
				}
				at := p.begin(i) + from - i - 1
				d, w := target(at, at+to-from, buffer[:]), p.weights(at, at+to-from)
				if s.dim == 2 && w == nil {
					plane(i, from, d, x, part, sum)
				} else {
					s.row(i, from, d, w, x, part, sum)
				}
			}
		}
	})
	if err != nil {
		return sums{}, err
	}
	var all sums
	for _, g := range s.sum {
		all.difference += g.difference
		all.cross += g.cross
		all.distance += g.distance
	}
	return all, blas.For(ctx, s.threads, len(z), 1<<13, func(_, lo, hi int) {
		clear(z[lo:hi])
		for _, part := range s.part {
			blas.Axpy(1, part[lo:hi], z[lo:hi])
		}
	})
}

// weights returns the weights of the pairs in [lo, hi); nil: all are 1.
func (p *Pairs) weights(lo, hi int) []float64 {
	if p.Weight == nil {
		return nil
	}
	return p.Weight[lo:hi]
}

// plane adds the pairs of object i with the objects from the given one on, in two columns and with equal weights.
func plane(i, from int, target, x, z []float64, sum *sums) {
	xi, yi := x[2*i], x[2*i+1]
	at, to := x[2*from:], z[2*from:]
	at, to = at[:2*len(target)], to[:2*len(target)]
	var zx, zy, difference, cross, distance float64
	for q, d := range target {
		k := 2 * q
		dx, dy := xi-at[k], yi-at[k+1]
		square := float64(dx*dx) + float64(dy*dy)
		length := math.Sqrt(square)
		e := d - length
		difference += float64(e * e)
		cross += float64(e * length)
		distance += square
		if length == 0 {
			if c := (i + from + q) % 2; c == 0 {
				zx += d
				to[k] -= d
			} else {
				zy += d
				to[k+1] -= d
			}
			continue
		}
		r := d / length
		bx, by := float64(r*dx), float64(r*dy)
		zx += bx
		zy += by
		to[k] -= bx
		to[k+1] -= by
	}
	z[2*i] += zx
	z[2*i+1] += zy
	sum.difference += difference
	sum.cross += cross
	sum.distance += distance
}

// row is [plane] in any number of columns, with weights or without.
func (s *passes) row(i, from int, target, weight, x, z []float64, sum *sums) {
	dim := s.dim
	own, to := x[i*dim:(i+1)*dim], z[i*dim:(i+1)*dim]
	at := *sum
	for q, d := range target {
		w := 1.0
		if weight != nil {
			w = weight[q]
		}
		j := (from + q) * dim
		other, back := x[j:j+dim], z[j:j+dim]
		var square float64
		for c, v := range own {
			move := v - other[c]
			square += float64(move * move)
		}
		if square == 0 {
			s.coincident(i, from+q, d, w, to, back, &at)
			continue
		}
		length := math.Sqrt(square)
		e := d - length
		at.difference += float64(float64(w*e) * e)
		at.cross += float64(float64(w*e) * length)
		at.distance += float64(w * square)
		r := w * d / length
		for c, v := range own {
			move := float64(r * (v - other[c]))
			to[c] += move
			back[c] -= move
		}
	}
	*sum = at
}

// list is [passes.row] for listed objects.
func (s *passes) list(i int, objects []int32, target, weight, x, z []float64, sum *sums) {
	for q, j := range objects {
		w := 1.0
		if weight != nil {
			w = weight[q]
		}
		s.row(i, int(j), target[q:q+1], []float64{w}, x, z, sum)
	}
}

// coincident adds a pair in one place. It has no direction: it gets that of an axis, for which the transform still majorises
// the stress, so that the two can come apart.
func (s *passes) coincident(i, j int, d, w float64, to, back []float64, sum *sums) {
	sum.difference += float64(float64(w*d) * d)
	c := (i + j) % s.dim
	to[c] += float64(w * d)
	back[c] -= float64(w * d)
}

// distances hands over the distances of the pairs in [lo, hi), in the order of the pairs.
func (s *passes) distances(ctx context.Context, x []float64, take func(lo int, d []float64)) error {
	p, dim := s.pairs, s.dim
	return s.panels(ctx, func(_, first, end int) {
		buffer := make([]float64, 0, passColumns)
		for i := first; i < end; i++ {
			own := x[i*dim : (i+1)*dim]
			lo, hi := p.begin(i), p.begin(i+1)
			for from := lo; from < hi; from += passColumns {
				to := min(from+passColumns, hi)
				buffer = slices.Grow(buffer[:0], to-from)[:to-from]
				for at := from; at < to; at++ {
					j := i + 1 + at - lo
					if p.Ptr != nil {
						j = int(p.Index[at])
					}
					if dim == 2 {
						dx, dy := own[0]-x[2*j], own[1]-x[2*j+1]
						buffer[at-from] = math.Sqrt(float64(dx*dx) + float64(dy*dy))
					} else {
						buffer[at-from] = math.Sqrt(blas.SquaredDistance(own, x[j*dim:(j+1)*dim]))
					}
				}
				take(from, buffer)
			}
		}
	})
}
