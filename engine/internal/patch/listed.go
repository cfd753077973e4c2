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
func eachEntry(g *neighbors.Graph) Sets { return entries{g} }

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
