// Package patch implements the second step: each neighbourhood is described by a small
// symmetric matrix whose quadratic form is small for good coordinates.
package patch

import (
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
	"github.com/orthant-go/orthant/sparse"
)

// Local holds the samples of a run with their neighbourhoods.
type Local struct {
	*run.Run
	X     samples.Samples
	Graph *neighbors.Graph

	// Others are the processes that have the other samples, if several processes share them; nil:
	// this process has all. X then begins with the Own samples whose patches are computed here,
	// followed by the samples in their lists. The graph has the lists of the former;
	// for edges it also has, for each of the latter, the entries that are among the former.
	Others Others
	Own    int
}

// Rule describes the patches and their properties. Everything that depends on the kind of
// patch is in this one value.
type Rule struct {
	// Edges lists the edges of a rule with the patches w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, so that Φ is a
	// graph Laplacian. It then has neither Sets nor Begin.
	Edges func(in Local) (sparse.Edges, error)
	// Sets returns the rows that each patch touches.
	Sets func(g *neighbors.Graph) Sets
	// Begin passes over all samples once, if the rule needs that, and returns a maker of
	// patch functions. Every worker calls the maker once, so each has its own scratch.
	Begin func(in Local) (func() Func, error)
	// Factor is Begin for factors of the patches, Lᵢ = MᵢᵀMᵢ; rows is the number of rows
	// of each. They refine eigenvalues below the rounding error of Φ; nil: no factors are known.
	Factor func(in Local) (rows func(i int) int, worker func() FactorFunc, err error)
	// Least returns a lower bound of the memory of the patches of n samples with k neighbours each, in
	// bytes; nil: the bound of patches on the neighbours and the sample itself.
	Least func(n, k int) int64
	// Weights returns one weight for each list entry, with which the neighbours represent
	// the sample; the weights of a list sum to 1. nil: the patch has none.
	Weights func(in Local) ([]float64, error)
	// Given, if not nil, describes its weights, whose γ the caller gave.
	Given *GivenGamma
	// Bias estimates, from some samples, the contribution of the weights of all to Σ yᵀΦy along the
	// tangents of the data, summed over the columns y; nil: unknown for these patches.
	Bias func(in Local, some []int, y *mat.Dense) (float64, error)
	// Whole: the lists and their weights are the rows of the matrix W of the edges, ascending.
	Whole bool
	// AnyLists: lists of any length are allowed, also empty ones.
	AnyLists bool
	// NoDistances: neither the patches nor the steps that follow use the distances to the
	// neighbours, for example because the patches are computed from coordinates.
	NoDistances bool
	// Reasons why a sample may be in no patch, or may have only zeros in its patches, each with a
	// remedy. They end the error message that names such samples. Empty: the reason is unknown.
	Unheld, Vanishing string
}

// MinBytes returns [Rule.Least] of a rule.
func (r Rule) MinBytes(n, k int) int64 {
	if r.Least != nil {
		return r.Least(n, k)
	}
	return sparse.PatchesBytes(n, n*(k+1), n*(k+1)*(k+2)/2)
}

// Func writes the lower triangle of patch i, row after row.
type Func func(i int, dst []float64)

// FactorFunc writes the rows of Mᵢ, one after the other, with |Iᵢ| columns each, in the
// order of the rule's sets.
type FactorFunc func(i int, dst []float64)

// blockPatches is the number of patches that a worker computes at a time.
const blockPatches = 128

// blockSome is that number if only some samples are examined.
const blockSome = 8

// unlisted is [Rule.Unheld] of patches without the sample itself.
const unlisted = "nobody lists them, and ‹exclude_self=true› leaves a sample out of its own neighbourhood; take ‹exclude_self=false›, or more neighbours"

// outlying is [Rule.Vanishing] of patches that project out tangent coordinates.
const outlying = "they are so far from all others that their own tangent coordinates explain them alone; take more neighbours, or leave them out"

// Others are the processes that share the samples of a run. All call the same
// function at the same time, and get the same result.
type Others interface {
	// LowerMedian is [orderstat.LowerMedian] over the numbers of all processes; NaN if there are none.
	LowerMedian(own []float64) float64
	// Sum adds the numbers of all processes elementwise.
	Sum(own ...float64) []float64
}

// own returns the number of samples whose lists this process has.
func (in Local) own() int {
	if in.Others == nil {
		return in.Graph.Len()
	}
	return in.Own
}

// median returns the lower median over the samples of all processes.
func (in Local) median(own []float64) float64 {
	if in.Others == nil {
		return orderstat.LowerMedian(own)
	}
	return in.Others.LowerMedian(own)
}

// sum adds the numbers of all processes.
func (in Local) sum(own ...float64) []float64 {
	if in.Others == nil {
		return own
	}
	return in.Others.Sum(own...)
}

// Sets are the rows that the patches touch. They are returned one set at a time, since all of
// them together take as much memory as the graph.
type Sets interface {
	// Len returns the number of patches.
	Len() int
	// Size returns the number of rows that patch i touches.
	Size(i int) int
	// Of appends those rows to dst.
	Of(i int, dst []int32) []int32
}

// Listed lists all sets, one after the other: set i is index[ptr[i]:ptr[i+1]].
func Listed(s Sets) (ptr []int, index []int32) {
	ptr = make([]int, s.Len()+1)
	for i := range s.Len() {
		ptr[i+1] = ptr[i] + s.Size(i)
	}
	index = make([]int32, 0, ptr[s.Len()])
	for i := range s.Len() {
		index = s.Of(i, index)
	}
	return ptr, index
}

// neighborhoods are the sets Iᵢ of the patches: the neighbours of every sample, followed by the sample
// itself unless it is excluded.
type neighborhoods struct {
	*neighbors.Graph
	excludeSelf bool
}

func (s neighborhoods) Size(i int) int {
	size := s.Ptr[i+1] - s.Ptr[i]
	if s.excludeSelf {
		return size
	}
	return size + 1
}

func (s neighborhoods) Of(i int, dst []int32) []int32 {
	dst = append(dst, s.Graph.Of(i)...)
	if s.excludeSelf {
		return dst
	}
	return append(dst, int32(i))
}

// withSelf returns the neighbourhoods with the samples themselves.
func withSelf(g *neighbors.Graph) Sets { return neighborhoods{g, false} }

// entries are the two ends of each list entry.
type entries struct{ *neighbors.Graph }

func (s entries) Len() int { return len(s.Index) }

func (s entries) Size(int) int { return 2 }

func (s entries) Of(e int, dst []int32) []int32 {
	i := sort.SearchInts(s.Ptr, e+1) - 1
	return append(dst, int32(i), s.Index[e])
}
