package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
)

// Remedy is a change of one parameter against what is doubtful of an embedding. Tried: the samples
// were embedded with it, and Sound, Even and NeighborsKept are what that gave. Numbers that were not
// measured are NaN.
type Remedy struct {
	Setting       string // KEY=VALUE
	Tried         bool
	Offered       bool // the sentence names it; one that was tried without success is not offered
	Sound         bool
	Even          float64
	NeighborsKept float64
}

func remediesOf(offers []diagnosis.Offer) []Remedy {
	var list []Remedy
	for _, o := range offers {
		list = append(list, Remedy{Setting: o.Taken.Setting(), Tried: o.Tried, Offered: o.Named, Sound: o.Sound, Even: o.Even, NeighborsKept: o.Kept})
	}
	return list
}

// mostRetried is the number of samples up to which remedies are tried: each takes about as long as
// the embedding.
const mostRetried = 3000

// trials is how remedies are tried on the samples, or why they are not.
func (s steps) trials(job *run.Run, x samples.Samples) diagnosis.Trials {
	switch {
	case s.trial:
		return diagnosis.Trials{Bare: true}
	case s.again == nil:
		return diagnosis.Trials{Why: "the neighbours are given"}
	case x.Absent():
		return diagnosis.Trials{Why: "the samples are not given"}
	case x.Compressed() != nil:
		return diagnosis.Trials{Why: "the samples are sparse"}
	case x.N() > mostRetried:
		return diagnosis.Trials{Why: fmt.Sprintf("more than %d samples", mostRetried)}
	}
	return diagnosis.Trials{Embed: func(r diagnosis.Remedy) (diagnosis.Outcome, error) {
		taken, q, err := s.again(run.Trial(job), x, r)
		if err != nil || q == nil {
			return diagnosis.Outcome{}, job.Err() // what cannot be embedded is no remedy
		}
		return diagnosis.Outcome{Taken: taken, Sound: q.Verdict == Sound, Even: q.Even, Kept: q.NeighborsKept}, nil
	}}
}

// again embeds samples by the method, changed as a remedy says. The quality is nil where that
// changes nothing, or is impossible.
func (b begun) again(m Method, s scaling) func(*run.Run, samples.Samples, diagnosis.Remedy) (diagnosis.Remedy, *Quality, error) {
	if len(b.options.structures()) > 0 {
		return nil // the neighbours are given
	}
	return func(job *run.Run, x samples.Samples, r diagnosis.Remedy) (diagnosis.Remedy, *Quality, error) {
		own := b
		own.Run = job
		if r.Denoise {
			own.options.Denoise = "auto"
			moved, by, err := own.smoothed(x, m, s)
			if err != nil || by == nil {
				return r, nil, err
			}
			x = moved
		}
		if r.Auto {
			full := rowOf(m)
			k, err := scale.Neighbors(job.Context(), x.Points(), full.dim, *full.neighbors, own.finder())
			if err != nil {
				return r, nil, err
			}
			if k, err = own.joined(x, k, *full.neighbors); err != nil {
				return r, nil, err
			}
			if r.Neighbors = k; k >= *full.neighbors {
				return r, nil, nil
			}
		}
		changed := m
		if r.Neighbors > 0 {
			changed = withCount(changed, neighborsKey, r.Neighbors)
		}
		if r.Dim > 0 {
			changed = withCount(changed, dimKey, r.Dim)
		}
		if r.Gamma {
			if changed = copied(changed); Set(changed, "gamma", "auto") != nil {
				return r, nil, nil
			}
		}
		method := rowOf(changed)
		if method.dim >= x.N() || method.check != nil && method.check(x.N(), x.M()) != nil {
			return r, nil, nil
		}
		choice := method.embed()
		choice.trial = true
		choice.neighbors, choice.patch = own.lists(choice.neighbors), own.edges(choice.patch)
		found, err := choice.neighbors.Find(job, x)
		if err != nil {
			return r, nil, err
		}
		if _, sizes := found.Graph.Components(); len(sizes) > 1 {
			return r, nil, nil
		}
		o, err := choice.take(job, locality{x: x, found: found}, nil)
		if err != nil {
			return r, nil, err
		}
		return r, o.quality, nil
	}
}
