package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orthant-go/orthant/bench/draw"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/solvers"
)

var scalingSuite = Suite{
	Name:  "scaling",
	Title: "Time and memory against the number of samples",
	About: `Every embedding method that needs no labels, on one thread, with twice as many samples each time: on the swiss roll (3 columns, a surface,
k = 12) and on a cloud that is one manifold of 12 dimensions in 256 columns (k = 20). Each run is a process of its own. Times are
those of the embedding, without drawing the data; peaks of memory are those of the whole process, the data and the Go runtime included
(some 20 MiB before anything is done).

What decides how a local method grows is the fill of the factor of its alignment matrix: on a surface nested dissection keeps it
near N log N, in many dimensions it tends to N². Exponents are slopes of least squares in log–log over the last three sizes of
each curve: what growth has come to, not what it is at small N.`,
	Cases:    scalingCases,
	Claims:   scalingClaims,
	Sections: scalingSections,
}

// scalingSet is one of the data sets that the suite grows.
type scalingSet struct {
	name, title string
	generator   string
	set         map[string]string
	neighbors   string
	quick, most int            // samples, of the quick version and of the full one
	limits      map[string]int // of methods that cannot have as many
	bytes       func(method string, n int) int64
}

// dense are the methods that hold a matrix of all pairs, and how far they go.
var dense = []string{"isomap", "nmms"}

const denseMost, denseQuick = 8000, 2000

// scaled lists the methods of the suite.
func scaled() []engine.Entry {
	return slices.DeleteFunc(engine.Methods(), func(m engine.Entry) bool { return m.Supervised || !slices.Contains(m.Tasks, "embed") })
}

