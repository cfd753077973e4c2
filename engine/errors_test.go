package engine

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// What the engine refuses, by the words of testdata/errors.txt: a section for each test, a line
// for each refusal in the order of the calls. With -update the sections of the tests that run are
// written anew.

var update = flag.Bool("update", false, "write testdata/errors.txt")

const errorsFile = "testdata/errors.txt"

// refusals are those of a test.
type refusals struct {
	t     *testing.T
	lines []string
}

// refusing compares the errors that a test gathers with its section when it ends.
func refusing(t *testing.T) *refusals {
	r := &refusals{t: t}
	t.Cleanup(r.compare)
	return r
}

// What depends on the build or the kernels of the machine, and is masked.
var (
	about     = regexp.MustCompile(`about [0-9.]+ [kMGT]?i?B`)
	limit     = regexp.MustCompile(`limit is [0-9.]+ [kMGT]?i?B`)
	available = regexp.MustCompile(`available: .*`)
)

// masked are the words of an error, whatever the machine.
func masked(err error) string {
	text := limit.ReplaceAllString(about.ReplaceAllString(err.Error(), "about …"), "limit is …")
	return available.ReplaceAllString(text, "available: …")
}

// of adds a refusal, which has one line. What is not named is described by the method and the
// options where these are known.
func (r *refusals) of(what string, err error) {
	r.t.Helper()
	switch {
	case err == nil:
		r.t.Errorf("%s: no error", what)
	case strings.Contains(err.Error(), "\n"):
		r.t.Errorf("%s: more than one line: %q", what, err)
	default:
		r.add(strings.TrimPrefix(what+" → ", " → ") + masked(err))
	}
}

func (r *refusals) add(line string) { r.lines = append(r.lines, line) }

func (r *refusals) embed(what string, x mat.Matrix, m Method, o Options) {
	r.t.Helper()
	r.of(described(what, m, o), failed(Embed(r.t.Context(), x, m, o)))
}

func (r *refusals) factorize(what string, x mat.Matrix, m Method, o FactorizeOptions) {
	r.t.Helper()
	if o.Rank == 0 {
		o.Rank = 3
	}
	r.of(described(what, m, o.Options), failed(Factorize(r.t.Context(), x, m, o)))
}

func (r *refusals) cluster(what string, x mat.Matrix, m Method, o ClusterOptions) {
	r.t.Helper()
	r.of(described(what, m, o.Options), failed(Cluster(r.t.Context(), x, m, o)))
}

func (r *refusals) choose(what string, x mat.Matrix, m Method, o SelectOptions) {
	r.t.Helper()
	r.of(described(what, m, o.Options), failed(Select(r.t.Context(), x, m, o)))
}

// transform maps samples by the model of a result.
func (r *refusals) transform(what string, m *Model, x mat.Matrix) {
	r.t.Helper()
	r.of(what, failed(m.Transform(r.t.Context(), x, Options{})))
}

// described are a method and options by the parameters that are not at their defaults.
func described(what string, m Method, o Options) string {
	if what != "" || m == nil {
		return what
	}
	list := []string{m.Name()}
	own := Values(m)
	for _, p := range Parameters(m) {
		if v := own[p.Key]; fmt.Sprint(v) != fmt.Sprint(p.Default) {
			list = append(list, fmt.Sprintf("%s=%v", p.Key, v))
		}
	}
	for _, f := range param.Fields(&o) {
		if !f.Value.IsZero() {
			list = append(list, fmt.Sprintf("%s=%v", f.Key, f.Value.Interface()))
		}
	}
	return strings.Join(list, " ")
}

// failed is the error of a call.
func failed[T any](_ T, err error) error { return err }

var errorsLock sync.Mutex

