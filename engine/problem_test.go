package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Every method at each of its tasks, with a small problem that it solves: the input of the tests of
// stages, magnitudes, odd data and limits.

// column is a method at a task, named "lle/embed".
type column struct {
	name string
	Entry
	task string
	form string // settings "key=value" in addition to those that small problems need
}

// forms are the settings of a method worth testing in addition to the defaults.
var forms = map[string][]string{
	"ltsa/embed": {"exclude_self=true"}, "hlle/embed": {"exclude_self=true"}, "le/embed": {"weights=heat", "weights=heat_norm t=0.8", "weights=cosine"},
	"lpp/embed":    {"graph=mutual weights=heat", "skip=1"},
	"smacof/embed": {"nonmetric=true", "weights=sammon restarts=2", "nonmetric=true ties=secondary weights=elastic dim=3 init=random"},
	"nmms/embed":   {"round=true", "distances=geodesic neighbors=10"}, "nle/embed": {"round=true"}, "nlle/embed": {"update=paper round=true"},
	"npca/embed": {"update=penalty round=true"}, "nonpp/embed": {"round=true"}, "nolpp/embed": {"update=paper"},
	"nmf/factorize":  {"solver=mu", "solver=hals init=nndsvd", "solver=hals sweeps=1 init=nndsvdar", "solver=hals init=nnsvd-lrc", "init=spa", "solver=mu init=kmeans", "solver=minibatch batch=24"},
	"gnmf/factorize": {"solver=hals init=nndsvd", "solver=mu"}, "gs-gnmf/factorize": {"solver=hals init=nndsvd"}, "ndla/factorize": {"solver=hals init=nndsvd"},
	"npaf/factorize": {"solver=hals init=nndsvd", "loss=kl init=nndsvda"}, "dsmf/factorize": {"layers=8,5,3"},
	"cim-nmf/factorize":  {"sigma2=0.05 schedule=refresh"},
	"cim-gnmf/factorize": {"warm=10 freeze_sigma_after=5 lambda=0.1", "kernel_constant=true normalise=each theta=8"},
	"sp-rna/factorize":   {"combine=ridge k1=3 k2=4 lambda=0.5"},
	"spectral/cluster":   {"weights=heat graph=average"},
	"dpp/select":         {"sample=exact", "negative=keep"}, "ipm/select": {"scale=shift"}, "esc-ffs/select": {"gamma=80 scale=minmax"},
	"ds3/select": {"p=2", "form=regularised alpha=0.02", "dissimilarities=kernel"},
}

