package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/engine"
)

// denoise prepares to move samples onto the surface that they lie near.
func (g given) denoise() (work, error) {
	p, err := readParameters("denoise", g.parameters)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Denoise: "auto"}
	if text, set := p.take("neighbors"); set {
		if text == "off" {
			return nil, fmt.Errorf("denoise: neighbors is \"off\"; give auto or a whole number")
		}
		o.Denoise = text
	}
	if err := p.running(&o); err != nil {
		return nil, err
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	dim, err := small(g.count, "denoise: dim")
	if err != nil {
		return nil, err
	}
	g.limited(&o)
	if err := g.read(o.Memory); err != nil {
		return nil, fmt.Errorf("denoise: %w", err)
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, _ := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		d, err := engine.Denoise(ctx, x, dim, o)
		if err != nil {
			return nil, err
		}
		return madeOfDenoised(d), nil
	}, nil
}

func madeOfDenoised(d *engine.Denoised) *made {
	x := d.X.RawMatrix()
	entries := x.Data
	if !d.Moved { // the caller's
		entries = slices.Clone(entries)
	}
	return &made{
		arrays: map[string]array{"samples": {rows: x.Rows, cols: x.Cols, numbers: entries}},
		numbers: map[string]float64{
			"denoised": truth(d.Moved), "noise": d.Noise, "neighbors": float64(d.Neighbors), "warnings": float64(len(d.Warnings)), "seconds": d.Seconds["total"]},
		report: func() map[string]any {
			return map[string]any{
				"samples": d.Samples, "features": d.Features, "dim": d.Dim, "denoised": d.Moved, "noise": number(d.Noise), "neighbors": d.Neighbors, "reason": d.Reason,
				"levels": append([]engine.ScaleLevel{}, d.Levels...), "backend": d.Backend, "threads": d.Threads, "seconds": d.Seconds, "cpu_seconds": d.CPUSeconds, "warnings": listed(d.Warnings)}
		},
	}
}
