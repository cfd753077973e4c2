package pipeline

import "gonum.org/v1/gonum/mat"

// OrderedFrom is the number of samples from which they are put in order: fewer fit in the
// cache in any.
const OrderedFrom = 2000

// inOrder numbers the samples so that neighbours are near each other in memory, and
// returns which sample each was: patches are then gathered, summed and solved for within
// the cache. The order depends on the graph alone, so that a graph that is given has the
// bits of one that is found. Lists stay as they were, ties by the caller's numbers. It is nil
// where the samples are left as they are: few of them, or a rule that found more than lists.
// Distances to the neighbours go along where they are asked for. Samples are copied into the order
// where the steps read those of a neighbourhood, and only looked up by it elsewhere.
func (at Locality) inOrder(distances, gathers bool) (Locality, []int) {
	if at.X.N() < OrderedFrom || !at.Found.Plain() {
		return at, nil
	}
	order := at.Found.Graph.BreadthFirst()
	if !distances {
		at.Found.Graph = at.Found.Graph.WithoutDistances()
	}
	if gathers {
		return at.Subset(order), order
	}
	return at.part(at.X.Reordered(order), order), order
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
