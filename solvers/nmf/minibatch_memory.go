package nmf

import (
	"context"
	"fmt"
)

// factorizeMemory is [FactorizeSource] for data in memory, W and all.
func factorizeMemory(ctx context.Context, d Data, o Options) (*Result, error) {
	if d.Weights.Present() {
		return nil, fmt.Errorf("nmf: solver %s takes no weights of the entries; leave them out, or take another solver", MiniBatch)
	}
	if _, err := d.inspect(); err != nil {
		return nil, err
	}
	var w []float64
	res, err := FactorizeSource(ctx, Memory(d), o, memoryTolerance, func(rows []float64, n int) error {
		if w == nil {
			w = make([]float64, 0, d.Rows*(len(rows)/n))
		}
		w = append(w, rows...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.W = w
	return res, nil
}

// memoryTolerance is the residual to which the coordinates of data in memory are solved.
const memoryTolerance = 1e-6
