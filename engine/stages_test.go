package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// relation is a change of a problem, such as a stage for the samples, or a change that should have no
// effect, with the expected relation between the answers.
type relation struct {
	name   string
	pose   func(t *testing.T, c column, p problem) *pair
	tol    float64 // 0: the same bits
	models bool    // models also map new samples equally
	see    func(t *testing.T, c column, two *pair, plain, other solved) string
	except map[string]string // by column: why the relation does not hold
}

// pair is a problem and a changed one.
type pair struct {
	plain, other problem
	rows         []int // sample of the plain problem for each of the other; nil: the same ones
}

var relations = []relation{
	{name: "three threads", models: true, pose: with(func(p *problem) { p.Threads = 3 })},
	{name: "overwritten", models: true, pose: with(func(p *problem) { p.x, p.Overwrite = mat.DenseCopyOf(p.x), true })},
	{name: "watched", models: true, pose: with(func(p *problem) { p.Progress, p.Explain = func(Progress) {}, func(string) {} })},
	{name: "labels not learned", models: true, pose: unless(func(c column) bool { return c.Supervised }, with(func(p *problem) { p.Labels = thirds(72) }))},
	{name: "single precision", models: true, pose: with(func(p *problem) { p.x, _ = halved(p.x.(*mat.Dense)) })},
	{name: "graph", models: true, pose: givenGraph(true), except: otherGraph},
	{name: "graph alone", pose: givenGraph(false), except: map[string]string{"tsne/embed": otherLists}},
	{name: "distances", models: true, pose: givenDistances(true)},
	{name: "distances alone", pose: givenDistances(false), except: map[string]string{
		"mds/embed": "it scales the matrix itself, to rounding: TestScalingOfDistances", "nmms/embed": "as mds", "nmms/embed round=true": "as mds",
		"tsne/embed": "its start is that of the graph, as there are no samples", "pacmap/embed": "as tsne",
	}},
	{name: "copies merged", models: true, pose: copiesMerged, see: func(_ *testing.T, _ column, _ *pair, plain, other solved) string {
		if other.embedding.Duplicates != plain.embedding.Duplicates+30 {
			return fmt.Sprintf("%d copies are reported", other.embedding.Duplicates)
		}
		return ""
	}},
	{name: "standard", models: true, pose: standardizing("standard")},
	{name: "standard in place", models: true, pose: func(t *testing.T, c column, p problem) *pair {
		two := standardizing("standard")(t, c, p)
		if two != nil {
			two.other.x, two.other.Overwrite = mat.DenseCopyOf(two.other.x), true
		}
		return two
	}},
	{name: "minmax", models: true, pose: standardizing("minmax")},
	{name: "robust", models: true, pose: standardizing("robust")},
	{name: "unit", models: true, pose: standardizing("unit")},
	{name: "log1p", models: true, pose: standardizing("log1p")},
	{name: "largest component", models: true, pose: inTwoPieces("largest"), except: ofOnePart},
	{name: "each component", pose: inTwoPieces("each"), except: ofOnePart},
	{name: "landmarks", models: true, pose: landmarksAlone, see: placedByTheModel, except: map[string]string{"tsne/embed": "it has no number of neighbours: landmarks do nothing"}},
	{name: "compressed rows", tol: 1e-5, models: true, pose: unstored, see: sparseAsListed, except: lnpMixes},
	{name: "compressed rows of length 1", tol: 1e-5, models: true, pose: unstoredStandard("unit")},
	{name: "logarithms of compressed rows", tol: 1e-5, models: true, pose: unstoredStandard("log1p")},
	{name: "other storage", models: true, pose: otherStorage(func(a *sparse.CSR) mat.Matrix { return a.Storage().ToCSC() })},
	{name: "repeated entries", models: true, pose: otherStorage(func(a *sparse.CSR) mat.Matrix { return inPieces(a) })},
	{name: "keyed entries", models: true, pose: otherStorage(func(a *sparse.CSR) mat.Matrix { return a.Storage().ToDOK() })},
	{name: "columns of zeros", tol: 1e-7, pose: func(t *testing.T, c column, p problem) *pair {
		if c.task != "embed" || isNonnegative(c.Entry) { // starts are drawn by columns
			return nil
		}
		q := p
		n, m := p.x.Dims()
		wide := mat.NewDense(n, m+3, nil)
		wide.Slice(0, n, 1, m+1).(*mat.Dense).Copy(p.x)
		q.x = wide
		return &pair{p, q, nil}
	}},
	{name: "affinities", tol: 1e-7, pose: givenAffinities, except: map[string]string{
		"umap/embed": "its weights are no choice", "tsne/embed": "its weights are no choice", "diffusion-maps/embed": "they are its kernel, with a diagonal: TestDiffusionMapsOfAffinities"}},
	{name: "many samples on threads", pose: many(3, func(t *testing.T, c column) *mat.Dense {
		if isProjection(c.Entry) || !c.graphical(t) {
			return steptest.Sheet(5000, 12, 6)
		}
		return shifted(generate(t, "swiss-roll", 1200, 1).X, 40)
	})},
	{name: "wide samples on threads", pose: many(2, func(*testing.T, column) *mat.Dense { return steptest.Sheet(90, 200, 6) })},
	{name: "samples of many columns on threads", pose: many(3, func(*testing.T, column) *mat.Dense { return steptest.Sheet(500, 60, 6) })},
	{name: "clouds on threads", pose: many(7, func(t *testing.T, c column) *mat.Dense { return generate(t, "gaussians", 600, 1).X })},
}

