package alm

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/sparse"
)

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
// not kept. 2nmr flops a round, and those of the fit.
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
