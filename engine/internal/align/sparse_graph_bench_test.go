package align

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/lasso"
)

func coil(tb testing.TB) *mat.Dense {
	tb.Helper()
	x := must.Get(files.ReadMatrix(filepath.Join(golden.Data(tb), "coil20.X.npy"), files.Options{}))(tb)
	return x
}

// The locally sparse graph of COIL-20, p = 100: the neighbours, then the codes of all
// 1440 samples, once as the engine finds them and once by FISTA, one lasso a sample, as
// published.
func BenchmarkLocallySparseCOIL(b *testing.B) {
	all, err := onUnitRows(inputOf(b.Context(), coil(b), nil, run.Settings{Threads: 1}))
	if err != nil {
		b.Fatal(err)
	}
	in := all
	b.Run("neighbors", func(b *testing.B) {
		for b.Loop() {
			if in, err = withNearest(all, 100); err != nil {
				b.Fatal(err)
			}
		}
	})
	if in.Graph == nil {
		if in, err = withNearest(all, 100); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("codes", func(b *testing.B) {
		for b.Loop() {
			if _, err := (LocallySparse{0.01, 0.01, 1e-3}).Codes(in.Local); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(in.Notes()["unconverged_codes"].(int)), "unconverged")
	})
	b.Run("fista", func(b *testing.B) {
		coder := lasso.NewRobustLasso(in.Kernels(), 0.01, 0.01)
		unconverged := 0
		for b.Loop() {
			unconverged = 0
			for i := range in.X.N() {
				if _, r := coder.FISTA(in.X.Row(i), in.X.Data(), in.Graph.Of(i)); !r.Converged {
					unconverged++
				}
			}
		}
		b.ReportMetric(float64(unconverged), "unconverged")
	})
	for name, in := range map[string]Input{"elastic-net": in, "elastic-net-all": all} { // the graph that stands in for GS-GNMF's
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (ElasticNet{1e-3, 1e-4}).Align(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The alignment of SP-RNA for COIL-20, dense 1440 × 1440.
func BenchmarkDiscriminativeCOIL(b *testing.B) {
	x := coil(b)
	labels := make([]int64, x.RawMatrix().Rows)
	for i := range labels {
		labels[i] = int64(i / 72)
	}
	in := inputOf(b.Context(), x, labels, run.Settings{Threads: 1})
	for b.Loop() {
		if _, err := (Discriminative{6, 20, true, "pinv"}).Align(in); err != nil {
			b.Fatal(err)
		}
	}
}
