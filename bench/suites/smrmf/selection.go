package smrmf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// caseBudget is how long a case may take.
const caseBudget = 10 * time.Minute

// selection is a cell of the tables: a method on a set.
type selection struct {
	set    dataSet
	method method
}

// moonCases are the methods of Table 2, and f-SMRMF.
func moonCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range moonSets {
		for _, title := range []string{"RMNMF", "SMRMF", "f-SMRMF"} {
			cases = append(cases, selection{s, methodTitled(title)}.asCase(e))
		}
	}
	return cases
}

// tableCases are the cells of Tables 4 and 5.
func tableCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range dataSets {
		for _, m := range clusterings {
			cases = append(cases, selection{s, m}.asCase(e))
		}
	}
	return cases
}

func (q selection) asCase(e *bench.Env) bench.Case {
	lambdas, draws, starts := q.method.lambdas(e, q.set), q.set.draws(e, q.method.few), q.method.starts(e, q.set)
	params := map[string]any{"clusters": q.set.classes, q.method.chosen(): fmt.Sprint(lambdas), "draws": draws, "starts": starts, "features": "[0, 1]", "nmi": "max"}
	if q.set.shift {
		params["features"] = "≥ 0"
	}
	for key, text := range q.settings("") {
		params[key] = text
	}
	return bench.Case{
		Name: caseName(q.set, q.method), Data: q.set.source.Name(), N: q.set.n, M: q.set.m, Method: q.method.method, Params: params, Repeats: 1, Threads: bench.LongCaseThreads,
		Full: !q.set.quick, Needs: append(q.set.needs(), "method:"+q.method.method),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			ctx, cancel := context.WithTimeout(ctx, caseBudget)
			defer cancel()
			out, err := q.run(ctx, e, c, lambdas, draws, starts)
			if errors.Is(err, context.DeadlineExceeded) {
				return nil, fmt.Errorf("it did not come to an end within %v", caseBudget)
			}
			return out, err
		},
	}
}

// settings are the parameters of a method for a λ, or what it has in its place: the set's and its own.
func (q selection) settings(lambda string) map[string]string {
	set := map[string]string{"scale": "none", "protocol": "paper"} // the features are scaled already
	maps.Copy(set, q.method.set)
	if q.set.exemplars > 0 {
		set["exemplars"] = strconv.Itoa(q.set.exemplars)
	}
	if lambda != "" {
		set[q.method.chosen()] = lambda
	}
	return set
}

// optionalParams are parameters that not every method has.
var optionalParams = []string{"scale", "protocol", "exemplars", "lambda", "misfit_cost"}

// made is the method with the parameters that it has; weighted reports whether
// it has a λ.
func (q selection) made(lambda string) (m engine.Method, weighted bool, err error) {
	if m, err = engine.NewFor("cluster", q.method.method); err != nil {
		return nil, false, err
	}
	known := engine.Values(m)
	set := q.settings(lambda)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if known[key] == nil && slices.Contains(optionalParams, key) {
			continue
		}
		if err := engine.Set(m, key, set[key]); err != nil {
			return nil, false, err
		}
	}
	return m, known[q.method.chosen()] != nil, nil
}

// run clusters every form of the set with every λ from every start.
func (q selection) run(ctx context.Context, e *bench.Env, c *bench.Case, lambdas []string, draws, starts int) (*bench.Outcome, error) {
	if _, weighted, err := q.made(""); err != nil {
		return nil, err
	} else if !weighted {
		lambdas = []string{""}
	}
	g := gridRuns{lambdas: lambdas, out: &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}}}
	for draw := range draws {
		d, err := q.set.load(e, uint64(draw)+1)
		if err != nil {
			return nil, err
		}
		if draw == 0 {
			g.out.Samples, g.out.Features = d.X.Dims()
			g.out.DataHash = bench.HashMatrix(d.X)
		}
		for start := range starts {
			for _, lambda := range lambdas {
				m, _, err := q.made(lambda)
				if err != nil {
					return nil, err
				}
				o := engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Seed: uint64(draw*starts+start) + 1, Memory: e.Memory}
				r, err := engine.Cluster(ctx, d.X, m, engine.ClusterOptions{Options: o, Clusters: q.set.classes})
				if err != nil {
					return nil, fmt.Errorf("λ = %s, draw %d, start %d: %w", lambda, draw+1, start+1, err)
				}
				if err := g.add(ctx, d, r, q, start == 0); err != nil {
					return nil, err
				}
			}
		}
	}
	if q.set.generated() {
		g.overDraws(draws)
	} else {
		g.overStarts(starts)
	}
	return g.finish(), nil
}

// load reads or draws the set and scales its features.
func (s dataSet) load(e *bench.Env, seed uint64) (*bench.Data, error) {
	source := s.source
	if s.generated() {
		source.Seed = seed
	}
	d, err := source.Load(e)
	if err != nil {
		return nil, err
	}
	if n, _ := d.X.Dims(); len(d.Labels) != n {
		return nil, fmt.Errorf("%s: %d labels for %d samples", s.title, len(d.Labels), n)
	}
	return &bench.Data{X: scaledFeatures(d.X, s.shift), Labels: d.Labels}, nil
}

// scaledFeatures moves every feature to a least value of 0 and, unless shift is set,
// scales it to a greatest of 1; constant ones become 0.
func scaledFeatures(x *mat.Dense, shift bool) *mat.Dense {
	n, m := x.Dims()
	y := mat.DenseCopyOf(x)
	for j := range m {
		column := mat.Col(nil, j, x)
		low, span := slices.Min(column), 1.0
		if high := slices.Max(column); !shift && high > low {
			span = high - low
		}
		for i := range n {
			y.Set(i, j, (column[i]-low)/span)
		}
	}
	return y
}

