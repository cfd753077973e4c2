package bench

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

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

func (q recognition) asCase(e *Env) Case {
	repeats := q.coder.repeatsOn(q.set, e)
	more := map[string]any{
		"noise": q.noise.key, "corrupted": "a fifth of the images", "repeats": repeats, "seeds": fmt.Sprintf("1–%d", repeats),
		"train": trainImages, "held_out": q.held(), "distance": "euclidean", "codes": "training and test images encoded alike",
	}
	if q.coder.byCIM {
		more["distance"], more["metric_theta"] = "cim", metricTheta
	}
	return Case{
		Name: q.name(), Data: q.set.file, Method: q.coder.named(), Repeats: 1, Threads: classThreads, Needs: q.set.needs(q.coder.method),
		Full: !q.set.quick || !q.coder.quick || q.noise == cleanImages || q.rank != recognitionRank, Params: q.coder.params(q.coder.rankFor(q.rank, q.set.classes*trainImages, q.set.classes), more),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			out := &Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
			for seed := range uint64(repeats) {
				if err := q.repeat(ctx, e, c, seed+1, out); err != nil {
					return nil, fmt.Errorf("seed %d: %w", seed+1, err)
				}
			}
			out.summarise("rate")
			return out, nil
		},
	}
}

// held is how many images of a class are for validation, and so not used: none where
// a class has no more than ten.
func (q recognition) held() int {
	if q.set.key == orlSet.key {
		return 0
	}
	return heldImages
}

// repeat draws everything by a seed and adds the rate of recognition to the series.
func (q recognition) repeat(ctx context.Context, e *Env, c *Case, seed uint64, out *Outcome) error {
	im, err := q.set.draw(e, q.noise, seed)
	if err != nil {
		return err
	}
	s := splitByCount(im.labels, trainImages, q.held(), seed)
	x, labels := measures.Rows(im.x, s.Train), measures.Pick(im.labels, s.Train)
	o := engine.Options{Threads: c.Threads, Backend: c.Backend, Seed: seed, Labels: labels}
	found, err := q.coder.fit(ctx, x, q.coder.rankFor(q.rank, len(s.Train), q.set.classes), o)
	if err != nil {
		return err
	}
	out.seen(x, found, seed == 1)
	train, test := x, measures.Rows(im.x, s.Test)
	if q.coder.method != "" {
		model, err := found.model()
		if err != nil {
			return err
		}
		if train, err = model.Transform(ctx, train, o); err != nil {
			return err
		}
		if test, err = model.Transform(ctx, test, o); err != nil {
			return err
		}
	}
	predicted, err := q.nearest(ctx, c, train, labels, test)
	if err != nil {
		return err
	}
	wrong, err := measures.ErrorRate(measures.Pick(im.labels, s.Test), predicted)
	if err != nil {
		return err
	}
	out.Series["rate"] = append(out.Series["rate"], 1-wrong)
	return nil
}

// nearest gives each test code the label of the nearest training code.
func (q recognition) nearest(ctx context.Context, c *Case, train *mat.Dense, labels []int64, test *mat.Dense) ([]int64, error) {
	with, err := measuringOf(c)
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

// splitByCount draws a number of training images of each class and leaves out others
// for validation; the rest is for testing. The classes are drawn by ascending label
// from one stream, each by the first steps of a Fisher–Yates shuffle.
func splitByCount(labels []int64, train, held int, seed uint64) measures.Split {
	members := map[int64][]int{}
	var names []int64
	for i, l := range labels {
		if members[l] == nil {
			names = append(names, l)
		}
		members[l] = append(members[l], i)
	}
	slices.Sort(names)
	random, s := blas.NewStream(seed), measures.Split{}
	for _, l := range names {
		p := members[l]
		for i := range min(train+held, len(p)) {
			j := i + random.Below(len(p)-i)
			p[i], p[j] = p[j], p[i]
		}
		s.Train = append(s.Train, p[:min(train, len(p))]...)
		s.Test = append(s.Test, p[min(train+held, len(p)):]...)
	}
	slices.Sort(s.Train)
	slices.Sort(s.Test)
	return s
}

func recognitionCases(e *Env) []Case {
	var cases []Case
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

// sweptRecognisers are those that have a rank; LDA has one dimension less than there are classes.
var sweptRecognisers = slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool { return c.method == "" || c.method == "lda" || c.method == "gs-gnmf" })

func recognitionSweepCases(e *Env) []Case {
	var cases []Case
	for _, q := range imageNoises[1:] {
		for _, c := range sweptRecognisers {
			for _, r := range recognitionRanks {
				if r != recognitionRank {
					cases = append(cases, recognition{orlSet, q, c, r}.asCase(e))
				}
			}
		}
	}
	return cases
}
