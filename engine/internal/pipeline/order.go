package pipeline

import "gonum.org/v1/gonum/mat"

// OrderedFrom is the number of samples from which they are reordered. Smaller data fit in the cache in any
// order.
const OrderedFrom = 2000

// inOrder reorders the samples so that neighbours are near each other in memory, and returns the original
// number of each sample. Patches are then gathered, summed and solved for within the cache. The order depends
// only on the graph, so a given graph and a computed one lead to the same bits. The lists keep their order,
// with ties by the original numbers. The order is nil if the samples are left as they are: for few samples, or
// if the rule found more than lists. distances keeps the distances to the neighbours. gathers copies the
// samples into the new order, for steps that read whole neighbourhoods; otherwise they are looked up through it.
func (at Locality) inOrder(threads int, distances, gathers bool) (Locality, []int) {
	if at.X.N() < OrderedFrom || !at.Found.Plain() {
		return at, nil
	}
	order := at.Found.Graph.BreadthFirst()
	if !distances {
		at.Found.Graph = at.Found.Graph.WithoutDistances()
	}
	if gathers {
		return at.part(threads, at.X.Subset(order), order), order
	}
	return at.part(threads, at.X.Reordered(order), order), order
}

// RowsInOrder copies the rows of x in the given order.
func RowsInOrder(x *mat.Dense, order []int) *mat.Dense {
	_, cols := x.Dims()
	y := mat.NewDense(len(order), cols, nil)
	for to, i := range order {
		y.SetRow(to, x.RawRowView(i))
	}
	return y
}

// rowsRestored undoes [rowsInOrder].
func rowsRestored(y *mat.Dense, order []int) *mat.Dense {
	_, cols := y.Dims()
	x := mat.NewDense(len(order), cols, nil)
	for to, i := range order {
		x.SetRow(i, y.RawRowView(to))
	}
	return x
}
