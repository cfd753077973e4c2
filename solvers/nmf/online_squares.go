package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// batchTolerance is the residual to which the coordinates of a batch are solved (see
	// [NewEncoder]), within so many rounds.
	batchTolerance = 1e-3
	batchRounds    = 200
	// batchSweeps is the number of sweeps over H for a batch at most.
	batchSweeps = 2
)

// onlineSquares learns by the squared error.
type onlineSquares struct {
	*Online
	moves [][]float64 // of a block of columns, for each worker
}

func newOnlineSquares(l *Online) learner {
	u := &onlineSquares{Online: l}
	for range max(1, l.workers) {
		u.moves = append(u.moves, make([]float64, l.columns))
	}
	return u
}

func (u *onlineSquares) sizes() (a, b int) { return u.r * u.r, u.r * u.m }

func (u *onlineSquares) sum(ctx context.Context) (loss, squares float64, err error) {
	f := u.factorization
	codes := func(s *scratch, lo, hi int) {
		clear(f.w[lo*f.r : hi*f.r])
		solveSquares(u.codes, f, s, lo, hi)
	}
	if f.data.Sparse != nil {
		if err = f.batchRows(ctx, codes); err == nil {
			err = f.sumSparse(ctx)
		}
	} else {
		descent := coordinateDescent{factorization: f}
		err = f.batchPass(ctx, codes, descent.accumulate)
	}
	squares = f.gramResidual()
	return squares, squares, err
}

func (u *onlineSquares) learn(ctx context.Context, keep float64, to *State) error {
	f := u.factorization
	fade(keep, to.A, f.sums.gram)
	fade(keep, to.B, f.sums.num)
	err := blas.For(ctx, f.threads, f.m, f.columns, func(worker, lo, hi int) {
		f.sweep(hi-lo, f.h[lo:], f.m, to.B[lo:], f.m, to.A, 0, batchSweeps, u.moves[worker])
	})
	f.updateGram()
	return err
}

// fade is a ← keep·a + b.
func fade(keep float64, a, b []float64) {
	for i, v := range b {
		a[i] = keep*a[i] + v
	}
}
