package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// What is known of the samples changes their graph (umap-learn's supervised dimension reduction): their
// classes, or numbers.

// Certainties of an edge in a graph that labels change: between classes it is multiplied by
// exp(−farExponent/(1 − weight)), and at a sample without a label by exp(−1).
const farExponent = 2.5

// Unlabeled is the label of a sample whose class is not known.
const Unlabeled = -1

// Targeted is [WeightedGraph] in which edges between the classes of labels count less, by a weight from
// 0, of which labels change nothing, to 1, of which no such edge is left. After that the most certain
// edge of each sample is certain again, and both ends of an edge are joined as in [patch.Fuzzy].
func Targeted(weight float64) Rule[*Graph] {
	if weight == 0 {
		return WeightedGraph
	}
	return func(in Input) (*Graph, error) {
		g, err := WeightedGraph(in)
		if err != nil {
			return nil, err
		}
		labels := in.X.Labels()
		apart, unknown := 0.0, math.Exp(-1)
		if weight < 1 {
			apart = math.Exp(-farExponent / (1 - weight))
		}
		for i := range g.W.Rows {
			cols, vals := g.W.Row(i)
			for q, j := range cols {
				switch a, b := labels[i], labels[j]; {
				case a == Unlabeled || b == Unlabeled:
					vals[q] *= unknown
				case a != b:
					vals[q] *= apart
				}
			}
		}
		if err := fit(in, 3*g.Bytes()); err != nil {
			return nil, err
		}
		g.W = connected(g.W)
		if weight == 1 {
			withoutZeros(g.W)
		}
		return g, nil
	}
}

// Intersected is [WeightedGraph] intersected with the lists of the k nearest by targets, which have a row for each sample
// by its number, with the certainties of [patch.Fuzzy]. With a weight w above 0, an edge of certainty v that
// is listed with u gets
//
//	v u^(w/(1−w)) for w < ½,   v^((1−w)/w) u from there on.
//
// One that is missing in either counts as half its least certain one. After that the most certain edge of
// each sample is certain again, as in [Targeted].
func Intersected(weight float64, k int, targets samples.Samples) Rule[*Graph] {
	return func(in Input) (*Graph, error) {
		g, err := WeightedGraph(in)
		if err != nil {
			return nil, err
		}
		listed, err := nearTargets(in, k, targets)
		if err != nil {
			return nil, err
		}
		defer in.Phase("alignment")()
		if err := fit(in, 4*(g.Bytes()+listed.Bytes())); err != nil {
			return nil, err
		}
		g.W = connected(intersection(g.W, listed, weight))
		in.Explain("alignment: a graph of %d edges, with those of the targets", g.W.NNZ()/2)
		return g, in.Err()
	}
}

// nearTargets lists, in rows, the k nearest by targets with their certainties.
func nearTargets(in Input, k int, targets samples.Samples) (*sparse.CSR, error) {
	n := in.X.N()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = in.X.Number(i) - 1
	}
	x := targets.Subset(rows)
	k = min(k, n-1)
	if err := in.Fit(neighbors.MetricBytes(n, x.M(), k, in.Threads(), neighbors.Euclidean)+24*int64(n)*int64(k), fmt.Sprintf("the search for the %d nearest by the targets of %d samples needs", k, n), "take fewer neighbours or samples, or raise the limit"); err != nil {
		return nil, err
	}
	defer in.Phase("neighbors")()
	lists, err := neighbors.Nearest(in.Context(), x.Points(), k, neighbors.Euclidean, neighbors.Options{Kernels: in.Kernels(), Threads: in.Threads()})
	if err != nil {
		return nil, err
	}
	in.Graph = lists
	certainties, err := patch.Fuzzy{}.Certainties(in.Local)
	if err != nil {
		return nil, err
	}
	w := &sparse.CSR{Rows: n, Cols: n, Ptr: lists.Ptr, Col: lists.Index, Val: certainties}
	w = w.Transposed().Transposed() // in the order of the columns
	withoutZeros(w)
	return w, nil
}

// The certainty of an edge that a graph does not have is at least minMissing, and of one that targets do not have at
// most maxMissing.
const minMissing, maxMissing = 1e-8, 1e-4

// missing is half of the least of the certainties.
func missing(w *sparse.CSR) float64 {
	least := math.Inf(1)
	for _, v := range w.Val {
		least = min(least, v)
	}
	return max(least/2, minMissing)
}

// intersection has the edges of a graph and those that are listed.
func intersection(a, listed *sparse.CSR, weight float64) *sparse.CSR {
	both := func(v, u float64) float64 { return v * math.Pow(u, weight/(1-weight)) }
	if weight >= 0.5 {
		both = func(v, u float64) float64 { return math.Pow(v, (1-weight)/weight) * u }
	}
	return joined(a, listed, missing(a), min(missing(listed), maxMissing), both)
}

// connected is a graph of which the most certain edge of each sample is certain, and both ends of each edge are joined.
// An edge may have one certainty at one end, and another or none at the other.
func connected(w *sparse.CSR) *sparse.CSR {
	for i := range w.Rows {
		_, vals := w.Row(i)
		var most float64
		for _, v := range vals {
			most = max(most, v)
		}
		if most > 0 {
			for q := range vals {
				vals[q] /= most
			}
		}
	}
	return joined(w, w.Transposed(), 0, 0, func(v, u float64) float64 { return v + u - float64(v*u) })
}

// joined has the entries of either of two matrices, by a function of both; one that a matrix does not have is what
// is said for it.
func joined(a, b *sparse.CSR, withoutA, withoutB float64, by func(v, u float64) float64) *sparse.CSR {
	w := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		others, values := b.Row(i)
		for len(cols) > 0 || len(others) > 0 { // both ascending
			j, v, u := int32(math.MaxInt32), withoutA, withoutB
			if len(cols) > 0 {
				j = cols[0]
			}
			if len(others) > 0 {
				j = min(j, others[0])
			}
			if len(cols) > 0 && cols[0] == j {
				v, cols, vals = vals[0], cols[1:], vals[1:]
			}
			if len(others) > 0 && others[0] == j {
				u, others, values = values[0], others[1:], values[1:]
			}
			w.Col, w.Val = append(w.Col, j), append(w.Val, by(v, u))
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	return w
}
