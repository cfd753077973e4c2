package alm

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// raySteps bounds the steps of the fit of a ray, rayChange is the relative change of the
	// loss at which they end.
	raySteps, rayChange = 200, 1e-8
	// minOnRay is the least entry of a cluster's indicator, as a share of its largest: a
	// sample whose projection on the ray is not positive keeps the cluster that it is in.
	minOnRay = 1e-6
)

// rays are the feasible factors of a partition: WᵀW = I and W ≥ 0 leave each sample one
// entry, and a cluster is then a ray from the origin,
//
//	min Σᵢ ‖xᵢ − aᵢu‖   over a ≥ 0 and ‖u‖ = 1,   w = a/‖a‖,   h = ‖a‖u,
//
// over the samples of the cluster. Both steps of the fit, a = max(0, Xu) and u in the
// direction of Σ aᵢxᵢ/‖xᵢ − aᵢu‖, which minimises the squares that touch the loss from
// above, do not raise it.
type rays struct {
	n, m, r int
	x       []float64
	kernels *blas.Kernels
	threads int

	labels   []int32
	ptr      []int   // of the members of each cluster
	members  []int32 // ascending in each
	a        []float64
	residual []float64 // ‖xᵢ − aᵢu‖
	squares  []float64 // ‖xᵢ‖²
	h        []float64 // r × m
	norm     []float64 // ‖a‖ of each cluster
}

// fitRays fits the rays of a partition, from the directions h (r × m; nil: the means of
// the clusters). A cluster without samples takes the sample that its own ray fits worst,
// of those in clusters of two and more. labels is overwritten by that.
func fitRays(ctx context.Context, n, m int, x []float64, r int, labels []int32, h []float64, o Options) (*rays, error) {
	q := &rays{n: n, m: m, r: r, x: x, kernels: o.Kernels, threads: o.Threads, labels: labels,
		ptr: make([]int, r+1), members: make([]int32, n), a: make([]float64, n), residual: make([]float64, n), squares: make([]float64, n), h: make([]float64, r*m), norm: make([]float64, r)}
	for i := range n {
		row := x[i*m : (i+1)*m]
		q.squares[i] = blas.Dot(row, row)
	}
	for {
		q.gather()
		copy(q.h, h)
		if h == nil {
			clear(q.h)
		}
		if err := blas.For(ctx, q.threads, r, 1, func(_, c, _ int) { q.fit(c) }); err != nil {
			return nil, err
		}
		if !q.fillEmpty() {
			return q, nil
		}
	}
}

// gather lists the members of the clusters.
func (q *rays) gather() {
	clear(q.ptr)
	for _, c := range q.labels {
		q.ptr[c+1]++
	}
	for c := range q.r {
		q.ptr[c+1] += q.ptr[c]
	}
	next := append([]int(nil), q.ptr[:q.r]...)
	for i, c := range q.labels {
		q.members[next[c]] = int32(i)
		next[c]++
	}
}

func (q *rays) of(c int) []int32 { return q.members[q.ptr[c]:q.ptr[c+1]] }

func (q *rays) row(i int32) []float64 { return q.x[int(i)*q.m : (int(i)+1)*q.m] }

// fillEmpty gives every empty cluster a sample, and reports whether there was one.
func (q *rays) fillEmpty() bool {
	filled := false
	sizes := make([]int, q.r)
	for c := range q.r {
		sizes[c] = q.ptr[c+1] - q.ptr[c]
	}
	for c := range q.r {
		if sizes[c] > 0 {
			continue
		}
		worst := -1
		for i, own := range q.labels {
			if sizes[own] > 1 && (worst < 0 || q.residual[i] > q.residual[worst]) {
				worst = i
			}
		}
		sizes[q.labels[worst]]--
		q.labels[worst], sizes[c], q.residual[worst] = int32(c), 1, 0
		filled = true
	}
	return filled
}

