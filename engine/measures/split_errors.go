package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Classifier names one of the classifiers: "nn" or "nfl".
type Classifier string

// The classifiers, see [ClassifyNN] and [ClassifyNFL].
const (
	NN  Classifier = "nn"
	NFL Classifier = "nfl"
)

// Classify gives each test point the class that the classifier finds for it.
func (c Classifier) Classify(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, o Options) ([]int64, error) {
	switch c {
	case NN:
		return ClassifyNN(ctx, train, labels, test, o)
	case NFL:
		return ClassifyNFL(ctx, train, labels, test, o)
	}
	return nil, fmt.Errorf("unknown classifier %q; there are %s and %s", c, NN, NFL)
}

// Trial is a classification repeated over random splits. The zero value of
// Splits means 10, of Train 0.5, of Seed 1.
type Trial struct {
	Splits int
	Train  float64 // share of each class to learn from
	Seed   uint64
}

// Draw returns the splits of a trial; see [StratifiedSplits].
func (t Trial) Draw(labels []int64) ([]Split, error) {
	if t.Splits == 0 {
		t.Splits = 10
	}
	if t.Train == 0 {
		t.Train = 0.5
	}
	if t.Seed == 0 {
		t.Seed = 1
	}
	return StratifiedSplits(labels, t.Splits, t.Train, t.Seed)
}

// Rates are error rates, one a split.
type Rates []float64

// Mean returns their mean.
func (r Rates) Mean() float64 {
	sum := 0.0
	for _, v := range r {
		sum += v
	}
	return sum / float64(len(r))
}

// Deviation returns their standard deviation with divisor n − 1, 0 for one rate.
func (r Rates) Deviation() float64 {
	if len(r) < 2 {
		return 0
	}
	mean, sum := r.Mean(), 0.0
	for _, v := range r {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(r)-1))
}

// HolisticErrors measures how well classes can be told apart in y, n × d: for
// every split of the trial, the share of test rows that a classifier learnt on
// the training rows gets wrong. Where y is an embedding of all samples together,
// this is the holistic projection of Wang and Zhang 2010, section 7.4. There is
// a list of rates for every classifier.
//
// Errors are those of [ClassifyNN], [ClassifyNFL] and [StratifiedSplits].
func HolisticErrors(ctx context.Context, y mat.Matrix, labels []int64, t Trial, o Options, classifiers ...Classifier) ([]Rates, error) {
	if n, _ := y.Dims(); n != len(labels) {
		return nil, fmt.Errorf("splits: %d labels for %d samples", len(labels), n)
	}
	return t.Errors(labels, classifiers, func(s Split, c Classifier) ([]int64, error) {
		return c.Classify(ctx, Rows(y, s.Train), Pick(labels, s.Train), Rows(y, s.Test), o)
	})
}

// Errors runs a trial: predict returns what a classifier makes of the test part
// of a split, and is called split by split, for each the classifiers in order.
func (t Trial) Errors(labels []int64, classifiers []Classifier, predict func(s Split, c Classifier) ([]int64, error)) ([]Rates, error) {
	splits, err := t.Draw(labels)
	if err != nil {
		return nil, err
	}
	rates := make([]Rates, len(classifiers))
	for _, s := range splits {
		truth := Pick(labels, s.Test)
		for c, name := range classifiers {
			predicted, err := predict(s, name)
			if err != nil {
				return nil, err
			}
			rate, err := ErrorRate(truth, predicted)
			if err != nil {
				return nil, err
			}
			rates[c] = append(rates[c], rate)
		}
	}
	return rates, nil
}

// Rows returns the given rows of a matrix.
func Rows(x mat.Matrix, which []int) *mat.Dense {
	_, m := x.Dims()
	rows := mat.NewDense(len(which), m, nil)
	for at, i := range which {
		mat.Row(rows.RawRowView(at), i, x)
	}
	return rows
}

// Pick returns the given entries of a list.
func Pick[T any](list []T, which []int) []T {
	picked := make([]T, len(which))
	for at, i := range which {
		picked[at] = list[i]
	}
	return picked
}
