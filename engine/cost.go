package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// To measure rates, the method embeds a few samples, and then more if time allows.
const (
	forecastTime = 100 * time.Millisecond // for all measurements
	minRows      = 800                    // fewer are solved by a dense eigensolver, whose time predicts nothing about the sparse one
	forecastFrom = 4000                   // the fewest samples with a forecast
)

// pilotRows are the numbers of samples embedded in turn; the first is a warm-up.
var pilotRows = []int{250, minRows, 2000}

// Forecast is the expected time of an embedding, from rates measured at its start.
type Forecast struct {
	Rows   int     // number of samples embedded to measure the rates
	Took   float64 // seconds spent on measuring
	Phases Seconds // expected seconds, and "total"
}

// ForecastEmbed estimates how many seconds an embedding with these options will take on this machine.
// It embeds 250, 800 and 2000 of the samples, as far as a tenth of a second allows, and
// scales the time of each phase by a power of n: patches by n, shortest paths by n², and the neighbour
// search and the eigenvectors by measured powers (docs/speed.md). It returns nil
// for fewer than 4000 samples, sparse samples, given neighbours, landmarks, and methods that take too
// long even on few samples.
func ForecastEmbed(ctx context.Context, x mat.Matrix, m Method, o Options) *Forecast {
	dense, ok := x.(*mat.Dense)
	if !ok || len(structures(o)) > 0 || o.Landmarks > 0 || o.LandmarkRows != nil || o.Init != nil {
		return nil
	}
	n, columns := dense.Dims()
	if n < forecastFrom {
		return nil
	}
	began := time.Now()
	within, cancel := context.WithTimeout(ctx, forecastTime)
	defer cancel()
	rows, phases := 0, Seconds(nil)
	last := time.Duration(0)
	for _, count := range pilotRows {
		if rows >= minRows && 3*last > forecastTime-time.Since(began) {
			break
		}
		start := time.Now()
		r, err := Embed(within, everyRow(dense, count), m, pilot(o, n, count))
		if err != nil {
			break
		}
		rows, phases, last = count, r.Seconds, time.Since(start)
	}
	if rows < minRows {
		return nil
	}
	f := &Forecast{Rows: rows, Phases: Seconds{}}
	total := 0.0
	for name, seconds := range phases {
		if name == "total" || name == "diagnosis" { // mostly specific to few samples
			continue
		}
		expected := seconds * growth(method.RowOf(m), name, float64(n), float64(rows), columns)
		f.Phases[name] = expected
		total += expected
	}
	f.Phases["total"], f.Took = total, time.Since(began).Seconds()
	return f
}

// Powers of n by which phases grow up to a million samples, measured. The asymptotic powers (2 for all
// distances, 1.5 for factors of graphs of surfaces) are not reached, because small runs have fixed costs.
const (
	searchPower = 1.3 // of all distances
	sheetPower  = 1.2 // of eigenvectors for data of few columns, whose graphs have small separators
	solvePower  = 1.7 // of eigenvectors for other data
)

// growth returns the ratio of the times of a phase for n samples and for few samples.
func growth(r method.Row, phase string, n, few float64, columns int) float64 {
	q := n / few
	switch {
	case phase == "neighbors" && columns > flatColumns:
		return math.Pow(q, searchPower)
	case phase == "neighbors":
		return q * math.Log(n) / math.Log(few)
	case phase == "alignment" && r.OwnLandmarks: // shortest paths
		return q * q
	case phase == "solve" && r.OwnLandmarks: // products with an n × n matrix
		return q * q
	case phase == "solve" && r.Neighbors != nil && columns > flatColumns:
		return math.Pow(q, solvePower)
	case phase == "solve" && r.Neighbors != nil:
		return math.Pow(q, sheetPower)
	}
	return q
}

// everyRow returns count rows of x, evenly spread.
func everyRow(x *mat.Dense, count int) *mat.Dense {
	n, m := x.Dims()
	some := mat.NewDense(count, m, nil)
	for to := range count {
		some.SetRow(to, x.RawRowView(to*n/count))
	}
	return some
}

// pilot returns the options of a run that measures rates: it reports nothing, and accepts a graph
// with several components, which few samples may cause.
func pilot(o Options, n, count int) Options {
	o.Progress, o.Explain, o.Components, o.Overwrite, o.Model, o.Certified, o.Stability = nil, nil, "largest", false, false, false, ""
	if len(o.Labels) == n {
		labels := make([]int64, count)
		for to := range labels {
			labels[to] = o.Labels[to*n/count]
		}
		o.Labels = labels
	}
	if o.Targets != nil && o.Targets.RawMatrix().Rows == n {
		o.Targets = everyRow(o.Targets, count)
	}
	return o
}

