// Package steptest has what the tests of the steps share.
package steptest

import (
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Run is a run of the best backend for a method called "test", of seed 1, on all cores.
// Nobody is told of its progress.
func Run(t testing.TB) *run.Run {
	return run.New(t.Context(), "test", run.Settings{Kernels: blas.MustSelect("auto"), Seed: 1, Recall: 0.99})
}

// Samples are the rows of a golden case.
func Samples(rows [][]float64) samples.Samples {
	return samples.OfRows(len(rows), len(rows[0]), golden.Flat(rows))
}
