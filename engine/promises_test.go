package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
)

// promises are the reasons why a method's answer does not follow from the first one if its samples are
// permuted, translated, rotated, scaled or duplicated, or its classes
// renumbered. Empty: it follows.
type promises struct{ permute, translate, rotate, scale, duplicate, relabel string }

// Reasons. Those that begin with "Not surely" may not apply to some data: an answer that
// follows is then no failure.
const (
	origin     = "what it keeps is measured from the origin, by its definition"
	axes       = "its factors or directions are nonnegative, which is a property of the axes"
	basin      = "Not surely: of several minima rounding may choose, as its problem is not convex"
	ownStart   = "Not surely: its own start is drawn by the seed, row by row, and the minimum that it reaches may be another one"
	nearer     = "Not surely: a copy takes the place of another neighbour, and graphs are not merged by these tasks"
	standIns   = "Not surely: a copy may stand for its original, and the widths of kernels follow the number of samples"
	graphTerm  = "a copy takes the place of another neighbour in the term of the graph"
	codes      = "copies code each other, so that the learned graph joins them"
	orthonorm  = "WᵀW = I: of twice the samples, the columns of W have entries √2 times smaller"
	trained    = "its layers train their start by a decomposition whose size follows that of the data"
	drawn      = "Not surely: what repels, or which pairs are drawn, follows the order of the samples"
	course     = "Not surely: what rounding changes of a distance grows in the course of a layout"
	renumbered = "its own start numbers the clusters by the order of the rows"
)

// Groups of methods with the same exceptions.
var (
	all           = promises{}
	fromOrigin    = promises{translate: origin}
	descents      = promises{permute: basin, translate: basin, rotate: axes, scale: basin}
	parts         = promises{translate: origin, rotate: axes}
	partsByGraph  = promises{translate: origin, rotate: axes, duplicate: graphTerm}
	partsByCodes  = promises{translate: origin, rotate: axes, duplicate: codes}
	indicators    = promises{duplicate: orthonorm}
	graphClusters = promises{duplicate: nearer}
	partClusters  = promises{permute: ownStart, translate: "Not surely: " + origin, rotate: axes, duplicate: ownStart}
	rayClusters   = promises{permute: ownStart, duplicate: nearer}
	byExemplars   = promises{duplicate: standIns}
	maps          = promises{permute: drawn, translate: course, rotate: course, scale: course, duplicate: nearer}
)

// promised are the promises of all methods, by name and task. A new method has to be added.
var promised = map[string]promises{
	"pca/embed": all, "mds/embed": all, "isomap/embed": all, "lda/embed": all,
	"smacof/embed": {permute: basin, translate: basin, rotate: basin, scale: basin, duplicate: basin},
	"lle/embed":    all, "mlle/embed": all, "hlle/embed": all, "ltsa/embed": all, "ltsa-curvature/embed": all, "neml/embed": all,
	"le/embed": all, "diffusion-maps/embed": all, "lnp/embed": all, "smce/embed": all,
	"umap/embed": maps, "tsne/embed": maps, "pacmap/embed": maps,
	"npp/embed": fromOrigin, "onpp/embed": fromOrigin, "lpp/embed": fromOrigin, "olpp/embed": fromOrigin, "olpp-cai/embed": fromOrigin,
	"nmms/embed": all, "nlle/embed": all, "nle/embed": all,
	"npca/embed":  {rotate: axes},
	"nonpp/embed": descents, "nolpp/embed": descents,

	"nmf/factorize": parts, "nmf-kl/factorize": parts, "nmf-beta/factorize": parts, "l21-nmf/factorize": parts, "cim-nmf/factorize": parts,
	"gnmf/factorize": partsByGraph, "npaf/factorize": partsByGraph, "cim-gnmf/factorize": partsByGraph, "ndla/factorize": partsByGraph,
	"gs-gnmf/factorize": partsByCodes, "lp-rna/factorize": partsByCodes, "sp-rna/factorize": partsByCodes,
	"dsmf/factorize":  {translate: origin, duplicate: trained},
	"rmnmf/factorize": indicators, "amrmf/factorize": indicators, "smrmf/factorize": indicators, "smrmf-euc/factorize": indicators,
	"f-smrmf/factorize": indicators, "smrmf-ns/factorize": indicators,
	"apmf/factorize": {permute: renumbered, duplicate: orthonorm},

	"kmeans/cluster":  all,
	"hdbscan/cluster": {duplicate: "each sample is its own neighbour"},
	"leiden/cluster":  {permute: drawn, duplicate: nearer},
	"lnp/cluster":     graphClusters, "smce/cluster": graphClusters, "spectral/cluster": graphClusters,
	"nmf/cluster": partClusters, "nmf-kl/cluster": partClusters, "nmf-beta/cluster": partClusters, "l21-nmf/cluster": partClusters,
	"cim-nmf/cluster": partClusters, "gnmf/cluster": partClusters, "npaf/cluster": partClusters, "cim-gnmf/cluster": partClusters,
	"gs-gnmf/cluster": partClusters, "lp-rna/cluster": partClusters,
	"dsmf/cluster":  {translate: "Not surely: " + origin},
	"rmnmf/cluster": rayClusters, "amrmf/cluster": rayClusters, "apmf/cluster": rayClusters, "smrmf/cluster": rayClusters,
	"smrmf-euc/cluster": rayClusters, "f-smrmf/cluster": rayClusters, "smrmf-ns/cluster": rayClusters,
	"ds3/cluster":     byExemplars,
	"esc-ffs/cluster": {translate: origin, duplicate: standIns},

	"ds3/select": byExemplars, "dpp/select": byExemplars,
	"ipm/select":     all,
	"esc-ffs/select": {translate: origin},
}

