package patch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// Edges is the patch of graph methods: the star from a sample to its neighbours, as separate
// edges w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, whose sum is the Laplacian D − W. An edge listed at both ends
// appears twice. The weight of each appearance makes the graph the union (listed at either
// end), the mutual one (listed at both ends) or the average of the two lists.
type Edges struct {
	Graph   string // union, mutual or average
	Weights string // binary, heat, heat_norm, adaptive or cosine
	T       *float64
	Width   string // name of the heat kernel's t in the notes; empty: t
	Joined  bool   // t=auto is the mean over the edges, each counted once, instead of over the list entries
}

// Rule is the patch rule of these edges.
func (r Edges) Rule() Rule {
	return Rule{Edges: r.edges, Weights: r.columns, Least: edgesBytes, Vanishing: r.weightless(), AnyLists: true,
		NoDistances: !r.Heat() && r.Weights != "adaptive",
		Unheld:      "none of their neighbours lists them in its turn; take more neighbours, or ‹graph=union›"}
}

// edgesBytes returns the memory of the Laplacian of n samples with k neighbours each.
func edgesBytes(n, k int) int64 { return sparse.LaplacianBytes(n, n*k/2) }

// Heat reports whether the weights are those of a heat kernel, which has a t.
func (r Edges) Heat() bool { return r.Weights == "heat" || r.Weights == "heat_norm" }

// weightless explains why all edges of a sample may have weight 0.
func (r Edges) weightless() string {
	if r.Weights == "cosine" {
		return "they are at a right angle to all their neighbours, or at a larger one; take other weights, or more neighbours"
	}
	return fmt.Sprintf("their edges have weight 0, or next to nothing, for %s is too small for their distances; take a larger one", cmp.Or(r.Width, "t"))
}

// share returns the part of an edge's weight that one list entry contributes, depending on whether its
// other end lists it too.
func (r Edges) share(mutual bool) float64 {
	switch {
	case r.Graph == "average" || mutual:
		return 0.5
	case r.Graph == "mutual":
		return 0
	}
	return 1
}

// edges returns the list entries that the graph keeps, with their shares of the weights.
func (r Edges) edges(in Local) (sparse.Edges, error) {
	weight, err := r.weight(in)
	if err != nil {
		return sparse.Edges{}, err
	}
	g, mutual := in.Graph, in.Graph.MutualParallel(in.Threads())
	e := sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: pages.Make[float64](len(g.Index))}
	err = blas.For(in.Context(), in.Threads(), g.Len(), edgeRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
				if s := r.share(mutual[q]); s > 0 {
					e.Weight[q] = s * weight(i, int(g.Index[q]), length(g, q))
				}
			}
		}
	})
	if own := in.own(); own < g.Len() { // the lists of other processes determine which edges are mutual
		e.Index, e.Weight, e.Ptr = e.Index[:g.Ptr[own]], e.Weight[:g.Ptr[own]], slices.Clone(e.Ptr)
		for i := own; i < g.Len(); i++ {
			e.Ptr[i+1] = g.Ptr[own]
		}
	}
	if err == nil && r.share(false) == 0 {
		e = only(e, mutual)
	}
	return e, err
}

// length returns the length of an entry, 0 if the lists have no distances.
func length(g *neighbors.Graph, q int) float64 {
	if g.Dist == nil {
		return 0
	}
	return g.Dist[q]
}

// edgeRows is the number of lists that a worker weighs at a time.
const edgeRows = 1024

// only keeps the chosen entries.
func only(e sparse.Edges, chosen []bool) sparse.Edges {
	kept := sparse.Edges{Ptr: make([]int, len(e.Ptr))}
	for i := range e.Len() {
		for q := e.Ptr[i]; q < e.Ptr[i+1]; q++ {
			if chosen[q] {
				kept.Index, kept.Weight = append(kept.Index, e.Index[q]), append(kept.Weight, e.Weight[q])
			}
		}
		kept.Ptr[i+1] = len(kept.Index)
	}
	return kept
}

// weight returns the weight of an edge as a function of its ends and length.
func (r Edges) weight(in Local) (func(i, j int, d float64) float64, error) {
	switch r.Weights {
	case "heat", "heat_norm":
		squared, unit := false, run.Length
		if r.Weights == "heat" {
			squared, unit = true, run.Square
		}
		t := r.scale(in)
		run.Measure(in.Run, cmp.Or(r.Width, "t"), unit, t)
		return func(_, _ int, d float64) float64 {
			if squared {
				d *= d
			}
			return math.Exp(-d / t)
		}, nil
	case "adaptive":
		return neighborhood.AdaptiveKernel(in.X, in.Graph), nil
	case "cosine":
		norm := make([]float64, in.X.N())
		for i := range norm {
			if norm[i] = math.Sqrt(in.X.Dot(i, i)); norm[i] == 0 {
				return nil, fmt.Errorf("%s: sample %d (counting from 1) is the origin, which has no angle to others; take other weights", in.Method(), in.X.Number(i))
			}
		}
		return func(i, j int, _ float64) float64 {
			return max(in.X.Dot(i, j)/(norm[i]*norm[j]), 0)
		}, nil
	}
	return func(int, int, float64) float64 { return 1 }, nil
}

