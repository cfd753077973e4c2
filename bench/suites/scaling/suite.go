// Package scaling is the suite that measures how time, memory and fill grow with the number of
// samples.
package scaling

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/memory"
)

// Suite measures how the cost of each method grows.
var Suite = bench.Suite{
	Name:  "scaling",
	Title: "Time and memory against the number of samples",
	About: `Every embedding method that needs no labels and has a residual, on one thread, with twice as many samples each time: on the swiss roll (3 columns, a surface,
k = 12) and on a cloud that is one manifold of 12 dimensions in 256 columns (k = 20). Each run is a process of its own. Times are
those of the embedding, without drawing the data; peaks of memory are for the whole process, the data and the Go runtime included
(some 20 MiB before anything is done).

Next to each time is the error of what was computed in it. Methods that unroll the surface have dev, the relative error of the best
affine map to height and arc length. Laplacian eigenmaps, LNP and SMCE have the sine of the angle between their coordinates and the
functions along the strip that a graph Laplacian tends to, which are cosines where the samples lie evenly along it. The others, and all
methods on the cloud, whose true coordinates nobody knows, have the residual of their eigenpairs, or their KKT residual.
A claim of speed rests only on dev of at most 0.001 from 64 000 samples on and 0.0001 at a million (LLE: 0.01, since one
vector of weights a sample leaves more), on an angle of at most 0.05 (LNP and SMCE, whose graphs have a few edges a sample: 0.2), on residuals of at most 1e-8,
and on KKT residuals of at most 0.001.

What decides how a local method grows is the fill of the factor of its alignment matrix: on a surface nested dissection keeps it
near N log N, in many dimensions it tends to N². Exponents are slopes of least squares in log–log over the last three sizes of
each curve: what growth has come to, not what it is at small N.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   append(claims, readmeClaims()...),
	Sections: allSections,
}

// growthSet is one of the data sets that the suite grows.
type growthSet struct {
	name, title string
	generator   string
	set         map[string]string
	neighbors   string
	known       bool // the coordinates that the samples were made from are an isometric image
	// samples: the least and the most of the quick version, and the most of the full one, which begins with firstSize
	quickFirst, quick, most int
	limits                  map[string]int // of methods that cannot have as many
	bytes                   func(method string, n int) int64
}

// dense are the methods that hold a matrix of all pairs, and how far they go.
var dense = []string{"isomap", "nmms"}

const denseMost, denseQuick = 8000, 2000

// maps solve for nothing that has a residual; the suite maps measures how they grow.
var maps = []string{"umap", "tsne", "pacmap"}

// scaled lists the methods of the suite.
func scaled() []engine.Entry {
	return slices.DeleteFunc(engine.Methods(), func(m engine.Entry) bool {
		return m.Supervised || !slices.Contains(m.Tasks, "embed") || slices.Contains(maps, m.Name)
	})
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

var sets = []growthSet{
	{
		name: "surface", title: "swiss roll", generator: "swiss-roll", set: map[string]string{"params": "isometric"}, known: true, neighbors: "12", quickFirst: 500, quick: 2000, most: 256000,
		limits: map[string]int{"lle": millionSamples, "mlle": millionSamples, "ltsa": millionSamples, "neml": millionSamples, "le": millionSamples, "pca": millionSamples},
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
		neighbors: "20", quickFirst: 250, quick: 1000, most: 8000, limits: map[string]int{"le": 32000, "pca": 128000, "mds": 128000},
		// A factor that fills its triangle, and as much again for its updates.
		bytes: func(_ string, n int) int64 { return 8*int64(n)*int64(n) + 4<<10*int64(n) },
	},
}

// size returns the largest number of samples for a method.
func (s *growthSet) size(method string) int {
	most := s.most
	if limit, ok := s.limits[method]; ok {
		most = limit
	}
	if slices.Contains(dense, method) {
		most = min(most, denseMost)
	}
	return most
}

// samples lists the numbers of a method, including the ones of the quick version.
func (s *growthSet) samples(method string) []int {
	var list []int
	for n := min(s.quickFirst, firstSize); n <= s.size(method); n *= 2 {
		list = append(list, n)
	}
	return list
}

const (
	firstSize    = 1000
	repeatBudget = 15 * time.Minute // of one repeat: beyond it the case fails rather than holds up the rest
	onceFrom     = 100000           // samples from which one repeat is enough to show growth
)

func caseName(set, method string, n int) string {
	return fmt.Sprintf("%s/%s/n=%d", set, method, n)
}

func allCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for i := range sets {
		s := &sets[i]
		for _, m := range scaled() {
			for _, n := range s.samples(m.Name) {
				if n < firstSize && !e.Quick {
					continue
				}
				cases = append(cases, s.newCase(m, n))
			}
		}
	}
	return cases
}

func (s *growthSet) newCase(m engine.Entry, n int) bench.Case {
	c := bench.Case{
		Name: caseName(s.name, m.Name, n), Data: s.generator, N: n, Method: m.Name, Threads: 1,
		Params: map[string]any{"samples": n, "dim": 2}, Fresh: true, Full: n > s.quick || slices.Contains(dense, m.Name) && n > denseQuick,
	}
	for key, value := range s.set {
		c.Params[key] = value
	}
	_, accuracy := s.errorOf(m.Name, n)
	c.Accuracy = []bench.Accuracy{accuracy}
	if local(m) {
		c.Params["neighbors"] = s.neighbors
	}
	if need := s.bytes(m.Name, n); need > 1<<29 {
		c.Needs = []string{fmt.Sprintf("memory:%.1fGiB", float64(need)/(1<<30))}
	}
	if n >= onceFrom {
		c.Repeats = 1
	}
	c.Run = func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
		return s.run(ctx, m, n)
	}
	return c
}

// local reports whether a method has neighbourhoods.
func local(m engine.Entry) bool {
	return slices.ContainsFunc(m.Parameters, func(p engine.Parameter) bool { return p.Key == "neighbors" })
}

// run embeds n samples once and says what the eigensolver met.
func (s *growthSet) run(ctx context.Context, m engine.Entry, n int) (*bench.Outcome, error) {
	ctx, stop := context.WithTimeout(ctx, repeatBudget)
	defer stop()
	if n >= onceFrom && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25) // as the command does; the process ends with this case
	}
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
			return nil, fmt.Errorf("it took longer than its budget of %v", repeatBudget)
		}
		return nil, err
	}
	out := &bench.Outcome{
		Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: bench.HashMatrix(data.X),
		PeakBytes: memory.Peak(), // before the error is measured
	}
	out.AddSolveResiduals(r)
	if measure, _ := s.errorOf(m.Name, n); measure != nil {
		if err := measured(ctx, measure, data.X, data.Params, r.Y, out); err != nil {
			return nil, err
		}
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

// What is compared with the surface's own coordinates, by method: the others look for
// neither, and are held to having solved their problem.
var (
	unrolling = []string{"lle", "mlle", "neml", "ltsa", "ltsa-curvature", "hlle", "isomap"}
	laplacian = []string{"le", "lnp", "smce"}
	iterative = []string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"}
)

// The largest errors of a surface's embedding on which a claim of speed may rest.
const (
	devLimit        = 1e-3 // from largeEnough samples on
	devMillionLimit = 1e-4 // at a million
	devSingleWeight = 0.01 // LLE at both: one vector of weights a sample determines less
	angleLimit      = 0.05 // from largeEnough samples on, of Laplacian eigenmaps
	sparseAngle     = 0.2  // of LNP and SMCE, whose graphs have a few edges a sample
)

// errorOf says which error is shown with the seconds of a method, and what measures it
// (nil: the solve itself does).
func (s *growthSet) errorOf(method string, n int) (bench.Measure, bench.Accuracy) {
	within := func(quality string, limit float64) bench.Accuracy {
		if n < largeEnough {
			return bench.Reported(quality)
		}
		return bench.AtMost(quality, limit)
	}
	switch {
	case slices.Contains(iterative, method):
		return nil, bench.Stationary()
	case s.known && slices.Contains(unrolling, method):
		limit := devLimit
		switch {
		case method == "lle":
			limit = devSingleWeight
		case n >= millionSamples:
			limit = devMillionLimit
		}
		return bench.Dev, within("dev", limit)
	case s.known && method == "le":
		return bench.StripAngle, within("angle", angleLimit)
	case s.known && slices.Contains(laplacian, method):
		return bench.StripAngle, within("angle", sparseAngle)
	}
	return nil, bench.Exact()
}

// measured takes the error of an embedding of the samples that have coordinates: samples of smaller
// components have none.
func measured(ctx context.Context, measure bench.Measure, x, truth, y *mat.Dense, out *bench.Outcome) error {
	d := &bench.Data{X: x, Truth: truth}
	var kept []int
	n, _ := y.Dims()
	for i := range n {
		if !math.IsNaN(y.At(i, 0)) {
			kept = append(kept, i)
		}
	}
	if len(kept) < n {
		d = d.Rows(kept)
		y = (&bench.Data{X: y}).Rows(kept).X
	}
	return measure(ctx, d, y, out)
}
