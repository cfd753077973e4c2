package density

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Exemplars returns the samples in the densest parts of each chosen component, ascending: those that leave last in each component without another
// inside. O(n).
func (t *Condensed) Exemplars(chosen []int32) [][]int32 {
	leaf, of := t.leaves(SelectOptions{AllowSingle: true}), make([]int32, len(t.Parent))
	list := make([][]int32, len(chosen))
	for c := range of {
		of[c] = -1
	}
	for q, c := range chosen {
		of[c] = int32(q)
	}
	for c, up := range t.Parent {
		if up >= 0 && of[c] < 0 {
			of[c] = of[up]
		}
	}
	for i, c := range t.Of {
		if q := of[c]; q >= 0 && leaf[c] && t.Lambda[i] == t.Death[c] {
			list[q] = append(list[q], int32(i))
		}
	}
	return list
}

// Memberships replaces distances, n × clusters, of each sample to the nearest exemplar of each chosen component, by soft memberships: how likely the sample is in each
// cluster, from 0 to 1, and at most 1 in all (all_points_membership_vectors of McInnes, Healy and Astels 2017). Of sample i, which leaves component p at λ, the membership of
// cluster j is
//
//	(1/d_ij)·exp(exp(−λ_p/h_ij)), divided by its sum over j, times max_j h_ij/max(λ_j, λ)
//
// where λ_p and λ_j are the ends of components, and h_ij is λ if p is inside j or j inside p, and otherwise the end of the smallest component around
// both. λ_j is that of the cluster with the largest h_ij, the nearest of several. A distance of 0 outweighs all others. The result does not depend on the number of threads.
// O(n·clusters), and the depth of the tree for each component.
func (t *Condensed) Memberships(ctx context.Context, chosen []int32, distances []float64, threads int) error {
	clusters := len(chosen)
	if len(distances) != len(t.Of)*clusters {
		return fmt.Errorf("density: %d distances of %d samples to %d clusters; give one for each pair", len(distances), len(t.Of), clusters)
	}
	if clusters == 0 {
		return nil
	}
	start, end := t.preorder()
	order := make([]int, clusters) // of the clusters, in preorder
	for q := range order {
		order[q] = q
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(start[chosen[a]], start[chosen[b]]) })
	within := func(c int32) (lo, hi int) { // the clusters in a component, by order
		from := func(at int32) int {
			k, _ := slices.BinarySearchFunc(order, at, func(q int, at int32) int { return cmp.Compare(start[chosen[q]], at) })
			return k
		}
		return from(start[c]), from(end[c])
	}
	first, members := t.members()
	return blas.For(ctx, blas.Threads(threads), len(t.Parent), 16, func(_, from, to int) {
		heights := make([]float64, clusters) // NaN: λ of the sample
		own := make([]float64, clusters)
		for p := from; p < to; p++ {
			if first[p] == first[p+1] {
				continue
			}
			for q := range heights {
				heights[q] = math.NaN()
			}
			lo, hi := within(int32(p))
			for a := t.Parent[p]; a >= 0; a = t.Parent[a] {
				l, h := within(a)
				for _, q := range order[l:lo] {
					heights[q] = t.heightOf(chosen[q], a)
				}
				for _, q := range order[hi:h] {
					heights[q] = t.heightOf(chosen[q], a)
				}
				lo, hi = l, h
			}
			for at, i := range members[first[p]:first[p+1]] {
				if at%checkEvery == 0 && ctx.Err() != nil {
					return
				}
				t.soften(i, chosen, heights, own, distances[int(i)*clusters:(int(i)+1)*clusters])
			}
		}
	})
}

// heightOf is the height of a cluster for samples of a component inside a but not inside the part of a with the cluster; NaN: λ of the sample,
// as the cluster is a itself.
func (t *Condensed) heightOf(cluster, a int32) float64 {
	if cluster == a {
		return math.NaN()
	}
	return t.Death[a]
}

// soften replaces the distances of a sample. own is scratch.
func (t *Condensed) soften(i int32, chosen []int32, heights, own, d []float64) {
	lambda, last := t.Lambda[i], t.Death[t.Of[i]]
	top, nearest, least, most := -1.0, 0, math.Inf(1), -1.0
	for q, h := range heights {
		if math.IsNaN(h) {
			h = lambda
		}
		own[q] = math.Exp(-over(last, h))
		most, least = max(most, own[q]), min(least, d[q])
		if h > top || h == top && (d[q] < d[nearest] || d[q] == d[nearest] && t.Death[chosen[q]] > t.Death[chosen[nearest]]) {
			top, nearest = h, q
		}
	}
	var sum float64
	for q, v := range d {
		near := 1.0
		if v != least {
			near = least / v // 0 where a distance is 0
		}
		d[q] = float64(near * math.Exp(own[q]-most))
		sum += d[q]
	}
	in := 0.0
	if top > 0 {
		in = 1 / over(max(t.Death[chosen[nearest]], lambda), top)
	}
	for q := range d {
		d[q] = float64(d[q]/sum) * in
	}
}

// over returns a/b of two λ with a ≥ b ≥ 0, of which both may be infinite or 0.
func over(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}

// preorder returns the place of each component in preorder, and that after the last one inside it.
func (t *Condensed) preorder() (start, end []int32) {
	k := len(t.Parent)
	start, end = make([]int32, k), make([]int32, k)
	inside := end // first the number of components in each, itself included
	for c := k - 1; c >= 0; c-- {
		inside[c]++
		if up := t.Parent[c]; up >= 0 {
			inside[up] += inside[c]
		}
	}
	next := make([]int32, k) // the place of the next part
	for c := range k {
		if up := t.Parent[c]; up >= 0 {
			start[c] = next[up]
			next[up] += inside[c]
		}
		next[c] = start[c] + 1
	}
	for c := range end {
		end[c] += start[c]
	}
	return start, end
}

// members returns the samples that leave each component into none: of component c those from first[c] to first[c+1].
func (t *Condensed) members() (first []int, members []int32) {
	first, members = make([]int, len(t.Parent)+1), make([]int32, len(t.Of))
	for _, c := range t.Of {
		first[c+1]++
	}
	for c := range t.Parent {
		first[c+1] += first[c]
	}
	at := slices.Clone(first)
	for i, c := range t.Of {
		members[at[c]] = int32(i)
		at[c]++
	}
	return first, members
}
