package scale

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// mostNeighbors are taken for a plane: where more are best, they are thinned out evenly.
	mostNeighbors = 128
	// MostKept bounds the neighbours of a plane among the samples that are kept.
	MostKept = mostNeighbors * 3 / 2
	// thinning is the step by which samples are thinned while levels do not reach the curvature.
	thinning = 4
)

// Found is the scale at which samples are best seen.
type Found struct {
	Levels    []Level
	Noise     float64 // the root of the variance off the surface; 0: none is seen
	Certain   bool    // the samples stray from a surface beyond doubt, and planes mend that
	Neighbors int     // of all samples, over which planes are fitted
	Reason    string  // why nothing is certain
	Near      bool    // the noise comes near to the bends of the surface or the distances of sheets
}

// Find looks for the scale of samples near a surface of d dimensions: at spectra of some
// hundred centres. O(n log n) and O(1) in n for the spectra.
func Find(ctx context.Context, x neighbors.Points, d int, s Settings) (Found, error) {
	f, err := newSurface(ctx, x, d, s)
	if err != nil {
		return Found{}, err
	}
	return f.find(ctx)
}

func (f *surface) find(ctx context.Context) (Found, error) {
	near, times := f.near, 1
	var out Found
	for {
		list, err := levels(ctx, near, f.low.M, f.d, f.Settings)
		if err != nil {
			return out, err
		}
		if times == 1 {
			out.Levels = list
		}
		got := fit(list, f.d)
		got.crossed *= float64(times)
		switch {
		case len(list) < 4:
			out.Reason = "there are too few samples to tell"
			return out, nil
		case !got.reached && near.N() >= 4*thinning*grid[len(grid)-1] && (got.certain || times == 1 && wide(list)):
			near, times = f.thinned(thinning*times), thinning*times
			continue
		case !got.certain:
			out.Reason = "no noise is seen"
			return out, nil
		}
		return f.judged(out, got), nil
	}
}

// wide tells whether the noise may fill all levels, so that no tangent shows yet.
func wide(list []Level) bool { return list[len(list)-1].Share > 0.1 }

// judged decides by what the levels say.
func (f *surface) judged(out Found, got fitted) Found {
	out.Noise = math.Sqrt(got.noise)
	out.Neighbors = int(min(max(got.neighbors(f.d), float64(2*f.d+6)), float64(f.x.N/4)))
	perColumn := got.noise / float64(f.low.M-f.d)
	// Of variances along one direction.
	ratio := got.share / (1 - got.share) * float64(f.d) / float64(f.low.M-f.d)
	out.Near = ratio > near
	switch {
	case got.share > mostShare:
		out.Reason = "too much of the variance is off planes at every scale"
	case got.share > falling*out.Levels[0].Share && got.share > little:
		out.Reason = "the share of variance off planes falls at no scale, as that of noise would"
	case ratio > within:
		out.Reason = "the noise reaches as far as the surface bends, or as its sheets are apart"
	case f.rest > 2*perColumn*float64(f.x.M-f.low.M):
		out.Reason = "more columns than the leading 64 components hold more than noise"
	default:
		out.Certain = true
	}
	return out
}

// thinned are the samples at every so many places: as near each other everywhere as before.
func (f *surface) thinned(step int) *neighbors.Surroundings {
	return f.among(f.every(step))
}

func (f *surface) every(step int) neighbors.Points {
	m := f.low.M
	part := neighbors.Points{N: (f.near.N() + step - 1) / step, M: m}
	part.Data = make([]float64, 0, part.N*m)
	for place := 0; place < f.near.N(); place += step {
		part.Data = append(part.Data, f.near.At(place)...)
	}
	return part
}
