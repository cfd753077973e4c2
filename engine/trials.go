package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// maxRetried is the largest number of samples for which remedies are tried: each trial takes about as
// long as the embedding.
const maxRetried = 3000

// untried returns trials without remedies, with the reason.
func (s state) untried(why string) diagnosis.Trials {
	return diagnosis.Trials{Why: why, Denoised: s.denoised, Neighbors: s.neighbors(), Settings: method.RowOf(s.method).Map}
}

// neighbors returns the parameter of the method; 0: it has none.
func (s state) neighbors() int {
	if k := method.RowOf(s.method).Neighbors; k != nil {
		return *k
	}
	return 0
}

// neighborsGiven is the reason if the neighbours cannot be changed.
const neighborsGiven = "the neighbours are given"

// trials returns how to try remedies on samples with known neighbourhoods, or the reason for trying none.
func (p embedding) trials(job *run.Run, at pipeline.Locality) diagnosis.Trials {
	x := at.X
	switch {
	case p.given.Present():
		return p.untried(neighborsGiven)
	case !p.euclidean():
		return p.untried("the neighbours are those by " + string(p.Metric()))
	case x.Absent():
		return p.untried("the samples are not given")
	case x.Compressed() != nil:
		return p.untried("the samples are sparse")
	case x.N() > maxRetried:
		return p.untried(fmt.Sprintf("more than %d samples", maxRetried))
	case !p.trying:
		return p.untried("trials are off; ‹remedies=tried› turns them on")
	}
	known := p.known(job, at)
	return diagnosis.Trials{Denoised: p.denoised, Neighbors: p.state.neighbors(), Settings: method.RowOf(p.method).Map, Embed: func(r diagnosis.Remedy, least float64) (diagnosis.Outcome, error) {
		taken, q, err := p.retry(run.Trial(job), x, known, r, least)
		if err != nil || q == nil {
			return diagnosis.Outcome{}, job.Err() // a remedy that cannot be applied does not help
		}
		return diagnosis.Outcome{Taken: taken, Sound: q.Verdict == Sound, Even: q.Even, Kept: q.NeighborsKept}, nil
	}}
}

// known returns the lists of the nearest neighbours, of which a trial with fewer takes the first; nil: they were not
// found by an exact search for the nearest alone.
func (p embedding) known(job *run.Run, at pipeline.Locality) *neighbors.Graph {
	if _, plain := neighborhood.Plain(p.steps.Neighbors, at.X.N()); !plain || !at.Found.Plain() || job.Approximate() {
		return nil
	}
	return at.Found.Graph
}

// retry embeds samples by the method with a remedy; known are their lists of neighbours, or nil. The quality is nil if
// the remedy changes nothing or is impossible. An embedding that keeps less than the least share of the
// neighbours is not examined further.
func (p embedding) retry(job *run.Run, x samples.Samples, known *neighbors.Graph, r diagnosis.Remedy, least float64) (diagnosis.Remedy, *Quality, error) {
	p.Run, p.x = job, x
	if r.Denoise {
		moved, undo, err := denoise{"auto"}.apply(p.state)
		if err != nil || undo == nil {
			return r, nil, err
		}
		p.state, known = moved, nil
	}
	if r.Auto {
		full := method.RowOf(p.method)
		k, err := neighborhoodSize{components: p.components}.chosen(p.state, known, full.Dim, *full.Neighbors)
		if err != nil {
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
	o, err := p.choose(row.Embed()).trial(job, p.x, known, least)
	if err != nil || o == nil {
		return r, nil, err
	}
	return r, o.quality, nil
}

// trial embeds samples without searching for causes; nil: the graph is not
// connected. known and least are as for retry.
func (p embedding) trial(job *run.Run, x samples.Samples, known *neighbors.Graph, least float64) (*outcome, error) {
	own := pipeline.Locality{X: x}
	if p.steps.Neighbors != nil {
		if k, _ := neighborhood.Plain(p.steps.Neighbors, x.N()); 0 < k && known != nil && k <= known.MaxDegree() {
			own.Found.Graph = known.Truncated(k)
		} else {
			var err error
			if own.Found, err = p.steps.Neighbors.Find(job, x); err != nil {
				return nil, err
			}
		}
		if _, sizes := own.Found.Graph.Components(); len(sizes) > 1 {
			return nil, nil
		}
	}
	return take(p.steps, job, own, nil, diagnosis.Trials{Bare: true, Least: least})
}

const (
	// stabilityShare: one of this many samples is embedded once more, which takes about that share
	// of the time.
	stabilityShare = 8
	// minStable is the smallest number of samples to embed once more.
	minStable = 256
)

// instability returns the difference between the coordinates and those of every eighth sample when
// embedded without the others: the relative residual of the best affine map from the latter
// ([measures.Deviation], centred). It is NaN if there are too few samples, if their
// graph is disconnected, and if coordinates are not the solution of one problem.
func (p embedding) instability(o *outcome) (float64, error) {
	n, _ := o.Y.Dims()
	if n < stabilityShare*minStable || n != p.x.N() || p.x.Absent() || p.given.Present() || len(o.components) > 1 {
		return math.NaN(), nil
	}
	defer p.Phase("quality")()
	rows := quality.Spread(n, n/stabilityShare)
	again, err := p.trial(p.Within(), p.x.Subset(rows), nil, 0)
	if err != nil {
		return math.NaN(), p.Err() // fewer samples may have no embedding
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

const (
	// A map is made again reruns times, with rerunShare of its iterations, at least minRerun.
	reruns, rerunShare, minRerun = 2, 0.5, 100
)

// rerun makes a map again from random starts, and measures which of the nearest of each sample these keep.
func (p embedding) rerun(at pipeline.Locality, o *outcome) error {
	n, _ := o.Y.Dims()
	if n != at.X.N() || o.quality.Map == nil {
		return nil
	}
	m := param.Copy(p.method)
	for key, value := range map[string]string{"init": "random", "reference_weight": "0"} {
		if err := Set(m, key, value); err != nil {
			return err
		}
	}
	steps := fmt.Sprint(max(minRerun, int(rerunShare*float64(o.Iterations))))
	if Set(m, "epochs", steps) != nil {
		if err := Set(m, "iterations", steps); err != nil {
			return err
		}
	}
	again := p
	again.method = m
	again = again.choose(method.RowOf(m).Embed())
	defer p.Phase("quality")()
	o.trust.Unstable = make([]float32, n)
	for r := range reruns {
		other, err := take(again.steps, run.Seeded(p.Within(), p.Seed()+1+uint64(r)), at, nil, diagnosis.Trials{Bare: true})
		if err != nil {
			return err
		}
		far, err := trust.Far(patch.Local{Run: p.Run}, o.Y, other.Y, o.quality.Map.Neighbors)
		if err != nil {
			return err
		}
		for i, v := range far {
			o.trust.Unstable[i] += v / reruns
		}
	}
	o.quality.Map.Unstable = trust.Mean(o.trust.Unstable)
	return nil
}
