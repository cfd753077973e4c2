package extend

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// code is how a point is written by training samples. It is valid until the next one.
type code struct {
	list     []int32   // the nearest training samples
	selected []int     // places in the list of those with a weight
	weights  []float64 // of these
}

// coder codes points by training samples and hands each code over, from any worker.
type coder interface {
	code(ctx context.Context, points samples.Samples, take func(i int, c code)) error
}

// mean takes codes into dst as the means of the training samples' coordinates.
func (t *training) mean(dst *mat.Dense) func(i int, c code) {
	return func(i int, c code) {
		out := dst.RawRowView(i)
		clear(out)
		for q, at := range c.selected {
			blas.Axpy(c.weights[q], t.y.RawRowView(int(c.list[at])), out)
		}
	}
}

// label is the label with the largest sum of weights, the lower one on ties.
func (c code) label(of []float64) float64 {
	best, label := -1.0, 0.0
	for _, at := range c.selected {
		own, sum := of[c.list[at]], 0.0
		for q, other := range c.selected {
			if of[c.list[other]] == own {
				sum += c.weights[q]
			}
		}
		if sum > best || sum == best && own < label {
			best, label = sum, own
		}
	}
	return label
}

// labelled maps points to the labels that their codes tell: those of the training samples
// are the array "labels" (n × 1).
func (e *Extension) labelled(s *searched, c coder) (*Mapping, error) {
	of, err := e.labels("labels", s.samples.N())
	if err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return c.code(ctx, points, func(i int, c code) { dst.Set(i, 0, c.label(of)) })
	}
	return s.amongNearest(1, apply), nil
}