// gridRuns are the runs of a case, by draw and start, and within these by λ.
type gridRuns struct {
	lambdas  []string
	acc, nmi []float64
	graphs   []map[string]float64 // what a learned graph gives, of the runs with the first start
	pictures []map[string]*bench.Picture
	out      *bench.Outcome
}

// add looks at a clustering.
func (g *gridRuns) add(ctx context.Context, d *bench.Data, r *engine.Clustering, q selection, first bool) error {
	acc, err := measures.Accuracy(d.Labels, r.Labels)
	if err != nil {
		return err
	}
	nmi, err := measures.NMI(d.Labels, r.Labels, "max")
	if err != nil {
		return err
	}
	g.acc, g.nmi = append(g.acc, acc), append(g.nmi, nmi)
	for phase, s := range r.Seconds {
		g.out.Seconds[phase] += s
	}
	for phase, s := range r.CPUSeconds {
		g.out.CPUSeconds[phase] += s
	}
	if passes, ok := r.Details["factor_iterations"].(int); ok {
		g.out.Series["passes"] = append(g.out.Series["passes"], float64(passes))
	}
	g.out.Backend = r.Backend
	if !first || !q.method.learned {
		return nil
	}
	l := learnedOf(r)
	figures, err := l.figures(ctx, d)
	if err != nil {
		return err
	}
	var picture map[string]*bench.Picture
	if q.set.m == 2 {
		picture = l.picture(d)
	}
	g.graphs, g.pictures = append(g.graphs, figures), append(g.pictures, picture)
	return nil
}

// overStarts takes the mean over the starts for each λ, and the λ of the best.
func (g *gridRuns) overStarts(starts int) {
	width := len(g.lambdas)
	best, bestAt := math.Inf(-1), 0
	var means []float64
	for at := range g.lambdas {
		var acc, nmi []float64
		for s := range starts {
			acc, nmi = append(acc, g.acc[s*width+at]), append(nmi, g.nmi[s*width+at])
		}
		mean, sd := stat.MeanStdDev(acc, nil)
		if starts == 1 {
			sd = 0
		}
		if means = append(means, mean); mean > best {
			best, bestAt = mean, at
			g.out.Quality["acc"], g.out.Quality["acc-sd"], g.out.Quality["nmi"] = mean, sd, stat.Mean(nmi, nil)
			g.out.Quality["nmi-sd"] = 0
			if starts > 1 {
				g.out.Quality["nmi-sd"] = stat.StdDev(nmi, nil)
			}
		}
	}
	g.out.Quality["acc-low"], g.out.Quality["acc-high"] = slices.Min(g.acc), slices.Max(g.acc)
	g.out.Series["acc-by-lambda"] = means
	g.out.Quality["grid-median"] = bench.Summarize(means).Median
	g.chose([]int{bestAt})
}

// overDraws takes the best λ of each draw, and the median over the draws.
func (g *gridRuns) overDraws(draws int) {
	width := len(g.lambdas)
	var acc, nmi, medians []float64
	var runs []int
	for d := range draws {
		own := g.acc[d*width : (d+1)*width]
		at := d*width + slices.Index(own, slices.Max(own))
		acc, nmi, medians, runs = append(acc, g.acc[at]), append(nmi, g.nmi[at]), append(medians, bench.Summarize(own).Median), append(runs, at)
	}
	g.out.Series["acc"], g.out.Series["nmi"] = acc, nmi
	g.out.Quality["acc"], g.out.Quality["nmi"], g.out.Quality["grid-median"] = bench.Summarize(acc).Median, bench.Summarize(nmi).Median, bench.Summarize(medians).Median
	g.out.Quality["acc-low"], g.out.Quality["acc-high"] = slices.Min(acc), slices.Max(acc)
	g.out.Quality["nmi-low"], g.out.Quality["nmi-high"] = slices.Min(nmi), slices.Max(nmi)
	g.chose(runs)
}

// chose keeps the learned graphs of the runs that were chosen: the median of
// each figure, and the picture of the first.
func (g *gridRuns) chose(runs []int) {
	best, err := strconv.ParseFloat(g.lambdas[runs[0]%len(g.lambdas)], 64)
	if err == nil {
		g.out.Quality["weight"] = best
	}
	byKey := map[string][]float64{}
	for _, at := range runs {
		if at < len(g.graphs) {
			for key, v := range g.graphs[at] {
				byKey[key] = append(byKey[key], v)
			}
		}
	}
	for key, values := range byKey {
		g.out.Quality[key] = bench.Summarize(values).Median
	}
	if runs[0] < len(g.pictures) {
		g.out.Pictures = g.pictures[runs[0]]
	}
}

// finish turns the seconds into the average of one run.
func (g *gridRuns) finish() *bench.Outcome {
	runs := float64(len(g.acc))
	for _, seconds := range []engine.Seconds{g.out.Seconds, g.out.CPUSeconds} {
		for phase := range seconds {
			seconds[phase] /= runs
		}
	}
	g.out.Quality["runs"] = runs
	if passes := g.out.Series["passes"]; len(passes) > 0 {
		g.out.Quality["passes"] = stat.Mean(passes, nil)
		delete(g.out.Series, "passes")
	}
	return g.out
}
