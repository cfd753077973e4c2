package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// transform prepares the mapping of new samples by a model.
func (g given) transform() (work, error) {
	p, err := readParameters("transform", g.parameters)
	if err != nil {
		return nil, err
	}
	var o engine.Options
	if o.Threads, err = p.threads(); err != nil {
		return nil, err
	}
	limit, err := p.whole("memory", 1<<62)
	if err != nil {
		return nil, err
	}
	o.Memory = int64(limit)
	o.Backend, _ = p.take("backend")
	if err := p.rest(); err != nil {
		return nil, err
	}
	if err := g.read(o.Memory); err != nil {
		return nil, err
	}
	return func(ctx context.Context, progress func(engine.Progress)) (made *made, err error) {
		defer func() {
			if err != nil && statusOf(err) == statusInternal {
				g.model.poisoned.Store(true)
			}
		}()
		defer caught(&err)
		return g.model.transform(ctx, g, o, progress)
	}, nil
}

// transform maps new samples: to coordinates, or by the model of a clustering to labels.
func (m *model) transform(ctx context.Context, g given, o engine.Options, progress func(engine.Progress)) (*made, error) {
	clock := engine.NewClock()
	defer bounded(o.Memory)()
	if err := m.fits(g, o.Memory); err != nil {
		return nil, err
	}
	t, err := m.transformer(o)
	if err != nil {
		return nil, err
	}
	x, _ := g.samples()
	t = t.Reporting(progress)
	arrays := map[string]array{}
	if m.model.Clusters() > 0 {
		labels, err := t.Predict(ctx, x)
		if err != nil {
			return nil, err
		}
		arrays["labels"] = array{rows: len(labels), cols: 1, integers: labels}
	} else {
		y, err := t.Apply(ctx, x)
		if err != nil {
			return nil, err
		}
		arrays["embedding"] = arrayOf(y)
	}
	return madeOfMapping(m.model, arrays, x, clock), nil
}

// fits refuses samples for which, with the model and their coordinates, the limit has no room; 0: there is
// none. What the mapping takes besides is refused where the model is made ready.
func (m *model) fits(g given, limit int64) error {
	if limit == 0 {
		return nil
	}
	n, _ := g.dims()
	need := memory.Process(2*m.model.Bytes() + g.bytes() + 8*int64(n)*int64(m.model.Dim))
	if need > limit {
		return &failure{statusNoMemory, fmt.Sprintf("%s: the model, %d samples and their coordinates need about %s where the limit is %s; map fewer at a time, or raise the limit",
			m.model.Method, n, limits.FormatBytes(need), limits.FormatBytes(limit))}
	}
	return nil
}

func madeOfMapping(m *engine.Model, arrays map[string]array, x mat.Matrix, clock *engine.Clock) *made {
	seconds, cpu := clock.Seconds()
	n, _ := x.Dims()
	return &made{
		arrays:  arrays,
		numbers: map[string]float64{"warnings": 0, "seconds": seconds["total"]},
		report: func() map[string]any {
			return map[string]any{"method": m.Method, "samples": n, "features": m.Features, "dim": m.Dim, "clusters": m.Clusters(), "kind": m.Kind(),
				"seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}}
		},
		noModel: "it was made by one",
	}
}
