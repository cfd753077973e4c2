package engine

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
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

// factorCase is a run of rnpa.json, in the paper's orientation: X m × N, W m × r,
// H r × N.
type factorCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, W0, H0     [][]float64
		Lam           float64
		K             int
		Theta, Sigma2 float64
		Refresh       bool
	}
	Expect struct {
		Iterates map[string]struct {
			W, H              [][]float64
			Obj, Sigma2, J, F *float64
		}
	}
}

// method is the one that runs a case of the kind, for this many iterations.
func (c factorCase) method(kind string, iterations int) Method {
	schedule := map[bool]string{true: "refresh", false: "paper"}[c.Inputs.Refresh]
	paper := Protocol{Protocol: "paper"}
	switch kind {
	case "nmf-fro":
		return NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "hals":
		return NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, LeastSquares: LeastSquares{Solver: "hals", Sweeps: 1}}
	case "nmf-kl":
		return NMFKL{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "l21":
		return L21NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "gnmf":
		return GNMF{Protocol: paper, Neighbors: c.Inputs.K, Lambda: &c.Inputs.Lam, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "cim-adaptive":
		return CIMNMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, Correntropy: Correntropy{Theta: c.Inputs.Theta, Schedule: schedule}}
	case "cim-fixed":
		return CIMNMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, Correntropy: Correntropy{Sigma2: &c.Inputs.Sigma2, Schedule: schedule}}
	}
	return nil
}

func TestGoldenFactorizations(t *testing.T) {
	golden.Cases(t, "rnpa", func(t *testing.T, raw json.RawMessage) {
		var c factorCase
		decode(t, raw, &c)
		kind := golden.Kind(t, "rnpa", raw)
		if c.method(kind, 1) == nil || len(c.Expect.Iterates) == 0 {
			t.Fatalf("no method runs the kind %q, or it has no iterates: nothing tests it", kind)
		}
		x, w, h := transposed(c.Inputs.X), transposed(c.Inputs.H0), transposed(c.Inputs.W0)
		for at, want := range c.Expect.Iterates {
			iterations := must(strconv.Atoi(at))(t)
			r := factorized(t, x, c.method(kind, iterations), FactorizeOptions{Rank: len(c.Inputs.H0), InitW: w, InitH: h})
			expectClose(t, "after "+at+", H", r.W.RawMatrix().Data, transposed(want.H).RawMatrix().Data, c.Tol)
			expectClose(t, "after "+at+", W", r.H.RawMatrix().Data, transposed(want.W).RawMatrix().Data, c.Tol)
			last := r.Trace[len(r.Trace)-1]
			for _, v := range []struct {
				name string
				got  float64
				want *float64
			}{{"objective", last.Objective, want.Obj}, {"J", last.Objective, want.J}, {"F", last.Surrogate, want.F}, {"σ²", last.Sigma2, want.Sigma2}} {
				if v.want != nil {
					expectClose(t, "after "+at+", "+v.name, []float64{v.got}, []float64{*v.want}, c.Tol)
				}
			}
			// Normalised at the end, WH stays.
			var left, right mat.Dense
			left.Mul(r.W, r.H)
			end := factorized(t, x, normalisedAtEnd(t, x.RawMatrix().Rows, c.method(kind, iterations)), FactorizeOptions{Rank: len(c.Inputs.H0), InitW: w, InitH: h})
			right.Mul(end.W, end.H)
			if !mat.EqualApprox(&left, &right, 1e-12) || math.Abs(mat.Norm(end.H.RowView(0), 2)-1) > 1e-12 {
				t.Errorf("after %s: WH is another after it was normalised", at)
			}
		}
	})
}

// normalisedAtEnd is the same method for this many samples, with that setting.
func normalisedAtEnd(t *testing.T, samples int, m Method) Method {
	t.Helper()
	copied := must(param.Resolve(m.Name(), m, samples, func(string, ...any) {}))(t)
	if err := Set(copied, "normalise", "end"); err != nil {
		t.Fatal(err)
	}
	return copied
}

// runOf is the content of a golden run, in the paper's orientation: F m × c, H n × c.
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
