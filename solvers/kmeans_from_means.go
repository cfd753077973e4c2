package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// add sums the samples of one part by those of its clusters that have changed.
func (r *refining) add(lo, hi int, dirty []bool) {
	k, m, part := r.clusters, r.m, lo/r.part
	sums, weights := r.sums[part*k*m:(part+1)*k*m], r.weights[part*k:(part+1)*k]
	for c, d := range dirty {
		if d {
			clear(sums[c*m : (c+1)*m])
			weights[c] = 0
		}
	}
	for i := lo; i < hi; i++ {
		c := int(r.label[i])
		if !dirty[c] {
			continue
		}
		w := r.weightOf(i)
		r.x.add(i, w, sums[c*m:(c+1)*m])
		weights[c] += w
	}
}

// collect adds the sums of the parts, in their order.
func (r *refining) collect() {
	k, m := r.clusters, r.m
	copy(r.sum, r.sums[:k*m])
	copy(r.weight, r.weights[:k])
	for part := 1; part < r.parts; part++ {
		blas.Axpy(1, r.sums[part*k*m:(part+1)*k*m], r.sum)
		blas.Axpy(1, r.weights[part*k:(part+1)*k], r.weight)
	}
}

// relocate gives clusters without weight the samples farthest from their centres, one
// each, and takes these from the sums that they were in. Labels stay: the next
// assignment finds the new centres.
func (r *refining) relocate() {
	var empty []int
	for c, w := range r.weight {
		if w == 0 {
			empty = append(empty, c)
		}
	}
	if len(empty) == 0 {
		return
	}
	far, square := r.farthest(len(empty))
	if r.Heaviest && square == 0 {
		return
	}
	m := r.m
	for q, i := range far {
		c, was, w := empty[q], int(r.label[i]), r.weightOf(i)
		r.x.add(i, -w, r.sum[was*m:(was+1)*m])
		clear(r.sum[c*m : (c+1)*m])
		r.x.add(i, w, r.sum[c*m:(c+1)*m])
		r.weight[c] = w
		r.weight[was] -= w
	}
}

// farthest returns the count samples that are farthest from their centres, descending,
// the later of equally far ones first, and the square of the longest distance.
func (r *refining) farthest(count int) ([]int, float64) {
	far, squares := make([]int, 0, count+1), make([]float64, 0, count+1)
	for i := range r.n {
		c := int(r.label[i])
		d := r.x.square(i, r.center(c), r.norms[c])
		if len(far) == count && d < squares[count-1] {
			continue
		}
		far, squares = append(far, i), append(squares, d)
		for at := len(far) - 1; at > 0 && squares[at] >= squares[at-1]; at-- {
			far[at], far[at-1] = far[at-1], far[at]
			squares[at], squares[at-1] = squares[at-1], squares[at]
		}
		if len(far) > count {
			far, squares = far[:count], squares[:count]
		}
	}
	return far, squares[0]
}

// move puts every centre at the mean of its samples, loosens the bounds by how far the
// centres moved, and returns the sum of the squares of these ways.
func (r *refining) move() (total float64) {
	copy(r.before, r.centers)
	m := r.m
	heaviest := 0
	for c, w := range r.weight {
		copy(r.center(c), r.sum[c*m:(c+1)*m])
		if w > 0 {
			blas.Scale(1/w, r.center(c))
		}
		if w > r.weight[heaviest] {
			heaviest = c
		}
	}
	for c, w := range r.weight {
		if r.Heaviest && !(w > 0) {
			copy(r.center(c), r.center(heaviest))
		}
		square := blas.SquaredDistance(r.center(c), r.before[c*m:(c+1)*m])
		r.shift[c] = math.Sqrt(square)
		total += square
	}
	r.measureCenters()
	loosen(r.shift, r.label, r.upper, r.lower)
	return total
}
