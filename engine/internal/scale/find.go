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
	Certain   bool    // the samples stray from a surface beyond doubt, and planes remove that
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

// wide reports whether the noise may fill all levels, so that no tangent shows yet.
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

// thinned are the samples at every this many places: as near each other everywhere as before.
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

const (
	// bias weighs the squared curvature against the noise that is left by a mean: its
	// derivation counts the displacement of a parabola's mean, of which a smooth surface
	// keeps the greater part as a change of shape that no embedding minds. Measured on
	// rolls of 2000 to 20 000 samples.
	bias = 1.0 / 50
	// leastIntercept is the share of noise that two windows of levels in a row have to
	// show, by intercepts that differ by less than the factor sameIntercept.
	leastIntercept, sameIntercept = 0.28, 1.7
	// mostDimension, times d, is the most that the growth of neighbourhoods may say of the
	// dimension: beyond, d is too small for the data.
	mostDimension = 1.35
	// leastDimension, times d, is the least: below, planes have directions of noise alone.
	leastDimension = 0.65
	// near is the variance along one direction off the surface, as a share of that along one
	// in it at the best scale, from which on noise comes near to the bends and the distances
	// of sheets, and within is beyond what planes remove.
	near, within = 0.12, 0.3
	// mostShare is the most that may be off the planes at the best scale, nine times in ten.
	mostShare = 0.25
	// falling, times the share at the least scale, is the most at the best, unless it is little.
	falling, little = 0.8, 0.02
)

// window is the law S = σ² + c·T² through two levels.
type window struct {
	noise float64 // σ²
	share float64 // of S at the lower level
	ok    bool    // the neighbourhoods grow as those of d dimensions do
}

func windowOf(a, b Level, d int) window {
	if !(b.Tangent > a.Tangent) || a.Off <= 0 {
		return window{}
	}
	dimension := 2 * math.Log(float64(b.Neighbors)/float64(a.Neighbors)) / math.Log(b.Tangent/a.Tangent)
	s, t := a.Tangent*a.Tangent, b.Tangent*b.Tangent
	noise := (a.Off*t - b.Off*s) / (t - s)
	ok := dimension <= mostDimension*float64(d) && dimension >= leastDimension*float64(d)
	return window{noise: noise, share: noise / a.Off, ok: ok}
}

// fitted is what the levels say together.
type fitted struct {
	noise   float64 // σ²
	crossed float64 // the number of neighbours at which curvature shows as much as noise: S = 2σ²
	reached bool    // the levels reach so far
	share   float64 // off the tangents there
	certain bool
}

// fit looks for noise: windows of levels, from one to the next but one, whose intercepts
// are large and agree.
func fit(list []Level, d int) fitted {
	var windows []window
	for g := 2; g < len(list); g++ {
		windows = append(windows, windowOf(list[g-2], list[g], d))
	}
	best, at := 0.0, -1
	var f fitted
	for g := 0; g+1 < len(windows); g++ {
		a, b := windows[g], windows[g+1]
		if !a.ok || !b.ok || min(a.share, b.share) < leastIntercept || max(a.noise, b.noise) > sameIntercept*min(a.noise, b.noise) {
			continue
		}
		f.certain = true
		for q, w := range []window{a, b} {
			if w.share > best {
				best, at, f.noise = w.share, g+q, w.noise
			}
		}
	}
	if at < 0 {
		return f
	}
	f.cross(list, at, d)
	return f
}

// cross finds where S reaches 2σ², from a level on.
func (f *fitted) cross(list []Level, from, d int) {
	f.share = 1
	beyond := func(l Level) float64 { // by S − σ² ~ T² ~ k^(4/d)
		return float64(l.Neighbors) * math.Pow(f.noise/max(l.Off-f.noise, 1e-3*f.noise), float64(d)/4)
	}
	for g := from; g < len(list); g++ {
		if f.share = min(f.share, list[g].Share); list[g].Off < 2*f.noise {
			continue
		}
		f.reached = true
		if f.crossed = beyond(list[g]); g > 0 {
			f.crossed = max(f.crossed, float64(list[g-1].Neighbors))
		}
		return
	}
	last := list[len(list)-1]
	f.crossed = max(beyond(last), float64(last.Neighbors))
}

// neighbors is the number of neighbours over which planes are best fitted: where their
// number lessens the noise by as much as curvature adds, σ²/k + bias·c·T².
func (f fitted) neighbors(d int) float64 {
	p := float64(d)
	return math.Pow(p/(4*bias), p/(4+p)) * math.Pow(f.crossed, 4/(4+p))
}