// Why maps differ where other methods do not.
var (
	otherLists = "lists are as long as they are given: they are longer where the method searches"
	otherGraph = map[string]string{"tsne/embed": otherLists, "pacmap/embed": otherLists}
	ofOnePart  = map[string]string{"tsne/embed": "the lists of few samples are shorter", "pacmap/embed": "the lists of few samples are shorter"}
)

var lnpMixes = map[string]string{
	"lnp/embed": "its walk has several closed classes, whose null vectors rounding mixes: TestEmbedSparse",
}

// with changes a problem.
func with(change func(p *problem)) func(t *testing.T, c column, p problem) *pair {
	return func(_ *testing.T, _ column, p problem) *pair {
		q := p
		change(&q)
		return &pair{p, q, nil}
	}
}

// unless leaves columns out.
func unless(out func(c column) bool, pose func(t *testing.T, c column, p problem) *pair) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if out(c) {
			return nil
		}
		return pose(t, c, p)
	}
}

// without returns settings without one key.
func without(key string, set []string) []string {
	return slices.DeleteFunc(slices.Clone(set), func(pair string) bool { return strings.HasPrefix(pair, key+"=") })
}

// givenGraph gives the graph that the search finds, with or without the samples.
func givenGraph(samples bool) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if method.DefaultRow(named(t, c.Name)).Takes(method.AllPairs) {
			return nil // a graph has only some of the distances that it takes of samples
		}
		return givenStructure(t, c, p, "graph", samples, func(q *problem) {
			q.Graph, q.set = graphOf(t, p.x.(*mat.Dense), 9), without("neighbors", q.set)
		})
	}
}

// givenDistances gives all distances, with or without the samples.
func givenDistances(samples bool) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		return givenStructure(t, c, p, "distances", samples, func(q *problem) { q.Distances = distancesOf(t, p.x.(*mat.Dense)) })
	}
}

// givenStructure gives a structure to the methods that accept it.
func givenStructure(t *testing.T, c column, p problem, what string, samples bool, give func(q *problem)) *pair {
	takes := c.InsteadOfSamples
	if samples {
		takes = c.WithSamples
	}
	if !slices.Contains(takes, what) {
		return nil
	}
	needs := ""
	if alone := c.row(t, p).GraphOnly; !samples && alone != nil {
		needs, _ = alone()
	}
	if strings.Contains(needs, "weights=") {
		if strings.Contains(c.form, "weights=") {
			return nil // these weights need the samples
		}
		p.set = append(slices.Clone(p.set), "weights=heat")
	}
	q := p
	if give(&q); !samples {
		q.x = nil
	}
	return &pair{p, q, nil}
}

// copiesMerged has thirty samples twice, which are embedded once.
func copiesMerged(_ *testing.T, c column, p problem) *pair {
	q, x := p, p.x.(*mat.Dense)
	var twice mat.Dense
	twice.Stack(x, x.Slice(0, 30, 0, x.RawMatrix().Cols))
	q.x, q.Duplicates = &twice, "merge"
	if c.Supervised {
		q.Labels = append(slices.Clone(p.Labels), p.Labels[:30]...)
	}
	if c.task != "embed" {
		return nil
	}
	return &pair{p, q, append(identity(72), identity(30)...)}
}

// standardizing compares with samples standardised beforehand.
func standardizing(how string) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if has(c.Entry, "shift") && (how == "standard" || how == "robust") {
			return nil // it makes negative entries, which the method refuses
		}
		q, x := p, samples.Of(p.x)
		q.Standardize = how
		by := must(x.StandardOf(t.Context(), 1, how))(t)
		p.Standardize, p.x = "none", must(x.Standardized(t.Context(), 1, by, false))(t).Dense()
		p.more = must(samples.Of(p.more).Standardized(t.Context(), 1, by, false))(t).Dense()
		return &pair{p, q, nil}
	}
}

