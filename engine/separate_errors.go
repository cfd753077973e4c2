package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/sparse"
)

// SeparateErrors measures how well classes can be separated by the coordinates of new samples: the
// separate projection of Wang and Zhang 2010, section 7.4. For every split of the trial the method is
// fitted to the training samples only, and the model gives the test samples coordinates (see
// [Model.Transform]). The classifiers learn from the training samples; the error rate is the share of
// test samples classified wrongly. There is one list of rates for every classifier; all use the same fits.
//
// For the holistic projection, in which all samples are embedded together, see
// [measures.HolisticErrors].
//
// Errors are those of [Embed], including a neighbour graph of a training
// part in several components (unless Options.Components allows them; rows
// that are left out are then an error), a method without a rule for new samples,
// and errors of the splits. The cost is that of Splits fits.
func SeparateErrors(ctx context.Context, x mat.Matrix, labels []int64, m Method, o Options, t measures.Trial, classifiers ...measures.Classifier) ([]measures.Rates, error) {
	if err := refuseAbsent(ctx, x, m); err != nil {
		return nil, err
	}
	if n, _ := x.Dims(); n != len(labels) {
		return nil, fmt.Errorf("splits: %d labels for %d samples", len(labels), n)
	}
	if a, isSparse, err := sparse.Of(x); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	} else if isSparse {
		x = a
	}
	with, err := measuring(o)
	if err != nil {
		return nil, err
	}
	var train, test *mat.Dense // of the current split
	split := 0
	return t.Errors(labels, classifiers, func(s measures.Split, c measures.Classifier) ([]int64, error) {
		if c == classifiers[0] {
			split++
			o.Labels = measures.Pick(labels, s.Train) // for a method that learns from them
			if train, test, err = separate(ctx, x, s, m, o); err != nil {
				return nil, fmt.Errorf("split %d: %w", split, err)
			}
		}
		return c.Classify(ctx, train, measures.Pick(labels, s.Train), test, with)
	})
}

// separate fits a method to one part of the samples and maps the other.
func separate(ctx context.Context, x mat.Matrix, s measures.Split, m Method, o Options) (train, test *mat.Dense, err error) {
	r, err := Embed(ctx, measures.Rows(x, s.Train), m, o)
	if err != nil {
		return nil, nil, err
	}
	model, err := r.Model()
	if err != nil {
		return nil, nil, err
	}
	test, err = model.Transform(ctx, measures.Rows(x, s.Test), o)
	return r.Y, test, err
}
