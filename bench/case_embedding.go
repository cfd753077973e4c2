package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// Embedding is a case that embeds a data set by a method of the engine. params
// are keys of the method or of all methods, and besides neighbors_method, which
// is exact or approximate; the measures look at the result of the first repeat.
// The times are those of [engine.Embed]: loading and measuring are not in them.
// A method that is not built yet makes the case a missing one.
//
// The caller may change what is returned: set Group, Fresh, Repeats, Threads.
func Embedding(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method),
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
			r, err := engine.Embed(ctx, d.X, m, o)
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features,
				DataHash: d.Hash, Backend: r.Backend,
			}
			if c.Fresh {
				out.PeakBytes = memory.Peak() // before the measures take theirs
			}
			if !r.Converged && r.Residuals != nil {
				out.Note = fmt.Sprintf("An eigenpair missed its residual: %.2g is the largest.", slices.Max(r.Residuals))
			}
			if c.FirstRepeat() {
				out.TakeSolve(r)
			}
			return out, assess(ctx, c, list, d, r.Y, out)
		},
	}
}

// configured makes the method of a case and its options.
func configured(c *Case) (engine.Method, engine.Options, error) {
	o := engine.Options{Backend: c.Backend, Threads: c.ThreadCount(), Seed: 1}
	m, err := engine.New(c.Method)
	if err != nil {
		return nil, o, err
	}
	own := map[string]bool{}
	for _, p := range engine.Parameters(m) {
		own[p.Key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(c.Params)) {
		text := fmt.Sprint(c.Params[key])
		switch {
		case key == "neighbors_method":
			o.Neighbors = text
		case own[key]:
			err = engine.Set(m, key, text)
		default:
			err = engine.SetCommon(&o, key, text)
		}
		if err != nil {
			return nil, o, err
		}
	}
	return m, o, nil
}
