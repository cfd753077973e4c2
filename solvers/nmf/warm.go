package nmf

import "context"

// warmed are the options of the warm iterations: coordinate descent for the squared error,
// with the graph term.
func (o Options) warmed() Options {
	o.Loss, o.Solver, o.Iterations, o.Warm = Frobenius, HALS, min(o.Warm, o.Iterations), 0
	return o
}

// warm takes the warm iterations from the start, and begins the updates anew from the
// factors that these lead to.
func (f *factorization) warm(ctx context.Context, u updates, o Options) error {
	warmed := o.warmed()
	g, squares, err := assemble(f.data, warmed, f.totals)
	if err != nil {
		return err
	}
	copy(g.w, f.w)
	copy(g.h, f.h)
	if err := g.begin(ctx, squares); err != nil {
		return err
	}
	for t := 1; t <= warmed.Iterations; t++ {
		if err := squares.step(ctx, t, false); err != nil {
			return err
		}
		o.Progress(float64(t) / float64(o.Iterations))
	}
	copy(f.w, g.w)
	copy(f.h, g.h)
	return f.begin(ctx, u)
}