// Every method keeps its promises under each transformation, and exceptions are
// checked not to hold, unless the reason says that they may.
func TestPromises(t *testing.T) {
	entered := map[string]bool{}
	for _, e := range Methods() {
		for _, task := range e.Tasks {
			name := e.Name + "/" + task
			entered[name] = true
			p, there := promised[name]
			if !there {
				t.Errorf("%s has no promises: enter it, with the reasons where its answer does not follow", name)
				continue
			}
			t.Run(name, func(t *testing.T) {
				first, want := firstAnswer(t, e, task)
				for i, reason := range []string{p.permute, p.translate, p.rotate, p.scale, p.duplicate, p.relabel} {
					by := transformations[i]
					d, err := deviationBy(e, task, by, first, want)
					const tol = 1e-6 // the smallest gap of these problems, lle's, takes 1e-9
					switch {
					case reason == "" && err != nil:
						t.Errorf("%s: %v", by.name, err)
					case reason == "" && !(d <= tol):
						t.Errorf("%s moves the answer by %.1e", by.name, d)
					case reason != "" && !strings.HasPrefix(reason, "Not surely: ") && err == nil && d <= tol:
						t.Errorf("%s is excepted for nothing (%s): it moves the answer by %.1e", by.name, reason, d)
					}
				}
			})
		}
	}
	for name := range promised {
		if !entered[name] {
			t.Errorf("%s has promises and is not a method with that task", name)
		}
	}
}

// posed is a problem that every method can solve: data, labels, and a start, so that
// the result does not depend on a seed.
type posed struct {
	x      *mat.Dense
	labels []int64
	w, h   *mat.Dense // of factorisations; of nonnegative embeddings w is U
	rows   []int      // row of the first problem for each row
	scale  float64
	turned *mat.Dense // the rotation of the columns; nil: none
}

// transformation makes another problem, whose answer follows from that of the first.
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

// taking returns the problem of some rows.
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

// orthogonal returns a random rotation.
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

// sheetProblem returns a bent sheet in nonnegative coordinates, with three classes.
func sheetProblem() posed {
	x := steptest.Sheet(posedSamples, 5, 4)
	least := mat.Min(x)
	return problemOf(mapped(x, func(_ int, v float64) float64 { return v - least + 0.1 }))
}

// partsProblem returns nonnegative samples around three patterns, without zeros.
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

// answer is the result of a method, in parts that are compared by different rules.
type answer struct {
	columns   *mat.Dense // one row for each sample, each column up to its sign
	entries   *mat.Dense // one row for each sample
	shared    *mat.Dense // of all samples
	values    []float64
	partition []int64
	chosen    []int
	set       bool // chosen in any order
}

// firstAnswer returns a method's answer to the original problem, for deviationBy.
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

// deviationBy returns the deviation of a method's answer to the transformed problem from what follows
// from its first answer: the largest difference of an entry, relative to the
// largest entry; 1 if a partition or a choice differs.
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

// distance compares an answer with that to the problem of some of its rows.
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

// apart returns the largest difference of entries, relative to the largest entry.
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

// solvedFor returns a method's answer in the unit of data of scale 1. The first problem gets the
// start from which it is solved.
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
		r, err := Cluster(ctx, p.x, m, ClusterOptions{Options: o, Clusters: countOf(m, 3)})
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

// start returns a positive matrix without structure.
func start(rows, cols int) *mat.Dense {
	w := mat.NewDense(rows, cols, nil)
	blas.NewStream(8).Uniforms(w.RawMatrix().Data)
	return mapped(w, func(_ int, v float64) float64 { return v + 0.1 })
}

// settled returns the settings of a method: the neighbours of a small problem, and few iterations
// with a given start.
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