// columns returns the methods of a kind, with all their tasks and forms.
func columns(t testing.TB, kind func(Entry) bool) []column {
	t.Helper()
	var all []column
	for _, e := range Methods() {
		if !kind(e) {
			continue
		}
		for _, task := range e.Tasks {
			c := column{e.Name + "/" + task, e, task, ""}
			all = append(all, c)
			for _, form := range forms[c.name] {
				all = append(all, column{c.name + " " + form, e, task, form})
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no method is of this kind")
	}
	return all
}

func everyMethod(Entry) bool { return true }

// graphical reports whether the method searches for neighbours at this task.
func (c column) graphical(t testing.TB) bool {
	return method.DefaultRow(named(t, c.Name)).Searches(c.task) != nil
}

// problem is the input of a method.
type problem struct {
	Options
	x    mat.Matrix
	size int        // rank, number of clusters or number of exemplars; 0: 3
	more mat.Matrix // new samples for a model
	set  []string   // settings of the method, "key=value"
}

// countOf returns the number of clusters to ask of a method: 0 of one that finds it.
func countOf(m Method, clusters int) int {
	if !param.Absent(m) && FindsClusters(m) {
		return 0
	}
	return clusters
}

// row returns the row of the method with the settings of a problem.
func (c column) row(t testing.TB, p problem) method.Row {
	t.Helper()
	return method.RowOf(must(param.Resolve(c.Name, c.asked(t, p), 72, func(string, ...any) {}))(t))
}

// asked returns a new method of the column, with the settings of a problem.
func (c column) asked(t testing.TB, p problem) Method {
	t.Helper()
	m := named(t, c.Name)
	for _, pair := range p.set {
		key, value, _ := strings.Cut(pair, "=")
		if err := Set(m, key, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// problem returns a problem with 72 samples of three classes, nonnegative and exact in single precision: a
// bent sheet to embed, parts to factorise, and clouds to cluster and to select from.
func (c column) problem(t testing.TB) problem {
	t.Helper()
	p := problem{Options: Options{Threads: 1, Backend: "native", Components: "joint"}}
	var x *mat.Dense
	switch c.task {
	case "embed":
		x = sheetProblem().x
	case "factorize":
		x, _ = groups(72, 12)
	default:
		x, _ = clouds(30, 18, 24)
		x.Apply(func(_, _ int, v float64) float64 { return v + 10 }, x)
	}
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v*0x1p12) / 0x1p12 }, x)
	if c.Supervised {
		p.Labels = thirds(72)
	}
	for _, pair := range []string{"neighbors=9", "iterations=20", "start_steps=10"} {
		if key, _, _ := strings.Cut(pair, "="); has(c.Entry, key) {
			p.set = append(p.set, pair)
		}
	}
	p.set = append(p.set, strings.Fields(c.form)...)
	if c.task == "embed" && c.row(t, p).Embed().NeedConnected { // by paths
		p.Components = "largest"
	}
	p.x, p.more = x, shifted(x, 0x1p-6)
	return p
}

// shifted returns other samples close by.
func shifted(x *mat.Dense, by float64) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(i, j int, v float64) float64 { return v + by*float64((i+j)%3) }, y)
	return y
}

// solved is the result of one of the four tasks.
type solved struct {
	embedding  *Result
	factors    *Factorization
	clustering *Clustering
	selection  *Selection
}

// solvedBy solves a problem of a task by a method.
func solvedBy(ctx context.Context, task string, m Method, p problem) (s solved, err error) {
	if p.size == 0 {
		p.size = 3
	}
	switch task {
	case "embed":
		s.embedding, err = Embed(ctx, p.x, m, p.Options)
	case "factorize":
		s.factors, err = Factorize(ctx, p.x, m, FactorizeOptions{Options: p.Options, Rank: p.size})
	case "cluster":
		s.clustering, err = Cluster(ctx, p.x, m, ClusterOptions{Options: p.Options, Clusters: countOf(m, p.size)})
	case "select":
		s.selection, err = Select(ctx, p.x, m, SelectOptions{Options: p.Options, Count: p.size})
	default:
		err = fmt.Errorf("there is no task %q", task)
	}
	return s, err
}

// bytes returns the estimated memory of the run.
func (s solved) bytes() int64 {
	switch {
	case s.embedding != nil:
		return s.embedding.EstimatedBytes
	case s.factors != nil:
		return s.factors.EstimatedBytes
	case s.clustering != nil:
		return s.clustering.EstimatedBytes
	}
	return s.selection.EstimatedBytes
}

func (s solved) warnings() []string {
	switch {
	case s.embedding != nil:
		return s.embedding.Warnings
	case s.factors != nil:
		return s.factors.Warnings
	case s.clustering != nil:
		return s.clustering.Warnings
	}
	return s.selection.Warnings
}

func (s solved) model() (*Model, error) {
	switch {
	case s.embedding != nil:
		return s.embedding.Model()
	case s.factors != nil:
		return s.factors.Model()
	case s.clustering != nil:
		return s.clustering.Model()
	}
	return nil, errors.New("a selection has no model")
}

// samples returns one row for each sample, its coordinates or its label; for a selection, one row for each
// chosen sample.
func (s solved) samples() *mat.Dense {
	var list []float64
	switch {
	case s.embedding != nil:
		return s.embedding.Y
	case s.factors != nil:
		return mat.DenseCopyOf(s.factors.W)
	case s.clustering != nil:
		for _, label := range s.clustering.Labels {
			list = append(list, float64(label))
		}
	default:
		for _, i := range s.selection.Indices {
			list = append(list, float64(i))
		}
	}
	return mat.NewDense(len(list), 1, list)
}