// compare holds the lines to those of the file, or writes them.
func (r *refusals) compare() {
	if r.t.Failed() || r.t.Skipped() {
		return
	}
	errorsLock.Lock()
	defer errorsLock.Unlock()
	text, err := os.ReadFile(errorsFile)
	if err != nil && !*update {
		r.t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, lines, _ := strings.Cut(section, "\n")
		sections[name] = strings.Trim(lines, "\n")
	}
	got := strings.Join(r.lines, "\n")
	if !*update {
		want := strings.Split(sections[r.t.Name()], "\n")
		for i, line := range r.lines {
			if i >= len(want) || want[i] != line {
				r.t.Errorf("refusal %d is\n%s\nwhere %s has\n%s", i+1, line, errorsFile, strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
			}
		}
		if len(want) > len(r.lines) {
			r.t.Errorf("%d refusals, want %d", len(r.lines), len(want))
		}
		return
	}
	sections[r.t.Name()] = got
	var b strings.Builder
	b.WriteString("What the engine refuses, a section for each test; written by go test ./engine -update.\n")
	names := make([]string, 0, len(sections))
	for name := range sections {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\n== %s\n%s\n", name, sections[name])
	}
	if err := os.WriteFile(errorsFile, []byte(b.String()), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// changedAt is a copy with another entry.
func changedAt(x *mat.Dense, i, j int, v float64) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Set(i, j, v)
	return y
}

// Every method at every task refuses these, and says so in the same words but for what is its
// own; "taken" are those that have an answer.
func TestRefusalsOfEveryMethod(t *testing.T) {
	r := refusing(t)
	for _, row := range []struct {
		name   string
		change func(c column, p *problem)
	}{
		{"NaN", func(_ column, p *problem) { p.x = changedAt(p.x.(*mat.Dense), 4, 1, math.NaN()) }},
		{"+Inf", func(_ column, p *problem) { p.x = changedAt(p.x.(*mat.Dense), 4, 1, math.Inf(1)) }},
		{"-Inf, unstored zeros", func(_ column, p *problem) {
			p.x = compressedOf(t, changedAt(p.x.(*mat.Dense), 4, 1, math.Inf(-1)))
		}},
		{"NaN in single precision", func(_ column, p *problem) { p.x, _ = halved(changedAt(p.x.(*mat.Dense), 4, 1, math.NaN())) }},
		{"NaN to be standardised", func(_ column, p *problem) {
			p.x, p.Standardize = changedAt(p.x.(*mat.Dense), 4, 1, math.NaN()), "minmax"
		}},
		{"a negative entry", func(_ column, p *problem) { p.x = changedAt(p.x.(*mat.Dense), 4, 1, -0.5) }},
		{"standard", func(_ column, p *problem) { p.Standardize = "standard" }},
		{"standard of unstored zeros", func(_ column, p *problem) { p.x, p.Standardize = compressedOf(t, p.x.(*mat.Dense)), "standard" }},
		{"an unknown way to standardise", func(_ column, p *problem) { p.Standardize = "zscore" }},
		{"an unknown backend", func(_ column, p *problem) { p.Backend = "mkl" }},
		{"1000 bytes", func(_ column, p *problem) { p.Memory = 1000 }},
		{"1000 bytes for unstored zeros", func(_ column, p *problem) { p.x, p.Memory = compressedOf(t, p.x.(*mat.Dense)), 1000 }},
		{"71 labels", func(_ column, p *problem) { p.Labels = thirds(71) }},
		{"no labels", func(_ column, p *problem) { p.Labels = nil }},
		{"one class", func(_ column, p *problem) { p.Labels = make([]int64, 72) }},
		{"one sample", func(_ column, p *problem) { p.x = p.x.(*mat.Dense).Slice(0, 1, 0, 3) }},
		{"equal samples", func(_ column, p *problem) { p.x = mat.NewDense(72, 3, slices.Repeat([]float64{2, 1, 4}, 72)) }},
		{"zeros", func(_ column, p *problem) { p.x = mat.NewDense(72, 3, nil) }},
		{"two different samples", func(_ column, p *problem) {
			p.x = changedAt(mat.NewDense(72, 3, slices.Repeat([]float64{2, 1, 4}, 72)), 4, 1, 5)
		}},
		{"73 of 72", func(c column, p *problem) {
			if p.size = 73; c.task == "embed" {
				p.set = append(p.set, "dim=73")
			}
		}},
		{"-1", func(c column, p *problem) { p.size = -1 }},
		{"72 neighbours", func(c column, p *problem) {
			if has(c.Entry, "neighbors") {
				p.set = append(p.set, "neighbors=72")
			}
		}},
		{"two components", func(c column, p *problem) {
			if two := inTwoPieces("error")(t, c, *p); two != nil {
				*p = two.other
			}
		}},
		{"a model", func(_ column, p *problem) { p.Model = true }},
		{"a certificate", func(_ column, p *problem) { p.Certified = true }},
		{"landmarks", func(_ column, p *problem) { p.Landmarks = 1 }},
		{"a graph", func(c column, p *problem) {
			p.Graph, p.set = graphOf(t, mat.DenseCopyOf(p.x.(*mat.Dense).Slice(0, 71, 0, 3)), 9), without("neighbors", p.set)
		}},
		{"distances", func(_ column, p *problem) { p.Distances = mat.NewDense(71, 71, nil) }},
		{"affinities", func(_ column, p *problem) {
			p.Affinities = &sparse.CSR{Rows: 71, Cols: 71, Ptr: make([]int, 72)}
		}},
		{"distances alone", func(_ column, p *problem) {
			p.Distances = distancesOf(t, p.x.(*mat.Dense))
			p.x = nil
		}},
		{"a graph alone", func(_ column, p *problem) {
			p.Graph, p.set = graphOf(t, p.x.(*mat.Dense), 9), without("neighbors", p.set)
			p.x = nil
		}},
	} {
		said, order := map[string][]string{}, []string{}
		for _, c := range columns(t, everyMethod) {
			if c.form != "" {
				continue
			}
			p := c.problem(t)
			row.change(c, &p)
			_, err := solvedBy(t.Context(), c.task, c.asked(t, p), p)
			words := "taken"
			if err != nil {
				if words = masked(err); strings.HasPrefix(words, c.Name+": ") {
					words = "METHOD: " + strings.TrimPrefix(words, c.Name+": ")
				}
			}
			if strings.Contains(words, "\n") {
				t.Errorf("%s, %s: more than one line: %q", row.name, c.name, words)
			}
			if said[words] == nil {
				order = append(order, words)
			}
			said[words] = append(said[words], c.name)
		}
		for _, words := range order {
			r.add(row.name + " → " + words)
			r.add("\t" + strings.Join(said[words], " "))
		}
	}
}

// hollow is a matrix without entries that is no Dense.
type hollow struct{ rows, cols int }

func (h hollow) Dims() (rows, cols int) { return h.rows, h.cols }
func (hollow) At(int, int) float64      { panic("there is no entry") }
func (h hollow) T() mat.Matrix          { return mat.Transpose{Matrix: h} }

// refused checks that an error is one line with the phrase.
func refused(t *testing.T, err error, phrase string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), phrase) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %q", err, phrase)
	}
}