// inTwoPieces adds another piece far away.
func inTwoPieces(components string) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if c.task != "embed" || !c.graphical(t) {
			return nil
		}
		q, x := p, p.x.(*mat.Dense)
		far := mat.DenseCopyOf(x.Slice(0, 40, 0, 5))
		far.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, far)
		var both mat.Dense
		both.Stack(x, far)
		q.x, q.Components = &both, components
		there := map[string]int{"largest": leftOut, "each": notCompared}[components]
		return &pair{p, q, append(identity(72), slices.Repeat([]int{there}, 40)...)}
	}
}

// landmarksAlone embeds two thirds of the samples; the others are placed by them.
func landmarksAlone(t *testing.T, c column, p problem) *pair {
	if c.task != "embed" || !c.graphical(t) || method.DefaultRow(named(t, c.Name)).OwnLandmarks {
		return nil
	}
	q, x := p, p.x.(*mat.Dense)
	part, rows := mat.NewDense(48, 5, nil), slices.Repeat([]int{notCompared}, 72)
	for at := range 48 {
		i := at * 3 / 2
		q.LandmarkRows, rows[i] = append(q.LandmarkRows, i), at
		part.SetRow(at, x.RawRowView(i))
	}
	p.x = part
	return &pair{p, q, rows}
}

// placedByTheModel checks that the other samples are where the model of the landmarks maps them.
func placedByTheModel(t *testing.T, _ column, two *pair, _, other solved) string {
	m := must(other.model())(t)
	if m.Kind() == "nystrom" || m.Kind() == "diffusion" {
		return "" // they are placed by barycentric weights
	}
	z := transformed(t, m, two.other.x, Options{Threads: 1})
	for i, from := range two.rows {
		if from == notCompared && !slices.Equal(z.RawRowView(i), other.embedding.Y.RawRowView(i)) {
			return fmt.Sprintf("sample %d, which is not a landmark, is not where the model puts it", i)
		}
	}
	return ""
}

// sparseAsListed checks that copies and components are the same, and that samples stay sparse if the table says so.
func sparseAsListed(_ *testing.T, c column, _ *pair, plain, other solved) string {
	reported := func(s solved) []any {
		switch {
		case s.embedding != nil:
			return []any{s.embedding.Sparse, s.embedding.Duplicates, s.embedding.Sizes}
		case s.factors != nil:
			return []any{s.factors.Sparse, s.factors.Duplicates, s.factors.Sizes}
		case s.clustering != nil:
			return []any{s.clustering.Sparse, s.clustering.Duplicates, s.clustering.ComponentSizes}
		}
		return []any{false, s.selection.Duplicates}
	}
	want := reported(plain)
	want[0] = c.KeepsSparse && c.task != "select"
	if got := reported(other); !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("sparse, copies and components are %v, want %v", got, want)
	}
	return ""
}

// unstored has many zeros, and does not store them.
func unstored(t *testing.T, c column, p problem) *pair {
	zero := func(i, j int) bool { return (i*i+2*j)%5 == 0 }
	if c.task == "factorize" {
		zero = func(i, j int) bool { return (i+2*j)%3 > 0 }
	}
	if has(c.Entry, "sweeps") { // the best choice depends on the cost of a product
		p.set = append(slices.Clone(p.set), "sweeps=2")
	}
	p.x, p.more = zeroed(p.x.(*mat.Dense), zero), zeroed(p.more.(*mat.Dense), zero)
	q := p
	q.x, q.more = compressedOf(t, p.x.(*mat.Dense)), compressedOf(t, p.more.(*mat.Dense))
	return &pair{p, q, nil}
}

// unstoredStandard standardises samples without filling their zeros.
func unstoredStandard(how string) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if c.task == "embed" && has(c.Entry, "neighbors") {
			return nil // rounding decides which of the neighbours is used
		}
		two := unstored(t, c, p)
		two.plain.Standardize, two.other.Standardize = how, how
		return two
	}
}

// otherStorage stores the entries of compressed rows in another type.
func otherStorage(to func(a *sparse.CSR) mat.Matrix) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		two := unstored(t, c, p)
		two.plain = two.other
		two.other.x, two.other.more = to(two.plain.x.(*sparse.CSR)), to(two.plain.more.(*sparse.CSR))
		return two
	}
}

// givenAffinities gives the weights of the edges that the method would make.
func givenAffinities(t *testing.T, c column, p problem) *pair {
	if !slices.Contains(c.WithSamples, "affinities") || c.form != "" || !method.DefaultRow(named(t, c.Name)).Affine(c.task) {
		return nil
	}
	q := p
	q.Affinities, q.set = affinitiesOf(t, graphOf(t, p.x.(*mat.Dense), 9), func(float64) float64 { return 1 }), without("neighbors", p.set)
	if has(c.Entry, "weights") {
		p.set = append(slices.Clone(p.set), "weights=binary")
	}
	return &pair{p, q, nil}
}

