package patch

import (
	"cmp"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Edges is the patch of graph methods: a star from each point to its
// neighbours, taken apart into its edges, w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ each, so that the
// sum is the Laplacian D − W. An edge that both ends list appears twice; how
// much each appearance counts makes the graph the union (either lists the
// other), the mutual one (both do), or the average of the two lists.
type Edges struct {
	Graph   string // union, mutual or average
	Weights string // binary, heat, heat_norm, adaptive or cosine
	T       *float64
	Width   string // what the notes call the t of a heat kernel; empty: t
	Joined  bool   // t=auto is a mean over the edges, each once, in place of the list entries
}

// Rule is the patch rule of these edges.
func (r Edges) Rule() Rule {
	return Rule{Sets: r.sets, Begin: r.begin, Weights: r.columns, Least: edgesBytes, Vanishing: r.weightless(), AnyLists: true,
		Unheld: "none of their neighbours lists them in its turn; take more neighbours, or graph=union"}
}

// edgesBytes is the memory of patches on the two ends of each of at least nk/2 edges.
func edgesBytes(n, k int) int64 {
	edges := n * k / 2
	return sparse.PatchesBytes(edges, 2*edges, 3*edges)
}

// Heat tells whether the weights are those of a heat kernel, which has a t.
func (r Edges) Heat() bool { return r.Weights == "heat" || r.Weights == "heat_norm" }

// weightless says why all edges of a sample may have weight 0.
func (r Edges) weightless() string {
	if r.Weights == "cosine" {
		return "they are at a right angle to all their neighbours, or at a larger one; take other weights, or more neighbours"
	}
	return fmt.Sprintf("their edges have weight 0, or next to nothing, for %s is too small for their distances; take a larger one", cmp.Or(r.Width, "t"))
}

// share is the part of the edge's weight that one list entry brings, by whether
// its other end lists it too.
func (r Edges) share(mutual bool) float64 {
	switch {
	case r.Graph == "average" || mutual:
		return 0.5
	case r.Graph == "mutual":
		return 0
	}
	return 1
}

func (r Edges) sets(g *neighbors.Graph) ([]int, []int32) {
	mutual := g.Mutual()
	kept := 0
	for _, both := range mutual {
		if r.share(both) > 0 {
			kept++
		}
	}
	ptr, index := make([]int, 1, kept+1), make([]int32, 0, 2*kept)
	for i := range g.Len() {
		for a, j := range g.Of(i) {
			if r.share(mutual[g.Ptr[i]+a]) > 0 {
				index = append(index, int32(i), j)
				ptr = append(ptr, len(index))
			}
		}
	}
	return ptr, index
}

func (r Edges) begin(in Local) (func() Func, error) {
	weight, err := r.weight(in)
	if err != nil {
		return nil, err
	}
	// The weights of the list entries that sets keeps, in its order.
	mutual := in.Graph.Mutual()
	kept := make([]float64, 0, len(mutual))
	for i := range in.Graph.Len() {
		for a, j := range in.Graph.Of(i) {
			if s := r.share(mutual[in.Graph.Ptr[i]+a]); s > 0 {
				kept = append(kept, s*weight(i, int(j), in.Graph.Distances(i)[a]))
			}
		}
	}
	return func() Func {
		return func(i int, dst []float64) {
			w := kept[i]
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}

// weight returns the weight of an edge as a function of its ends and length.
func (r Edges) weight(in Local) (func(i, j int, d float64) float64, error) {
	switch r.Weights {
	case "heat", "heat_norm":
		squared := r.Weights == "heat"
		t := r.Scale(in.Graph)
		in.Note(cmp.Or(r.Width, "t"), t)
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

// Scale returns t of a heat kernel: the one given, or the mean of the (squared) distances over
// all list entries, or over the edges that the graph keeps; 1 where all samples
// coincide.
func (r Edges) Scale(g *neighbors.Graph) float64 {
	if r.T != nil {
		return *r.T
	}
	squared := r.Weights == "heat"
	var mutual []bool
	if r.Joined {
		mutual = g.Mutual()
	}
	var total, count float64
	for q, d := range g.Dist {
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
	if total == 0 {
		return 1
	}
	return total / count
}

// columns are the weights of the edges to the neighbours that a sample lists, scaled.
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
			w := weight(i, int(j), in.Graph.Distances(i)[a])
			all = append(all, w)
			total += w
		}
		if !(total > math.SmallestNonzeroFloat64) {
			return nil, fmt.Errorf("%s: sample %d (counting from 1) has no neighbour of positive weight; take a larger t", in.Method(), in.X.Number(i))
		}
		blas.Scale(1/total, all[from:])
	}
	return all, nil
}