// Scale returns t of a heat kernel: the given one, or the mean of the (squared) distances over
// all list entries, or over the edges that the graph keeps; 1 if all samples
// coincide.
func (r Edges) Scale(g *neighbors.Graph) float64 { return r.scale(Local{Graph: g}) }

func (r Edges) scale(in Local) float64 {
	if r.T != nil {
		return *r.T
	}
	g, squared := in.Graph, r.Weights == "heat"
	var mutual []bool
	if r.Joined {
		mutual = g.Mutual()
	}
	var total, count float64
	for q, d := range g.Dist[:min(g.Ptr[in.own()], len(g.Dist))] {
		if squared {
			d *= d
		}
		part := 1.0
		switch {
		case !r.Joined:
		case mutual[q]:
			part = 0.5 // the other end lists the edge too
		case r.Graph == "mutual":
			part = 0
		}
		total += part * d
		count += part
	}
	all := in.sum(total, count)
	if all[0] == 0 {
		return 1
	}
	return all[0] / all[1]
}

// columns returns the scaled weights of the edges from a sample to its listed neighbours.
func (r Edges) columns(in Local) ([]float64, error) {
	weight, err := r.weight(in)
	if err != nil {
		return nil, err
	}
	all := make([]float64, 0, len(in.Graph.Index))
	for i := range in.Graph.Len() {
		from := len(all)
		var total float64
		for a, j := range in.Graph.Of(i) {
			w := weight(i, int(j), length(in.Graph, in.Graph.Ptr[i]+a))
			all = append(all, w)
			total += w
		}
		if !(total > math.SmallestNonzeroFloat64) {
			return nil, wording.Errorf("%s: sample %d (counting from 1) has no neighbour of positive weight; take a larger ‹t›", in.Method(), in.X.Number(i))
		}
		blas.Scale(1/total, all[from:])
	}
	return all, nil
}

// GivenEdges is the patch of graph methods for weights that come with the neighbourhoods: one edge
// w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ for each pair that is listed at either end, with the larger of the two
// weights.
func GivenEdges() Rule {
	return Rule{Edges: givenEdges, Vanishing: "all their weights are 0; take more neighbours"}
}

func givenEdges(in Local) (sparse.Edges, error) {
	g := in.Graph
	e := sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: slices.Clone(g.Weight)}
	chosen := make([]bool, len(g.Index))
	for i := range g.Len() {
		for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
			j, mutual := int(g.Index[q]), false
			for p := g.Ptr[j]; p < g.Ptr[j+1]; p++ {
				if int(g.Index[p]) == i {
					e.Weight[q], mutual = max(e.Weight[q], g.Weight[p]), true
				}
			}
			chosen[q] = !mutual || i < j
		}
	}
	return only(e, chosen), in.Err()
}

// Affinities is the rule of graph methods for a symmetric matrix of affinities: one edge
// w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ for each pair, with the Laplacian D − W as their sum. The lists are the rows of
// the matrix, and its entries are the weights. Each edge is taken from the list of its lower end.
func Affinities() Rule {
	return Rule{Edges: affinities, Least: edgesBytes, AnyLists: true, NoDistances: true, Whole: true,
		Unheld: "its row of the affinities has no positive entry off the diagonal; leave it out, or join it to others"}
}

func affinities(in Local) (sparse.Edges, error) {
	g := in.Graph
	chosen := make([]bool, len(g.Index))
	for i := range g.Len() {
		for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
			chosen[q] = i < int(g.Index[q])
		}
	}
	return only(sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: g.Weight}, chosen), in.Err()
}

// ListedEdges are the edges of lists with weights; each list contributes half of its weight:
// W = (M + Mᵀ)/2.
func ListedEdges() Rule { return Rule{Sets: eachEntry, Begin: weightedEntries(0.5)} }

// Stars is the patch of distances, Σⱼ sⱼ‖yᵢ − yⱼ‖² over the neighbours of a sample, with the
// weights of the lists, as separate edges s·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ. An edge that both ends
// list counts for both, so the sum is the Laplacian of S + Sᵀ.
func Stars() Rule { return Rule{Sets: eachEntry, Begin: weightedEntries(1)} }

// eachEntry makes an edge of each list entry.
func eachEntry(g *neighbors.Graph) Sets { return entries{g} }

// weightedEntries begins edges whose weights are the weights of the entries times a share.
func weightedEntries(share float64) func(Local) (func() Func, error) {
	return func(in Local) (func() Func, error) {
		weights := in.Graph.Weight
		return func() Func {
			return func(i int, dst []float64) {
				w := share * weights[i]
				dst[0], dst[1], dst[2] = w, -w, w
			}
		}, nil
	}
}
