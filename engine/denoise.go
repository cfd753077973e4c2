package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
)

// denoise removes noise according to Options.Denoise: off, auto, or the number of
// neighbours for fitting planes.
type denoise struct{ how string }

func (g denoise) apply(s state) (state, undo, error) {
	if g.how == "off" {
		return s, nil, nil
	}
	if err := s.refuseIncomplete("‹denoise=" + g.how + "›"); err != nil {
		return s, nil, err
	}
	full, err := param.Resolve(s.method.Name(), param.WithCount(s.method, param.Neighbors, 0), s.x.N(), func(string, ...any) {})
	if err != nil {
		return s, nil, err
	}
	s, by, _, err := g.move(s, method.RowOf(full).Dim)
	if err != nil || by == nil {
		return s, nil, err
	}
	return s, smoothed{by}, nil
}

// smoothed makes a rule for new samples move them as the training samples
// were moved. Results belong to the moved samples.
type smoothed struct{ by *scale.Smoother }

func (u smoothed) back(f *fitted) error {
	if f.rule != nil {
		parts := u.by.Parts()
		f.rule.Smooth = &parts
	}
	return nil
}

// move moves the samples onto planes of dim dimensions; smoother nil: they were not moved.
func (g denoise) move(s state, dim int) (moved state, by *scale.Smoother, found scale.Found, err error) {
	defer s.Phase("scale")()
	count, _ := strconv.Atoi(g.how) // 0: auto
	s.denoised = true
	if why := notDenoised(s.x, dim, count); why != "" {
		if count > 0 {
			return s, nil, found, wording.Errorf("%s: ‹denoise=%d›: %s", s.Method(), count, why)
		}
		s.Note("denoised", false)
		s.Note("denoise_reason", why)
		found.Reason = why
		return s, nil, found, nil
	}
	if err := s.Fit(scale.Bytes(s.x.N(), s.x.M()), fmt.Sprintf("moving %d samples off their noise needs", s.x.N()), "leave denoise off, take fewer samples, or raise the limit"); err != nil {
		return s, nil, found, err
	}
	z, by, found, err := scale.Smooth(s.Context(), s.x.Points(), dim, count, finder(s.Run), s.Counted("scale", s.x.N()))
	if err != nil {
		return s, nil, found, err
	}
	noise := magnitude.Times(found.Noise, s.unit.Exponent)
	s.Note("denoised", by != nil)
	if count == 0 {
		s.Note("noise", noise)
	}
	if found.Near {
		s.Warn("the noise, %.4g off a surface of %d dimensions, comes near to its bends, or to the distance of its sheets: the embedding may mix what lies apart; take samples with less noise, or check it against another dim", noise, dim)
	}
	if by == nil {
		s.Note("denoise_reason", found.Reason)
		s.Explain("denoise: nothing is moved: %s", found.Reason)
		return s, nil, found, nil
	}
	s.Note("denoise_neighbors", found.Neighbors)
	s.Explain("denoise: noise %.4g off a surface of %d dimensions; samples moved to planes of %d neighbours", noise, dim, found.Neighbors)
	s.Run = s.Holding(s.x.Bytes())
	s.x = s.x.WithData(z)
	return s, by, found, nil
}

// notDenoised returns the reason why samples cannot have planes of dim dimensions among k neighbours;
// empty: they can.
func notDenoised(x samples.Samples, dim, k int) string {
	switch {
	case x.Absent():
		return "only the graph of the samples is known"
	case x.Compressed() != nil:
		return "samples that stay sparse are not moved; give them as a dense matrix"
	case dim >= x.M():
		return fmt.Sprintf("nothing is off a surface of %d dimensions among %d columns; take a smaller dim", dim, x.M())
	case x.M() > 64 && dim >= 64:
		return "a surface of 64 dimensions and more is not looked for; take a smaller dim"
	case k > 0 && (k < dim+2 || k >= x.N()):
		return fmt.Sprintf("give auto, or a number from %d to %d", dim+2, x.N()-1)
	case x.N() < 4*(dim+3):
		return "there are too few samples to decide"
	}
	return ""
}

