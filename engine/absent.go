package engine

import (
	"context"
	"errors"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

var (
	errNoMethod  = errors.New("engine: no method given; give one of this package, such as engine.LLE{}")
	errNoContext = errors.New("engine: no context given; give context.Background() where nothing cancels the work")
	errNoModel   = errors.New("model: it was neither fitted nor loaded")
)

// refuseAbsent refuses a run that lacks its context, its data or its method.
func refuseAbsent(ctx context.Context, x mat.Matrix, m Method) error {
	if absent(m) {
		return errNoMethod
	}
	return refuseAbsentData(ctx, x)
}

// refuseAbsentData refuses work that lacks its context or its data.
func refuseAbsentData(ctx context.Context, x mat.Matrix) error {
	switch {
	case ctx == nil:
		return errNoContext
	case absent(x):
		return errors.New("engine: no data given; give a matrix, one sample a row")
	}
	return nil
}

// absent tells whether there is nothing in an interface, be it a nil pointer of some type.
func absent(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