// What is not there at all is an error for every entry, not a panic.
func TestAbsentIsRefused(t *testing.T) {
	x := mat.NewDense(20, 3, nil)
	var nowhere context.Context
	r := refusing(t)
	entry := func(name string, m Method, run func(ctx context.Context, x mat.Matrix, m Method) error) {
		r.of(name+" of nothing", run(t.Context(), nil, m))
		r.of(name+" of no dense", run(t.Context(), (*mat.Dense)(nil), m))
		r.of(name+" of no rows", run(t.Context(), (*sparse.CSR)(nil), m))
		r.of(name+" without a context", run(nowhere, x, m))
		for _, none := range []Method{nil, (*LLE)(nil), (*NMF)(nil), (*KMeans)(nil), (*DPP)(nil)} {
			r.of(name+" by nothing", run(t.Context(), x, none))
		}
	}
	for _, c := range []struct {
		task string
		m    Method
	}{{"embed", LLE{}}, {"factorize", NMF{}}, {"cluster", &KMeans{}}, {"select", DPP{}}} {
		entry(c.task, c.m, func(ctx context.Context, x mat.Matrix, m Method) error {
			return failed(solvedBy(ctx, c.task, m, problem{x: x}))
		})
	}
	entry("represent", LLE{}, func(ctx context.Context, x mat.Matrix, m Method) error {
		return failed(Represent(ctx, x, m, Options{}))
	})
	entry("separate errors", &PCA{}, func(ctx context.Context, x mat.Matrix, m Method) error {
		return failed(SeparateErrors(ctx, x, nil, m, Options{}, measures.Trial{}))
	})
	_, m := fittedModel(t, generate(t, "swiss-roll", 60, 1).X, PCA{}, Options{})
	p := must(m.Prepare(Options{}))(t)
	r.transform("no new samples", m, nil)
	r.transform("no rows", m, hollow{0, 3})
	r.transform("no columns", m, &mat.Dense{})
	r.of("no context to transform", failed(m.Transform(nowhere, x, Options{})))
	r.of("no model", failed((*Model)(nil).Transform(t.Context(), x, Options{})))
	r.of("no graph", failed(ReconstructionWeights(t.Context(), x, nil, 1, Options{})))
	r.of("no samples of a graph", failed(ReconstructionWeights(t.Context(), (*mat.Dense)(nil), &neighbors.Graph{}, 1, Options{})))
	r.of("no method to set", Set((*LLE)(nil), "dim", "2"))
	r.of("no method for JSON", SetJSON(nil, []byte("{}")))
	r.of("no context to stream", failed(p.Stream(nowhere, &inSevens{x: x}, &inSevens{})))
	r.of("no source", failed(p.Stream(t.Context(), nil, &inSevens{})))
	r.of("no sink", failed(p.Stream(t.Context(), &inSevens{x: x}, nil)))
}

// Data without rows or columns are an error of every method, in each of its tasks.
func TestHollowDataAreRefused(t *testing.T) {
	sizes := []mat.Matrix{&mat.Dense{}, hollow{0, 0}, hollow{0, 4}, hollow{5, 0}, &sparse.CSR{Ptr: []int{0}}, &sparse.CSR{Cols: 4, Ptr: []int{0}}, &sparse.CSR{Rows: 3, Ptr: make([]int, 4)}}
	for _, c := range columns(t, everyMethod) {
		for _, x := range sizes {
			refused(t, failed(solvedBy(t.Context(), c.task, named(t, c.Name), problem{x: x, size: 2})), c.Name+": ")
		}
	}
}

// A start without entries, and one of another shape, are errors about the start.
func TestHollowStartsAreRefused(t *testing.T) {
	x := mat.NewDense(20, 3, nil)
	for i := range 20 {
		x.SetRow(i, []float64{float64(i), float64(i * i % 7), 1})
	}
	_, err := Embed(t.Context(), x, NPCA{}, Options{Init: &mat.Dense{}})
	refused(t, err, "npca: the start is 0 × 0")
	for _, o := range []FactorizeOptions{
		{Rank: 2, InitW: &mat.Dense{}, InitH: &mat.Dense{}}, {Rank: 2, InitH: mat.NewDense(3, 3, nil)}, {Rank: 2, InitW: mat.NewDense(20, 2, nil), InitH: &mat.Dense{}},
	} {
		_, err := Factorize(t.Context(), x, NMF{}, o)
		refused(t, err, "nmf: ")
	}
}
