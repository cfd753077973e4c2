package main

import (
	"context"

	"github.com/orthant-go/orthant/engine"
)

// learn learns components from some samples, after those that options.start knows of.
func (g given) learn() (work, error) {
	var o engine.FactorizeOptions
	var keep string
	method, warnings, _, err := g.chosen("factorize", ofFactorizations(), &o.Options, func(p *parameters) error { return wish(p, &o.Options, &keep) })
	if err != nil {
		return nil, err
	}
	if o.Rank, err = small(g.count, method.Name()+": rank"); err != nil {
		return nil, err
	}
	known, err := g.matrix(g.start, "the start, which is what was learnt before")
	if err != nil {
		return nil, err
	}
	var before engine.Learning
	if known != nil {
		before = append(before, arrayOf(known).numbers...)
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, after, err := engine.Learn(ctx, x, method, o, before)
		if err != nil {
			return nil, err
		}
		m := madeOfFactors(r, append(warnings, r.Warnings...))
		m.arrays["learned"] = column(after)
		m.attach(keep, shared, r.Model)
		return m, nil
	}, nil
}
