package lnp

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// chooser is one of the paper's methods, in a variant, at every K.
type chooser struct {
	key    string // in the names of cases
	name   string // in tables and plots
	dashed bool   // a variant of the one whose name its own begins with

	method string
	set    func(k int) map[string]string // but for neighbors, where it is K
	params map[string]any                // what a record says of them
	own    bool                          // it chooses neighbours of its own; else they are the K nearest
}

// with makes the method at K.
func (x chooser) with(k int, more map[string]string) (engine.Method, error) {
	set := map[string]string{"neighbors": strconv.Itoa(k)}
	if x.set != nil {
		for key, v := range x.set(k) {
			set[key] = v
		}
	}
	for key, v := range more {
		set[key] = v
	}
	return bench.NewMethod(x.method, set)
}

// recorded are the parameters of a case over several K.
func (x chooser) recorded(sizes []int, more map[string]any) map[string]any {
	params := map[string]any{"K": sizes, "components": "joint"}
	for key, v := range x.params {
		params[key] = v
	}
	for key, v := range more {
		params[key] = v
	}
	return params
}

// sparsely is λ of SMCE as the paper has it.
func sparsely(k int) string { return strconv.FormatFloat(60/float64(k), 'g', -1, 64) }

func capped(at string) func(int) map[string]string {
	return func(int) map[string]string { return map[string]string{"cap": at} }
}

// The methods. SMCE gets the same K nearest to choose from, or 50 of them as its
// authors have it; its exact solver, or the published iteration.
var (
	byLNP     = chooser{key: "lnp", name: "LNP", method: "lnp", own: true, set: capped("auto"), params: map[string]any{"cap": "auto"}}
	byPrinted = chooser{key: "lnp-no-cap", name: "LNP, no cap", dashed: true, method: "lnp", own: true, set: capped("none"), params: map[string]any{"cap": "none"}}
	byLLE     = chooser{key: "lle", name: "LLE", method: "lle", params: map[string]any{"gamma": 1e-3}}
	byLE      = chooser{
		key: "le", name: "LE", method: "le", params: map[string]any{"weights": "heat", "t": "auto"},
		set: func(int) map[string]string { return map[string]string{"weights": "heat"} },
	}
	bySMCE = chooser{
		key: "smce", name: "SMCE", method: "smce", own: true, params: map[string]any{"lambda": "60/K", "solver": "active-set", "candidates": "K"},
		set: func(k int) map[string]string { return map[string]string{"lambda": sparsely(k)} },
	}
	bySMCE50 = chooser{
		key: "smce-50", name: "SMCE, 50 candidates", dashed: true, method: "smce", own: true, params: map[string]any{"lambda": "60/K", "solver": "active-set", "candidates": 50},
		set: func(k int) map[string]string { return map[string]string{"lambda": sparsely(k), "neighbors": "50"} },
	}
	byADMM = chooser{
		key: "smce-admm", name: "SMCE, ADMM", dashed: true, method: "smce", own: true, params: map[string]any{"lambda": "60/K", "solver": "admm", "candidates": "K"},
		set: func(k int) map[string]string { return map[string]string{"lambda": sparsely(k), "solver": "admm"} },
	}
)

// The methods of the figures that embed, and of those that cluster: in the order
// of the paper, which draws LNP above the others.
var (
	embedders  = []chooser{byLLE, byLE, bySMCE, byLNP, byPrinted}
	clusterers = []chooser{byLLE, byLE, bySMCE, bySMCE50, byLNP, byPrinted}
)

// The figures by K that a case keeps as series.

// valueAt returns the figure of a case at K.
func valueAt(r *bench.Records, name, key string, k int) (value float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	values := one.Series[key]
	for i, of := range one.Series["K"] {
		if int(of) == k && i < len(values) {
			return values[i], true
		}
	}
	return 0, false
}

// byK returns a case's series, with the K where it holds, or where it does not.
func byK(r *bench.Records, name, key string) (sizes, values []float64) {
	one := r.Get(name)
	if one == nil || len(one.Series[key]) != len(one.Series["K"]) {
		return nil, nil
	}
	return one.Series["K"], one.Series[key]
}

// tableByK has a row a method: a figure at the K of tables.
func tableByK(r *bench.Records, key, format string, last int, methods []chooser, name func(chooser) string) *bench.Table {
	t := &bench.Table{Columns: []string{"K"}}
	var sizes []int
	for _, k := range shownSizes {
		if k <= last {
			sizes, t.Columns = append(sizes, k), append(t.Columns, strconv.Itoa(k))
		}
	}
	for _, x := range methods {
		row := []bench.Cell{bench.PlainCell(x.name)}
		for _, k := range sizes {
			cell := bench.Cell{Text: "–", Case: name(x), Mark: bench.Absent}
			if v, found := valueAt(r, name(x), key, k); found {
				cell = bench.Cell{Text: fmt.Sprintf(format, v), Case: name(x)}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// plotByK has a curve a method.
func plotByK(r *bench.Records, key, label string, methods []chooser, name func(chooser) string) *bench.Plot {
	p := &bench.Plot{XLabel: "K", YLabel: label}
	for _, x := range methods {
		if sizes, values := byK(r, name(x), key); sizes != nil {
			p.Curves = append(p.Curves, bench.Curve{Name: x.name, Dashed: x.dashed, X: sizes, Y: values, Cases: []string{name(x)}})
		}
	}
	return p
}

// everyK judges a figure of a case at every K: where it does not hold, and its
// least and largest value.
func everyK(r *bench.Records, name, key string, holds func(v float64) bool) (broken []int, low, high float64) {
	sizes, values := byK(r, name, key)
	for i, v := range values {
		if i == 0 {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
		if !holds(v) {
			broken = append(broken, int(sizes[i]))
		}
	}
	return broken, low, high
}
