package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/wording"
)

// Denoised are samples moved onto the surface that they lie near, and what was seen of it.
type Denoised struct {
	X *mat.Dense // n × m, the samples in their order; where Moved is false those that were given

	Moved     bool
	Reason    string  // why nothing was moved; empty: it was
	Noise     float64 // the root of the variance off the surface, all normals together; 0: none was seen, or K was given
	Neighbors int     // K, among which planes were fitted, or would be; 0: nothing was seen
	Dim       int
	// Levels are the local spectra that the choice was made by; none where K was given.
	Levels []ScaleLevel

	Samples, Features int
	Backend           string
	Threads           int
	EstimatedBytes    int64 // see Options.Memory
	Warnings          []string
	Seconds           Seconds
	CPUSeconds        Seconds
}

// ScaleLevel is what local spectra say at one number of neighbours: medians over some
// hundred samples of the covariance of a sample and its nearest.
type ScaleLevel struct {
	Neighbors int     `json:"neighbors"`
	Tangent   float64 `json:"tangent"` // variance along one of dim tangents
	Off       float64 `json:"off"`     // variance off them, by the degrees of freedom that are left
	Share     float64 `json:"share"`   // off them in all: the 90 % quantile
}

// Denoise moves the rows of x, which are near a surface of dim dimensions, onto planes fitted to the K
// nearest of each, only along the normals, two or three times. Neighbours are always searched among
// the samples as they were given. Options.Denoise is K, or "auto" (also if it is empty): then K is
// found from the samples, and nothing is moved if it is not certain that there is noise off a surface.
// Of the other options Backend, Threads, Seed, Memory, Progress and Explain count. docs/noise.md says
// how, when and where it fails.
//
// x is dense, or is made dense; entries have to be finite. O(n(log n + K·m + m²·dim)) for few columns,
// with K at most some 200 however many are best, and n log n + n·m·64 besides for more than 64
// columns, of which the leading 64 principal components are looked at then.
func Denoise(ctx context.Context, x mat.Matrix, dim int, o Options) (*Denoised, error) {
	clock := NewClock()
	if o.Denoise == "" {
		o.Denoise = "auto"
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("denoise: %w", err)
	}
	if o.Denoise == "off" {
		return nil, wording.Errorf("denoise: ‹denoise› is off; give auto or a number of neighbours")
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	if err := refuseAbsentData(ctx, x); err != nil {
		return nil, err
	}
	b := beginAs(ctx, "denoise", kernels, o, clock)
	if x, err = b.given(x); err != nil {
		return nil, err
	}
	points, err := b.data(x, false, fewerEntries)
	if err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, wording.Errorf("denoise: ‹dim› is %d; give the dimension of the surface, 1 or more", dim)
	}
	d := &Denoised{X: points.Dense(), Dim: dim, Samples: points.N(), Features: points.M(), Backend: kernels.Name(), Threads: blas.Threads(b.Threads())}
	moved, scaled, err := b.ordinary(points)
	if err != nil {
		return nil, err
	}
	end := b.Phase("scale")
	by, found, err := b.denoised(&moved, dim, scaled)
	end()
	if err != nil {
		return nil, err
	}
	if by != nil {
		data := moved.Data()
		if scaled.exponent != 0 {
			data = magnitude.Scaled(scaled.exponent, data)
		}
		d.X, d.Moved = mat.NewDense(d.Samples, d.Features, data), true
	}
	d.found(found, scaled)
	d.Warnings, d.EstimatedBytes = b.Warnings(), b.Reckoned()
	d.Seconds, d.CPUSeconds = clock.Seconds()
	return d, nil
}

// found takes over what was found of samples as they were divided.
func (d *Denoised) found(f scale.Found, s scaling) {
	d.Noise, d.Neighbors, d.Reason = magnitude.Times(f.Noise, s.exponent), f.Neighbors, f.Reason
	for _, l := range f.Levels {
		d.Levels = append(d.Levels, ScaleLevel{l.Neighbors, s.squared(l.Tangent), s.squared(l.Off), l.Share})
	}
}

// squared is a variance in the unit of the data; the largest number stands for those beyond.
func (s scaling) squared(v float64) float64 {
	return min(magnitude.Times(v, s.times(2)), math.MaxFloat64)
}
