package exemplars

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// whole is a packed matrix row after row.
func whole(p *Packed) []float64 {
	d := make([]float64, p.N*p.N)
	p.Columns(0, p.N, d)
	return d
}

func TestGoldenKernel(t *testing.T) {
	ctx := context.Background()
	golden.Cases(t, "smrmf-kernel", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol       float64
			X, D2, DK [][]float64
			K         int
			Bandwidth []float64
			KNN       [][]int32
			AutoDelta float64 `json:"auto_delta"`
		}
		must.Do(t, json.Unmarshal(raw, &c))
		n, m, x := len(c.X[0]), len(c.X), golden.ColumnMajor(c.X)
		d2 := must.Get(squares(ctx, blas.MustSelect("auto"), 2, n, m, x))(t)
		golden.Expect(t, "D2", whole(d2), golden.Flat(c.D2), c.Tol)
		r := must.Get(Kernel(ctx, n, m, x, KernelOptions{Neighbors: c.K, Lists: true}))(t)
		golden.Expect(t, "bandwidths", r.Bandwidths, c.Bandwidth, c.Tol)
		golden.Expect(t, "D_K", whole(r.D), golden.Flat(c.DK), c.Tol)
		if want := slices.Concat(c.KNN...); !slices.Equal(r.Nearest, want) {
			t.Errorf("neighbours %v, want %v", r.Nearest, want)
		}
		delta := must.Get(AutoDelta(ctx, r.D, c.K, 2))(t)
		golden.Expect(t, "δ", []float64{delta}, []float64{c.AutoDelta}, c.Tol)
	})
}
