// Package backends is the suite that compares the backends of the linear algebra.
package backends

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// Suite compares the backends.
var Suite = bench.Suite{
	Name:  "backends",
	Title: "Backends of the linear algebra",
	About: `The dense operations that embeddings are made of, and whole embeddings, by each backend on one thread: gonum (Go),
native (our own, with assembly where the processor allows it) and openblas (OpenBLAS and LAPACK through cgo, in builds that link it). The
backends of one operation or method run in turn, so that their ratios hold on a machine whose speed drifts.

Rates are nominal: the textbook's number of operations (Golub and Van Loan, Matrix Computations) over processor time. An eigensolver
that needs fewer has a higher rate, as it should. A backend serves only what it is good at; the note of each record says who computes
the operation in truth.

Beside each figure stands the error: of an operation the residual of its result (of products the largest error of 256 entries, relative to
the lengths of the row and column behind it; of eigenpairs ‖Az − wz‖ relative to ‖A‖ and how far they are from orthonormal; of factorisations
‖A − BC‖ relative to ‖A‖), of an embedding that of its eigenpairs. A claim of speed rests only on residuals of at most 1e-12 and 1e-8.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   claims,
	Sections: sections,
}

// backendNames in the order in which they are shown.
var backendNames = []string{"gonum", "native", "openblas"}

func allCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for i := range operations {
		op := &operations[i]
		for _, n := range op.sizes {
			for _, backend := range backendNames {
				cases = append(cases, bench.Case{
					Name: operationName(op.name, n, backend), Group: fmt.Sprintf("%s/n=%d", op.name, n),
					Data: "normal numbers", Method: op.name, Params: map[string]any{"n": n}, Threads: 1,
					Backend: backend, Needs: []string{"backend:" + backend}, Full: n > op.quick,
					Accuracy: []bench.Accuracy{bench.AtMost("residual", residualLimit)},
					Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return op.run(ctx, c, backend, n)
					},
				})
			}
		}
	}
	for _, m := range backendMethods {
		for _, n := range backendSamples {
			for _, backend := range backendNames {
				c := bench.Case{
					Name: methodName(m, n, backend), Group: fmt.Sprintf("%s/N=%d", m, n), Data: "clustered-manifolds", N: n, M: 256,
					Method: m, Params: map[string]any{"samples": n, "clusters": "1", "separation": "0", "dim": 2}, Threads: 1,
					Backend: backend, Needs: []string{"backend:" + backend}, Full: n > backendSamples[0],
					Accuracy: []bench.Accuracy{bench.Exact()},
					Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
						return embedByBackend(ctx, m, backend, n)
					},
				}
				if m != "pca" {
					c.Params["neighbors"] = "20"
				}
				cases = append(cases, c)
			}
		}
	}
	return cases
}

func operationName(op string, n int, backend string) string {
	return fmt.Sprintf("%s/n=%d/%s", op, n, backend)
}

var (
	backendMethods = []string{"neml", "lle", "le", "pca"}
	backendSamples = []int{1500, 6000}
)

func methodName(method string, n int, backend string) string {
	return fmt.Sprintf("%s/N=%d/%s", method, n, backend)
}

// embedByBackend embeds wide data, where products matter most.
func embedByBackend(ctx context.Context, name, backend string, n int) (*bench.Outcome, error) {
	data, err := datasets.Generate("clustered-manifolds", n, 1, map[string]string{"clusters": "1", "separation": "0"})
	if err != nil {
		return nil, err
	}
	m, err := engine.New(name)
	if err != nil {
		return nil, err
	}
	if _, local := engine.Values(m)["neighbors"]; local {
		if err := engine.Set(m, "neighbors", "20"); err != nil {
			return nil, err
		}
	}
	r, err := engine.Embed(ctx, data.X, m, engine.Options{Threads: 1, Backend: backend})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: bench.HashMatrix(data.X)}
	out.TakeSolve(r)
	return out, nil
}
