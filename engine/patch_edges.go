package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// edges is the patch of graph methods: a star from each point to its
// neighbours, taken apart into its edges, w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ each, so that the
// sum is the Laplacian D − W. An edge that both ends list appears twice; how
// much each appearance counts makes the graph the union (either lists the
// other), the mutual one (both do), or the average of the two lists.
type edges struct {
	graph   string // union, mutual or average
	weights string // binary, heat, heat_norm, adaptive or cosine
	t       *float64
	joined  bool // t=auto is a mean over the edges, each once, in place of the list entries
}

// share is the part of the edge's weight that one list entry brings, by whether
// its other end lists it too.
func (r edges) share(mutual bool) float64 {
	switch {
	case r.graph == "average" || mutual:
		return 0.5
	case r.graph == "mutual":
		return 0
	}
	return 1
}

func (r edges) sets(g *neighbors.Graph) ([]int, []int32) {
	mutual := g.Mutual()
	ptr, index := []int{0}, []int32{}
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

func (r edges) begin(p *problem) (func() patchFunc, error) {
	weight, err := r.weight(p)
	if err != nil {
		return nil, err
	}
	// The weights of the list entries that sets keeps, in its order.
	mutual := p.graph.Mutual()
	var kept []float64
	for i := range p.graph.Len() {
		for a, j := range p.graph.Of(i) {
			if s := r.share(mutual[p.graph.Ptr[i]+a]); s > 0 {
				kept = append(kept, s*weight(i, int(j), p.graph.Distances(i)[a]))
			}
		}
	}
	return func() patchFunc {
		return func(i int, dst []float64) {
			w := kept[i]
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}

// weight returns the weight of an edge as a function of its ends and length.
func (r edges) weight(p *problem) (func(i, j int, d float64) float64, error) {
	switch r.weights {
	case "heat", "heat_norm":
		squared := r.weights == "heat"
		t, err := r.scale(p, squared)
		if err != nil {
			return nil, err
		}
		p.details["t"] = t
		return func(_, _ int, d float64) float64 {
			if squared {
				d *= d
			}
			return math.Exp(-d / t)
		}, nil
	case "adaptive":
		return adaptiveKernel(p), nil
	case "cosine":
		norm := make([]float64, p.x.N)
		for i := range norm {
			if norm[i] = math.Sqrt(blas.Dot(p.x.Row(i), p.x.Row(i))); norm[i] == 0 {
				return nil, fmt.Errorf("%s: sample %d (counting from 1) is the origin, which has no angle to others; take other weights", p.name, i+1)
			}
		}
		return func(i, j int, _ float64) float64 {
			return max(blas.Dot(p.x.Row(i), p.x.Row(j))/(norm[i]*norm[j]), 0)
		}, nil
	}
	return func(int, int, float64) float64 { return 1 }, nil
}

// scale returns t: the one given, or the mean of the (squared) distances over
// all list entries, or over the edges that the graph keeps; 1 where all samples
// coincide.
func (r edges) scale(p *problem, squared bool) (float64, error) {
	if r.t != nil {
		return *r.t, nil
	}
	var mutual []bool
	if r.joined {
		mutual = p.graph.Mutual()
	}
	var total, count float64
	for q, d := range p.graph.Dist {
		if squared {
			d *= d
		}
		part := 1.0
		switch {
		case !r.joined:
		case mutual[q]:
			part = 0.5 // the other end lists the edge too
		case r.graph == "mutual":
			part = 0
		}
		total += part * d
		count += part
	}
	if total == 0 {
		return 1, nil
	}
	return total / count, nil
}
