package engine

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
)

var (
	errNoContext = errors.New("engine: no context given; give context.Background() where nothing cancels the work")
	errNoModel   = errors.New("model: it was neither fitted nor loaded")
)

// refuseAbsent refuses a run that lacks its context, its data or its method.
func refuseAbsent(ctx context.Context, x mat.Matrix, m Method) error {
	if run.Absent(m) {
		return method.ErrNoMethod
	}
	return refuseAbsentData(ctx, x)
}

// refuseAbsentData refuses work that lacks its context or its data.
func refuseAbsentData(ctx context.Context, x mat.Matrix) error {
	switch {
	case ctx == nil:
		return errNoContext
	case run.Absent(x):
		return errors.New("engine: no data given; give a matrix, one sample a row")
	}
	return nil
}
