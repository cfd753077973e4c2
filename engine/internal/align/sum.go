package align

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
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
	Null      []float64 // unit vector known to be in the null space of Φ
	Scale     []float64 // coordinates are Scale ∘ eigenvector; nil: no scale
	Laplacian bool      // Φ is a normalised graph Laplacian
	Storage   []float64 // memory of the patches, which the factor of Φ may reuse; or nil
	// Analysis is the order of elimination of Φ and the structure of its factor; nil: not known.
	Analysis *sparse.Analysis
	// Factored returns Bᵀ with Φ = BBᵀ; nil: unknown.
	Factored func() (*eigen.RowBlocks, error)
}

// Matrix returns Φ.
func (a *Sum) Matrix() *sparse.CSR { return a.Phi }

// SumOfPatches returns Φ = Σ SᵢLᵢSᵢᵀ, whose null space contains the constants. A row that is zero up
// to rounding is an error.
func SumOfPatches(in Input) (*Sum, error) {
	in.Solved = false
	a, err := SumToFactor(in)
	if err != nil {
		return nil, err
	}
	a.Storage = nil
	return a, nil
}

// SumToFactor is [SumOfPatches], but leaves the memory of the patches to the factor of Φ, and analyses Φ if a
// solve follows.
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

// GraphTerm returns the same sum and accepts rows of zero, for methods that place samples by other terms too.
func GraphTerm(in Input) (*Sum, error) {
	in.Solved = false
	a, err := sum(in)
	if err != nil {
		return nil, err
	}
	a.Storage = nil
	return a, nil
}

// sum computes Φ and what is known about it, with the analysis for a solve if one follows.
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
		a.Factored = func() (*eigen.RowBlocks, error) { return patch.FactorRows(in.Local, in.Patch) }
	}
	return a, nil
}

// sumOf computes the patches and sums them, if memory allows. For a solve it finds an order of elimination while the
// patches are computed, and the structure of the factor while they are summed: both are hard to divide among threads,
// and need no values.
func sumOf(in Input) (*Sum, error) {
	if in.Patch.Edges != nil {
		phi, err := laplacianOf(in)
		return &Sum{Phi: phi}, err
	}
	patches, compute, err := patch.Begin(in.Local, in.Patch)
	if err != nil {
		return nil, err
	}
	a, err := assembly(in, patches)
	if err != nil {
		return nil, err
	}
	var order func(threads int)
	if in.Solved {
		order = func(threads int) { err = a.Order(in.Context(), threads) }
	}
	if failed := compute(order); failed != nil || err != nil {
		return nil, cmp.Or(failed, err)
	}
	defer in.Phase("alignment")()
	phi, err := a.Sum(in.Context())
	return &Sum{Phi: phi, Analysis: a.Analysis(), Storage: patches.Storage()}, err
}

// assembly finds the pattern of the sum.
func assembly(in Input, patches *sparse.Patches) (*sparse.Assembly, error) {
	defer in.Phase("alignment")()
	a, err := sparse.NewAssembly(in.Context(), in.Threads(), in.X.N(), patches)
	if err != nil {
		return nil, err
	}
	bytes := a.Bytes()
	if in.Solved {
		bytes = a.AnalyzedBytes()
	}
	return a, fit(in, bytes)
}

// laplacianOf returns the sum of patches that are edges.
func laplacianOf(in Input) (*sparse.CSR, error) {
	weighed := in.Phase("patches")
	edges, err := in.Patch.Edges(in.Local)
	in.Fraction("patches")(1)
	weighed()
	if err != nil {
		return nil, err
	}
	defer in.Phase("alignment")()
	own := 12 * int64(len(edges.Index)) // of the lists, unless they are those of the graph
	if err := fit(in, own+sparse.LaplacianBytes(edges.Len(), len(edges.Index))); err != nil {
		return nil, err
	}
	return sparse.Laplacian(in.Context(), in.Threads(), edges)
}

// fit returns an error if the sum does not fit into the memory limit.
func fit(in Input, bytes int64) error {
	return in.Fit(bytes, fmt.Sprintf("the alignment matrix of %d samples needs", in.X.N()), "take fewer neighbours, fewer samples, or raise the limit")
}

// NormalizedSum returns D^−½ Φ D^−½ for patches that sum to a graph Laplacian
// Φ = D − W: the symmetric form of the generalised problem Φy = μDy, with y = D^−½u
// and the null vector D^½1. Its spectrum lies in [0, 2].
func NormalizedSum(in Input) (*Sum, error) {
	a, err := GraphTerm(in)
	if err != nil {
		return nil, err
	}
	return a, a.Normalize(in)
}

