package backends

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/internal/draw"
)

func sections(r *bench.Records) []bench.Section {
	rates := &bench.Table{Columns: slices.Concat([]string{"operation", "order"}, backendNames, []string{"native / openblas"})}
	for _, op := range operations {
		for _, n := range op.sizes {
			names := backendCases(func(b string) string { return operationName(op.name, n, b) })
			cells := backendCells(r, names, func(c string) (float64, bool) { return r.Quality(c, "gflops") }, func(v float64) string { return draw.Number(v, 3) }, false)
			rates.Rows = append(rates.Rows, slices.Concat([]bench.Cell{{Text: op.title}, {Text: fmt.Sprint(n)}}, cells, []bench.Cell{ratio(r, names, true)}))
		}
	}
	times := &bench.Table{Columns: slices.Concat([]string{"method", "samples"}, backendNames, []string{"native / openblas"})}
	for _, m := range backendMethods {
		for _, n := range backendSamples {
			names := backendCases(func(b string) string { return methodName(m, n, b) })
			cells := backendCells(r, names, r.CPU, bench.SecondsText, true)
			times.Rows = append(times.Rows, slices.Concat([]bench.Cell{{Text: m}, {Text: fmt.Sprint(n)}}, cells, []bench.Cell{ratio(r, names, false)}))
		}
	}
	return []bench.Section{
		{Title: "Rates of the operations, GFLOP/s, and residuals", Text: "More is better; one that leads by 5 % is set in bold.", Table: rates},
		{Title: "Processor time of whole embeddings, 256 columns, and residuals", Text: "Less is better; one that leads by 5 % is set in bold. The last column is the time by openblas over that by native: above 1 native is faster.", Table: times},
	}
}

func backendCases(name func(backend string) string) map[string]string {
	names := map[string]string{}
	for _, b := range backendNames {
		names[b] = name(b)
	}
	return names
}

// clearly is the share by which a backend has to lead to be called the best.
const clearly = 0.05

// backendCells makes a cell for each backend, the best one marked.
func backendCells(r *bench.Records, names map[string]string, value func(name string) (float64, bool), text func(float64) string, less bool) []bench.Cell {
	cells := make([]bench.Cell, len(backendNames))
	best := -1
	var values []float64
	for i, b := range backendNames {
		name := names[b]
		v, ok := value(name)
		if !ok {
			cells[i] = absent(r, name)
			continue
		}
		accuracy := r.AccuracyCell(name)
		cells[i] = bench.Cell{Text: text(v), Error: accuracy.Text, Case: name, Mark: accuracy.Mark}
		if accuracy.Mark == bench.Worse { // a wrong result is no rival
			continue
		}
		if less {
			v = -v
		}
		if best < 0 || v > slices.Max(values) {
			best = i
		}
		values = append(values, v)
	}
	slices.Sort(values)
	if last := len(values) - 1; last > 0 && values[last]-values[last-1] > clearly*max(values[last], -values[last]) {
		cells[best].Mark = bench.Better
	}
	return cells
}

// absent says in a cell why there is no figure.
func absent(r *bench.Records, name string) bench.Cell {
	for _, one := range r.List {
		switch {
		case one.Case != name:
		case one.Missing != "":
			return bench.Cell{Text: "not at hand", Case: name, Mark: bench.Absent}
		case one.Error != "":
			return bench.Cell{Text: "failed", Case: name, Mark: bench.Absent}
		}
	}
	return bench.Cell{Text: "not run", Mark: bench.Absent}
}

// ratio is how many times faster native is than openblas.
func ratio(r *bench.Records, names map[string]string, rates bool) bench.Cell {
	native, ok := speed(r, names["native"], rates)
	openblas, both := speed(r, names["openblas"], rates)
	if !ok || !both || openblas == 0 {
		return bench.Cell{Text: "–"}
	}
	return bench.Cell{Text: fmt.Sprintf("%.2f", native/openblas), Case: names["native"]}
}

// speed is the rate of an operation, or embeddings a second.
func speed(r *bench.Records, name string, rate bool) (float64, bool) {
	if rate {
		return r.Quality(name, "gflops")
	}
	cpu, ok := r.CPU(name)
	return 1 / cpu, ok && cpu > 0
}
