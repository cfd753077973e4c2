package rnpa

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
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

// rates are the rates of recognition of some groups of images by the training ones.
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

// recognitionRanks are the ranks of Fig. 8.
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

// robustRecognitionSections has a table for each set and the sweeps over the rank.
func robustRecognitionSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, set := range imageSets {
		s := bench.Section{
			Title: "Recognition: " + set.title,
			Text:  fmt.Sprintf("Share of test images recognised by the nearest of %d training images a class, %d components (LDA: one less than there are classes); mean ± standard deviation of the repeats.", trainImages, recognitionRank),
			Table: &bench.Table{Columns: []string{"method"}},
		}
		for _, q := range imageNoises {
			s.Table.Columns = append(s.Table.Columns, q.title)
		}
		for _, c := range recognisers {
			row := []bench.Cell{bench.PlainCell(c.title)}
			for _, q := range imageNoises {
				row = append(row, meanAndDeviation(r, recognition{set, q, c, recognitionRank}.name(), "rate"))
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
		sections = append(sections, s)
	}
	var list []byNumber
	var ranks []float64
	for _, v := range recognitionRanks {
		ranks = append(ranks, float64(v))
	}
	for _, q := range imageNoises[1:] {
		list = append(list, byNumber{title: "Recognition by rank (Fig. 8), ORL, " + q.title, label: "r", key: "rate", unit: "rate of recognition", at: ranks, coders: sweptRecognizers,
			name: func(c coder, i int) string { return recognition{orlSet, q, c, recognitionRanks[i]}.name() }})
	}
	return append(sections, sweepSections(r, list, "Part of the full run alone; mean ± standard deviation of the repeats.")...)
}

// bestRecognition is the claim on SP-RNA, on one of the sets.
func bestRecognition(set imageSet) bench.Claim {
	return bench.Claim{
		Name: "best-sp-rna-" + set.key, Source: papers.RNPA + ", Fig. 8", Statement: fmt.Sprintf("SP-RNA recognises best under both corruptions (%s, r = %d).", set.title, recognitionRank),
		Paper: "curves; 98.87 % at most, on CMU-PIE with salt and pepper",
		Check: func(r *bench.Records) bench.Finding {
			others := slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool { return c.key == plainSPRNA.key })
			return firstUnder(r, "rate", "rate", discriminativeRNA, others, func(q noise, c coder) string { return recognition{set, q, c, recognitionRank}.name() })
		},
	}
}

// termMatters is the smallest change in the rate of recognition that counts.
const termMatters = 0.01

var robustRecognitionClaims = []bench.Claim{
	bestRecognition(orlSet), bestRecognition(coilSet), bestValidated,
	{
		Name: "sp-rna-term", Source: "orthant", Statement: "At λ = 1e-4 the supervised term changes nothing: SP-RNA recognises as CIM-NMF does, both by the Euclidean distance (ORL).",
		Paper: "no difference, in our reference programs",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			var ours []string
			for _, q := range imageNoises[1:] {
				with, without := recognition{orlSet, q, plainSPRNA, recognitionRank}.name(), recognition{orlSet, q, cimShort, recognitionRank}.name()
				if missing, ready := r.Unready(with, without); !ready {
					return missing
				}
				rate, _ := r.Qualities("rate", with, without)
				f.Cases = append(f.Cases, with, without)
				ours = append(ours, fmt.Sprintf("%s: %.3f against %.3f", q.title, rate[0], rate[1]))
				if math.Abs(rate[0]-rate[1]) > termMatters {
					f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("A change of more than %.2f counts.", termMatters)
				}
			}
			f.Ours = strings.Join(ours, "; ")
			return f
		},
	},
}

// Fig. 13 c and d: recognition by λ.

var (
	// regularized are the recognisers that have a λ, SP-RNA by its own metric alone.
	regularized = []coder{weakGNMF, weakGSGNMF, ndlaCoder, discriminativeRNA}
	// recognitionLambdas are of the paper's grid, which has every decade; SP-RNA is to be
	// good from the first to lambdasInRange.
	recognitionLambdas = []string{"0.00001", "0.0001", "0.001", "0.01", "1", "100", "100000"}
	lambdasInRange     = 4
)

// atLambda is the cell of a recogniser at a λ; what has none stays as it is.
func atLambda(set imageSet, q noise, c coder, lambda string) recognition {
	if slices.ContainsFunc(regularized, func(x coder) bool { return x.key == c.key }) {
		c = c.with("lambda", lambda)
	}
	return recognition{set, q, c, recognitionRank}
}

func recognitionLambdaCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range regularized {
			for _, lambda := range recognitionLambdas {
				if cell := atLambda(orlSet, q, c, lambda); cell.coder.key != c.key { // which the tables have
					cases = append(cases, cell.asCase(e))
				}
			}
		}
	}
	return cases
}

// ratesByLambda are the rates of a recogniser at every λ.
func ratesByLambda(r *bench.Records, set imageSet, q noise, c coder) (rates []float64, names []string, missing bench.Finding, ready bool) {
	for _, lambda := range recognitionLambdas {
		names = append(names, atLambda(set, q, c, lambda).name())
	}
	if missing, ready = r.Unready(names...); !ready {
		return nil, nil, missing, false
	}
	rates, _ = r.Qualities("rate", names...)
	return rates, names, missing, true
}

func ratesText(rates []float64) string {
	var parts []string
	for _, v := range rates {
		parts = append(parts, fmt.Sprintf("%.3f", v))
	}
	return strings.Join(parts, ", ")
}

// goodRange is the claim on SP-RNA's λ, under some corruptions of a set.
func goodRange(name string, set imageSet, noises ...noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 13 c, d", Statement: fmt.Sprintf("SP-RNA recognises well for λ from 1e-5 to 1e-2 (%s).", set.title),
		Paper: "good for λ in [1e-5, 1e-2]; curves",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			var ours []string
			for _, q := range noises {
				rates, names, missing, ready := ratesByLambda(r, set, q, discriminativeRNA)
				if !ready {
					return missing
				}
				f.Cases = append(f.Cases, names...)
				ours = append(ours, q.title+": "+ratesText(rates))
				if slices.Min(rates[:lambdasInRange]) < slices.Max(rates)-rangeSlack {
					f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("A rate within %.2f of the best of all λ counts as good.", rangeSlack)
				}
			}
			f.Ours = fmt.Sprintf("rates for λ = %s; %s", strings.Join(recognitionLambdas, ", "), strings.Join(ours, "; "))
			return f
		},
	}
}

// fallBeyond is the claim on all methods with a λ.
func fallBeyond(name string, set imageSet, noises ...noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 13 c, d",
		Statement: fmt.Sprintf("Beyond that range the methods with a λ recognise worse: GNMF, GS-GNMF, NDLA and SP-RNA at λ = %s (%s).", recognitionLambdas[len(recognitionLambdas)-1], set.title),
		Paper:     "curves that fall",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{}
			var ours, stay []string
			fell := 0
			for _, q := range noises {
				for _, c := range regularized {
					rates, names, missing, ready := ratesByLambda(r, set, q, c)
					if !ready {
						return missing
					}
					f.Cases = append(f.Cases, names...)
					var inside float64
					for _, v := range rates[:lambdasInRange] {
						inside += v / float64(lambdasInRange)
					}
					last := rates[len(rates)-1]
					ours = append(ours, fmt.Sprintf("%s, %s: %.3f → %.3f (λ = 100: %.3f)", q.title, c.title, inside, last, rates[slices.Index(recognitionLambdas, "100")]))
					if last < inside-rangeSlack {
						fell++
					} else {
						stay = append(stay, c.title+" under "+q.title)
					}
				}
			}
			f.Ours = "mean rate from 1e-5 to 1e-2, and at the end: " + strings.Join(ours, "; ")
			f.Verdict = partly(fell, len(noises)*len(regularized), 1)
			if len(stay) > 0 {
				f.Why = fmt.Sprintf("A fall by more than %.2f counts; none of %s.", rangeSlack, strings.Join(stay, ", "))
			}
			return f
		},
	}
}

// partly is the verdict on what holds in some of all places: in part from least on.
func partly(held, all, least int) bench.Verdict {
	switch {
	case held == all:
		return bench.Reproduces
	case held >= least:
		return bench.PartlyHolds
	}
	return bench.DoesNot
}

var recognitionLambdaClaims = []bench.Claim{
	goodRange("sp-rna-lambda-range", orlSet, imageNoises[1:]...), fallBeyond("recognition-lambda-falls", orlSet, imageNoises[1:]...),
}

func recognitionLambdaSections(r *bench.Records) []bench.Section {
	var list []byNumber
	others := slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool { return c.key == plainSPRNA.key })
	for _, q := range imageNoises[1:] {
		list = append(list, byNumber{title: "Recognition by λ (Fig. 13 c, d), ORL, " + q.title, label: "λ", key: "rate", unit: "rate of recognition", logX: true, at: floats(recognitionLambdas), coders: others,
			name: func(c coder, i int) string { return atLambda(orlSet, q, c, recognitionLambdas[i]).name() }})
	}
	return sweepSections(r, list, "Methods without a λ have one rate throughout. Part of the full run alone; mean ± standard deviation of the repeats.")
}
