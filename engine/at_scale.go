package engine

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/wording"
)

// mostJoining is the largest part of the samples that counts as a neighbourhood.
const mostJoining = 8

// sought is what neighbourhoods are made of where they are found from the samples.
type sought struct {
	radius float64 // of neighbourhoods, in the unit of the samples as they were divided; 0: their number counts
	least  int     // neighbours within it
}

// smoothed moves samples off their noise, as Options.Denoise says. The smoother is nil where
// they stay.
func (b *begun) smoothed(x samples.Samples, m Method, s scaling) (samples.Samples, *scale.Smoother, error) {
	if b.options.Denoise == "off" {
		return x, nil, nil
	}
	defer b.Phase("scale")()
	full, err := resolved(withoutAuto(m), x.N(), func(string, ...any) {})
	if err != nil {
		return x, nil, err
	}
	by, _, err := b.denoised(&x, rowOf(full).dim, s)
	return x, by, err
}

// sized settles the number of neighbours, or their radius, as Options.Radius and [Auto] say.
func (b *begun) sized(x samples.Samples, m Method, s scaling) (Method, error) {
	auto := isAuto(m, neighborsKey)
	if !auto && b.options.Radius == "none" {
		return m, nil
	}
	defer b.Phase("scale")()
	m = withoutAuto(m)
	full, err := resolved(m, x.N(), func(string, ...any) {})
	if err != nil {
		return m, err
	}
	if rowOf(full).neighbors == nil {
		b.Warn("%s has no neighbourhoods: radius does nothing", b.Method())
		return m, nil
	}
	if _, plain := rowOf(full).searches("embed").(neighborhood.Nearest); !plain {
		if b.options.Radius != "none" {
			return m, wording.Errorf("%s: it chooses neighbours in its own way: ‹radius› does not apply; leave it out", b.Method())
		}
		return m, nil
	}
	if auto {
		if m, err = b.chosen(x, m, full); err != nil {
			return m, err
		}
	}
	return m, b.within(x, m, s)
}

// finder are the settings of a search for the scale.
func (b *begun) finder() scale.Settings {
	return scale.Settings{Kernels: b.Kernels(), Threads: b.Threads(), Seed: b.Seed()}
}

// denoised moves the samples, and tells what was found.
func (b *begun) denoised(x *samples.Samples, dim int, s scaling) (by *scale.Smoother, found scale.Found, err error) {
	count, _ := strconv.Atoi(b.options.Denoise) // 0: auto
	if why := notDenoised(*x, dim, count); why != "" {
		if count > 0 {
			return nil, found, wording.Errorf("%s: ‹denoise=%d›: %s", b.Method(), count, why)
		}
		b.Note("denoised", false)
		b.Note("denoise_reason", why)
		found.Reason = why
		return nil, found, nil
	}
	if err := b.Fit(scale.Bytes(x.N(), x.M()), fmt.Sprintf("moving %d samples off their noise needs", x.N()), "leave denoise off, take fewer samples, or raise the limit"); err != nil {
		return nil, found, err
	}
	z, by, found, err := scale.Smooth(b.Context(), x.Points(), dim, count, b.finder(), b.Counted("scale", x.N()))
	if err != nil {
		return nil, found, err
	}
	noise := magnitude.Times(found.Noise, s.exponent)
	b.Note("denoised", by != nil)
	if count == 0 {
		b.Note("noise", noise)
	}
	if found.Near {
		b.Warn("the noise, %.4g off a surface of %d dimensions, comes near to its bends, or to the distance of its sheets: the embedding may mix what lies apart; take samples with less noise, or check it against another dim", noise, dim)
	}
	if by == nil {
		b.Note("denoise_reason", found.Reason)
		b.Explain("denoise: nothing is moved: %s", found.Reason)
		return nil, found, nil
	}
	b.Note("denoise_neighbors", found.Neighbors)
	b.Explain("denoise: noise %.4g off a surface of %d dimensions; samples moved to planes of %d neighbours", noise, dim, found.Neighbors)
	b.Run = b.Holding(x.Bytes())
	*x = x.Moved(z)
	return by, found, nil
}

// notDenoised tells why samples have no planes of so many dimensions among k neighbours;
// empty: they have.
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
		return "there are too few samples to tell"
	}
	return ""
}

// chosen is the method with the number of neighbours that the samples show, full the one
// with its defaults.
func (b *begun) chosen(x samples.Samples, m, full Method) (Method, error) {
	most := *rowOf(full).neighbors
	if x.Absent() || x.Compressed() != nil {
		return m, nil
	}
	k, err := scale.Neighbors(b.Context(), x.Points(), rowOf(full).dim, most, b.finder())
	if err != nil {
		return m, err
	}
	reason := "found from the samples"
	if k, err = b.joined(x, k, most); err != nil {
		return m, err
	}
	switch k = allowed(full, x, k, most); {
	case k > most:
		reason = "the least that join the samples in one component"
	case k == most:
		reason = "the most that are tried: nothing that is seen in the samples asks for fewer"
	}
	b.Note("neighbors_found", k)
	b.Note("neighbors_reason", reason)
	b.Explain("neighbours: %d, %s", k, reason)
	return withCount(m, neighborsKey, k), nil
}

// joined is the least number of neighbours from k to most that makes a graph of as few
// components as most do; or, if those are several and are refused, the least that makes one, up to
// mostJoining of the samples.
func (b *begun) joined(x samples.Samples, k, most int) (int, error) {
	wide, err := neighborhood.Nearest(most).Find(b.Run, x)
	if err != nil {
		return k, err
	}
	_, sizes := wide.Graph.Components()
	if len(sizes) > 1 && b.options.Components == "error" {
		if join := neighborhood.Joining(b.Run, x, neighborhood.Nearest(most), most); join > 0 && join <= x.N()/mostJoining {
			return join, nil
		}
	}
	for ; k < most; k++ {
		if _, parts := wide.Graph.Truncated(k).Components(); len(parts) == len(sizes) {
			break
		}
	}
	return k, nil
}

// within settles the radius of neighbourhoods, in the unit of the samples as they were
// divided.
func (b *begun) within(x samples.Samples, m Method, s scaling) error {
	if b.options.Radius == "none" {
		return nil
	}
	full, err := resolved(m, x.N(), func(string, ...any) {})
	if err != nil {
		return err
	}
	b.least = allowed(full, x, max(6, rowOf(full).dim+2), neighborhood.MostWithin)
	if b.options.Radius != "auto" {
		r, err := strconv.ParseFloat(b.options.Radius, 64)
		b.radius = magnitude.Times(r, -s.exponent)
		return err
	}
	if b.radius, err = neighborhood.MedianRadius(b.Run, x, *rowOf(full).neighbors); err != nil {
		return err
	}
	b.Note("radius_found", magnitude.Times(b.radius, s.exponent))
	return nil
}

// allowed is the least number of neighbours from k to most that the method takes.
func allowed(full Method, x samples.Samples, k, most int) int {
	for ; k < most; k++ {
		r := rowOf(withCount(full, neighborsKey, k))
		if r.check == nil || r.check(x.N(), x.M()) == nil {
			break
		}
	}
	return k
}
