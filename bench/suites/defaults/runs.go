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
	if returned, told := f.details[startKey].(bool); told {
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
