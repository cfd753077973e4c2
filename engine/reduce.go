package engine

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
)

// reduce replaces samples by their leading principal components, according to Options.Reduce: none, auto, or
// their number.
type reduce struct{ how string }

func (g reduce) apply(s state) (state, undo, error) {
	count, asked := method.RowOf(s.method).Reduce, false
	switch {
	case g.how == "none":
		return s, nil, nil
	case g.how != "auto":
		count, _ = strconv.Atoi(g.how)
		asked = true
	}
	switch {
	case count == 0 || !asked && !s.euclidean(): // another metric applies to the original samples
		return s, nil, nil
	case s.x.Absent():
		if asked {
			s.Warn("there are no samples, only what was given of their neighbours: reduce does nothing")
		}
		return s, nil, nil
	case count >= s.x.M():
		return s, nil, nil
	case s.incomplete() && s.x.Incomplete():
		return s, nil, s.refuseIncomplete(fmt.Sprintf("‹reduce=%d›", count))
	case count >= s.x.N():
		if !asked {
			return s, nil, nil
		}
		return s, nil, wording.Errorf("%s: ‹reduce=%d› of %d samples, which have %d principal components; give fewer", s.Method(), count, s.x.N(), s.x.N()-1)
	}
	defer s.Phase("reduce")()
	n := s.x.N()
	if err := s.Fit(8*int64(n)*int64(count), fmt.Sprintf("%d principal components of %d samples need", count, n), "take fewer components or samples, or raise the limit"); err != nil {
		return s, nil, err
	}
	found, err := solve.PrincipalComponents(solve.Input{Run: s.Run, X: s.x}, count)
	if err != nil {
		return s, nil, err
	}
	s.Explain("data: %d columns replaced by their %d leading principal components", s.x.M(), count)
	s.Run = s.Holding(8 * int64(n) * int64(count))
	s.x = s.x.Replaced(count, found.Y.RawMatrix().Data)
	s.own = true
	return s, reduced{found}, nil
}

// reduced makes a rule for new samples replace them by their principal components. Results belong to the
// components.
type reduced struct{ by *solve.Projected }

func (u reduced) back(f *fitted) error {
	if f.rule != nil {
		f.rule.Reduce = &extend.LinearMap{Mean: u.by.Mean, Projection: u.by.Projection}
	}
	return nil
}
