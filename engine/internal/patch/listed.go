package patch

import "github.com/orthant-go/orthant/engine/neighbors"

// ListedEdges are the edges of lists with weights, half the weight for each list that
// has one: W = (M + Mᵀ)/2.
func ListedEdges() Rule { return Rule{Sets: eachEntry, Begin: weightedEntries(0.5)} }

// Stars is the patch of distances, Σⱼ sⱼ‖yᵢ − yⱼ‖² over the neighbours of a sample,
// with the weights of the lists, taken apart into its edges, s·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ each.
// An edge that both ends list counts for both, so that the sum is the Laplacian of
// S + Sᵀ.
func Stars() Rule { return Rule{Sets: eachEntry, Begin: weightedEntries(1)} }

// eachEntry is an edge for each entry of the lists.
func eachEntry(g *neighbors.Graph) (ptr []int, index []int32) {
	ptr, index = make([]int, 1, len(g.Index)+1), make([]int32, 0, 2*len(g.Index))
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			index = append(index, int32(i), j)
			ptr = append(ptr, len(index))
		}
	}
	return ptr, index
}

// weightedEntries begins edges of the entries' weights times a share.
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