// Normalize turns a [GraphTerm] into a [NormalizedSum].
func (a *Sum) Normalize(in Input) error {
	// Any positive degree is allowed: the scaling makes it 1.
	if err := attached(in, a.Phi, 0); err != nil {
		return err
	}
	a.NormalizeLoose(in)
	return nil
}

// NormalizeLoose is Normalize for a graph in which samples may have no edges. Such a sample gets an
// edge to itself, which does not change the Laplacian: it becomes a component with degree 1.
func (a *Sum) NormalizeLoose(in Input) {
	defer in.Phase("alignment")()
	phi, n := a.Phi, in.X.N()
	a.Laplacian = true
	a.Scale = make([]float64, n)
	degrees := make([]float64, n)
	inRows(in, n, func(i int) {
		if degrees[i] = phi.At(i, i); degrees[i] == 0 {
			degrees[i] = 1
		}
		a.Scale[i] = 1 / math.Sqrt(degrees[i])
	})
	var total float64
	for _, degree := range degrees {
		total += degree
	}
	inRows(in, n, func(i int) {
		a.Null[i] = 1 / (a.Scale[i] * math.Sqrt(total))
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if int(j) == i {
				if vals[q] != 0 { // it has edges
					vals[q] = 1
				}
			} else {
				// The product of both factors first, so that (i, j) and (j, i) are rounded equally.
				vals[q] *= a.Scale[i] * a.Scale[j]
			}
		}
	})
}

// Bytes returns its memory, without what the factor reuses and refers to.
func (a *Sum) Bytes() int64 { return a.Phi.Bytes() + numbers(a.Null, a.Scale) }

// loose are samples whose row of Φ is zero: no equation determines their position, and the
// unit vector of each is an eigenvector for the eigenvalue 0.
type loose struct{ rows []int }

// looseRows returns the rows whose absolute sum is at most the given share of the largest
// one. O(entries).
func looseRows(in Input, phi *sparse.CSR, share float64) loose {
	var found loose
	sums := make([]float64, phi.Rows)
	inRows(in, phi.Rows, func(i int) {
		_, vals := phi.Row(i)
		for _, v := range vals {
			sums[i] += math.Abs(v)
		}
	})
	level := share * maxOf(sums)
	for i, sum := range sums {
		if sum <= level {
			found.rows = append(found.rows, i)
		}
	}
	return found
}

// maxOf is the largest of sums of sizes; 0: there are none.
func maxOf(sums []float64) (most float64) {
	for _, sum := range sums {
		most = max(most, sum)
	}
	return most
}

// inRows calls do for each of n rows, which are independent. It does not end when the run is cancelled, as the work is short.
func inRows(in Input, n int, do func(i int)) {
	_ = blas.For(context.Background(), in.Threads(), n, 1024, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// atRounding is the share of the largest row below which the eigensolver regards a row as zero.
const atRounding = eigen.RoundingLevel

// named describes the number of rows and the first of them.
func (l loose) named(x samples.Samples) string { return named(len(l.rows), x.Number(l.rows[0])) }

func named(count, first int) string {
	if count == 1 {
		return fmt.Sprintf("sample %d (counting from 1)", first)
	}
	return fmt.Sprintf("%d samples (the first is sample %d, counting from 1)", count, first)
}

// attached returns an error if there are rows of zero. An eigensolver would give each such sample a
// coordinate in which all others are zero.
func attached(in Input, phi *sparse.CSR, share float64) error {
	l := looseRows(in, phi, share)
	if len(l.rows) == 0 {
		return nil
	}
	return Unplaced(in.Method(), in.Patch, len(l.rows), in.X.Number(l.rows[0]), held(in, l.rows[0]))
}

// Unplaced returns the error about count samples without an equation; first is the number of the first
// one, counting from 1. The error names the cause and a remedy for that sample. held: a patch contains
// the sample.
func Unplaced(method string, rule patch.Rule, count, first int, held bool) error {
	const remedy = "take more neighbours, or leave them out"
	cause := cmp.Or(rule.Vanishing, "their patches are zero, or at the rounding of the others; "+remedy)
	if !held {
		cause = cmp.Or(rule.Unheld, "they are in nobody's neighbourhood; "+remedy)
	}
	return wording.Errorf("%s: no equation places %s: %s", method, named(count, first), cause)
}

// held reports whether a patch contains the sample.
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

// warnOfLoose warns about samples without edges, which do not affect the named result of Φ but are
// placed.
func warnOfLoose(in Input, phi *sparse.CSR, made string) {
	if l := looseRows(in, phi, 0); len(l.rows) > 0 && len(l.rows) < phi.Rows {
		in.Warn("no edge of positive weight leads to %s: %s is made without", l.named(in.X), made)
	}
}

// Joined returns the graph of the nonzero entries of Φ.
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
