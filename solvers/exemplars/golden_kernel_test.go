package exemplars

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
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
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		n, m, x := samples(c.X)
		d2, err := squares(ctx, blas.MustSelect("auto"), 2, n, m, x)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "D2", whole(d2), flat(c.D2), c.Tol)
		r, err := Kernel(ctx, n, m, x, KernelOptions{Neighbors: c.K, Lists: true})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "bandwidths", r.Bandwidths, c.Bandwidth, c.Tol)
		near(t, "D_K", whole(r.D), flat(c.DK), c.Tol)
		if want := slices.Concat(c.KNN...); !slices.Equal(r.Nearest, want) {
			t.Errorf("neighbours %v, want %v", r.Nearest, want)
		}
		delta, err := AutoDelta(ctx, r.D, c.K, 2)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "δ", []float64{delta}, []float64{c.AutoDelta}, c.Tol)
	})
}
