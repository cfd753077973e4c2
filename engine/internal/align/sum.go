package align

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Sum is the sum of the patches, Φ = Σ SᵢLᵢSᵢᵀ.
type Sum struct {
	Phi       *sparse.CSR
	Null      []float64 // the unit vector that Φ is known to send to zero
	Scale     []float64 // coordinates are Scale ∘ eigenvector; nil: the eigenvector
	Laplacian bool      // Φ is a normalised graph Laplacian
	Storage   []float64 // what the patches were in, where the factor of Φ is to take it; or nil
	// Factored is Bᵀ with Φ = BBᵀ; nil: not known.
	Factored func() (*eigen.RowBlocks, error)
}

// Matrix is Φ.
func (a *Sum) Matrix() *sparse.CSR { return a.Phi }

// SumOfPatches is Φ = Σ SᵢLᵢSᵢᵀ, whose null space holds the constants. A row of zero, or
// at the rounding of the others, is refused.
func SumOfPatches(in Input) (*Sum, error) {
	a, err := SumToFactor(in)
	if err != nil {
		return nil, err
	}
	a.Storage = nil
	return a, nil
}

// SumToFactor is [SumOfPatches] that leaves what the patches were in to the factor of Φ.
func SumToFactor(in Input) (*Sum, error) {
	a, err := sum(in)
	if err == nil {
		err = attached(in, a.Phi, atRounding)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// GraphTerm is the same sum for those who place a sample by more than its row of Φ.
func GraphTerm(in Input) (*Sum, error) {
	a, err := sum(in)
	if err != nil {
		return nil, err
	}
	a.Storage = nil
	return a, nil
}

// sum is Φ with what is known of it.
func sum(in Input) (*Sum, error) {
	a, err := sumOf(in)
	if err != nil {
		return nil, err
	}
	phi := a.Phi
	in.Explain("alignment: %d × %d, %d entries", phi.Rows, phi.Cols, phi.NNZ())
	constant := slices.Repeat([]float64{1 / math.Sqrt(float64(in.X.N()))}, in.X.N())
	a.Null = constant
	if in.Patch.Factor != nil {
		a.Factored = func() (*eigen.RowBlocks, error) { return patch.Stacked(in.Local, in.Patch) }
	}
	return a, nil
}

// sumOf computes the patches and adds them up where there is room for it.
func sumOf(in Input) (*Sum, error) {
	if in.Patch.Edges != nil {
		phi, err := laplacianOf(in)
		return &Sum{Phi: phi}, err
	}
	patches, err := patch.Compute(in.Local, in.Patch)
	if err != nil {
		return nil, err
	}
	defer in.Phase("alignment")()
	a, err := sparse.NewAssembly(in.Context(), in.Threads(), in.X.N(), patches)
	if err != nil {
		return nil, err
	}
	if err := fit(in, a.Bytes()); err != nil {
		return nil, err
	}
	phi, err := a.Sum(in.Context())
	return &Sum{Phi: phi, Storage: patches.Storage()}, err
}

// laplacianOf is the sum of patches that are edges.
func laplacianOf(in Input) (*sparse.CSR, error) {
	weighed := in.Phase("patches")
	edges, err := in.Patch.Edges(in.Local)
	in.Fraction("patches")(1)
	weighed()
	if err != nil {
		return nil, err
	}
	defer in.Phase("alignment")()
	own := 12 * int64(len(edges.Index)) // of the lists, where they are not those of the graph
	if err := fit(in, own+sparse.LaplacianBytes(edges.Len(), len(edges.Index))); err != nil {
		return nil, err
	}
	return sparse.Laplacian(in.Context(), in.Threads(), edges)
}

// fit reckons with the memory of the sum.
func fit(in Input, bytes int64) error {
	return in.Fit(bytes, fmt.Sprintf("the alignment matrix of %d samples needs", in.X.N()), "take fewer neighbours, fewer samples, or raise the limit")
}

// NormalizedSum is D^−½ Φ D^−½ for patches that add up to a graph Laplacian
// Φ = D − W: the generalised problem Φy = μDy in symmetric form, with y = D^−½u
// and the null vector D^½1. Its spectrum lies in [0, 2].
func NormalizedSum(in Input) (*Sum, error) {
	a, err := GraphTerm(in)
	if err != nil {
		return nil, err
	}
	return a, a.Normalize(in)
}

// Normalize makes a [GraphTerm] a [NormalizedSum].
func (a *Sum) Normalize(in Input) error {
	// However small a degree is, the scaling makes it 1.
	if err := attached(in, a.Phi, 0); err != nil {
		return err
	}
	a.NormalizeLoose(in)
	return nil
}

// NormalizeLoose is Normalize of a graph that may leave samples alone. Such a sample gets an edge
// to itself, which changes no Laplacian: it is a component of its own, with degree 1.
func (a *Sum) NormalizeLoose(in Input) {
	defer in.Phase("alignment")()
	phi, n := a.Phi, in.X.N()
	a.Laplacian = true
	a.Scale = make([]float64, n)
	var total float64
	for i := range n {
		degree := phi.At(i, i)
		if degree == 0 {
			degree = 1
		}
		a.Scale[i] = 1 / math.Sqrt(degree)
		total += degree
	}
	for i := range n {
		a.Null[i] = 1 / (a.Scale[i] * math.Sqrt(total))
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if int(j) == i {
				if vals[q] != 0 { // it has edges
					vals[q] = 1
				}
			} else {
				// One product of both factors, so that (i, j) and (j, i) round alike.
				vals[q] *= a.Scale[i] * a.Scale[j]
			}
		}
	}
}

// Bytes is its memory, but for the storage that the factor takes.
func (a *Sum) Bytes() int64 { return a.Phi.Bytes() + numbers(a.Null, a.Scale) }

// loose are samples whose row of Φ is zero: no equation says where they are, and the
// unit vector of each is an eigenvector of eigenvalue 0.
type loose struct{ rows []int }

// looseRows finds the rows whose entries are together at most a share of the largest
// row's. O(entries).
func looseRows(phi *sparse.CSR, share float64) loose {
	var found loose
	level := share * phi.RowSumNorm()
	for i := range phi.Rows {
		_, vals := phi.Row(i)
		var sum float64
		for _, v := range vals {
			sum += math.Abs(v)
		}
		if sum <= level {
			found.rows = append(found.rows, i)
		}
	}
	return found
}

// atRounding is the share of the largest row under which the eigensolver takes a row for zero.
const atRounding = eigen.RoundingLevel

// named says how many there are and which is the first.
func (l loose) named(x samples.Samples) string { return named(len(l.rows), x.Number(l.rows[0])) }

func named(count, first int) string {
	if count == 1 {
		return fmt.Sprintf("sample %d (counting from 1)", first)
	}
	return fmt.Sprintf("%d samples (the first is sample %d, counting from 1)", count, first)
}

// attached refuses rows of zero: an eigensolver would give each such sample a coordinate
// of its own, and the others none.
func attached(in Input, phi *sparse.CSR, share float64) error {
	l := looseRows(phi, share)
	if len(l.rows) == 0 {
		return nil
	}
	return Unplaced(in.Method(), in.Patch, len(l.rows), in.X.Number(l.rows[0]), held(in, l.rows[0]))
}

// Unplaced is the error about count samples without an equation; first is the number of the first
// one, from 1. It says why that sample has none, and what would give it one. held: a patch has the
// sample in its set.
func Unplaced(method string, rule patch.Rule, count, first int, held bool) error {
	const mend = "take more neighbours, or leave them out"
	cause := cmp.Or(rule.Vanishing, "their patches are zero, or at the rounding of the others; "+mend)
	if !held {
		cause = cmp.Or(rule.Unheld, "they are in nobody's neighbourhood; "+mend)
	}
	return wording.Errorf("%s: no equation places %s: %s", method, named(count, first), cause)
}

// held reports whether a patch has the sample in its set.
func held(in Input, sample int) bool {
	var index []int32
	if in.Patch.Edges == nil {
		_, index = patch.Listed(in.Patch.Sets(in.Graph))
	} else if e, err := in.Patch.Edges(in.Local); err == nil {
		if index = e.Index; e.Ptr[sample] < e.Ptr[sample+1] {
			return true
		}
	}
	for _, j := range index {
		if int(j) == sample {
			return true
		}
	}
	return false
}

// warnOfLoose warns of samples that take no part in what is made of Φ, where they are placed
// all the same.
func warnOfLoose(in Input, phi *sparse.CSR, made string) {
	if l := looseRows(phi, 0); len(l.rows) > 0 && len(l.rows) < phi.Rows {
		in.Warn("no edge of positive weight leads to %s: %s is made without", l.named(in.X), made)
	}
}

// Joined is the graph of the entries of Φ that are not zero.
func Joined(phi *sparse.CSR) *neighbors.Graph {
	n := phi.Rows
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1), Index: make([]int32, 0, phi.NNZ())}
	for i := range n {
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if vals[q] != 0 {
				g.Index = append(g.Index, j)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// Descending sorts the sizes of components, the largest first.
func Descending(sizes []int) []int {
	return slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
}