// fit fits the ray of one cluster.
func (q *rays) fit(c int) {
	u, list := q.h[c*q.m:(c+1)*q.m], q.of(c)
	if len(list) == 0 {
		return
	}
	if !toUnit(u) {
		for _, i := range list {
			blas.Axpy(1/float64(len(list)), q.row(i), u)
		}
		if length := math.Sqrt(blas.Dot(u, u)); length <= 1e-9*math.Sqrt(q.largest(list)) || !toUnit(u) {
			q.longest(list, u)
		}
	}
	loss := q.project(list, u)
	next := make([]float64, q.m)
	for range raySteps {
		clear(next)
		floor := rayChange * loss / float64(len(list))
		for _, i := range list {
			if q.a[i] > 0 {
				blas.Axpy(q.a[i]/max(q.residual[i], floor), q.row(i), next)
			}
		}
		if !(floor > 0) || !toUnit(next) {
			break
		}
		before := loss
		if loss = q.project(list, next); loss > before { // by the floor, or rounding
			q.project(list, u)
			break
		}
		copy(u, next)
		if before-loss <= rayChange*before {
			break
		}
	}
	q.close(c, list, u)
}

// largest is the largest squared length of some samples.
func (q *rays) largest(list []int32) float64 {
	var most float64
	for _, i := range list {
		most = max(most, q.squares[i])
	}
	return most
}

// longest sets u to the direction of the longest sample, the first of such.
func (q *rays) longest(list []int32, u []float64) {
	at := list[0]
	for _, i := range list {
		if q.squares[i] > q.squares[at] {
			at = i
		}
	}
	copy(u, q.row(at))
	toUnit(u)
}

// project sets a and the residuals for a direction u, and returns the loss.
func (q *rays) project(list []int32, u []float64) float64 {
	var loss float64
	for _, i := range list {
		a := max(0, blas.Dot(q.row(i), u))
		q.a[i], q.residual[i] = a, math.Sqrt(max(0, q.squares[i]-a*a))
		loss += q.residual[i]
	}
	return loss
}

// close keeps every entry above 0, and sets w and h of the cluster: a becomes w.
func (q *rays) close(c int, list []int32, u []float64) {
	var most float64
	for _, i := range list {
		most = max(most, q.a[i])
	}
	if most == 0 { // samples of zeros
		clear(u)
		for _, i := range list {
			q.a[i] = 1 / math.Sqrt(float64(len(list)))
		}
		return
	}
	var squares float64
	for _, i := range list {
		q.a[i] = max(q.a[i], minOnRay*most)
		squares += q.a[i] / most * (q.a[i] / most)
	}
	q.norm[c] = most * math.Sqrt(squares)
	for _, i := range list {
		q.a[i] /= q.norm[c]
	}
	blas.Scale(q.norm[c], u)
}

// toUnit gives a vector length 1, unless it is zero.
func toUnit(u []float64) bool {
	length := math.Sqrt(blas.Dot(u, u))
	if !(length > 0) {
		return false
	}
	blas.Scale(1/length, u)
	return true
}

// indicators are W, n × r.
func (q *rays) indicators() []float64 {
	w := make([]float64, q.n*q.r)
	for i, c := range q.labels {
		w[i*q.r+int(c)] = q.a[i]
	}
	return w
}

// measure returns Σ ‖xᵢ − wᵢh‖ and the sum of the squares.
func (q *rays) measure() (loss, squares float64) {
	left := make([]float64, q.m)
	for i, c := range q.labels {
		copy(left, q.row(int32(i)))
		blas.Axpy(-q.a[i], q.h[int(c)*q.m:(int(c)+1)*q.m], left)
		d := blas.Dot(left, left)
		loss, squares = loss+math.Sqrt(d), squares+d
	}
	return loss, squares
}

// regularizer is tr(WᵀΦW).
func (q *rays) regularizer(s *sparse.CSR) float64 {
	if s == nil {
		return 0
	}
	var total float64
	for i := range q.n {
		cols, vals := s.Row(i)
		for p, j := range cols {
			if int(j) == i {
				continue
			}
			total += vals[p] * q.a[i] * q.a[i]
			if q.labels[j] == q.labels[i] {
				total -= vals[p] * q.a[i] * q.a[j]
			}
		}
	}
	return total
}