// String returns the forecast as one line.
func (f *Forecast) String() string {
	type phase struct {
		name    string
		seconds float64
	}
	var list []phase
	for name, seconds := range f.Phases {
		if name != "total" && seconds >= 0.02*f.Phases["total"] {
			list = append(list, phase{name, seconds})
		}
	}
	slices.SortFunc(list, func(a, b phase) int {
		if a.seconds != b.seconds {
			return -int(math.Copysign(1, a.seconds-b.seconds))
		}
		return strings.Compare(a.name, b.name)
	})
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s %s", p.name, run.About(p.seconds)))
	}
	return fmt.Sprintf("seconds: about %s (%s), from rates measured on %d of the samples in %.2g s", run.About(f.Phases["total"]), strings.Join(parts, ", "), f.Rows, f.Took)
}

// The sizes from which an approximate search is suggested; smaller work takes seconds.
const (
	manyDistances = 2e13 // n²m of an exact search
	flatColumns   = 16   // up to this number of columns a tree search is used instead of all distances
)

// Cheaper describes a way with much less work if the method would take minutes on n × m samples and
// there is such a way; otherwise it returns "". The other way may give another result.
func Cheaper(ctx context.Context, m Method, n, columns int, o Options) string {
	return wording.Text(cheaper(m, n, columns, o), wording.Of(ctx))
}

// cheaper is [Cheaper] with marked parameters (see [wording]).
func cheaper(m Method, n, columns int, o Options) string {
	r := method.RowOf(m)
	if r.Cheaper != nil {
		if text := r.Cheaper(n, landmarksOf(o).asked()); text != "" {
			return fmt.Sprintf("%s of %d samples %s", m.Name(), n, text)
		}
	}
	metric, _ := neighbors.MetricNamed(o.Metric)
	if r.Neighbors != nil && len(structures(o)) == 0 && !(o.Recall > 0 && o.Recall < 1) && o.Neighbors != "approximate" && metric.CheckApproximate() == nil && o.Landmarks == 0 && columns > flatColumns &&
		float64(n)*float64(n)*float64(columns) >= manyDistances {
		return fmt.Sprintf("the exact search for neighbours among %d samples of %d columns takes %.2g distances; ‹recall=0.99› finds most of them much sooner", n, columns, float64(n)*float64(n))
	}
	return ""
}

// solving is the peak memory of a graph method relative to its patches and their
// sum, for the factors of the shifted matrix and the vectors of the search. Measured on
// swiss rolls of 10⁴ to 2·10⁵ samples (lle, ltsa, neml, le): between 1.2 and 3.6.
const solving = 3

// EstimateMemory estimates the peak memory of a method on n × m data, in bytes, including the
// storage of the data. It is accurate enough to plan how many runs fit into memory together. For
// sparse data add what [sparse.OfBytes] returns. k is the number of neighbours (0: the method's
// default). Only the options Landmarks and Threads count. An unknown method counts as one that only
// reads the data. The estimate refuses nothing; Options.Memory does, from what is known after the data
// are read.
func EstimateMemory(method string, n, m, k int, o Options) int64 {
	made, err := New(method)
	if err != nil {
		return 24 * int64(max(n, 0)) * int64(max(m, 0))
	}
	return peakBytes(made, n, m, k, o)
}

// peakBytes is [EstimateMemory] of a method.
func peakBytes(made Method, n, m, k int, o Options) int64 {
	rows, cols := int64(max(n, 0)), int64(max(m, 0))
	need := 24 * rows * cols // as read, a copy at work, the result
	r := method.DefaultRow(made)
	if l := int64(o.Landmarks); l > 0 && r.Memory == nil {
		rows = min(rows, l)
	}
	if r.Memory != nil {
		need += r.Memory(rows, cols, o.Threads, o.Landmarks)
	}
	need += int64(r.Squares * 8 * float64(rows) * float64(rows))
	if k <= 0 && r.Neighbors != nil {
		k = *r.Neighbors
	}
	if size := min(int64(k)+1, rows); r.Neighbors != nil {
		need += solving * (rows*size*12 + rows*size*(size+1)*4 + 12*rows*min(rows, size*size/2))
	} else {
		order := min(rows, cols)
		need += 16 * order * order
	}
	return need
}

// IsMemory reports whether an error means that the work would exceed Options.Memory, whether the engine
// or a solver refused it.
func IsMemory(err error) bool { return run.IsMemory(err) }