// many uses more samples, because threads share them in blocks.
func many(threads int, of func(t *testing.T, c column) *mat.Dense) func(t *testing.T, c column, p problem) *pair {
	return func(t *testing.T, c column, p problem) *pair {
		if c.task != "embed" || c.form != "" {
			return nil
		}
		p.x = of(t, c)
		n, _ := p.x.Dims()
		if c.Supervised {
			p.Labels = thirds(n)
		}
		q := p
		q.Threads = threads
		return &pair{p, q, identity(n)}
	}
}

// Every stage is undone: the result for the samples before it follows from that for the samples
// after it.
func TestStages(t *testing.T) {
	for _, c := range columns(t, everyMethod) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range relations {
				two := r.pose(t, c, c.problem(t))
				if two == nil {
					continue
				}
				d := differing(t, c, r, two)
				reason := r.except[c.name]
				switch {
				case reason == "" && d != "":
					t.Errorf("%s: %s", r.name, d)
				case reason != "" && d == "":
					t.Errorf("%s is excepted for nothing (%s)", r.name, reason)
				}
			}
		})
	}
	for _, r := range relations {
		for name := range r.except {
			if !slices.ContainsFunc(columns(t, everyMethod), func(c column) bool { return c.name == name }) {
				t.Errorf("%s: %s is excepted and is no such method", r.name, name)
			}
		}
	}
}

// differing solves both problems, and describes how the answers differ.
func differing(t *testing.T, c column, r relation, two *pair) string {
	plain, err := solvedBy(t.Context(), c.task, c.asked(t, two.plain), two.plain)
	if err != nil {
		return "the plain problem: " + err.Error()
	}
	other, err := solvedBy(t.Context(), c.task, c.asked(t, two.other), two.other)
	if err != nil {
		return err.Error()
	}
	rows := two.rows
	if rows == nil {
		rows = identity(72)
	}
	if d := other.differs(plain, rows, r.tol); d != "" {
		return d
	}
	if r.see != nil {
		if d := r.see(t, c, two, plain, other); d != "" {
			return d
		}
	}
	if !r.models {
		return ""
	}
	a, wrong := plain.model()
	b, err := other.model()
	if (wrong == nil) != (err == nil) {
		return "there is a model of one of the two alone"
	}
	if err != nil {
		return ""
	}
	y, err := a.Transform(context.Background(), two.plain.more, Options{Threads: 1})
	if err != nil {
		return "new samples of the plain problem: " + err.Error()
	}
	z, err := b.Transform(context.Background(), two.other.more, Options{Threads: 1})
	if err != nil {
		return "new samples: " + err.Error()
	}

	if at := apartIn(z.RawMatrix().Data, y.RawMatrix().Data, r.tol); at != "" {
		return "of new samples " + at
	}
	return ""
}

// Every method stops when it is cancelled, before the work and at the first report of each phase.
func TestEveryMethodStopsWhenCancelled(t *testing.T) {
	for _, c := range columns(t, everyMethod) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := func(phase string) (phases []string, err error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if phase == "before" {
					cancel()
				}
				p := c.problem(t)
				p.Progress = func(at Progress) {
					if phases = append(phases, at.Phase); at.Phase == phase {
						cancel()
					}
				}
				_, err = solvedBy(ctx, c.task, c.asked(t, p), p)
				return phases, err
			}
			phases, err := run("")
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(phases)
			for _, phase := range append(slices.Compact(phases), "before") {
				if phase == "clusters" {
					continue // k-means of so few samples ends with its first report
				}
				if _, err := run(phase); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled at %s: %v", phase, err)
				}
			}
		})
	}
}

// The tests of this package use more threads than the machine may have cores.
func init() { run.ThreadsFor = blas.Threads }

// A run uses no more threads than the process may use, and by default the number in the
// environment.
func TestThreadsAreBounded(t *testing.T) {
	tests := run.ThreadsFor
	run.ThreadsFor = limits.ForProcess
	defer func() { run.ThreadsFor = tests }()
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 5, 8, 1, 0, 4})
	for asked, most := range map[int]int{1: 1, 1000: runtime.NumCPU()} {
		if r, err := Embed(context.Background(), x, PCA{}, Options{Threads: asked}); err != nil || r.Threads > most || r.Threads < 1 {
			t.Errorf("asked for %d threads it took %d, %v", asked, r.Threads, err)
		}
	}
	for _, name := range []string{"OMP_NUM_THREADS", "ORTHANT_NUM_THREADS"} {
		t.Setenv("OMP_NUM_THREADS", "1000")
		t.Setenv("ORTHANT_NUM_THREADS", "")
		t.Setenv(name, "1")
		if r, err := Embed(context.Background(), x, PCA{}, Options{}); err != nil || r.Threads != 1 {
			t.Errorf("%s=1: it took %d threads, %v", name, r.Threads, err)
		}
	}
}
