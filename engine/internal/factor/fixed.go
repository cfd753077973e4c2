package factor

import (
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// start checks the factors that were given and copies them; of one alone the solver makes the
// other. nil: none was.
func (r ByNMF) start(w Work) (coordinates, components []float64, err error) {
	if coordinates, err = w.givenOr("W", r.Fixed == nmf.WFixed); err != nil {
		return nil, nil, err
	}
	components, err = w.givenOr("H", r.Fixed == nmf.HFixed)
	return coordinates, components, err
}

// givenOr is a factor that was given, of nonnegative entries, or nil. One that is to stay as
// it is has to be there.
func (w Work) givenOr(name string, fixed bool) ([]float64, error) {
	a, rows, cols, flag := w.InitW, w.X.N(), w.Rank, "w"
	if name == "H" {
		a, rows, cols, flag = w.InitH, w.Rank, w.X.M(), "h"
	}
	role := "start"
	if fixed {
		role = "fixed"
	}
	switch {
	case a == nil && fixed:
		return nil, wording.Errorf("%s: ‹fixed=%s› needs %s, the factor that stays (‹init_%s›); give it, or choose ‹fixed=none›", w.Method(), flag, name, flag)
	case a == nil:
		return nil, nil
	}
	return w.givenFactor(role, name, a, rows, cols, false)
}

// checkFixed refuses what a fixed factor does not go with.
func (r ByNMF) checkFixed(w Work) error {
	if r.Fixed == "" || r.Fixed == nmf.NoneFixed {
		return nil
	}
	switch {
	case r.Extrapolate:
		return wording.Errorf("%s: ‹fixed=%s› goes with no extrapolation; leave out ‹extrapolate›", w.Method(), r.Fixed)
	case r.Order == nmf.CodesFirst:
		return wording.Errorf("%s: ‹order=codes-first› scales the start, and ‹fixed=%s› keeps a factor as it is; choose ‹order=basis-first› or w-first", w.Method(), r.Fixed)
	case r.Normalize != nmf.Never:
		return wording.Errorf("%s: ‹fixed=%s› keeps a factor as it is; choose ‹normalise=none› or auto", w.Method(), r.Fixed)
	}
	return nil
}
