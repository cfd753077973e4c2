package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Split is a partition of the samples into a training and a test part,
// each ascending.
type Split struct{ Train, Test []int }

// StratifiedSplits draws count random splits in which every class has the share
// train of its samples in the training part: ⌊train·c⌋ of c samples, but at least one
// and at most c − 1.
//
// All splits use the stream of the seed, one split after the other, and in
// each split the classes by ascending label. A class draws its training samples by the
// first steps of a Fisher–Yates shuffle of its samples p, in ascending order:
// for i = 0, 1, …, j = i + below(c − i), and p[i] and p[j] are exchanged.
//
// It returns an error for fewer than one split, a share outside (0, 1), labels of a single
// class, and a class of one sample.
func StratifiedSplits(labels []int64, count int, train float64, seed uint64) ([]Split, error) {
	switch {
	case count < 1:
		return nil, fmt.Errorf("splits: %d splits asked, want at least 1", count)
	case !(train > 0 && train < 1): // NaN too
		return nil, fmt.Errorf("splits: a training share of %v, want a number between 0 and 1, such as 0.5", train)
	}
	names := distinct(labels)
	if len(names) < 2 {
		return nil, fmt.Errorf("splits: the labels are of %d class, want at least two", len(names))
	}
	members := map[int64][]int{}
	for i, l := range labels {
		members[l] = append(members[l], i)
	}
	for _, l := range names {
		if len(members[l]) == 1 {
			return nil, fmt.Errorf("splits: class %d has one sample, want at least two, one to learn from and one to judge by; leave the class out", l)
		}
	}
	rng, splits := blas.NewStream(seed), make([]Split, count)
	trains := make([]bool, len(labels))
	for s := range splits {
		clear(trains)
		for _, l := range names {
			p := append([]int(nil), members[l]...)
			for i := range trainingCount(len(p), train) {
				j := i + rng.Below(len(p)-i)
				p[i], p[j] = p[j], p[i]
				trains[p[i]] = true
			}
		}
		for i, first := range trains {
			if first {
				splits[s].Train = append(splits[s].Train, i)
			} else {
				splits[s].Test = append(splits[s].Test, i)
			}
		}
	}
	return splits, nil
}

// trainingCount returns ⌊share·c⌋ within 1…c−1. The product is raised by a negligible amount,
// so that 0.29 of 100 is 29.
func trainingCount(c int, share float64) int {
	return min(max(int(math.Floor(share*float64(c)+1e-9)), 1), c-1)
}

// Classifier names one of the classifiers: "nn" or "nfl".
type Classifier string

// The classifiers, see [ClassifyNN] and [ClassifyNFL].
const (
	NN  Classifier = "nn"
	NFL Classifier = "nfl"
)

// Classify returns the class of each test point by the classifier.
func (c Classifier) Classify(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, o Options) ([]int64, error) {
	switch c {
	case NN:
		return ClassifyNN(ctx, train, labels, test, o)
	case NFL:
		return ClassifyNFL(ctx, train, labels, test, o)
	}
	return nil, fmt.Errorf("unknown classifier %q; there are %s and %s", c, NN, NFL)
}

// Trial is a classification repeated over random splits. Zero values select
// 10 splits, Train 0.5 and Seed 1.
type Trial struct {
	Splits int
	Train  float64 // share of each class in the training part
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

// Rates are error rates, one for each split.
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

// HolisticErrors measures how well classes can be separated in y, n × d: for
// every split of the trial, the share of test rows that a classifier trained on
// the training rows misclassifies. If y is an embedding of all samples together,
// this is the holistic projection of Wang and Zhang 2010, section 7.4. The result has
// a list of rates for every classifier.
//
// It returns the errors of [ClassifyNN], [ClassifyNFL] and [StratifiedSplits].
func HolisticErrors(ctx context.Context, y mat.Matrix, labels []int64, t Trial, o Options, classifiers ...Classifier) ([]Rates, error) {
	if n, _ := y.Dims(); n != len(labels) {
		return nil, fmt.Errorf("splits: %d labels for %d samples", len(labels), n)
	}
	return t.Errors(labels, classifiers, func(s Split, c Classifier) ([]int64, error) {
		return c.Classify(ctx, Rows(y, s.Train), Pick(labels, s.Train), Rows(y, s.Test), o)
	})
}

// Errors runs a trial. predict returns the predictions of a classifier for the test part
// of a split; it is called split by split, and within a split for the classifiers in order.
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
