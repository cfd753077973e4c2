package patch

import (
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Compute evaluates a rule at every sample.
func Compute(in Local, rule Rule) (*sparse.Patches, error) {
	defer in.Phase("patches")()
	worker, err := rule.Begin(in)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.Sets(in.Graph)
	patches := sparse.NewPatches(in.Threads(), ptr, index)
	type scratch struct {
		patch Func
		lower []float64
	}
	workers := make([]scratch, blas.Threads(in.Threads()))
	var done atomic.Int64
	progress := in.Fraction("patches")
	err = blas.For(in.Context(), in.Threads(), patches.Len(), blockPatches, func(w, lo, hi int) {
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
	})
	return patches, err
}
