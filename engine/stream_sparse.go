package engine

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/sparse"
)

// sparseBlock is the number of compressed rows that are mapped at a time.
const sparseBlock = 4096

// streamSparse maps compressed rows block after block. They are in memory, so that there
// is nothing to read meanwhile.
func (t *Transformer) streamSparse(ctx context.Context, a *sparse.CSR, out RowSink) (Streamed, error) {
	done := Streamed{Seconds: Seconds{"read": 0, "transform": 0, "write": 0}}
	rows := int(max(min(streamBytes/(8*int64(t.model.Dim)), sparseBlock), 1))
	y := mat.NewDense(min(a.Rows, rows), t.model.Dim, nil)
	for done.Rows < a.Rows {
		n := min(rows, a.Rows-done.Rows)
		part := y.Slice(0, n, 0, t.model.Dim).(*mat.Dense)
		started := time.Now()
		if err := t.applySparse(ctx, a.RowRange(done.Rows, done.Rows+n), part, done.Rows); err != nil {
			return done, err
		}
		mapped := time.Now()
		if err := out.Write(part); err != nil {
			return done, err
		}
		done.Seconds["transform"] += mapped.Sub(started).Seconds()
		done.Seconds["write"] += time.Since(mapped).Seconds()
		done.Rows += n
		t.run.Counting("transform", run.Rows, a.Rows)(float64(done.Rows) / float64(a.Rows))
	}
	return done, ctx.Err()
}
