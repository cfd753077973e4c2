package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/method"
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

// untried says that no remedy is tried, for a reason.
func (s state) untried(why string) diagnosis.Trials {
	return diagnosis.Trials{Why: why, Denoised: s.denoised}
}

// neighborsGiven is the reason where the neighbours cannot be changed.
const neighborsGiven = "the neighbours are given"

// trials says how remedies are tried on samples, or why they are not.
func (p embedding) trials(job *run.Run, x samples.Samples) diagnosis.Trials {
	switch {
	case p.given.present():
		return p.untried(neighborsGiven)
	case !p.euclidean():
		return p.untried("the neighbours are those by " + string(p.Metric()))
	case x.Absent():
		return p.untried("the samples are not given")
	case x.Compressed() != nil:
		return p.untried("the samples are sparse")
	case x.N() > mostRetried:
		return p.untried(fmt.Sprintf("more than %d samples", mostRetried))
	}
	return diagnosis.Trials{Denoised: p.denoised, Embed: func(r diagnosis.Remedy) (diagnosis.Outcome, error) {
		taken, q, err := p.retry(run.Trial(job), x, r)
		if err != nil || q == nil {
			return diagnosis.Outcome{}, job.Err() // what cannot be embedded is no remedy
		}
		return diagnosis.Outcome{Taken: taken, Sound: q.Verdict == Sound, Even: q.Even, Kept: q.NeighborsKept}, nil
	}}
}

// retry embeds samples by the method, changed as a remedy says. The quality is nil where that
// changes nothing, or is impossible.
func (p embedding) retry(job *run.Run, x samples.Samples, r diagnosis.Remedy) (diagnosis.Remedy, *Quality, error) {
	p.Run, p.x = job, x
	if r.Denoise {
		moved, undo, err := denoise{"auto"}.apply(p.state)
		if err != nil || undo == nil {
			return r, nil, err
		}
		p.state = moved
	}
	if r.Auto {
		full := method.RowOf(p.method)
		k, err := scale.Neighbors(job.Context(), p.x.Points(), full.Dim, *full.Neighbors, finder(job))
		if err != nil {
			return r, nil, err
		}
		if k, err = (neighborhoodSize{components: p.components}).joining(p.state, k, *full.Neighbors); err != nil {
			return r, nil, err
		}
		if r.Neighbors = k; k >= *full.Neighbors {
			return r, nil, nil
		}
	}
	if r.Neighbors > 0 {
		p.method = param.WithCount(p.method, param.Neighbors, r.Neighbors)
	}
	if r.Dim > 0 {
		p.method = param.WithCount(p.method, param.Dim, r.Dim)
	}
	if r.Gamma {
		if p.method = param.Copy(p.method); Set(p.method, "gamma", "auto") != nil {
			return r, nil, nil
		}
	}
	row := method.RowOf(p.method)
	if row.Dim >= p.x.N() || row.Check != nil && row.Check(p.x.N(), p.x.M()) != nil {
		return r, nil, nil
	}
	o, err := p.choose(row.Embed()).trial(job, p.x)
	if err != nil || o == nil {
		return r, nil, err
	}
	return r, o.quality, nil
}

// trial embeds samples whose graph is connected, without a look for causes; nil: it is not
// connected.
func (p embedding) trial(job *run.Run, x samples.Samples) (*outcome, error) {
	own := pipeline.Locality{X: x}
	if p.steps.Neighbors != nil {
		var err error
		if own.Found, err = p.steps.Neighbors.Find(job, x); err != nil {
			return nil, err
		}
		if _, sizes := own.Found.Graph.Components(); len(sizes) > 1 {
			return nil, nil
		}
	}
	return take(p.steps, job, own, nil, diagnosis.Trials{Bare: true})
}

const (
	// stabilityShare: one of this many samples is embedded once more, which takes about that share
	// of the time.
	stabilityShare = 8
	// leastStable is the least number of samples that are embedded once more.
	leastStable = 256
)

// instability is how far the coordinates are from those that every eighth sample gets when these
// samples are embedded alone: the relative residual of the best affine map from the latter
// ([measures.Deviation], centred). It is NaN where there are too few samples, where the graph of
// those is disconnected, and where coordinates are not of one problem of all.
func (p embedding) instability(o *outcome) (float64, error) {
	n, _ := o.Y.Dims()
	if n < stabilityShare*leastStable || n != p.x.N() || p.x.Absent() || p.given.present() || len(o.components) > 1 {
		return math.NaN(), nil
	}
	defer p.Phase("quality")()
	rows := quality.Spread(n, n/stabilityShare)
	again, err := p.trial(p.Within(), p.x.Subset(rows))
	if err != nil {
		return math.NaN(), p.Err() // few samples may have no embedding where many have
	}
	if again == nil {
		return math.NaN(), nil
	}
	_, off, err := measures.Deviation(pipeline.RowsInOrder(o.Y, rows), again.Y)
	if err != nil {
		return math.NaN(), nil
	}
	return off, nil
}
