package layout

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// links are the edges of a graph by vertex, without its diagonal, in the order of memory in which
// attraction takes them. Weights have 24 bits.
type links struct {
	ptr []int
	all []link
}

type link struct {
	j int32
	p float32
}

// take fills the links with the graph p, whose vertex order[k] gets the number k.
func (l *links) take(ctx context.Context, threads int, p *sparse.CSR, order []int32) error {
	n := p.Rows
	number := make([]int32, n)
	l.ptr = resized(l.ptr, n+1)
	l.ptr[0] = 0
	for k, i := range order {
		number[i] = int32(k)
		cols, _ := p.Row(int(i))
		count := len(cols)
		for _, j := range cols {
			if j == i {
				count--
			}
		}
		l.ptr[k+1] = l.ptr[k] + count
	}
	l.all = resized(l.all, l.ptr[n])
	return blas.For(ctx, threads, n, layoutRows, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			cols, vals := p.Row(int(order[k]))
			next := l.ptr[k]
			for q, j := range cols {
				if j != order[k] {
					l.all[next] = link{number[j], float32(vals[q])}
					next++
				}
			}
		}
	})
}

// pull2 is Σ_j p k (y_i − y_j) in the plane.
func (l *links) pull2(i int, at []float64) (px, py float64) {
	x, y := at[2*i], at[2*i+1]
	for _, e := range l.all[l.ptr[i]:l.ptr[i+1]] {
		other := at[2*int(e.j):][:2]
		dx, dy := x-other[0], y-other[1]
		w := float64(e.p) / (1 + float64(dx*dx) + float64(dy*dy))
		px += float64(w * dx)
		py += float64(w * dy)
	}
	return px, py
}

// pull3 is pull2 in space.
func (l *links) pull3(i int, at []float64) (px, py, pz float64) {
	x, y, z := at[3*i], at[3*i+1], at[3*i+2]
	for _, e := range l.all[l.ptr[i]:l.ptr[i+1]] {
		other := at[3*int(e.j):][:3]
		dx, dy, dz := x-other[0], y-other[1], z-other[2]
		w := float64(e.p) / (1 + float64(dx*dx) + float64(dy*dy) + float64(dz*dz))
		px += float64(w * dx)
		py += float64(w * dy)
		pz += float64(w * dz)
	}
	return px, py, pz
}

// divergence is Σ p log(p/q) over all links.
func (l *links) divergence(ctx context.Context, threads int, at []float64, axes int, z float64) (float64, error) {
	n := len(l.ptr) - 1
	parts := make([]float64, (n+layoutRows-1)/layoutRows)
	err := blas.For(ctx, threads, n, layoutRows, func(_, lo, hi int) {
		var sum float64
		for i := lo; i < hi; i++ {
			for _, e := range l.all[l.ptr[i]:l.ptr[i+1]] {
				if p := float64(e.p); p > 0 {
					s := blas.SquaredDistance(at[axes*i:][:axes], at[axes*int(e.j):][:axes])
					sum += float64(p * math.Log(float64(p*z)*(1+s)))
				}
			}
		}
		parts[lo/layoutRows] = sum
	})
	var sum float64
	for _, part := range parts {
		sum += part
	}
	return sum, err
}
