package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Names of what an extension of smoothed samples holds besides: see docs/model-format.md.
const (
	keptArray      = "smoothing_samples"
	basisArray     = "smoothing_basis"
	centerArray    = "smoothing_center"
	planesNumber   = "smoothing_neighbors"
	planeDimNumber = "smoothing_dim"
	varianceNumber = "smoothing_variance"
	radiusNumber   = "smoothing_radius"
	passesNumber   = "smoothing_passes"
	mostPasses     = 16
)

// Smooth makes the extension one of samples that were moved onto planes first, as new
// samples are then.
func (e *Extension) Smooth(p scale.Parts) {
	arrays := map[string]*mat.Dense{keptArray: mat.NewDense(p.Kept.N, p.Kept.M, p.Kept.Data[:p.Kept.N*p.Kept.M])}
	for name, a := range e.Arrays {
		arrays[name] = a
	}
	if p.Basis != nil {
		m := len(p.Center)
		arrays[basisArray], arrays[centerArray] = mat.NewDense(len(p.Basis)/m, m, p.Basis), mat.NewDense(1, m, p.Center)
	}
	e.Arrays = arrays
	for name, v := range map[string]float64{planesNumber: float64(p.Neighbors), planeDimNumber: float64(p.Dim),
		varianceNumber: p.Variance, radiusNumber: p.Radius, passesNumber: float64(p.Passes)} {
		e.Numbers = mapsWith(e.Numbers, name, v)
	}
}

// Smoothed reports whether new samples are moved onto planes first.
func (e *Extension) Smoothed() bool {
	_, there := e.Numbers[planesNumber]
	return there
}

// parts reads what Smooth wrote, for samples of m columns.
func (e *Extension) parts(m int) (p scale.Parts, err error) {
	kept, err := e.array(keptArray, 0, 0)
	if err != nil {
		return p, err
	}
	rows, low := kept.Dims()
	p.Kept = neighbors.Points{N: rows, M: low, Data: kept.RawMatrix().Data}
	if e.Arrays[basisArray] != nil || low != m {
		basis, err := e.array(basisArray, low, m)
		if err != nil {
			return p, err
		}
		center, err := e.array(centerArray, 1, m)
		if err != nil {
			return p, err
		}
		p.Basis, p.Center = basis.RawMatrix().Data, center.RawRowView(0)
	}
	for _, n := range []struct {
		name  string
		most  float64
		whole *int
		into  *float64
	}{{planesNumber, float64(rows), &p.Neighbors, nil}, {planeDimNumber, float64(low), &p.Dim, nil}, {passesNumber, mostPasses, &p.Passes, nil},
		{varianceNumber, math.MaxFloat64, nil, &p.Variance}, {radiusNumber, math.MaxFloat64, nil, &p.Radius}} {
		v, err := e.number(n.name, 0, n.most)
		if err != nil {
			return p, err
		}
		if n.whole != nil {
			*n.whole = int(v)
		} else {
			*n.into = v
		}
	}
	return p, nil
}

// smoothed is the mapping of an extension of smoothed samples, for samples as they are.
func (e *Extension) smoothed(m *Mapping, r Resources) (*Mapping, error) {
	p, err := e.parts(m.Features)
	if err != nil {
		return nil, err
	}
	if low := p.Kept.M; low > scale.MostColumns || p.Neighbors > max(scale.MostKept, p.Dim+2) {
		return nil, fmt.Errorf("model: planes among %d samples of %d columns are beyond what a fit makes, %d and %d", p.Neighbors, low, max(scale.MostKept, p.Dim+2), scale.MostColumns)
	}
	if err := r.fit(3*float64(p.Kept.N)*float64(p.Kept.M), r.workers()*float64(p.Neighbors)*float64(p.Kept.M+p.Neighbors)); err != nil {
		return nil, err
	}
	by, err := p.Smoother(scale.Settings{Kernels: r.Kernels, Threads: r.Threads, Seed: 1})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	outer := *m
	outer.ApplySparse = nil
	outer.RowBytes += 8 * int64(m.Features)
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		z := neighbors.Points{N: points.N, M: points.M, Data: make([]float64, points.N*points.M)}
		if err := by.Apply(ctx, points, z.Data, func(int) {}); err != nil {
			return err
		}
		return m.Apply(ctx, z, dst)
	}
	return &outer, nil
}
