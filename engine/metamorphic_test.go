package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
)

// posed is a problem that every method has an answer to: data, labels, and a start, so that
// no seed decides.
type posed struct {
	x      *mat.Dense
	labels []int64
	w, h   *mat.Dense // of factorisations; of nonnegative embeddings w is U
	rows   []int      // which of the first problem each row is
	scale  float64
	turned *mat.Dense // the rotation of the columns; nil: none
}

// transformation makes another problem of one, whose answer follows from the first one's.
type transformation struct {
	name string
	make func(p posed) posed
}

var transformations = []transformation{
	{"permute", func(p posed) posed {
		n := len(p.rows)
		order := make([]int, n)
		for i := range order {
			order[i] = (i*37 + 11) % n
		}
		return p.taking(order)
	}},
	{"translate", func(p posed) posed {
		p.x = mapped(p.x, func(j int, v float64) float64 { return v + 0.7 + 0.3*float64(j%3) })
		return p
	}},
	{"rotate", func(p posed) posed {
		_, m := p.x.Dims()
		q := orthogonal(m)
		var x mat.Dense
		x.Mul(p.x, q)
		p.x, p.turned = &x, q
		if p.h != nil && mat.Min(p.x) < 0 { // of components of any sign
			var h mat.Dense
			h.Mul(p.h, q)
			p.h = &h
		}
		return p
	}},
	{"scale", func(p posed) posed {
		p.scale = 3
		p.x = mapped(p.x, func(_ int, v float64) float64 { return 3 * v })
		return p
	}},
	{"duplicate", func(p posed) posed {
		var order []int
		for i := range p.rows {
			order = append(order, i, i)
		}
		return p.taking(order)
	}},
	{"relabel", func(p posed) posed {
		labels := make([]int64, len(p.labels))
		for i, l := range p.labels {
			labels[i] = []int64{7, -2, 4}[l]
		}
		p.labels = labels
		return p
	}},
}

// taking is the problem of these rows.
func (p posed) taking(order []int) posed {
	q := p
	q.rows, q.labels = nil, nil
	for _, i := range order {
		q.rows, q.labels = append(q.rows, p.rows[i]), append(q.labels, p.labels[i])
	}
	q.x = pipeline.RowsInOrder(p.x, order)
	if p.w != nil && p.w.RawMatrix().Rows == len(p.rows) {
		q.w = pipeline.RowsInOrder(p.w, order)
	}
	return q
}

func mapped(x *mat.Dense, f func(j int, v float64) float64) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return f(j, v) }, y)
	return y
}

