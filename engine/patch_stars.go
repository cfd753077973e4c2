package engine

import "github.com/orthant-go/orthant/engine/neighbors"

// stars is the patch of distances, Σⱼ sⱼ‖yᵢ − yⱼ‖² over the neighbours of a sample,
// with weights given for all list entries, taken apart into its edges,
// s·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ each. An edge that both ends list counts for both, so that the
// sum is the Laplacian of S + Sᵀ.
type stars struct{ weights []float64 }

func (stars) sets(g *neighbors.Graph) (ptr []int, index []int32) {
	ptr, index = make([]int, 1, len(g.Index)+1), make([]int32, 0, 2*len(g.Index))
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			index = append(index, int32(i), j)
			ptr = append(ptr, len(index))
		}
	}
	return ptr, index
}

func (r stars) begin(*problem) (func() patchFunc, error) {
	return func() patchFunc {
		return func(i int, dst []float64) {
			w := r.weights[i]
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}
