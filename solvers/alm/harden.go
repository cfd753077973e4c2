package alm

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// Hard is a partition that an iteration came by, with the feasible factors of it that fit
// best: see [Options.Harden].
type Hard struct {
	Pass        int     // after which it was; 0: the start
	Loss        float64 // Σᵢ ‖(X − WH)ᵢ‖₂
	Regularizer float64 // λ tr(WᵀΦW) with the last affinities
	Relative    float64 // ‖X − WH‖_F/‖X‖_F
}

// Objective is what partitions are compared by.
func (h Hard) Objective() float64 { return h.Loss + h.Regularizer }

// Rays returns the feasible factors of a partition of the n × m data x into r clusters, all
// labels from 0 to r − 1: orthonormal W ≥ 0 with one entry a row, all of it positive, and
// the H that goes with it. The fit begins at the directions h (r × m; nil: the means of the
// clusters) and does not raise the loss. Empty clusters take the samples that are fitted
// worst.
func Rays(ctx context.Context, n, m int, x []float64, r int, labels []int, h []float64, o Options) (w, components []float64, err error) {
	own := make([]int32, n)
	for i, c := range labels {
		own[i] = int32(c)
	}
	q, err := fitRays(ctx, n, m, x, r, own, h, o)
	if err != nil {
		return nil, nil, err
	}
	return q.indicators(), q.h, nil
}

// hardening keeps the partitions that an iteration comes by.
type hardening struct {
	passes []int
	labels [][]int32
}

// add keeps the partition of a pass, unless it equals the one before.
func (k *hardening) add(pass int, labels []int32) {
	if last := len(k.labels) - 1; last >= 0 && slices.Equal(k.labels[last], labels) {
		return
	}
	k.passes, k.labels = append(k.passes, pass), append(k.labels, labels)
}

// best fits all partitions, compares them under the last affinities, and enters the best of
// them: the first on ties. Where that is the start's, single samples are moved from there
// as long as the objective falls.
func (k *hardening) best(ctx context.Context, s *state, affinity *sparse.CSR, o Options, found *Result) error {
	var kept *rays
	enter := func(q *rays, pass int) {
		one := Hard{Pass: pass}
		var squares float64
		one.Loss, squares = q.measure()
		one.Relative = math.Sqrt(squares) / max(tiny, math.Sqrt(s.normX))
		if s.lambda > 0 {
			one.Regularizer = s.lambda * q.regularizer(affinity)
		}
		found.Partitions = append(found.Partitions, one)
		if at := len(found.Partitions) - 1; at == 0 || one.Objective() < found.Partitions[found.Best].Objective() {
			found.Best, kept = at, q
		}
	}
	for at, labels := range k.labels {
		q, err := fitRays(ctx, s.n, s.m, s.x, s.r, labels, nil, o)
		if err != nil {
			return err
		}
		enter(q, k.passes[at])
	}
	if found.Best == 0 { // the passes came by none that is better
		q, err := kept.descend(ctx, affinity, s.lambda, o)
		if err != nil {
			return err
		}
		if q != kept {
			enter(q, found.Passes)
		}
	}
	found.W, found.H = kept.indicators(), kept.h
	found.NonnegativePart = found.W
	return nil
}