// orthogonal is a random rotation.
func orthogonal(m int) *mat.Dense {
	random := mat.NewDense(m, m, nil)
	blas.NewStream(5).Normals(random.RawMatrix().Data)
	var qr mat.QR
	qr.Factorize(random)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

const posedSamples = 72

// sheetProblem is a bent sheet in nonnegative coordinates, with three classes.
func sheetProblem() posed {
	x := steptest.Sheet(posedSamples, 5, 4)
	least := mat.Min(x)
	return problemOf(mapped(x, func(_ int, v float64) float64 { return v - least + 0.1 }))
}

// partsProblem are nonnegative samples around three patterns, without zeros.
func partsProblem() posed {
	x, _ := shapes(posedSamples, 9)
	s := blas.NewStream(21)
	return problemOf(mapped(x, func(_ int, v float64) float64 { return v + 0.05 + 0.05*s.Uniform() }))
}

func problemOf(x *mat.Dense) posed {
	n, _ := x.Dims()
	p := posed{x: x, labels: thirds(n), scale: 1}
	for i := range n {
		p.rows = append(p.rows, i)
	}
	return p
}

// answer is what a method says, in parts that are compared each by its own rule.
type answer struct {
	columns   *mat.Dense // a row a sample, each column up to its sign
	entries   *mat.Dense // a row a sample
	shared    *mat.Dense // of all samples
	values    []float64
	partition []int64
	chosen    []int
	set       bool // chosen in no order
}

// firstAnswer is a method's answer to the problem as it is, for deviationBy.
func firstAnswer(t testing.TB, e Entry, task string) (p posed, a answer) {
	t.Helper()
	if p = sheetProblem(); factorizes(e) {
		p = partsProblem()
	}
	a, err := solvedFor(e, task, &p, p.scale)
	if err != nil {
		t.Fatalf("the problem as it is: %v", err)
	}
	return p, a
}

// deviationBy is how far a method's answer to the transformed problem is from what follows
// from its answer to the first one: the largest difference of an entry, relative to the
// largest entry; 1 where a partition or a choice is another one.
func deviationBy(e Entry, task string, by transformation, p posed, want answer) (float64, error) {
	q := by.make(p)
	got, err := solvedFor(e, task, &q, q.scale)
	if err != nil {
		return 0, err
	}
	if q.turned != nil && want.shared != nil {
		var turned mat.Dense
		turned.Mul(want.shared, q.turned)
		want.shared = &turned
	}
	return distance(want, got, q.rows), nil
}

// distance compares an answer with that to the problem of these rows of it.
func distance(want, got answer, rows []int) (d float64) {
	if want.columns != nil {
		d = max(d, farthest(pipeline.RowsInOrder(want.columns, rows), got.columns))
	}
	if want.entries != nil {
		d = max(d, apart(pipeline.RowsInOrder(want.entries, rows), got.entries))
	}
	if want.shared != nil {
		d = max(d, apart(want.shared, got.shared))
	}
	if want.values != nil {
		d = max(d, apart(mat.NewDense(1, len(want.values), want.values), mat.NewDense(1, len(got.values), got.values)))
	}
	if want.partition != nil {
		there, back := map[int64]int64{}, map[int64]int64{}
		for to, from := range rows {
			a, b := want.partition[from], got.partition[to]
			if other, seen := there[a]; seen && other != b {
				d = 1
			}
			if other, seen := back[b]; seen && other != a {
				d = 1
			}
			there[a], back[b] = b, a
		}
	}
	if want.chosen != nil {
		var back []int
		for _, i := range got.chosen {
			back = append(back, rows[i])
		}
		if want.set {
			slices.Sort(back)
			slices.Sort(want.chosen)
		}
		if !slices.Equal(back, want.chosen) {
			d = 1
		}
	}
	return d
}

// apart is the largest difference of entries, relative to the largest.
func apart(a, b *mat.Dense) float64 {
	var off mat.Dense
	off.Sub(a, b)
	largest := max(mat.Max(a), -mat.Min(a))
	if d := max(mat.Max(&off), -mat.Min(&off)); largest > 0 && d > 0 {
		return d / largest
	}
	if mat.Equal(a, b) {
		return 0
	}
	return 1
}

// solvedFor is a method's answer in the unit of data of scale 1. The first problem gets the
// start that it is solved from.
func solvedFor(e Entry, task string, p *posed, scale float64) (a answer, err error) {
	m, err := New(e.Name)
	if err != nil {
		return a, err
	}
	for key, value := range settled(e, task) {
		if err := Set(m, key, value); err != nil {
			return a, err
		}
	}
	full, err := param.Resolve(m.Name(), m, posedSamples, func(string, ...any) {})
	if err != nil {
		return a, err
	}
	u := method.RowOf(full).UnitsOf()
	if has(e, "first") {
		if err := Set(m, "first", fmt.Sprint(slices.Index(p.rows, 5))); err != nil {
			return a, err
		}
	}
	o := Options{Labels: p.labels, Threads: 1, Backend: "native", Components: "joint", Duplicates: "merge"}
	if e.Name == "isomap" {
		o.Components = "error"
	}
	at := func(power float64) float64 { return math.Pow(scale, -power) }
	ctx := context.Background()
	switch task {
	case "embed":
		if isNonnegative(e) {
			if p.w == nil {
				p.w = start(posedSamples, 2)
				if e.Name != "nlle" && e.Name != "nle" && e.Name != "nmms" {
					p.w = start(5, 2)
				}
			}
			o.Init = p.w
			if len(p.rows) > posedSamples && p.w.RawMatrix().Rows == len(p.rows) { // copies are merged
				o.Init = start(posedSamples, 2)
			}
		}
		r, err := Embed(ctx, p.x, m, o)
		if err != nil {
			return a, err
		}
		a.columns = mapped(r.Y, func(_ int, v float64) float64 { return v * at(u.Coordinates) })
		for _, v := range r.Values {
			a.values = append(a.values, v*at(u.Values))
		}
	case "factorize":
		power := factorPowers[e.Name]
		if p.w == nil {
			_, cols := p.x.Dims()
			p.w, p.h = start(posedSamples, 3), start(3, cols)
			for i := range posedSamples { // clear of ties: the patterns come by turns
				p.w.Set(i, i%3, p.w.At(i, i%3)+1)
			}
		}
		f := FactorizeOptions{Options: o, Rank: 3}
		if e.Name != "dsmf" && e.Name != "apmf" {
			f.InitW = mapped(p.w, func(_ int, v float64) float64 { return v / at(power[0]) })
			f.InitH = mapped(p.h, func(_ int, v float64) float64 { return v / at(power[1]) })
		}
		r, err := Factorize(ctx, p.x, m, f)
		if err != nil {
			return a, err
		}
		a.entries = mapped(r.W, func(_ int, v float64) float64 { return v * at(power[0]) })
		a.shared = mapped(r.H, func(_ int, v float64) float64 { return v * at(power[1]) })
	case "cluster":
		r, err := Cluster(ctx, p.x, m, ClusterOptions{Options: o, Clusters: 3})
		if err != nil {
			return a, err
		}
		a.partition = r.Labels
	case "select":
		r, err := Select(ctx, p.x, m, SelectOptions{Options: o, Count: 6})
		if err != nil {
			return a, err
		}
		a.chosen = r.Indices
		if e.Name == "ds3" { // by weight, which may be equal
			a.set = true
		}
	}
	return a, nil
}

// start is a positive matrix of no structure.
func start(rows, cols int) *mat.Dense {
	w := mat.NewDense(rows, cols, nil)
	blas.NewStream(8).Uniforms(w.RawMatrix().Data)
	return mapped(w, func(_ int, v float64) float64 { return v + 0.1 })
}

// settled are the settings of a method: the neighbours of a small problem, and few iterations
// where a start is given, from which as many lead to as equal ends.
func settled(e Entry, task string) map[string]string {
	set := map[string]string{}
	if has(e, "scale") {
		set["scale"] = "none"
	}
	if has(e, "neighbors") {
		set["neighbors"] = "9"
	}
	if task == "cluster" && factorizes(e) && !byLagrangian(e) {
		set["iterations"] = "60"
	}
	if task == "factorize" && has(e, "iterations") || e.Name == "nlle" || e.Name == "nle" || e.Name == "nmms" {
		set["iterations"] = "15"
	}
	return set
}
