package engine

import (
	"context"
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
)

// runOf is what a golden run tells, in the paper's orientation: F m × c, H n × c.
type runOf struct {
	F, H, Residuals [][]float64
	LapDiag         []float64 `json:"lap_diag"`
}

// smrmfMethod is a method by an augmented Lagrangian.
type smrmfMethod interface {
	Method
	factoring() factoring
}

// goldenLagrangian is the method that runs a key of smrmf-runs.json outside its list
// of variants: λ = 0.1, so many passes, the stopping rule off.
func goldenLagrangian(name string, k, passes int) Method {
	lambda, never := 0.1, 0.0
	few := Lagrangian{Iterations: passes, Tolerance: &never}
	switch name {
	case "rmnmf":
		return RMNMF{Neighbors: &k, Lambda: &lambda, FeatureScale: FeatureScale{"shift"}, Lagrangian: few}
	case "amrmf":
		return AMRMF{Neighbors: &k, Lambda: &lambda, FeatureScale: FeatureScale{"shift"}, Lagrangian: few}
	}
	return nil
}

// goldenFactors runs a method as Factorize does, and keeps what is behind its
// factors.
func goldenFactors(t *testing.T, x *mat.Dense, m Method, rank int) (*problem, *factors) {
	t.Helper()
	p := sparseProblem(t, x, Options{})
	p.name = m.Name()
	full, err := resolved(m, p.x.N, p.warn)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.factorsOf(factorWork{factoring: full.(smrmfMethod).factoring(), rank: rank, traceEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p, found
}

// expectRun compares factors and residuals with a golden run. F is that of the data
// divided by their spectral norm.
func expectRun(t *testing.T, p *problem, found *factors, want runOf, tol float64) {
	t.Helper()
	f := mat.DenseCopyOf(matrix(want.F).T())
	f.Scale(p.details["spectral_norm"].(float64), f)
	expectClose(t, "F", found.h, f.RawMatrix().Data, tol)
	expectClose(t, "H", found.split.Clipped, rowsOf(want.H), tol)
	trace := found.split.Trace[1:] // without the start
	if len(trace) != len(want.Residuals) {
		t.Fatalf("%d passes, want %d", len(trace), len(want.Residuals))
	}
	for i, r := range want.Residuals {
		expectClose(t, "residuals", trace[i].Residuals[:min(len(r), 3)], r[:min(len(r), 3)], tol)
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
		x := samplesOf(c.XRaw)
		for _, name := range []string{"rmnmf", "amrmf"} {
			if runs[name] == nil {
				continue // a case may have one alone
			}
			t.Run(name, func(t *testing.T) {
				var want runOf
				decode(t, runs[name], &want)
				m := goldenLagrangian(name, c.K, len(want.Residuals))
				p, found := goldenFactors(t, x, m, len(want.F[0]))
				expectRun(t, p, found, want, c.Tol)
				if want.LapDiag != nil {
					q := sparseProblem(t, x, Options{})
					q.ctx = context.Background()
					full, err := resolved(m, q.x.N, q.warn)
					if err != nil {
						t.Fatal(err)
					}
					a, err := q.factorGraph(full.(smrmfMethod).factoring(), 1)
					if err != nil {
						t.Fatal(err)
					}
					for i, d := range want.LapDiag {
						expectClose(t, "diagonal of L", []float64{a.phi.At(i, i)}, []float64{d}, c.Tol)
					}
				}
			})
		}
	})
}
