package rnpa

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// recognition is one cell of the tables: a set under a noise, recognised by the
// nearest of seven training images a class.
type recognition struct {
	set   imageSet
	noise noise
	coder coder
	rank  int
}

const (
	trainImages, heldImages = 7, 6
	recognitionRank         = 60 // of the tables
	metricTheta             = 0.5
)

func (q recognition) name() string {
	return fmt.Sprintf("%s/recognition/%s/%s/r=%d", q.set.key, q.noise.key, q.coder.key, q.rank)
}

func (q recognition) asCase(e *bench.Env) bench.Case {
	repeats := q.repeats(e)
	more := map[string]any{
		"noise": q.noise.key, "corrupted": "a fifth of the images", "repeats": repeats, "seeds": seedsOf(repeats),
		"train": trainImages, "held_out": q.held(), "distance": "euclidean", "codes": "training and test images encoded alike",
	}
	if q.coder.byCIM {
		more["distance"], more["metric_theta"] = "cim", metricTheta
	}
	return bench.Case{
		Name: q.name(), Data: q.set.file, Method: q.coder.named(), Repeats: 1, Threads: bench.LongCaseThreads, Needs: q.set.needs(q.coder.method),
		Full: !q.set.quick || !q.coder.quick || q.noise == cleanImages || q.rank != recognitionRank ||
			q.noise != saltImages && slices.Contains([]string{"sp-rna", "cim-nmf"}, q.coder.method), // several seconds a run
		Params: q.coder.params(q.coder.rankFor(q.rank, q.set.classes*trainImages, q.set.classes), more),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
			for seed := range uint64(repeats) {
				if err := q.repeat(ctx, e, c, seed+1, out); err != nil {
					return nil, fmt.Errorf("seed %d: %w", seed+1, err)
				}
			}
			summarize(out, "rate")
			return out, nil
		},
	}
}

func (q recognition) repeats(e *bench.Env) int {
	if e.Quick {
		return oneRepeat
	}
	if q.set.few || q.rank != recognitionRank {
		return fewRepeats
	}
	return sweepRepeats
}

// held is how many images of a class are for validation: none where a class has no more
// than ten.
func (q recognition) held() int {
	if q.set.key == orlSet.key {
		return 0
	}
	return heldImages
}

// repeat draws everything by a seed and adds the rate of recognition of the test images
// to the series.
func (q recognition) repeat(ctx context.Context, e *bench.Env, c *bench.Case, seed uint64, out *bench.Outcome) error {
	im, err := q.set.draw(e, q.noise, seed)
	if err != nil {
		return err
	}
	s := splitByCount(im.labels, trainImages, q.held(), seed)
	rates, err := q.rates(ctx, c, im, s.Train, [][]int{s.Test}, seed, out)
	if err != nil {
		return err
	}
	out.Series["rate"] = append(out.Series["rate"], rates[0])
	return nil
}

// rates are those of the recognition of some groups of images by the training ones.
func (q recognition) rates(ctx context.Context, c *bench.Case, im *images, training []int, groups [][]int, seed uint64, out *bench.Outcome) ([]float64, error) {
	x, labels := measures.Rows(im.x, training), measures.Pick(im.labels, training)
	o := engine.Options{Threads: c.Threads, Backend: c.Backend, Seed: seed, Labels: labels}
	found, err := q.coder.fit(ctx, x, q.coder.rankFor(q.rank, len(training), q.set.classes), o)
	if err != nil {
		return nil, err
	}
	seen(out, x, found, seed == 1)
	encode := func(x *mat.Dense) (*mat.Dense, error) { return x, nil }
	if q.coder.method != "" {
		model, err := found.model()
		if err != nil {
			return nil, err
		}
		encode = func(x *mat.Dense) (*mat.Dense, error) { return model.Transform(ctx, x, o) }
	}
	train, err := encode(x)
	if err != nil {
		return nil, err
	}
	var rates []float64
	for _, rows := range groups {
		test, err := encode(measures.Rows(im.x, rows))
		if err != nil {
			return nil, err
		}
		predicted, err := q.nearest(ctx, c, train, labels, test)
		if err != nil {
			return nil, err
		}
		wrong, err := measures.ErrorRate(measures.Pick(im.labels, rows), predicted)
		if err != nil {
			return nil, err
		}
		rates = append(rates, 1-wrong)
	}
	return rates, nil
}

// nearest gives each test code the label of the nearest training code.
func (q recognition) nearest(ctx context.Context, c *bench.Case, train *mat.Dense, labels []int64, test *mat.Dense) ([]int64, error) {
	with, err := bench.MeasureOptions(c)
	if err != nil {
		return nil, err
	}
	if q.coder.byCIM {
		sigma2, err := measures.CIMScale(train, metricTheta)
		if err != nil {
			return nil, err
		}
		return measures.ClassifyCIM(ctx, train, labels, test, sigma2, with)
	}
	return measures.ClassifyNN(ctx, train, labels, test, with)
}

// imageSplit is a split with images for validation.
type imageSplit struct {
	measures.Split
	held []int
}

// splitByCount draws a number of training images of each class and others for
// validation; the rest is for testing. The classes are drawn by ascending label
// from one stream, each by the first steps of a Fisher–Yates shuffle.
func splitByCount(labels []int64, train, held int, seed uint64) imageSplit {
	members := map[int64][]int{}
	var names []int64
	for i, l := range labels {
		if members[l] == nil {
			names = append(names, l)
		}
		members[l] = append(members[l], i)
	}
	slices.Sort(names)
	random, s := blas.NewStream(seed), imageSplit{}
	for _, l := range names {
		p := members[l]
		for i := range min(train+held, len(p)) {
			j := i + random.Below(len(p)-i)
			p[i], p[j] = p[j], p[i]
		}
		s.Train = append(s.Train, p[:min(train, len(p))]...)
		s.held = append(s.held, p[min(train, len(p)):min(train+held, len(p))]...)
		s.Test = append(s.Test, p[min(train+held, len(p)):]...)
	}
	slices.Sort(s.held)
	slices.Sort(s.Train)
	slices.Sort(s.Test)
	return s
}

func recognitionCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, set := range imageSets {
		for _, q := range imageNoises {
			for _, c := range recognisers {
				cases = append(cases, recognition{set, q, c, recognitionRank}.asCase(e))
			}
		}
	}
	return cases
}

// recognitionRanks are those of Fig. 8.
var recognitionRanks = []int{30, 60, 90, 120, 150}

// sweptRecognizers are those that have a rank, SP-RNA once; LDA has one dimension less
// than there are classes.
var sweptRecognizers = slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool {
	return c.method == "" || c.method == "lda" || c.key == plainSPRNA.key
})

func recognitionSweepCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range sweptRecognizers {
			for _, r := range recognitionRanks {
				if r != recognitionRank {
					cases = append(cases, recognition{orlSet, q, c, r}.asCase(e))
				}
			}
		}
	}
	return cases
}
