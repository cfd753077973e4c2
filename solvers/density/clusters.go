package density

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// Clusters are chosen components and what they say of each sample.
type Clusters struct {
	Labels        []int32   // of each sample, its number in Chosen, which is in the order of the first samples; −1: noise
	Probabilities []float64 // λ at which a sample leaves its cluster, divided by the largest of the cluster; 0 for noise
	Chosen        []int32   // the component of each cluster; empty for a cut

	// Reach is the largest mutual reachability distance by which a new sample joins each cluster.
	Reach []float64
}

// Assign gives each sample the cluster that contains it. All samples as the only cluster hold those that are there when they end, or,
// with an epsilon, those that leave at a smaller distance than that.
func (t *Condensed) Assign(chosen []int32, epsilon float64) *Clusters {
	of := make([]int32, len(t.Parent))
	for c := range of {
		of[c] = -1
	}
	r := &Clusters{Labels: make([]int32, len(t.Of)), Probabilities: make([]float64, len(t.Of)), Chosen: chosen, Reach: make([]float64, len(chosen))}
	from := math.Inf(-1)
	for q, c := range chosen {
		of[c] = int32(q)
		if r.Reach[q] = math.Nextafter(1/t.Birth[c], 0); c == 0 {
			if from = t.Death[0]; epsilon > 0 {
				from = 1 / epsilon
			}
			r.Reach[q] = 1 / from
		}
	}
	for c, up := range t.Parent {
		if up >= 0 && of[c] < 0 {
			of[c] = of[up]
		}
	}
	for i, c := range t.Of {
		label := of[c]
		if r.Labels[i] = label; label < 0 {
			continue
		}
		if chosen[label] == 0 && t.Lambda[i] < from {
			r.Labels[i] = -1
			continue
		}
		r.Probabilities[i] = 1
		if death := t.Death[chosen[label]]; t.Lambda[i] < death {
			r.Probabilities[i] = t.Lambda[i] / death
		}
	}
	r.number()
	return r
}

// number orders the clusters by their first samples, those without samples last.
func (r *Clusters) number() {
	to := slices.Repeat([]int32{-1}, len(r.Chosen))
	order := make([]int32, 0, len(to))
	give := func(c int32) {
		if to[c] < 0 {
			to[c] = int32(len(order))
			order = append(order, c)
		}
	}
	for i, c := range r.Labels {
		if c >= 0 {
			give(c)
			r.Labels[i] = to[c]
		}
	}
	chosen, reach := make([]int32, len(to)), make([]float64, len(to))
	for c := range to {
		give(int32(c))
	}
	for q, c := range order {
		chosen[q], reach[q] = r.Chosen[c], r.Reach[c]
	}
	r.Chosen, r.Reach = chosen, reach
}

// Cut takes the components of at least minSize samples at a distance: the clusters of DBSCAN*, without border points. O(n).
func (h *Hierarchy) Cut(distance float64, minSize int) *Clusters {
	r := &Clusters{Labels: make([]int32, h.Samples), Probabilities: make([]float64, h.Samples)}
	set := sparse.NewDisjoint(h.Samples)
	for at, height := range h.Height {
		if height > distance {
			break
		}
		set.Join(set.Find(h.firstOf(h.Left[at])), set.Find(h.firstOf(h.Right[at])))
	}
	number := make([]int32, h.Samples)
	for i := range number {
		number[i] = -1
	}
	for i := range r.Labels {
		r.Labels[i] = -1
		root := set.Find(int32(i))
		if set.Size(root) < max(minSize, 2) {
			continue
		}
		if number[root] < 0 {
			number[root] = int32(len(r.Reach))
			r.Reach = append(r.Reach, distance)
		}
		r.Labels[i], r.Probabilities[i] = number[root], 1
	}
	return r
}
