package patch

import (
	"fmt"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Begin reserves the patches of all samples, whose sets are then known, and returns the function that computes
// their entries, and does a task at the same time ([blas.ForWithTask]).
func Begin(in Local, rule Rule) (patches *sparse.Patches, compute func(task func(threads int)) error, err error) {
	defer in.Phase("patches")()
	worker, err := rule.Begin(in)
	if err != nil {
		return nil, nil, err
	}
	ptr, index := Listed(rule.Sets(in.Graph))
	if err := in.Fit(bytesOf(in.Threads(), ptr)+denseRowsBytes(in, ptr), fmt.Sprintf("the patches of %d samples need", in.X.N()), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, nil, err
	}
	patches = sparse.NewPatches(in.Threads(), ptr, index)
	return patches, func(task func(threads int)) error { return fill(in, worker, patches, task) }, nil
}

// fill computes the patches.
func fill(in Local, worker func() Func, patches *sparse.Patches, task func(threads int)) error {
	defer in.Phase("patches")()
	type scratch struct {
		patch Func
		lower []float64
	}
	threads := blas.Threads(in.Threads())
	workers := make([]scratch, threads)
	var done atomic.Int64
	progress := in.Counting("patches", run.Rows, patches.Len())
	compute := func(w, lo, hi int) {
		s := &workers[w]
		if s.patch == nil {
			s.patch = worker()
		}
		for i := lo; i < hi; i++ {
			if size := patches.Size(i); cap(s.lower) < size {
				s.lower = make([]float64, size)
			}
			s.lower = s.lower[:patches.Size(i)]
			s.patch(i, s.lower)
			patches.Store(i, s.lower)
		}
		progress(float64(done.Add(int64(hi-lo))) / float64(patches.Len()))
	}
	return blas.ForWithTask(in.Context(), threads, patches.Len(), blockPatches, task, compute)
}

// denseRowsBytes returns the memory in which the workers expand compressed samples.
func denseRowsBytes(in Local, ptr []int) int64 {
	if in.X.Compressed() == nil {
		return 0
	}
	largest := 0
	for i := range len(ptr) - 1 {
		largest = max(largest, ptr[i+1]-ptr[i])
	}
	return int64(blas.Threads(in.Threads())) * in.X.GatheredBytes(largest+1)
}

// bytesOf returns the memory of the patches, of their sets, and of one patch for each worker.
func bytesOf(threads int, ptr []int) int64 {
	entries, largest := 0, 0
	for i := range len(ptr) - 1 {
		size := ptr[i+1] - ptr[i]
		entries += size * (size + 1) / 2
		largest = max(largest, size)
	}
	members := ptr[len(ptr)-1]
	scratch := int64(blas.Threads(threads)) * 64 * int64(largest) * int64(largest)
	return sparse.PatchesBytes(len(ptr)-1, members, entries) + 8*int64(members) + 16*int64(len(ptr)) + scratch
}

// stackedPatches is the number of patches whose factors are made at a time.
const stackedPatches = 256

// FactorRows returns Bᵀ with Φ = BBᵀ from the factors of a rule, with a row for each row of each Mᵢ. It determines
// eigenvalues below the rounding error of Φ. B is far larger than Φ, so the factors are made for a few
// patches at a time, and made again whenever they are needed.
func FactorRows(in Local, rule Rule) (*eigen.RowBlocks, error) {
	rows, worker, err := rule.Factor(in)
	if err != nil {
		return nil, err
	}
	sets := rule.Sets(in.Graph)
	n := sets.Len()
	return &eigen.RowBlocks{Blocks: (n + stackedPatches - 1) / stackedPatches, Worker: func() func(int) *sparse.CSR {
		factor, b := worker(), &sparse.CSR{Cols: in.X.N()}
		var set []int32
		return func(block int) *sparse.CSR {
			b.Ptr, b.Col, b.Val = append(b.Ptr[:0], 0), b.Col[:0], b.Val[:0]
			for i := block * stackedPatches; i < min((block+1)*stackedPatches, n); i++ {
				set = sets.Of(i, set[:0])
				count, at := rows(i), len(b.Val)
				for range count {
					b.Col = append(b.Col, set...)
					b.Ptr = append(b.Ptr, len(b.Col))
				}
				b.Val = append(b.Val, make([]float64, count*len(set))...)
				factor(i, b.Val[at:])
			}
			b.Rows = len(b.Ptr) - 1
			return b
		}
	}}, nil
}