// whole returns the numbers that belong to all samples together, by name.
func (s solved) whole() map[string][]float64 {
	switch {
	case s.embedding != nil:
		r := s.embedding
		return map[string][]float64{"eigenvalues": append(slices.Clone(r.Values), r.Next), "objectives": r.Objective, "orthogonality": {r.Orthogonality}}
	case s.factors != nil:
		f := s.factors
		var trace []float64
		for _, p := range f.Trace {
			trace = append(trace, p.Objective, p.Residual, p.Regularizer, p.Surrogate, p.Sigma2)
		}
		return map[string][]float64{"components": mat.DenseCopyOf(f.H).RawMatrix().Data, "offsets": f.Offset, "objectives": trace, "error": {f.RelativeError}}
	case s.clustering != nil:
		c := s.clustering
		return map[string][]float64{"eigenvalues": c.Values, "costs": {c.FirstCost, c.Cost}}
	}
	return map[string][]float64{"objectives": {s.selection.FirstObjective, s.selection.Objective}}
}

// infinite names the first coordinate, component or eigenvalue that is not finite, except those
// of components that were left out.
func (s solved) infinite() string {
	numbers := s.samples().RawMatrix().Data
	switch {
	case s.embedding != nil:
		if s.embedding.Components > 1 {
			numbers = slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
		}
		numbers = slices.Concat(numbers, s.embedding.Values)
	case s.factors != nil:
		numbers = slices.Concat(numbers, mat.DenseCopyOf(s.factors.H).RawMatrix().Data)
	}
	if at := slices.IndexFunc(numbers, func(v float64) bool { return v-v != 0 }); at >= 0 {
		return fmt.Sprintf("number %d of %d is %v", at, len(numbers), numbers[at])
	}
	return ""
}

// unsound describes what is wrong with an answer, for any problem: a number that is not finite but not
// of a left-out component, a negative factor, or an invalid label.
func (s solved) unsound(p problem) string {
	size := p.size
	if size == 0 {
		size = 3
	}
	numbers := s.samples().RawMatrix().Data
	switch {
	case s.embedding != nil:
		r := s.embedding
		if r.Components > 1 {
			numbers = slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
		}
		numbers = slices.Concat(numbers, r.Residuals, r.Objective, []float64{r.Orthogonality})
		if r.Components < 2 {
			numbers = append(numbers, r.Values...)
		}
		if len(r.Objective) > 0 {
			if !math.IsNaN(r.KKT) {
				numbers = append(numbers, r.KKT)
			}
		}
		if _, err := json.Marshal(r.Quality); err != nil {
			return err.Error()
		}
	case s.factors != nil:
		f := s.factors
		numbers = slices.Concat(numbers, mat.DenseCopyOf(f.H).RawMatrix().Data, f.Offset, []float64{f.RelativeError})
		for _, at := range f.Trace {
			numbers = append(numbers, at.Objective, at.Residual)
		}
		if f.Selection != nil {
			numbers = append(numbers, f.Selection.Learned.Val...)
		}
		if least := mat.Min(f.W); least < 0 {
			return fmt.Sprintf("a coordinate is %v", least)
		}
	case s.clustering != nil:
		c := s.clustering
		if n, _ := p.x.Dims(); sumOf(c.Sizes)+c.Noise != n || len(c.Labels) != n || slices.Min(c.Labels) < -int64(min(c.Noise, 1)) || int(slices.Max(c.Labels)) >= max(size, c.Clusters) {
			return fmt.Sprintf("clusters of %v samples, labels %v", c.Sizes, c.Labels)
		}
	default:
		sorted := slices.Sorted(slices.Values(s.selection.Indices))
		if n, _ := p.x.Dims(); len(slices.Compact(sorted)) != size || sorted[0] < 0 || sorted[size-1] >= n {
			return fmt.Sprintf("the chosen samples are %v", s.selection.Indices)
		}
	}
	if at := slices.IndexFunc(numbers, func(v float64) bool { return v-v != 0 }); at >= 0 {
		return fmt.Sprintf("number %d of %d is %v", at, len(numbers), numbers[at])
	}
	return ""
}

