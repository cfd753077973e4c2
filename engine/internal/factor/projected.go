package factor

import (
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/alm"
)

// Projected factorises a projection of the samples, which is learned together with the factors.
type Projected struct {
	ByALM
	Neighbors neighborhood.RootNearest
	Dim       *int // of the subspace; nil: the number of clusters, at least 2
}

// Factorize learns the subspace together with the indicators of the scaled samples.
func (r Projected) Factorize(w Work) (*Found, error) {
	if err := w.checkIndicators(); err != nil {
		return nil, err
	}
	if w.InitW != nil || w.InitH != nil {
		return nil, wording.Errorf("%s: it starts from its own projection; leave ‹init_w› and ‹init_h› out", w.Method())
	}
	_, lists := alm.AdaptiveBytes(w.X.N(), w.X.M(), r.Neighbors.Number(w.X.N()), w.Threads())
	if err := w.FitBeforeSolve(w.X.N(), w.X.M(), w.projectedBytes()+lists+alm.ProjectionBytes(w.X.N(), w.X.M()), "take fewer samples or columns, or raise the limit"); err != nil {
		return nil, err
	}
	w.preprocess(r.Scale, r.Centered)
	o := w.indicatorOptions(r.Options)
	q, err := r.begin(w, &o)
	if err != nil {
		return nil, w.WrapSolverError(err)
	}
	found, err := w.indicators(q.Data(), q, o)
	if err != nil {
		return nil, err
	}
	found.Relative, found.H = found.RelativeError(), q.Directions(w.X.M())
	return found, nil
}

// projectedBytes returns the memory of the passes, which hold less than without a projection.
func (w Work) projectedBytes() int64 {
	return w.indicatorBytes() - 16*int64(w.X.N())*int64(w.X.M())
}

// begin divides the samples by their spectral norm, projects them and completes the
// start.
func (r Projected) begin(w Work, o *alm.Options) (*alm.Projection, error) {
	defer w.Phase("start")()
	n, m := w.X.N(), w.X.M()
	norm, err := alm.Normalize(w.Context(), n, m, w.X.Data(), *o)
	if err != nil {
		return nil, err
	}
	r.noteNorm(w.Run, norm)
	d := min(n, m, max(o.Rank, 2))
	if r.Dim != nil {
		d = *r.Dim
	}
	o.Lambda = r.weight(w, 1, nil)
	q, err := alm.NewProjection(w.Context(), n, m, w.X.Data(), d, r.Neighbors.Number(n), *o)
	if err != nil {
		return nil, err
	}
	if o.Harden > 0 || r.Starts.Init != "nndsvd" {
		y := q.Data()
		return q, r.beginRays(w, y, nil, o)
	}
	start, err := q.Start(w.Context(), o.Rank, *o)
	if err != nil {
		return nil, err
	}
	w.takeStart(start, o)
	return q, nil
}
