package diagnosis

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Findings are the scores of an embedding and the conclusions from them.
type Findings struct {
	*quality.Scores
	Doubtful bool            // a check failed
	Sentence string          // the doubts about the embedding with the cause found, or the reason why it cannot be judged; empty: neither
	Offers   []Offer         // remedies that were tried, or suggested without a trial
	X        samples.Samples // the samples judged, in order
	Map      *trust.Scores   // of a map; nil: none

	neighbors int            // of the method; 0: they are those of the graph
	settings  trust.Settings // of the method, if it makes maps
}

// Judge measures an embedding. It warns if the eigenvalues, coordinates,
// neighbours or charts make it doubtful, and if it has too few coordinates for its data.
// Remedies are tried before they are suggested, if possible. With a metric other than the Euclidean
// only the graph is examined, because lengths between the samples do not apply.
func Judge(in patch.Local, rule patch.Rule, s *solve.Solution, aim quality.Aim, trials Trials) (*Findings, error) {
	if in.Metric() != neighbors.Euclidean {
		in.X = in.X.WithoutEntries()
	}
	lacking := in.X.Incomplete()
	if lacking {
		in.X = in.X.WithoutEntries()
	}
	end := in.Phase("quality")
	scores, err := quality.Measure(in, rule, s, aim, trials.Least)
	end()
	if err != nil {
		return nil, err
	}
	for i := range scores.NotJudged {
		if lacking {
			scores.NotJudged[i].Why = "entries of the samples are missing"
		}
	}
	f := &Findings{Scores: scores, X: in.X, neighbors: trials.Neighbors, settings: trials.Settings}
	if scores.Kept.Score() < trials.Least {
		f.Doubtful = true
		return f, nil
	}
	against := ""
	if aim == quality.Picture && !trials.Bare {
		if against, err = f.look(in, s); err != nil {
			return nil, err
		}
	}
	c := Case{Local: in, Patch: rule, Y: s.Y, Values: s.Values, Scores: scores, Aim: aim, Trials: trials}
	crowded := c.crowded()
	doubts := c.doubts(s, crowded)
	if against != "" {
		f.Doubtful, f.Sentence = true, in.Say(strings.Join(append(doubts, against), "; "))
		in.Warn("%s", f.Sentence)
		return f, nil
	}
	if len(doubts) == 0 && !crowded {
		worse, err := c.worseThanPCA()
		if err != nil || worse == "" {
			return f, err
		}
		f.Doubtful, f.Sentence = true, worse
		in.Warn("%s", worse)
		return f, nil
	}
	if trials.Bare {
		f.Doubtful = len(doubts) > 0
		if crowded { // and thus not sound, whichever sentence says so
			f.NotJudged = append(f.NotJudged, quality.Unjudged{What: aimed[aim]})
		}
		return f, nil
	}
	defer in.Phase("diagnosis")()
	if crowded {
		text, against, err := c.crowd()
		if err != nil {
			return nil, err
		}
		if against {
			doubts = append(doubts, text)
		} else {
			f.NotJudged = append(f.NotJudged, quality.Unjudged{What: aimed[aim], Why: text})
			f.Sentence = strings.Join(append(doubts, text), "; ")
		}
	}
	if f.Doubtful = len(doubts) > 0; f.Doubtful && !crowded {
		if err := scores.Charts.ComputeThinned(in, c.dim()); err != nil {
			return nil, err
		}
		causes, offers, err := Causes(c)
		if err != nil {
			return nil, err
		}
		doubts, f.Offers = append(doubts, causes...), offers
	}
	if f.Sentence == "" {
		f.Sentence = strings.Join(doubts, "; ")
	}
	f.Sentence = in.Say(f.Sentence)
	if f.Doubtful || aim == quality.Lengths { // other aims promise no more than they keep
		in.Warn("%s", f.Sentence)
	}
	return f, nil
}

