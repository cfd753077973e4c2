// Package defaults is the suite that clusters ordinary data by every method at its defaults,
// and by k-means, NMF with k-means, spectral clustering and LPP with k-means.
package defaults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Suite holds the defaults to what plain methods reach.
var Suite = bench.Suite{
	Name:  "defaults",
	Title: "Clusterings and factorisations at their defaults",
	About: `Every method of "orthant cluster" at its defaults, the factorisations among them read as clusterings, with the number of clusters of the classes. They are compared with k-means, NMF with k-means among its rows as they are, spectral clustering and LPP with k-means (as many coordinates as clusters, or one fewer than columns). All get the same samples, in the units of their files: what scaling a method needs it does itself, as a user would leave it to it. K-means and spectral clustering of features that are scaled to [0, 1] are shown as well, so that what comes from that scaling alone can be seen, and spectral clustering of these with 7 neighbours, which is about the start of rmnmf and the methods like it.

The defaults were chosen on five sets, Sonar, Ionosphere, Wave, WDBC and ORL. Those that are reported, Semeion, mfeat-fac, COIL-20, ten people of Extended Yale B and USPS, chose nothing, and nothing of the corrupted forms did. Of USPS, 11 000 digits, 2000 are drawn once by a seed, the same for all methods: some need time and memory in the square of the samples. Wave is drawn anew by each seed.

A figure is the median over ten seeds, with the least and the greatest. What does not depend on the seed is run once. Of the reporting sets there are rows with the defaults of the methods' papers (protocol=paper) besides, where these are others, over three seeds. ACC is by the best matching of clusters to classes, NMI over the larger entropy. Seconds are processor seconds of one run, the mean over the seeds. Factorisations that need entries ≥ 0 and refuse others by default get shift=columns on Ionosphere and Wave, the two sets with negative entries.

Some methods return their own start where they do not find better than that: such runs say so in their details, and are no success of the method. The binding claims count them as ACC 0, and show their share.`,
	Cases:    cases,
	Claims:   claims(),
	Sections: sections,
}

// seeds are how many each random method has, by the defaults of its paper and with --quick fewer.
const seeds, paperSeeds, quickSeeds = 10, 3, 1

func cases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range sets {
		for _, m := range methodsOn([]*dataSet{&sets[i]}) {
			list = append(list, run{&sets[i], m}.asCase(e))
		}
	}
	return list
}

// run is a method on a set: a cell of the tables.
type run struct {
	set    *dataSet
	method method
}

func (q run) name() string { return q.set.key + "/" + q.method.key }

// count is the number of seeds.
func (q run) count(e *bench.Env) int {
	switch {
	case q.method.fixed && !q.set.drawn():
		return 1
	case e.Quick:
		return quickSeeds
	case q.method.paper:
		return paperSeeds
	}
	return seeds
}

func (q run) asCase(e *bench.Env) bench.Case {
	count := q.count(e)
	params := map[string]any{"clusters": q.set.classes, "seeds": count, "parameters": "defaults", "form": q.set.form.String(), "nmi": "max"}
	if drawn := q.set.drawnOf(e); drawn > 0 {
		params["samples"] = drawn
	}
	if q.method.unit {
		params["features"] = "[0, 1]"
	}
	if q.method.paper {
		params["protocol"] = "paper"
	}
	for key, text := range q.method.set {
		params[key] = text
	}
	return bench.Case{
		Name: q.name(), Data: q.set.source.Name(), N: q.set.drawnOf(e), Method: q.method.name, Params: params, Repeats: 1, Threads: bench.LongCaseThreads,
		Full: !q.set.quick && !(q.set.quickly && q.method.quick), Needs: append(q.set.needs(), "method:"+q.method.name),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return q.run(ctx, e, c, count)
		},
	}
}

const (
	// caseBudget is how long all seeds of a method on a set may take.
	caseBudget = 5 * time.Minute
	// shownImages are how many corrupted ones are drawn.
	shownImages = 12
	// startKey is the detail of a run that found nothing better than its start, and kept that.
	startKey = "start_returned"
)

func setDim(m engine.Method, dim int) error { return engine.Set(m, "dim", strconv.Itoa(dim)) }

// run clusters by every seed.
func (q run) run(ctx context.Context, e *bench.Env, c *bench.Case, count int) (*bench.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, caseBudget)
	defer cancel()
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}}
	for seed := range uint64(count) {
		if err := q.once(ctx, e, c, seed+1, out); errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("it did not come to an end within %v", caseBudget)
		} else if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed+1, err)
		}
	}
	for _, seconds := range []engine.Seconds{out.Seconds, out.CPUSeconds} {
		for phase := range seconds {
			seconds[phase] /= float64(count)
		}
	}
	credited := slices.Clone(out.Series["acc"])
	for i, returned := range out.Series["start-returned"] {
		out.Quality["start-returned"] += returned / float64(count)
		credited[i] *= 1 - returned
	}
	out.Quality["acc-credited"] = bench.Summarize(credited).Median
	for _, key := range []string{"acc", "nmi"} {
		values := out.Series[key]
		out.Quality[key], out.Quality[key+"-low"], out.Quality[key+"-high"] = bench.Summarize(values).Median, slices.Min(values), slices.Max(values)
	}
	return out, nil
}

// once clusters by one seed and adds what comes out to the series.
func (q run) once(ctx context.Context, e *bench.Env, c *bench.Case, seed uint64, out *bench.Outcome) error {
	d, err := q.set.load(e, seed)
	if err != nil {
		return err
	}
	f, err := q.method.cluster(ctx, d, q.set.classes, engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Seed: seed, Memory: e.Memory})
	if err != nil {
		return err
	}
	if seed == 1 {
		out.Samples, out.Features = d.X.Dims()
		out.DataHash, out.Backend = bench.HashMatrix(d.X), f.backend
		if q.set.form != (form{}) && q.method.key == kmeansKey {
			out.Pictures = map[string]*bench.Picture{"images": {Images: q.set.form.shown(d, seed, shownImages)}}
		}
	}
	for _, text := range f.warnings {
		if !strings.Contains(out.Note, text) {
			out.Note = strings.TrimPrefix(out.Note+"; "+text, "; ")
		}
	}
	for phase, s := range f.seconds {
		out.Seconds[phase] += s
	}
	for phase, s := range f.cpu {
		out.CPUSeconds[phase] += s
	}
	truth, labels := counted(d.Labels, f.labels)
	acc, err := measures.Accuracy(truth, labels)
	if err != nil {
		return err
	}
	nmi, err := measures.NMI(truth, labels, "max")
	if err != nil {
		return err
	}
	add := func(key string, v float64) { out.Series[key] = append(out.Series[key], v) }
	add("acc", acc)
	add("nmi", nmi)
	if returned, known := f.details[startKey].(bool); known {
		add("start-returned", map[bool]float64{true: 1}[returned])
	}
	return nil
}

// counted leaves out the samples that were added.
func counted(truth, labels []int64) (own, found []int64) {
	for i, class := range truth {
		if class != outlier {
			own, found = append(own, class), append(found, labels[i])
		}
	}
	return own, found
}
