// Package patch has the second step: what is kept of a neighbourhood, as a small
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

// Local are samples with their neighbourhoods, in a run.
type Local struct {
	*run.Run
	X     samples.Samples
	Graph *neighbors.Graph
	// Distances are those that the caller gave, n × n, of the samples by their numbers; empty: none were.
	Distances samples.Samples

	// Others are the processes that have the other samples, where several share them; nil:
	// this one has all. X then begins with the Own samples whose patches are asked for here,
	// and goes on with those that their lists name. The graph has the lists of the former,
	// and for edges, of the latter, what they list of the former.
	Others Others
	Own    int
}

// Rule says what is kept of each neighbourhood and what else is known of it. It is one
// value: all that depends on the kind of patch is here.
type Rule struct {
	// Edges lists the edges of a rule whose patches are w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, so that Φ is a
	// graph Laplacian. It then has neither Sets nor Begin.
	Edges func(in Local) (sparse.Edges, error)
	// Sets gives the rows that each patch touches.
	Sets func(g *neighbors.Graph) Sets
	// Begin looks at all samples once, where the rule needs that, and returns a maker of
	// patch functions: every worker calls it once and so has scratch of its own.
	Begin func(in Local) (func() Func, error)
	// Factor is Begin for factors of the patches, Lᵢ = MᵢᵀMᵢ; rows is the number of rows
	// of each. Eigenvalues below the rounding of Φ are refined by them; nil: none are known.
	Factor func(in Local) (rows func(i int) int, worker func() FactorFunc, err error)
	// Least is the least memory of the patches of n samples with k neighbours each, in
	// bytes; nil: that of patches on the neighbours and the sample itself.
	Least func(n, k int) int64
	// Weights returns one weight for each entry of the lists, by which a sample is
	// represented by its neighbours; those of a list sum to 1. nil: the patch has none.
	Weights func(in Local) ([]float64, error)
	// Given, if not nil, are its weights, whose γ the caller gave.
	Given *GivenGamma
	// Bias estimates, from some samples, what the weights of all add to Σ yᵀΦy along the data's
	// own tangents, summed over the columns y; nil: it is not known of these patches.
	Bias func(in Local, some []int, y *mat.Dense) (float64, error)
	// AnyLists: the lists may be of any length, and empty ones too.
	AnyLists bool
	// NoDistances: neither the patches nor what goes with them asks how far the neighbours
	// are: the patches are made of coordinates, say.
	NoDistances bool
	// Why a sample may be in no patch, or have zeros in all that it is in, each with the
	// remedy: the end of an error that names such samples. Empty: the reason is not known.
	Unheld, Vanishing string
}

// LeastBytes is [Rule.Least] of a rule.
func (r Rule) LeastBytes(n, k int) int64 {
	if r.Least != nil {
		return r.Least(n, k)
	}
	return sparse.PatchesBytes(n, n*(k+1), n*(k+1)*(k+2)/2)
}

// Func writes the lower triangle of patch i, row after row.
type Func func(i int, dst []float64)

// FactorFunc writes the rows of Mᵢ, one after the other with |Iᵢ| columns each in the
// order of the rule's sets.
type FactorFunc func(i int, dst []float64)

// blockPatches is the number of patches that a worker computes at a time.
const blockPatches = 128

// blockSome is that number where only some of the samples are looked at.
const blockSome = 8

// unlisted is [Rule.Unheld] of patches without the sample itself.
const unlisted = "nobody lists them, and ‹exclude_self=true› leaves a sample out of its own neighbourhood; take ‹exclude_self=false›, or more neighbours"

// outlying is [Rule.Vanishing] of patches that project off tangent coordinates.
const outlying = "they are so far from all others that their own tangent coordinates explain them alone; take more neighbours, or leave them out"

// Others are the processes that share the samples of a run among them. All call the same
// function at the same time, and all get the same answer.
type Others interface {
	// LowerMedian is [orderstat.LowerMedian] of the numbers of all; NaN where there are none.
	LowerMedian(own []float64) float64
	// Sum adds up, place by place, what all give.
	Sum(own ...float64) []float64
}

// own is the number of samples whose lists are this process's.
func (in Local) own() int {
	if in.Others == nil {
		return in.Graph.Len()
	}
	return in.Own
}

// median is the lower median over the samples of all processes.
func (in Local) median(own []float64) float64 {
	if in.Others == nil {
		return orderstat.LowerMedian(own)
	}
	return in.Others.LowerMedian(own)
}

// sum adds up what all processes have.
func (in Local) sum(own ...float64) []float64 {
	if in.Others == nil {
		return own
	}
	return in.Others.Sum(own...)
}

// Sets are the rows that the patches touch. They are given one at a time, since all of
// them together take as much memory as the graph.
type Sets interface {
	// Len is the number of patches.
	Len() int
	// Size is the number of rows that patch i touches.
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

// neighborhoods are the neighbours of every sample and behind them, unless that is
// excluded, the sample itself: the sets Iᵢ of the patches.
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

// withSelf are the neighbourhoods with the samples themselves.
func withSelf(g *neighbors.Graph) Sets { return neighborhoods{g, false} }

// entries are the two ends of each entry of the lists.
type entries struct{ *neighbors.Graph }

func (s entries) Len() int { return len(s.Index) }

func (s entries) Size(int) int { return 2 }

func (s entries) Of(e int, dst []int32) []int32 {
	i := sort.SearchInts(s.Ptr, e+1) - 1
	return append(dst, int32(i), s.Index[e])
}
