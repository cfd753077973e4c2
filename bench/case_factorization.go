package bench

import (
	"context"

	"github.com/orthant-go/orthant/engine"
)

// Factorization is a case that factorises a data set, X ≈ WH with so many
// components, by a method of the engine; the rest is as in [Embedding]. It measures
// the relative error, "reconstruction", and declares it.
func Factorization(name string, data Source, method string, rank int, params map[string]any) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method), Accuracy: []Accuracy{Shown("reconstruction")},
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			m, o, err := configured(c)
			if err != nil {
				return nil, err
			}
			o.Memory = e.Memory
			r, err := engine.Factorize(ctx, d.X, m, engine.FactorizeOptions{Options: o, Rank: rank})
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features,
				DataHash: d.Hash, Backend: r.Backend,
			}
			if !c.FirstRepeat() {
				return out, nil
			}
			before := CostSoFar()
			v, err := reconstructionOf(ctx, c, d, r.W, r.H)
			out.Quality, out.aside = map[string]float64{"reconstruction": v}, CostSoFar().Sub(before)
			return out, err
		},
	}
}
