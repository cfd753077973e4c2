package diagnosis

import (
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Warn warns of an embedding that its eigenvalues or its coordinates make doubtful, with what
// was found to cause it. Where nothing was found, the warning says what was measured alone.
func Warn(in patch.Local, rule patch.Rule, s *solve.Solution) error {
	if s.Spectrum == nil {
		return nil
	}
	c := Case{Local: in, Patch: rule, Values: s.Values}
	_, dim := s.Y.Dims()
	for j := range dim {
		c.Columns = append(c.Columns, mat.Col(nil, j, s.Y))
	}
	var doubts []string
	add := func(doubt string) {
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	add(s.Spectrum.Doubt)
	if !s.Spectrum.Laplacian && (in.Graph == nil || in.Graph.Weight == nil) { // the others have cosines, and tell clumps apart
		add(fewSamples(c.Columns))
		add(dependent(c.Columns))
		c.Bent = dependent(c.Columns) != ""
	}
	if len(doubts) == 0 {
		return nil
	}
	said := strings.Join(doubts, "; ")
	if in.Graph != nil {
		defer in.Phase("diagnosis")()
		causes, err := Causes(c)
		if err != nil {
			return err
		}
		if len(causes) > 0 {
			said += "; found: " + strings.Join(causes, "; ")
		}
	}
	in.Warn("%s", said)
	return nil
}
