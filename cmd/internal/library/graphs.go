package library

import (
	"context"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

// readGraph reads the graph of a task and its parameters.
func (q problem) readGraph() (*solving, *sparse.CSR, error) {
	q.count = 1
	s, err := q.begin(nothing)
	if err != nil {
		return nil, nil, err
	}
	g, err := q.a.within("graph", s.limit)
	return s, g, err
}

// shortestPaths finds the lengths of the paths from all vertices, or from some.
func (q problem) shortestPaths() (work, error) {
	s, g, err := q.readGraph()
	if err != nil {
		return nil, err
	}
	var sources []int
	for _, v := range q.sources {
		sources = append(sources, int(v))
	}
	return s.under(func(ctx context.Context) (*made, error) {
		lengths, err := sparse.ShortestPaths(ctx, g, sources, sparse.PathOptions{Threads: s.Threads, Memory: s.Memory})
		if err != nil {
			return nil, err
		}
		m := s.made(g.Rows, g.Cols, true)
		m.arrays = map[string]array{"lengths": arrayOf(lengths)}
		return m, nil
	}), nil
}

// connectedComponents labels the vertices.
func (q problem) connectedComponents() (work, error) {
	s, g, err := q.readGraph()
	if err != nil {
		return nil, err
	}
	return s.under(func(context.Context) (*made, error) {
		label, sizes, err := sparse.Components(g)
		if err != nil {
			return nil, err
		}
		m := s.made(g.Rows, g.Cols, true)
		m.arrays = map[string]array{"labels": columnOf(label), "sizes": columnOf(sizes)}
		m.numbers["components"] = float64(len(sizes))
		return m, nil
	}), nil
}

// spectralInit makes the start of UMAP and t-SNE from a graph of weights.
func (q problem) spectralInit() (work, error) {
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
