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
)

// How rates are measured: the method embeds so few of the samples, and then more where
// that leaves time.
const (
	forecastTime = 100 * time.Millisecond // of all measuring
	leastRows    = 800                    // a dense eigensolver takes fewer, whose time says nothing of a sparse one's
	forecastFrom = 4000                   // samples from which a forecast says something
)

// pilotRows are the samples that are embedded, one number after the other; the first warms up.
var pilotRows = []int{250, leastRows, 2000}

// Forecast tells how long an embedding will take, from rates measured at its start.
type Forecast struct {
	Rows   int     // of the samples that were embedded to measure the rates
	Took   float64 // seconds of measuring
	Phases Seconds // expected, and "total"
}

// ForecastEmbed tells how many seconds an embedding with these options will take on this machine. It
// embeds 250, 800 and 2000 of the samples, as far as that is possible within a tenth of a second, and
// scales the time of each phase by a power of n: patches by n, shortest paths by n², and the search
// for neighbours and the eigenvectors by powers that were measured (docs/speed.md). It returns nil
// for fewer than 4000 samples, sparse samples, given neighbours, landmarks, and methods that take too
// long even on few samples.
func ForecastEmbed(ctx context.Context, x mat.Matrix, m Method, o Options) *Forecast {
	dense, ok := x.(*mat.Dense)
	if !ok || len(o.structures()) > 0 || o.Landmarks > 0 || o.LandmarkRows != nil || o.Init != nil {
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
		if rows >= leastRows && 3*last > forecastTime-time.Since(began) {
			break
		}
		start := time.Now()
		r, err := Embed(within, everyRow(dense, count), m, pilot(o, n, count))
		if err != nil {
			break
		}
		rows, phases, last = count, r.Seconds, time.Since(start)
	}
	if rows < leastRows {
		return nil
	}
	f := &Forecast{Rows: rows, Phases: Seconds{}}
	total := 0.0
	for name, seconds := range phases {
		if name == "total" || name == "diagnosis" { // of few samples alone, mostly
			continue
		}
		expected := seconds * growth(rowOf(m), name, float64(n), float64(rows), columns)
		f.Phases[name] = expected
		total += expected
	}
	f.Phases["total"], f.Took = total, time.Since(began).Seconds()
	return f
}

// Powers of n by which phases grow between few samples and up to a million, measured: their asymptotic ones
// (2 for all distances, 1.5 for factors of graphs of surfaces) are not reached, as few samples have costs of their own.
const (
	searchPower = 1.3 // of all distances
	sheetPower  = 1.2 // of eigenvectors of samples in few columns, whose graphs have small separators
	solvePower  = 1.7 // of other samples
)

// growth is how many times longer a phase takes for n samples than for few of them.
func growth(r row, phase string, n, few float64, columns int) float64 {
	q := n / few
	switch {
	case phase == "neighbors" && columns > flatColumns:
		return math.Pow(q, searchPower)
	case phase == "neighbors":
		return q * math.Log(n) / math.Log(few)
	case phase == "alignment" && r.ownLandmarks: // shortest paths
		return q * q
	case phase == "solve" && r.ownLandmarks: // products with an n × n matrix
		return q * q
	case phase == "solve" && r.neighbors != nil && columns > flatColumns:
		return math.Pow(q, solvePower)
	case phase == "solve" && r.neighbors != nil:
		return math.Pow(q, sheetPower)
	}
	return q
}

// everyRow are so many rows of x, evenly spread.
func everyRow(x *mat.Dense, count int) *mat.Dense {
	n, m := x.Dims()
	some := mat.NewDense(count, m, nil)
	for to := range count {
		some.SetRow(to, x.RawRowView(to*n/count))
	}
	return some
}

// pilot are the options of a run that measures rates: it tells nobody anything, and a graph
// that falls apart as samples are few is no error.
func pilot(o Options, n, count int) Options {
	o.Progress, o.Explain, o.Components, o.Overwrite, o.Model, o.Certified, o.Stability = nil, nil, "largest", false, false, false, ""
	if len(o.Labels) == n {
		labels := make([]int64, count)
		for to := range labels {
			labels[to] = o.Labels[to*n/count]
		}
		o.Labels = labels
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
