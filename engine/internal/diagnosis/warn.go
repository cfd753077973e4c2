package diagnosis

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Findings are the scores of an embedding, and what they say against it.
type Findings struct {
	*quality.Scores
	Verdict string // one sentence, with what was found to be the cause; empty: nothing
}

// Judge measures an embedding and warns of one that its eigenvalues, its coordinates or its
// charts make doubtful. unrolls: the coordinates are to be an affine image of lengths along
// the data.
func Judge(in patch.Local, rule patch.Rule, s *solve.Solution, unrolls bool) (*Findings, error) {
	end := in.Phase("quality")
	scores, err := quality.Measure(in, rule, s, unrolls)
	end()
	if err != nil {
		return nil, err
	}
	f := &Findings{Scores: scores}
	c := Case{Local: in, Patch: rule, Y: s.Y, Values: s.Values, Scores: scores}
	doubts := c.doubts(s)
	if len(doubts) == 0 {
		return f, nil
	}
	defer in.Phase("diagnosis")()
	if err := scores.Charts.TakeThinned(in, c.dim()); err != nil {
		return nil, err
	}
	causes, err := Causes(c)
	if err != nil {
		return nil, err
	}
	f.Verdict = in.Say(strings.Join(append(doubts, causes...), "; "))
	in.Warn("%s", f.Verdict)
	return f, nil
}

// doubts are what speaks against the embedding, each once.
func (c *Case) doubts(s *solve.Solution) []string {
	var doubts []string
	charts := &c.Scores.Charts
	uneven := charts.Uneven()
	if of := s.Spectrum; of != nil {
		// A small gap alone is no error: where the charts are even, nothing is wrong.
		if of.Doubt != "" && !(of.SmallGap && charts.Laid() && !uneven) {
			doubts = append(doubts, of.Doubt)
		}
		// The vectors of a Laplacian are cosines, and those of weights that were chosen tell
		// clumps apart: nothing is wrong with either.
		if !of.Laplacian && c.Graph.Weight == nil {
			n, _ := c.Y.Dims()
			if j := c.Scores.FewSamples(n); j >= 0 && !c.X.Absent() {
				most, share := quality.Largest(c.Y, j)
				doubts = append(doubts, fmt.Sprintf("coordinate %d is spread over about %.0f of %d samples, %.0f %% of its squares in sample %d (counting from 1)",
					j+1, c.Scores.Participation[j]*float64(n), n, 100*share, c.X.Number(most)))
				uneven, c.Aside = false, true
			}
			if of := quality.Dependent(c.Y); of != nil {
				c.Bent = true
				doubts = append(doubts, fmt.Sprintf("coordinate %d is a function of coordinate %d, up to %.2g of its variance", of.Coordinate+1, of.On+1, of.Left))
				uneven = false
			}
		}
	}
	switch {
	case charts.TooThin() && !c.Bent:
		doubts = append(doubts, "the data have fewer dimensions than the embedding")
	case uneven:
		doubts = append(doubts, fmt.Sprintf("the coordinates stretch the data unevenly: in 30 %% of the places the stretch differs from the mean by %.2g of it or more (on sound sheets by at most %.2g), and most at sample %d (counting from 1)",
			charts.Unevenness[charts.Best], quality.MostUneven, c.X.Number(charts.Worst(1)[0])))
	}
	return doubts
}
