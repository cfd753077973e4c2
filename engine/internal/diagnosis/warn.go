package diagnosis

import (
	"strings"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Warn warns of an embedding that its eigenvalues or its coordinates make doubtful, with what
// was found to cause it. Where nothing was found, the warning says what was measured alone.
// O(Nd) where there is no doubt.
func Warn(in patch.Local, rule patch.Rule, s *solve.Solution) error {
	if s.Spectrum == nil {
		return nil
	}
	c := Case{Local: in, Patch: rule, Y: s.Y, Values: s.Values}
	var doubts []string
	add := func(doubt string) {
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	add(s.Spectrum.Doubt)
	// The vectors of a Laplacian are cosines, and those of weights that were chosen tell
	// clumps apart: nothing is wrong with either.
	if !s.Spectrum.Laplacian && in.Graph.Weight == nil {
		if !c.X.Absent() {
			add(fewSamples(c.X, c.Y))
		}
		bent := dependent(c.Y)
		c.Bent = bent != ""
		add(bent)
	}
	if len(doubts) == 0 {
		return nil
	}
	defer in.Phase("diagnosis")()
	causes, err := Causes(c)
	if err != nil {
		return err
	}
	in.Warn("%s", strings.Join(append(doubts, causes...), "; "))
	return nil
}
