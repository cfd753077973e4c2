package engine

import (
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// runOf is what a golden run tells, in the paper's orientation: F m × c, H n × c.
type runOf struct {
	F, H, Residuals [][]float64
	LapDiag         []float64 `json:"lap_diag"`
}

// goldenLagrangian is the method that runs a key of smrmf-runs.json outside its list
// of variants: λ = 0.1, this many passes, the stopping rule off.
func goldenLagrangian(name string, k, passes int) Method {
	lambda, never := 0.1, 0.0
	few := Lagrangian{Iterations: passes, Tolerance: &never}
	switch name {
	case "rmnmf":
		return RMNMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, Lambda: &lambda, FeatureScale: FeatureScale{Scale: "shift"}, Lagrangian: few}
	case "amrmf":
		return AMRMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, Neighbors: &k, Lambda: &lambda, FeatureScale: FeatureScale{Scale: "shift"}, Lagrangian: few}
	}
	return nil
}

// lagrangianRun is a run of a method by an augmented Lagrangian, with what is behind
// its factors.
type lagrangianRun struct {
	*run.Run
	*factor.Found
	phi *sparse.CSR // of the graph term; nil: the method learns its graph
}

// lagrangianRunOf runs a method as Factorize does.
func lagrangianRunOf(t *testing.T, x *mat.Dense, m Method, rank int) lagrangianRun {
	t.Helper()
	r := lagrangianRun{Run: steptest.Run(t)}
	n, _ := x.Dims()
	full := must(param.Resolve(m.Name(), m, n, r.Warn))(t)
	plan := method.RowOf(full).Factorize()
	if rule := plan.Align; rule != nil {
		plan.Align = func(in align.Input) (*align.Phi, error) {
			made, err := rule(in)
			if err == nil {
				r.phi = made.Sparse
			}
			return made, err
		}
	}
	r.Found = must(factor.Work{Run: r.Run, X: samples.Of(x), Plan: plan, Rank: rank, TraceEvery: 1}.Factorize())(t)
	return r
}

// transposed turns a matrix whose columns are samples into one of rows.
func transposed(columns [][]float64) *mat.Dense { return mat.DenseCopyOf(matrix(columns).T()) }

// expectRun compares factors and residuals with a golden run. F is that of the data
// divided by their spectral norm.
func expectRun(t *testing.T, r lagrangianRun, want runOf, tol float64) {
	t.Helper()
	f := mat.DenseCopyOf(matrix(want.F).T())
	f.Scale(r.Notes()["spectral_norm"].(float64), f)
	expectClose(t, "F", r.H, f.RawMatrix().Data, tol)
	expectClose(t, "H", r.Split.NonnegativePart, golden.Flat(want.H), tol)
	trace := r.Split.Trace[1:] // without the start
	if len(trace) != len(want.Residuals) {
		t.Fatalf("%d passes, want %d", len(trace), len(want.Residuals))
	}
	for i, left := range want.Residuals {
		expectClose(t, "residuals", trace[i].Residuals[:min(len(left), 3)], left[:min(len(left), 3)], tol)
	}
}

func TestGoldenLagrangianRuns(t *testing.T) {
	golden.Cases(t, "smrmf-runs", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol  float64
			XRaw [][]float64 `json:"X_raw"`
			K    int
		}
		decode(t, raw, &c)
		var runs map[string]json.RawMessage
		decode(t, raw, &runs)
		x := transposed(c.XRaw)
		for _, name := range []string{"rmnmf", "amrmf"} {
			if runs[name] == nil {
				continue // a case may have one alone
			}
			t.Run(name, func(t *testing.T) {
				var want runOf
				decode(t, runs[name], &want)
				m := goldenLagrangian(name, c.K, len(want.Residuals))
				r := lagrangianRunOf(t, x, m, len(want.F[0]))
				expectRun(t, r, want, c.Tol)
				for i, d := range want.LapDiag {
					expectClose(t, "diagonal of L", []float64{r.phi.At(i, i)}, []float64{d}, c.Tol)
				}
			})
		}
	})
}
