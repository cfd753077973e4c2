package engine

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/param"
)

// goldenSelective is the method of one of the runs of smrmf-runs.json.
func goldenSelective(variant, mode, diag string, k, tau, passes int) Method {
	lambda, beta, never := 0.1, 0.2, 0.0
	if diag == "" {
		diag = "keep"
	}
	weights, graph := EncodingWeights{Lambda: &lambda, Beta: &beta}, LearnedGraph{Mode: mode, Diag: diag}
	bounded, squared := BoundedEncoding{Exemplars: tau, EncodingWeights: weights, LearnedGraph: graph, StartSteps: 30}, SquaredEncoding{EncodingWeights: weights}
	shift, few := FeatureScale{Scale: "shift"}, Lagrangian{Iterations: passes, Tolerance: &never}
	switch variant {
	case "smrmf":
		return SMRMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, BoundedEncoding: bounded, FeatureScale: shift, Lagrangian: few}
	case "smrmf-euc":
		return SMRMFEuc{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, BoundedEncoding: bounded, FeatureScale: shift, Lagrangian: few}
	case "f-smrmf":
		return FSMRMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, Exemplars: tau, SquaredEncoding: squared, LearnedGraph: graph, FeatureScale: shift, Lagrangian: few}
	case "smrmf-ns":
		return SMRMFNS{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, SquaredEncoding: squared, Mode: mode, FeatureScale: shift, Lagrangian: few}
	}
	return nil
}

func TestGoldenSelectiveRuns(t *testing.T) {
	golden.Cases(t, "smrmf-runs", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol    float64
			XRaw   [][]float64 `json:"X_raw"`
			K, Tau int
			Runs   []struct {
				runOf
				Variant, Neighbours, Diag string
				Iters                     int
				Exemplars                 []int
				Delta                     float64
				Columns                   []float64 `json:"zhat_colsum"`
			}
		}
		decode(t, raw, &c)
		x := transposed(c.XRaw)
		for _, want := range c.Runs {
			t.Run(want.Variant+" "+want.Neighbours+" "+want.Diag, func(t *testing.T) {
				m := goldenSelective(want.Variant, want.Neighbours, want.Diag, c.K, c.Tau, want.Iters)
				if m == nil {
					t.Fatalf("no method %q", want.Variant)
				}
				r := lagrangianRunOf(t, x, m, len(want.F[0]))
				expectRun(t, r, want.runOf, c.Tol)
				if !slices.Equal(r.Selection.Exemplars, want.Exemplars) {
					t.Errorf("exemplars %v, want %v", r.Selection.Exemplars, want.Exemplars)
				}
				sums := make([]float64, x.RawMatrix().Rows)
				for q, j := range r.Selection.Learned.Col {
					sums[j] += r.Selection.Learned.Val[q]
				}
				expectClose(t, "sums of the columns of Ẑ", sums, want.Columns, c.Tol)
				if delta, fast := r.Notes()["delta"]; fast {
					expectClose(t, "δ", []float64{delta.(float64)}, []float64{want.Delta}, 1e-9)
				}
			})
		}
	})
}