// look measures a map, and returns the doubt about it.
func (f *Findings) look(in patch.Local, s *solve.Solution) (string, error) {
	defer in.Phase("quality")()
	n, dim := s.Y.Dims()
	why := ""
	switch {
	case in.Graph == nil || in.Graph.MaxDegree() < 2:
		why = "there are no lists of neighbours"
	case n < trust.MinSamples:
		why = fmt.Sprintf("there are fewer than %d samples", trust.MinSamples)
	case in.Exceeds(trust.Bytes(n, dim, in.Threads())):
		why = "the limit of memory leaves no room"
	}
	if why != "" {
		f.NotJudged = append(f.NotJudged, quality.Unjudged{What: aimed[quality.Picture], Why: why})
		return "", nil
	}
	var err error
	if f.Map, err = trust.Measure(in, s.Y, f.Kept.Dimension); err != nil {
		return "", err
	}
	_, lists, _ := in.Graph.Degrees()
	if of := f.neighbors; of > 0 {
		lists = min(lists, of)
	}
	return f.Map.Doubt(trust.Made{Dim: dim, Dimension: f.Kept.Dimension, Lists: lists, Settings: f.settings, Iterations: s.Iterations, Number: f.X.Number}), nil
}

// aimed names what cannot be judged if there are too few coordinates for it.
var aimed = map[quality.Aim]string{quality.Lengths: "lengths along the data", quality.Neighborhoods: "neighbours kept", quality.Variance: "variance kept", quality.Whitened: "variance kept", quality.Picture: "neighbourhoods and groups of the map"}

// doubts returns the doubts about the embedding. For a crowded one it omits checks that
// so few coordinates cannot pass.
func (c *Case) doubts(s *solve.Solution, crowded bool) []string {
	var doubts []string
	add := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	charts := &c.Scores.Charts
	uneven := charts.Uneven() && !crowded
	n, _ := c.Y.Dims()
	if of := s.Spectrum; of != nil && of.Doubt != "" {
		// A small gap or mixed coordinates are no error if the charts are even.
		if !of.IfUneven || !crowded && (!charts.Computed() || uneven) {
			add("%s", of.Doubt)
		}
	}
	// Selected weights and nonnegative factors separate clusters, which is correct.
	chosen := c.Graph != nil && c.Graph.Weight != nil || len(s.Objective) > 0
	if j := c.Scores.FewSamples(n); j >= 0 && !chosen {
		most, share := quality.Largest(c.Y, j)
		add("coordinate %d is spread over about %.0f of %d samples, %.0f %% of its squares in sample %d (counting from 1)",
			j+1, c.Scores.Participation[j]*float64(n), n, 100*share, c.X.Number(most))
		uneven, c.Aside = false, true
	}
	if p := c.Scores.Places; c.Scores.Collapsed() && !chosen && !c.copies() {
		add("nearly all samples are in few places of the embedding: %d samples in %d of the places that a picture distinguishes, as if spread over %.1f", p.Samples, p.Count, p.Effective)
		uneven, c.Aside = false, true
	}
	// Eigenvectors of a Laplacian, whose patches are edges, are similar to cosines: a function of an
	// earlier one is correct.
	if s.Spectrum != nil && c.Patch.Sets != nil && !chosen && !crowded {
		if of := quality.Dependent(c.Y); of != nil {
			c.Bent = true
			add("coordinate %d is a function of coordinate %d, up to %.2g of its variance", of.Coordinate+1, of.On+1, of.Left)
			uneven = false
		}
	}
	switch {
	case charts.TooThin(c.dim()) && !c.Bent && !crowded:
		add("the data have fewer dimensions than the embedding")
	case uneven:
		add("the coordinates stretch the data unevenly: in 30 %% of the places the stretch differs from the mean by %.2g of it or more (on sound sheets by at most %.2g), and most at sample %d (counting from 1)",
			charts.Unevenness[charts.Best], quality.MaxUneven, c.X.Number(charts.Worst(1)[0]))
	}
	if c.Scores.Lost() && len(doubts) == 0 && !crowded {
		add("neighbours are not kept: of the nearest samples in the data %.2g are the nearest in the embedding, where chance gives %.2g", c.Scores.Kept.Score(), c.Scores.Chance())
	}
	return doubts
}

// copies reports whether the number of distinct samples is at most twice the number of places in the embedding.
func (c *Case) copies() bool {
	if c.X.Absent() {
		return false
	}
	return c.X.N()-c.X.Copies().Count <= 2*c.Scores.Places.Count
}
