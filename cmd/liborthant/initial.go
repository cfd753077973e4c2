package main

import (
	"context"

	"github.com/orthant-go/orthant/engine"
)

// spectralInit makes the start of UMAP and t-SNE from a graph of weights.
func (q problem) spectralInit() (work, error) {
	if err := q.only(); err != nil {
		return nil, err
	}
	var o engine.SpectralInitOptions
	s, err := q.begin(func(p *parameters) (err error) {
		if o.Components, err = p.word("components", "each", "error", "joint"); err == nil {
			o.Scale, err = p.word("scale", "none", "umap", "tsne")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	w, err := q.a.within("graph", s.limit)
	if err != nil {
		return nil, err
	}
	o.Seed, o.Backend, o.Threads, o.Memory = s.Seed, s.backend, s.Threads, s.limit
	return s.under(func(ctx context.Context) (*made, error) {
		o := o
		o.Progress = func(p engine.Progress) { s.Progress(p.Done) }
		start, err := engine.SpectralInit(ctx, w, s.count, o)
		if err != nil {
			return nil, err
		}
		m := s.made(w.Rows, w.Cols, start.Converged)
		m.arrays = map[string]array{"embedding": arrayOf(start.Y), "eigenvalues": column(start.Values), "sizes": columnOf(start.Sizes)}
		m.numbers["components"] = float64(len(start.Sizes))
		return m, nil
	}), nil
}