// scaledLocal lists those whose matrices are sparse: the claims are about them.
func scaledLocal() []string {
	var names []string
	for _, m := range scaled() {
		if local(m) && !slices.Contains(dense, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

var scalingSets = []scalingSet{
	{
		name: "surface", title: "swiss roll", generator: "swiss-roll", neighbors: "12", quick: 16000, most: 1024000,
		// Measured: 5 KiB a sample for the alignment matrix, its factor and the data.
		bytes: func(method string, n int) int64 {
			if slices.Contains(dense, method) {
				return 24 * int64(n) * int64(n)
			}
			return 6 << 10 * int64(n)
		},
	},
	{
		name: "cloud", title: "manifold of 12 dimensions", generator: "clustered-manifolds", set: map[string]string{"clusters": "1", "separation": "0"},
		neighbors: "20", quick: 4000, most: 16000, limits: map[string]int{"le": 32000, "pca": 128000, "mds": 128000},
		// A factor that fills its triangle, and as much again for its updates.
		bytes: func(_ string, n int) int64 { return 8*int64(n)*int64(n) + 4<<10*int64(n) },
	},
}

// size returns the largest number of samples for a method.
func (s *scalingSet) size(method string) int {
	most := s.most
	if limit, ok := s.limits[method]; ok {
		most = limit
	}
	if slices.Contains(dense, method) {
		most = min(most, denseMost)
	}
	return most
}

const (
	scalingFirst  = 1000
	scalingBudget = 15 * time.Minute // of one repeat: beyond it the case fails rather than holds up the rest
	onceFrom      = 100000           // samples from which one repeat is enough to show growth
)

func scalingName(set, method string, n int) string {
	return fmt.Sprintf("%s/%s/n=%d", set, method, n)
}

func scalingCases(*Env) []Case {
	var cases []Case
	for i := range scalingSets {
		s := &scalingSets[i]
		for _, m := range scaled() {
			for n := scalingFirst; n <= s.size(m.Name); n *= 2 {
				cases = append(cases, s.newCase(m, n))
			}
		}
	}
	return cases
}

func (s *scalingSet) newCase(m engine.Entry, n int) Case {
	c := Case{
		Name: scalingName(s.name, m.Name, n), Data: s.generator, N: n, Method: m.Name, Threads: 1,
		Params: map[string]any{"samples": n, "dim": 2}, Fresh: true, Full: n > s.quick || slices.Contains(dense, m.Name) && n > denseQuick,
	}
	for key, value := range s.set {
		c.Params[key] = value
	}
	if local(m) {
		c.Params["neighbors"] = s.neighbors
	}
	if need := s.bytes(m.Name, n); need > 1<<29 {
		c.Needs = []string{fmt.Sprintf("memory:%.1fGiB", float64(need)/(1<<30))}
	}
	if n >= onceFrom {
		c.Repeats = 1
	}
	c.Run = func(ctx context.Context, _ *Env, _ *Case) (*Outcome, error) { return s.run(ctx, m, n) }
	return c
}

// local tells whether a method has neighbourhoods.
func local(m engine.Entry) bool {
	return slices.ContainsFunc(m.Parameters, func(p engine.Parameter) bool { return p.Key == "neighbors" })
}

// run embeds n samples once and says what the eigensolver met.
func (s *scalingSet) run(ctx context.Context, m engine.Entry, n int) (*Outcome, error) {
	ctx, stop := context.WithTimeout(ctx, scalingBudget)
	defer stop()
	data, err := datasets.Generate(s.generator, n, 1, s.set)
	if err != nil {
		return nil, err
	}
	method, err := engine.New(m.Name)
	if err != nil {
		return nil, err
	}
	if local(m) {
		if err := engine.Set(method, "neighbors", s.neighbors); err != nil {
			return nil, err
		}
	}
	r, err := engine.Embed(ctx, data.X, method, engine.Options{Threads: 1, Components: "largest"}) // smce leaves a few samples apart
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, fmt.Errorf("it took longer than its budget of %v", scalingBudget)
		}
		return nil, err
	}
	out := &Outcome{
		Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: HashMatrix(data.X),
		Quality: map[string]float64{},
	}
	if p := r.Plan; p != nil {
		out.Note = p.Solver
		if p.Ordering != "" {
			out.Note += ", ordered by " + p.Ordering
		}
		out.Quality["matrix_entries"] = float64(p.MatrixEntries)
		if p.FactorEntries > 0 {
			out.Quality["factor_entries"] = float64(p.FactorEntries)
			out.Quality["fill"] = float64(p.FactorEntries) / float64(p.MatrixEntries)
			out.Quality["factor_gflop"] = p.Flops / 1e9
		}
	}
	return out, nil
}

// growth is one method on one set, by ascending number of samples.
type growth struct {
	method string
	cases  []string
	n      []float64
	cpu    []float64
	peak   []float64 // bytes; NaN where not measured
	fill   []float64 // entries of the factor over those of the matrix; NaN where nothing was factored
	note   string    // of the largest
}

// growths reads the curves of a set from the records.
func (s *scalingSet) growths(r *Records) []growth {
	var list []growth
	for _, m := range scaled() {
		g := growth{method: m.Name}
		for n := scalingFirst; n <= s.size(m.Name); n *= 2 {
			name := scalingName(s.name, m.Name, n)
			one := r.Get(name)
			cpu, ok := r.CPU(name)
			if one == nil || !ok {
				continue
			}
			peak, fill := math.NaN(), math.NaN()
			if one.PeakBytes > 0 {
				peak = float64(one.PeakBytes)
			}
			if v, ok := r.Quality(name, "fill"); ok {
				fill = v
			}
			g.cases, g.n, g.cpu = append(g.cases, name), append(g.n, float64(n)), append(g.cpu, cpu)
			g.peak, g.fill, g.note = append(g.peak, peak), append(g.fill, fill), one.Note
		}
		if len(g.n) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// exponentPoints is how many of the largest sizes an exponent is fitted to.
const exponentPoints = 3

// exponent is the slope of least squares of log y against log x over the last
// points; not ok with fewer than there should be.
func exponent(x, y []float64) (slope float64, ok bool) {
	var u, v []float64
	for i := range x {
		if y[i] > 0 {
			u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
		}
	}
	if len(u) < exponentPoints {
		return 0, false
	}
	u, v = u[len(u)-exponentPoints:], v[len(v)-exponentPoints:]
	var mu, mv, suv, suu float64
	for i := range u {
		mu, mv = mu+u[i]/exponentPoints, mv+v[i]/exponentPoints
	}
	for i := range u {
		suv, suu = suv+(u[i]-mu)*(v[i]-mv), suu+(u[i]-mu)*(u[i]-mu)
	}
	return suv / suu, true
}

func scalingSections(r *Records) []Section {
	var sections []Section
	for i := range scalingSets {
		s := &scalingSets[i]
		list := s.growths(r)
		if len(list) == 0 {
			continue
		}
		sections = append(sections,
			Section{Title: "Time: " + s.title, Plot: scalingPlot(list, "processor seconds", func(g growth) []float64 { return g.cpu })},
			Section{Title: "Peak memory: " + s.title, Plot: scalingPlot(list, "peak memory, MiB", func(g growth) []float64 {
				mib := make([]float64, len(g.peak))
				for i, v := range g.peak {
					mib[i] = v / (1 << 20)
				}
				return mib
			})},
			Section{Title: "Growth: " + s.title, Table: scalingTable(list)})
	}
	return append(sections, scalingFill(r)...)
}

func scalingPlot(list []growth, label string, y func(g growth) []float64) *Plot {
	p := &Plot{XLabel: "samples", YLabel: label, LogX: true, LogY: true}
	for _, g := range list {
		name := g.method
		if e, ok := exponent(g.n, y(g)); ok {
			name += " ∝ N" + draw.Superscript(fmt.Sprintf("%.2f", e))
		}
		p.Curves = append(p.Curves, Curve{Name: name, X: g.n, Y: y(g), Cases: g.cases})
	}
	return p
}

func scalingTable(list []growth) *Table {
	t := &Table{Columns: []string{"method", "largest N", "CPU there", "exponent of time", "peak there", "exponent of memory", "factor / matrix entries", "solved by"}}
	for _, g := range list {
		last := len(g.n) - 1
		name := g.cases[last]
		slope := func(y []float64) Cell {
			if e, ok := exponent(g.n, y); ok {
				return Cell{Text: fmt.Sprintf("%.2f", e), Case: name}
			}
			return Cell{Text: "needs three sizes", Mark: Absent}
		}
		peak, fill := Cell{Text: "not measured", Mark: Absent}, Cell{Text: "no factor", Mark: Absent}
		if g.peak[last] > 0 {
			peak = Cell{Text: solvers.FormatBytes(int64(g.peak[last])), Case: name}
		}
		if g.fill[last] > 0 {
			fill = Cell{Text: fmt.Sprintf("%.1f", g.fill[last]), Case: name}
		}
		t.Rows = append(t.Rows, []Cell{{Text: g.method}, {Text: draw.Number(g.n[last], 7), Case: name}, {Text: secondsText(g.cpu[last]), Case: name},
			slope(g.cpu), peak, slope(g.peak), fill, {Text: g.note}})
	}
	return t
}

// scalingFill shows the regimes of fill: a surface beside a manifold of many
// dimensions.
func scalingFill(r *Records) []Section {
	p := &Plot{XLabel: "samples", YLabel: "entries of the factor over those of the matrix", LogX: true, LogY: true}
	for i := range scalingSets {
		s := &scalingSets[i]
		for _, g := range s.growths(r) {
			if g.method != "lle" && g.method != "ltsa" && g.method != "le" || !slices.ContainsFunc(g.fill, func(v float64) bool { return v > 0 }) {
				continue
			}
			name := g.method + ", " + s.title
			if e, ok := exponent(g.n, g.fill); ok {
				name += " ∝ N" + draw.Superscript(fmt.Sprintf("%.2f", e))
			}
			p.Curves = append(p.Curves, Curve{Name: name, X: g.n, Y: g.fill, Cases: g.cases, Dashed: i > 0})
		}
	}
	if len(p.Curves) == 0 {
		return nil
	}
	return []Section{{Title: "The regimes of fill", Plot: p,
		Text: "A curve that is level means a factor proportional to the matrix; a slope of one means that the factor is a full triangle. Methods that are solved by products alone have no factor and no curve."}}
}

// The targets of the suite.
const (
	nearlyLinear   = 1.3
	largeEnough    = 64000 // samples from which the slope is that of large N
	millionSamples = 1024000
	millionBytes   = 6 << 30
)

var scalingClaims = []Claim{
	{
		Name: "nearly-linear", Source: "orthant", Paper: fmt.Sprintf("exponent of time at most %.1f", nearlyLinear),
		Statement: "On a surface the time of every local method grows nearly in proportion to the number of samples.",
		Check: func(r *Records) Finding {
			worst, method, cases := math.Inf(-1), "", []string(nil)
			for _, g := range scalingSets[0].growths(r) {
				if !slices.Contains(scaledLocal(), g.method) {
					continue
				}
				if e, ok := exponent(g.n, g.cpu); ok && g.n[len(g.n)-1] >= largeEnough && e > worst {
					worst, method, cases = e, g.method, g.cases[len(g.cases)-exponentPoints:]
				}
			}
			if method == "" {
				return Finding{Verdict: NotRun, Why: fmt.Sprintf("it takes sizes up to %d at least (--quick leaves them out)", largeEnough)}
			}
			return target(worst <= nearlyLinear, fmt.Sprintf("%.1f at most (%s)", worst, method), cases)
		},
	},
	{
		Name: "million", Source: "orthant", Paper: "within " + solvers.FormatBytes(millionBytes),
		Statement: "A million samples of a surface are embedded by every local method within 6 GiB on one machine.",
		Check: func(r *Records) Finding {
			worst, method, cases := int64(0), "", []string(nil)
			for _, local := range scaledLocal() {
				name := scalingName("surface", local, millionSamples)
				one := r.Get(name)
				if one == nil || one.PeakBytes == 0 {
					return Finding{Verdict: NotRun, Why: local + " has no record of a million samples with its memory (--quick leaves them out)"}
				}
				cases = append(cases, name)
				if one.PeakBytes > worst {
					worst, method = one.PeakBytes, local
				}
			}
			return target(worst <= millionBytes, fmt.Sprintf("%s at most (%s)", solvers.FormatBytes(worst), method), cases)
		},
	},
}

// target is the finding on a target of our own.
func target(reached bool, ours string, cases []string) Finding {
	f := Finding{Verdict: TargetMissed, Ours: ours, Cases: cases}
	if reached {
		f.Verdict = TargetReached
	}
	return f
}
