package patch

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/internal/bandwidth"
	"github.com/orthant-go/orthant/sparse"
)

// Fuzzy is the patch of UMAP (McInnes, Healy and Melville 2018, sections 2.2 and 3.1): the membership strength
// of each edge. Sample i lists j with the strength
//
//	w_ij = exp(−max(0, d_ij − ρ_i)/σ_i),
//
// where ρ_i is the distance to its nearest neighbour, and σ_i is such that the strengths sum to log₂(k), with
// the sample itself counted among the k. Two strengths w and w' of an edge combine to their fuzzy union
// w + w' − ww' or to their intersection ww'.
type Fuzzy struct {
	Connectivity float64 // number of nearest neighbours with strength 1; a fraction interpolates between two distances; 0: 1
	Mix          float64 // weight of the union; the intersection has 1 − Mix
}

// Rule is the patch rule of these edges.
func (f Fuzzy) Rule() Rule {
	return Rule{Edges: f.edges, Least: edgesBytes, AnyLists: true, Unheld: "no neighbour of theirs is certain; take more neighbours"}
}

// edges returns the edges of the graph, each once.
func (f Fuzzy) edges(in Local) (sparse.Edges, error) {
	g := in.Graph
	w, err := f.Certainties(in)
	if err != nil {
		return sparse.Edges{}, err
	}
	joined, chosen := pages.Make[float64](len(w)), make([]bool, len(w))
	err = blas.For(in.Context(), in.Threads(), g.Len(), edgeRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
				j := int(g.Index[q])
				back := slices.Index(g.Of(j), int32(i))
				var other float64
				if back >= 0 {
					other = w[g.Ptr[j]+back]
				}
				both := w[q] * other
				joined[q] = float64(f.Mix*(w[q]+other-both)) + float64((1-f.Mix)*both)
				chosen[q] = (back < 0 || i < j) && joined[q] > 0
			}
		}
	})
	return only(sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: joined}, chosen), err
}

// minWidth bounds σ from below: as a share of the mean distance from the sample to its neighbours, or of the mean
// over all samples if the sample equals its nearest neighbour.
const minWidth = 1e-3

// Certainties returns the membership strengths of the list entries.
func (f Fuzzy) Certainties(in Local) ([]float64, error) {
	g := in.Graph
	w := pages.Make[float64](len(g.Index))
	var all float64
	for _, d := range g.Dist {
		all += d
	}
	if len(g.Dist) > 0 {
		all /= float64(len(g.Dist))
	}
	err := blas.For(in.Context(), in.Threads(), g.Len(), edgeRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			f.list(g.Distances(i), all, w[g.Ptr[i]:g.Ptr[i+1]])
		}
	})
	return w, err
}

// List fills w with the membership strengths for a list of ascending distances.
func (f Fuzzy) List(d, w []float64) { f.list(d, 0, w) }

// list is List for a given mean distance of all lists.
func (f Fuzzy) list(d []float64, mean float64, w []float64) {
	radius := f.radius(d)
	if radius > 0 {
		mean = 0
		for _, v := range d {
			mean += v
		}
		mean /= float64(len(d))
	}
	width := max(width(d, radius, math.Log2(float64(len(d)+1))), minWidth*mean)
	for q, v := range d {
		w[q] = certainty(v-radius, width)
	}
}

// certainty returns exp(−max(0, excess)/σ), or 1 if excess or σ is not positive.
func certainty(excess, width float64) float64 {
	if excess <= 0 {
		return 1
	}
	return math.Exp(-excess / width)
}

// radius returns ρ, up to which neighbours have strength 1: the smallest distance above 0, or the
// Connectivity-th smallest.
func (f Fuzzy) radius(d []float64) float64 {
	first := 0
	for first < len(d) && d[first] == 0 {
		first++
	}
	d = d[first:]
	if len(d) == 0 {
		return 0
	}
	count := f.Connectivity
	if count == 0 {
		count = 1
	}
	whole := int(count)
	part := count - float64(whole)
	switch {
	case count > float64(len(d)):
		return d[len(d)-1]
	case whole == 0:
		return part * d[0]
	case part == 0:
		return d[whole-1]
	}
	return d[whole-1] + float64(part*(d[whole]-d[whole-1]))
}

// width solves Σ exp(−max(0, dⱼ − ρ)/σ) = total for σ; 0: at least that many
// distances are at most ρ.
func width(d []float64, radius, total float64) float64 {
	sum := func(s float64) (value, slope float64) {
		for _, v := range d {
			e := certainty(v-radius, s)
			value += e
			if v > radius {
				slope += float64((v-radius)*e) / (s * s)
			}
		}
		return value, slope
	}
	var certain int
	var farthest float64
	for _, v := range d {
		if v <= radius {
			certain++
		}
		farthest = max(farthest, v-radius)
	}
	if float64(certain) >= total || float64(len(d)) <= total {
		return 0
	}
	// At σ = farthest/log(k/total) every term is at least total/k.
	lo, hi := 0.0, farthest/math.Log(float64(len(d))/total)
	return bandwidth.Root(lo, hi, hi/2, func(s float64) (value, slope float64) {
		value, slope = sum(s)
		return value - total, slope
	})
}