// Samples of a changed problem without a counterpart in the plain one.
const (
	leftOut     = -1 // they have no coordinates
	notCompared = -2
)

// differs describes how an answer differs from the plain one; rows has the corresponding samples of the
// plain one. With a tolerance, numbers are compared relative to their
// largest, and columns of an embedding up to sign; without, to the bit.
func (s solved) differs(plain solved, rows []int, tol float64) string {
	got, want := s.samples(), plain.samples()
	if s.selection != nil {
		for i, v := range got.RawMatrix().Data {
			got.Set(i, 0, float64(rows[int(v)]))
		}
	} else {
		n, d := got.Dims()
		if _, wide := want.Dims(); n != len(rows) || d != wide {
			return fmt.Sprintf("%d × %d numbers, want %d × %d", n, d, len(rows), wide)
		}
		y := mat.NewDense(n, d, nil)
		for i, from := range rows {
			switch from {
			case leftOut:
				y.SetRow(i, slices.Repeat([]float64{math.NaN()}, d))
			case notCompared:
				y.SetRow(i, got.RawRowView(i))
			default:
				y.SetRow(i, want.RawRowView(from))
			}
		}
		want = y
	}
	if s.embedding != nil && tol > 0 {
		got = turnedTo(want, got)
	}
	if at := apartIn(got.RawMatrix().Data, want.RawMatrix().Data, tol); at != "" {
		return "of the samples " + at
	}
	before := plain.whole()
	for name, list := range s.whole() {
		if tol > 0 && name != "eigenvalues" && name != "components" && name != "error" {
			continue
		}
		if at := apartIn(list, before[name], tol); at != "" {
			return name + ": " + at
		}
	}
	return ""
}

// apartIn describes where two lists differ by more than a tolerance relative to the largest number.
func apartIn(got, want []float64, tol float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d numbers, want %d", len(got), len(want))
	}
	largest := 0.0
	for _, v := range want {
		if !math.IsNaN(v) {
			largest = max(largest, math.Abs(v))
		}
	}
	for i, v := range want {
		if got[i] != v && !(math.IsNaN(v) && math.IsNaN(got[i])) && !(math.Abs(got[i]-v) <= tol*largest) {
			return fmt.Sprintf("number %d is %v, want %v", i, got[i], v)
		}
	}
	return ""
}

// identity returns the rows 0 … n−1.
func identity(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// turnedTo returns the columns of y with the signs of those of x.
func turnedTo(x, y *mat.Dense) *mat.Dense {
	n, d := y.Dims()
	turned := mat.DenseCopyOf(y)
	for j := range d {
		var along float64
		for i := range n {
			if v := x.At(i, j) * y.At(i, j); !math.IsNaN(v) {
				along += v
			}
		}
		for i := range n {
			turned.Set(i, j, math.Copysign(1, along)*y.At(i, j))
		}
	}
	return turned
}

// zeroed returns x with some entries replaced by zeros.
func zeroed(x *mat.Dense, zero func(i, j int) bool) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(i, j int, v float64) float64 {
		if zero(i, j) {
			return 0
		}
		return v
	}, y)
	return y
}

// affinitiesOf returns the symmetric weights of the union of the lists of a graph.
func affinitiesOf(t testing.TB, g *neighbors.Graph, weight func(distance float64) float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	mutual := g.Mutual()
	for i := range g.Len() {
		for a, j := range g.Of(i) {
			v := weight(g.Distances(i)[a])
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: v})
			if !mutual[g.Ptr[i]+a] {
				entries = append(entries, sparse.Triplet{Row: int(j), Col: i, Val: v})
			}
		}
	}
	return must(sparse.FromTriplets(g.Len(), g.Len(), entries))(t)
}
