package smrmf

import (
	"context"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

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

// chose keeps of the learned graphs those of the runs that were chosen: the median of
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

// finish makes the seconds those of one run, on average.
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
