package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
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
// policies for duplicates and components around it.
func (p *problem) embed(m Method, r *Result) (*solution, error) {
	if m == nil {
		return nil, fmt.Errorf("engine: no method given")
	}
	if _, ok := m.(embedder); !ok {
		return nil, wrongTask(m, "embed")
	}
	p.name = m.Name()
	if p.x.N < 2 || p.x.M < 1 {
		return nil, fmt.Errorf("%s: %d × %d data cannot be embedded; give at least 2 samples and 1 column", p.name, p.x.N, p.x.M)
	}
	if err := p.checkFinite(); err != nil {
		return nil, err
	}
	if err := p.takeLabels(m); err != nil {
		return nil, err
	}
	copies := findCopies(p.x)
	if r.Duplicates = copies.count; copies.count > 0 {
		if p.options.Duplicates == "merge" {
			if err := p.mergeLabels(copies); err != nil {
				return nil, err
			}
			p.x = copies.distinct(p.x)
			p.warn("%d samples equal an earlier one: merged, %d distinct ones embedded", copies.count, p.x.N)
		} else {
			p.warn("%d samples equal an earlier one (duplicates=merge would embed distinct ones only)", copies.count)
		}
	}
	_, hasGraph := Values(m)["neighbors"]
	var sample *landmarks
	if hasGraph {
		chosen, err := p.chooseLandmarks(copies)
		if err != nil {
			return nil, err
		}
		if p.landmarks = chosen; chosen != nil && !m.(embedder).steps().ownLandmarks {
			sample = p.onlyLandmarks()
		}
	} else if p.options.Landmarks > 0 || p.options.LandmarkRows != nil {
		p.warn("%s has no neighbourhoods: landmarks do nothing", p.name)
	}
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
		if err := c.check(p.x.N, p.x.M); err != nil {
			return nil, err
		}
	}
	choice := m.(embedder).steps()
	if choice.needConnected && p.options.Components == "joint" {
		return nil, fmt.Errorf("%s: components=joint does not apply: no path leads from one component to another; choose largest or each", p.name)
	}
	if err := p.checkMemory(m, choice); err != nil {
		return nil, err
	}
	if p.options.Model && choice.neighbors == nil && choice.extend == nil {
		return nil, fmt.Errorf("%s: there is no rule for new samples; leave the model out, and embed them together with the others", p.name)
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

func (p *problem) checkFinite() error {
	for at, v := range p.x.Data[:p.x.N*p.x.M] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", p.name, at/p.x.M+1, at%p.x.M+1, v)
		}
	}
	return nil
}

// chooser is a method that chooses a sample's neighbours among the k nearest.
type chooser interface {
	// degree bounds what it mostly chooses, in data of m columns.
	degree(m int) int
}

// checkMemory refuses what the parts that are known before the work would
// already exceed; the eigensolver refuses its own part once it knows it.
func (p *problem) checkMemory(m Method, s steps) error {
	n, cols := int64(p.x.N), int64(p.x.M)
	need := 8 * n * cols
	mend := lessWork
	if h, ok := m.(heavy); ok {
		o := p.options
		if s.ownLandmarks {
			o.Landmarks = len(p.landmarks)
			mend = "embed landmarks and place the others by them (--set landmarks=M), take fewer samples, or raise the limit"
		}
		need += h.memory(n, cols, o)
	}
	if k, ok := Values(m)["neighbors"].(int); ok && s.patch == nil {
		need += n * int64(k) * 48 // the lists, and the graph of their union
	} else if ok {
		size := int64(k) + 1
		if chosen, ok := m.(chooser); ok {
			size = min(size, int64(chosen.degree(p.x.M))+1)
		}
		// The graph, the patches, and an alignment matrix with every entry shared by
		// no more than two patches.
		need += n*int64(k)*12 + n*size*(size+1)*4 + 12*n*min(n, size*size/2)
	} else {
		order := min(n, cols)
		need += 8*n*cols + 16*order*order
	}
	return p.limit(need, mend)
}

// lessWork is what helps where memory does not suffice for most methods.
const lessWork = "take fewer neighbours, fewer samples, or raise the limit"

// limit refuses work before the solve that needs more than the limit.
func (p *problem) limit(need int64, mend string) error {
	p.explain("data: %d × %d; before the solve about %s", p.x.N, p.x.M, solvers.FormatBytes(need))
	if p.options.Memory > 0 && need > p.options.Memory {
		return fmt.Errorf("%s: %d samples need about %s before the solve where the limit is %s; %s",
			p.name, p.x.N, solvers.FormatBytes(need), solvers.FormatBytes(p.options.Memory), mend)
	}
	return nil
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