// Denoised is the result of [Denoise].
type Denoised struct {
	X *mat.Dense // n × m, the samples in order; unchanged unless Moved

	Moved     bool
	Reason    string  // why nothing was moved; empty: samples were moved
	Noise     float64 // standard deviation off the surface, over all normals; 0: none was found, or K was given
	Neighbors int     // K for the planes that were or would be fitted; 0: no noise was found
	Dim       int
	// Levels are the local spectra from which K was chosen; nil if K was given.
	Levels []ScaleLevel

	Samples, Features int
	Backend           string
	Threads           int
	EstimatedBytes    int64 // see Options.Memory
	Warnings          []string
	Seconds           Seconds
	CPUSeconds        Seconds
}

// ScaleLevel describes the local spectra at one number of neighbours: medians, over a few
// hundred samples, of the covariance of a sample and its nearest.
type ScaleLevel struct {
	Neighbors int     `json:"neighbors"`
	Tangent   float64 `json:"tangent"` // variance along one of dim tangents
	Off       float64 `json:"off"`     // variance off them, divided by the remaining degrees of freedom
	Share     float64 `json:"share"`   // share off them: the 90 % quantile
}

// Denoise moves the rows of x, which lie near a surface of dim dimensions, onto planes fitted to the K
// nearest samples of each. It moves them only along the normals, two or three times, and always
// searches neighbours among the original samples. Options.Denoise is K, or "auto" (the same as empty):
// then K is estimated from the samples, and nothing is moved unless noise off a surface is certain.
// Of the other options Backend, Threads, Seed, Memory, Progress and Explain apply. docs/noise.md
// describes the method and its limits.
//
// x is made dense; entries must be finite. O(n(log n + K·m + m²·dim)) for few columns,
// where K counts as at most about 200. For more than 64 columns, of which only the 64 leading
// principal components are examined, add n log n + n·m·64.
func Denoise(ctx context.Context, x mat.Matrix, dim int, o Options) (*Denoised, error) {
	clock := NewClock()
	if o.Denoise == "" {
		o.Denoise = "auto"
	}
	o, err := withDefaults(o)
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
	s := state{Run: method.NewRun(ctx, "denoise", kernels, o, clock)}
	if s, x, err = s.hold(x); err != nil {
		return nil, err
	}
	if err := keepsZeros("denoise", o.Standardize, isSparse(x)); err != nil {
		return nil, err
	}
	s, _, err = through(s, read{data: x}, standardize{how: o.Standardize, overwrite: o.Overwrite}, densify{remedy: fewerEntries})
	if err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, wording.Errorf("denoise: ‹dim› is %d; give the dimension of the surface, 1 or more", dim)
	}
	d := &Denoised{X: s.x.Dense(), Dim: dim, Samples: s.x.N(), Features: s.x.M(), Backend: kernels.Name(), Threads: blas.Threads(s.Threads())}
	if s, _, err = through(s, rescale{}); err != nil {
		return nil, err
	}
	s, by, found, err := denoise{o.Denoise}.move(s, dim)
	if err != nil {
		return nil, err
	}
	if by != nil {
		data := s.x.Data()
		if e := s.unit.Exponent; e != 0 {
			data = magnitude.Scaled(e, data)
		}
		d.X, d.Moved = mat.NewDense(d.Samples, d.Features, data), true
	}
	d.Noise, d.Neighbors, d.Reason = magnitude.Times(found.Noise, s.unit.Exponent), found.Neighbors, found.Reason
	variance := func(v float64) float64 { // in the unit of the data, at most the largest number
		return min(magnitude.Times(v, s.unit.Times(2)), math.MaxFloat64)
	}
	for _, l := range found.Levels {
		d.Levels = append(d.Levels, ScaleLevel{l.Neighbors, variance(l.Tangent), variance(l.Off), l.Share})
	}
	d.Warnings, d.EstimatedBytes = s.Warnings(), s.PeakBytes()
	d.Seconds, d.CPUSeconds = clock.Seconds()
	return d, nil
}
