package engine

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
)

// mostRetried is the number of samples up to which remedies are tried: each takes about as long as
// the embedding.
const mostRetried = 3000

// tries is how a remedy is tried on the samples; nil: it is not.
func (s steps) tries(job *run.Run, x samples.Samples) diagnosis.Try {
	if s.again == nil || x.Absent() || x.Compressed() != nil || x.N() > mostRetried {
		return nil
	}
	return func(r diagnosis.Remedy) (diagnosis.Remedy, bool, float64, error) {
		taken, q, err := s.again(run.Trial(job), x, r)
		if err != nil || q == nil {
			return diagnosis.Remedy{}, false, math.NaN(), job.Err() // what cannot be embedded is no remedy
		}
		return taken, q.Verdict == Sound, q.Even, nil
	}
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
		method := rowOf(changed)
		if method.dim >= x.N() || method.check != nil && method.check(x.N(), x.M()) != nil {
			return r, nil, nil
		}
		choice := method.embed()
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
