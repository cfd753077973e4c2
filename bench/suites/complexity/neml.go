package complexity

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The roll that NEML's weights are found on: more columns than neighbours, so that the
// eigenproblem of a sample is of the order of its neighbours, as in the paper.
const (
	rollColumns   = 100
	rollNoise     = 1e-3
	rollSamples   = 1000
	rollNeighbors = 12
)

var (
	weightsBySamples = sweep{
		key: "neml-samples", title: "NEML, the weights of all samples", size: "N", sizes: ascending(2000, 64_000), quick: 8000,
		data: "swiss-roll", method: "neml", params: map[string]any{"neighbors": rollNeighbors, "columns": rollColumns, "noise": rollNoise}, error: bench.Exact(),
		run: func(ctx context.Context, n int) (*bench.Outcome, error) { return weights(ctx, n, rollNeighbors) },
	}
	weightsByNeighbors = sweep{
		key: "neml-neighbors", title: "NEML, the weights of all samples", size: "k", sizes: ascending(8, 64), quick: 32,
		data: "swiss-roll", method: "neml", params: map[string]any{"samples": rollSamples, "columns": rollColumns, "noise": rollNoise}, error: bench.Exact(),
		run: func(ctx context.Context, k int) (*bench.Outcome, error) { return weights(ctx, rollSamples, k) },
	}
)

// weights embeds the roll by NEML and gives the time of its weights.
func weights(ctx context.Context, n, k int) (*bench.Outcome, error) {
	s, err := datasets.Generate("swiss-roll", n, 1, nil)
	if err != nil {
		return nil, err
	}
	r, err := engine.Embed(ctx, lifted(s.X), engine.NEML{Neighbors: k, Dim: 2}, engine.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{
		Samples: n, Features: rollColumns, Backend: r.Backend, Seconds: engine.Seconds{"total": r.Seconds["patches"]},
		CPUSeconds: engine.Seconds{"total": r.CPUSeconds["patches"]}, Note: "the phase of the patches alone",
	}
	out.AddSolveResiduals(r)
	return out, nil
}

// lifted turns the roll into a space of more columns, with noise in all of them.
func lifted(x *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	stream := blas.NewStream(2)
	axes, y := mat.NewDense(m, rollColumns, nil), mat.NewDense(n, rollColumns, nil)
	stream.Normals(axes.RawMatrix().Data)
	var q mat.QR
	q.Factorize(axes.T())
	var basis mat.Dense
	q.QTo(&basis)
	y.Mul(x, basis.Slice(0, rollColumns, 0, m).T())
	noise := make([]float64, n*rollColumns)
	stream.Normals(noise)
	for i, v := range noise {
		y.RawMatrix().Data[i] += rollNoise * v
	}
	return y
}