// largestEntries is the partition by the largest entry of each row of w, the first of
// equal ones.
func largestEntries(n, r int, w []float64) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		row := w[i*r : (i+1)*r]
		for k, v := range row {
			if v > row[labels[i]] {
				labels[i] = int32(k)
			}
		}
	}
	return labels
}

// descentRounds bounds the rounds of a descent, descentChange is the relative fall of the
// objective below which there is no other.
const descentRounds, descentChange = 20, 1e-6

// descend moves single samples between the clusters of q as long as that lowers the
// objective, loss + λ tr(WᵀΦW), and returns the factors of the last partition. In a round
// every sample, one after the other, goes to the ray for which, with all rays as they are,
//
//	‖xᵢ − pu‖ + λ(dᵢw² − 2w Σⱼ sᵢⱼwⱼ),   p = max(0, xᵢᵀu), w = p/‖a‖, j in the cluster,
//
// is least; then the rays are fitted again. A round that does not lower the objective is
// not kept. 2nmr flops a round, plus the flops of the fit.
func (q *rays) descend(ctx context.Context, s *sparse.CSR, lambda float64, o Options) (*rays, error) {
	if s == nil {
		lambda = 0
	}
	objective := q.objective(s, lambda)
	for range descentRounds {
		labels, moved := q.reassigned(s, lambda)
		if !moved {
			break
		}
		next, err := fitRays(ctx, q.n, q.m, q.x, q.r, labels, nil, o)
		if err != nil {
			return nil, err
		}
		after := next.objective(s, lambda)
		if !(after < objective) {
			break
		}
		change := objective - after
		q, objective = next, after
		if change <= descentChange*objective {
			break
		}
	}
	return q, nil
}

// objective is the loss and the graph term.
func (q *rays) objective(s *sparse.CSR, lambda float64) float64 {
	loss, _ := q.measure()
	if lambda > 0 {
		loss += lambda * q.regularizer(s)
	}
	return loss
}

// reassigned is the partition after one round, and whether it is another one.
func (q *rays) reassigned(s *sparse.CSR, lambda float64) (labels []int32, moved bool) {
	n, m, r := q.n, q.m, q.r
	length := make([]float64, r) // ‖h‖ = ‖a‖
	for c := range r {
		for _, v := range q.h[c*m : (c+1)*m] {
			length[c] += v * v
		}
		length[c] = math.Sqrt(length[c])
	}
	products := make([]float64, n*r)
	q.kernels.GemmParallel(q.threads, false, true, n, r, m, 1, q.x, m, q.h, m, 0, products, r)
	labels = append(labels, q.labels...)
	sizes, near, w := make([]int, r), make([]float64, r), append([]float64(nil), q.a...)
	for _, c := range labels {
		sizes[c]++
	}
	for i := range n {
		own := labels[i]
		if sizes[own] == 1 {
			continue // no cluster runs empty
		}
		degree := 0.0
		clear(near)
		if lambda > 0 {
			cols, vals := s.Row(i)
			for at, j := range cols {
				if int(j) != i {
					degree += vals[at]
					near[labels[j]] += vals[at] * w[j]
				}
			}
		}
		best, least, entry := own, math.Inf(1), 0.0
		for c := range r {
			var p, g float64
			if length[c] > 0 {
				p = max(0, products[i*r+c]) / length[c]
				g = p / length[c]
			}
			cost := math.Sqrt(max(0, q.squares[i]-p*p)) + lambda*(degree*g*g-2*g*near[c])
			if cost < least*(1-1e-12) || int32(c) == own && cost <= least {
				best, least, entry = int32(c), cost, g
			}
		}
		if best != own {
			labels[i], moved = best, true
			w[i] = entry
			sizes[own]--
			sizes[best]++
		}
	}
	return labels, moved
}
