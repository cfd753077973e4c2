package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Embed maps the rows of x to rows of Result.Y by the given method. x may be any
// gonum matrix; a *mat.Dense is used in place and left as it was.
//
// Input that cannot be embedded is an error that says why and what would help:
// entries that are not finite, parameters out of their range or too large for
// the data, and by default a neighbour graph in several components (see
// Options.Components). When ctx is cancelled Embed stops soon and returns the
// context's error.
func Embed(ctx context.Context, x mat.Matrix, m Method, o Options) (*Result, error) {
	clock := NewClock()
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	points := pointsOf(x)
	p := &problem{
		ctx: ctx, x: points, options: o, kernels: kernels, clock: clock,
		report: &report{details: map[string]any{}},
	}
	r := &Result{Samples: points.N, Features: points.M, Backend: kernels.Name(), Threads: blas.Threads(o.Threads)}
	s, err := p.embed(m, r)
	if err != nil {
		return nil, err
	}
	r.Y, r.Values, r.Residuals, r.Next, r.Converged = s.y, s.values, s.residuals, s.next, s.converged
	r.Plan, r.Solves, r.Products, r.Angle = s.plan, s.solves, s.products, s.angle
	r.Objective, r.Orthogonality, r.Iterations = s.objective, s.orthogonality, s.iterations
	r.extension, r.noExtension = s.extension, s.noExtension
	r.Warnings, r.Details = p.warnings, p.details
	r.Seconds, r.CPUSeconds = clock.Seconds()
	return r, nil
}

// pointsOf returns the samples as rows without a gap, sharing storage where it can.
func pointsOf(x mat.Matrix) neighbors.Points {
	n, m := x.Dims()
	if raw, ok := x.(mat.RawMatrixer); ok && raw.RawMatrix().Stride == m {
		return neighbors.Points{N: n, M: m, Data: raw.RawMatrix().Data}
	}
	dense := mat.DenseCopyOf(x)
	return neighbors.Points{N: n, M: m, Data: dense.RawMatrix().Data}
}

// embed checks the input, resolves the parameters, and runs the method with the
// policies for duplicates, landmarks and components around it.
func (p *problem) embed(m Method, r *Result) (*solution, error) {
	if err := p.checkInput(m); err != nil {
		return nil, err
	}
	if err := p.takeLabels(m); err != nil {
		return nil, err
	}
	copies, err := p.mergeCopies(r)
	if err != nil {
		return nil, err
	}
	sample, err := p.takeLandmarks(m, copies)
	if err != nil {
		return nil, err
	}
	if m, err = p.takeParameters(m, r); err != nil {
		return nil, err
	}
	choice := m.(embedder).steps()
	if err := p.checkChoice(m, choice); err != nil {
		return nil, err
	}
	s, err := p.byComponents(choice, r)
	if err != nil {
		return nil, err
	}
	if sample != nil {
		if s.y, err = sample.extend(p, s, r.Params["neighbors"].(int)); err != nil {
			return nil, err
		}
	}
	if p.options.Duplicates == "merge" && copies.count > 0 {
		s.y = copies.restore(s.y)
	}
	return s, nil
}

// takeParameters fills in what depends on the data, checks the parameters against
// them, and records all in the result. It returns the method with its parameters.
func (p *problem) takeParameters(m Method, r *Result) (Method, error) {
	m, err := resolved(m, p.x.N, p.warn)
	if err != nil {
		return nil, err
	}
	r.Method, r.Params = m.Name(), Values(m)
	for _, f := range fields(&p.options) {
		r.Params[f.Key] = f.current()
	}
	if p.dim = r.Params["dim"].(int); p.dim >= p.x.N {
		return nil, fmt.Errorf("%s: dim %d asked of %d samples; give at most %d", p.name, p.dim, p.x.N, p.x.N-1)
	}
	r.Dim, p.params = p.dim, r.Params
	if c, ok := m.(checker); ok {
		return m, c.check(p.x.N, p.x.M)
	}
	return m, nil
}

// part returns a problem for some of the samples, with its own report of
// details; warnings go to the whole.
func (p *problem) part(members []int) *problem {
	q := *p
	q.x = neighbors.Points{N: len(members), M: p.x.M, Data: make([]float64, 0, len(members)*p.x.M)}
	for _, i := range members {
		q.x.Data = append(q.x.Data, p.x.Row(i)...)
	}
	q.graph = p.graph.Restrict(members)
	q.report = &report{details: maps.Clone(p.details)}
	if p.landmarks != nil {
		q.landmarks = []int{}
		for at, i := range members {
			if _, found := slices.BinarySearch(p.landmarks, i); found {
				q.landmarks = append(q.landmarks, at)
			}
		}
	}
	return &q
}