// Samples that are reordered come back in the caller's order: rows of the result, labels,
// landmarks, a start, and the rule for new samples refer to the samples as given.
func TestOrderOfSamplesIsNotSeen(t *testing.T) {
	const n = pipeline.OrderedFrom + 200
	roll := generate(t, "swiss-roll", n, 3)
	shuffle := make([]int, n)
	for i := range shuffle {
		shuffle[i] = i
	}
	s := blas.NewStream(4)
	for i := n - 1; i > 0; i-- {
		j := s.Below(i + 1)
		shuffle[i], shuffle[j] = shuffle[j], shuffle[i]
	}
	mixed := pipeline.RowsInOrder(roll.X, shuffle)
	for _, m := range []Method{LE{Neighbors: 8, Dim: 2}, LTSA{Neighbors: 10, Dim: 2}, Isomap{Neighbors: 10, Dim: 2}, NPP{Neighbors: 10, Dim: 2}} {
		var y []*mat.Dense
		for _, x := range []*mat.Dense{roll.X, mixed} {
			r := embed(t, x, m, Options{Model: true, Landmarks: map[bool]int{true: 300}[m.Name() == "isomap"]})
			model := must(r.Model())(t)
			again := transformed(t, model, x, Options{})
			if m.Name() != "isomap" { // whose landmarks alone are where they were
				var d mat.Dense
				if d.Sub(again, r.Y); !(mat.Norm(&d, 2) < 0.02*mat.Norm(r.Y, 2)) {
					t.Errorf("%s: the model moves its own samples by %g of %g", m.Name(), mat.Norm(&d, 2), mat.Norm(r.Y, 2))
				}
			}
			y = append(y, r.Y)
		}
		if m.Name() == "isomap" { // other landmarks of other numbers
			continue
		}
		first := pipeline.RowsInOrder(y[0], shuffle)
		for j := range 2 {
			a, b := mat.Col(nil, j, first), mat.Col(nil, j, y[1])
			if blas.Dot(a, b) < 0 {
				blas.Scale(-1, b)
			}
			blas.Axpy(-1, a, b)
			if !(math.Sqrt(blas.Dot(b, b)) < 1e-6*math.Sqrt(blas.Dot(a, a))) {
				t.Errorf("%s, column %d: shuffled samples have other coordinates", m.Name(), j+1)
			}
		}
	}
}

// A given graph gives the bits of a search, with and without the samples.
func TestOrderOfAGivenGraph(t *testing.T) {
	roll := generate(t, "swiss-roll", pipeline.OrderedFrom+1, 3)
	n, _ := roll.X.Dims()
	g := graphOf(t, roll.X, 9)
	if order := g.BreadthFirst(); order[0] != 0 || order[1] != int(g.Of(0)[0]) {
		t.Errorf("the order begins with %v", order[:2])
	} else if slices.Sort(order); order[n-1] != n-1 || len(slices.Compact(order)) != n {
		t.Error("the order leaves samples out")
	}
	for found, method := range map[Method]Method{LE{Neighbors: 9, Dim: 2}: LE{Dim: 2}, LTSA{Neighbors: 9, Dim: 2}: LTSA{Dim: 2}} {
		want := embed(t, roll.X, found, Options{})
		inputs := []mat.Matrix{roll.X, nil}
		if method.Name() == "ltsa" {
			inputs = inputs[:1]
		}
		for _, x := range inputs {
			got := embed(t, x, method, Options{Graph: g})
			if !mat.Equal(got.Y, want.Y) {
				t.Errorf("%s, samples %v: other bits", method.Name(), x != nil)
			}
		}
	}
}

// Coordinates, scores and diagnosis have the same bits for any number of threads.
func TestThreadsAreNotSeen(t *testing.T) {
	joined := joinedSheets(t)
	for _, c := range []struct {
		x mat.Matrix
		m Method
		o Options

		diagnosed bool // it is warned of
	}{
		{generate(t, "swiss-roll", 2000, 5, "noise=0.2", "params=isometric").X, MLLE{Neighbors: Auto}, Options{Radius: "auto"}, false},
		{roughRoll(t), NEML{}, Options{}, false},
		{joined, LTSA{Neighbors: 10}, Options{}, true},
		{joined, NEML{Neighbors: 10, Gamma: 0.5}, Options{}, true},
	} {
		c.o.Threads = 1
		first := embed(t, c.x, c.m, c.o)
		if c.diagnosed && len(first.Warnings) == 0 {
			t.Errorf("%s: nothing is warned of", c.m.Name())
		}
		for _, threads := range []int{2, 3, 7} {
			c.o.Threads = threads
			again := embed(t, c.x, c.m, c.o)
			if !mat.Equal(again.Y, first.Y) || !slices.Equal(again.Warnings, first.Warnings) || fmt.Sprint(*again.Quality) != fmt.Sprint(*first.Quality) {
				t.Errorf("%s on %d threads: %q, %+v; on one: %q, %+v", c.m.Name(), threads, again.Warnings, *again.Quality, first.Warnings, *first.Quality)
			}
		}
	}
}
