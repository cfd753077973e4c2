package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Embedding is a case that embeds a data set by a method of the engine. params
// are keys of the method or of all methods, and besides neighbors_method, which
// is exact or approximate; the measures look at the result of the first repeat.
// The times are for [engine.Embed] alone: they exclude loading and measuring.
// A method that is not built yet makes the case a missing one.
//
// The caller may change what is returned: set Group, Fresh, Repeats, Threads.
func Embedding(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			m, o, err := configured(c)
			if err != nil {
				return nil, err
			}
			o.Memory = e.Memory
			r, err := engine.Embed(ctx, d.X, m, o)
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features,
				DataHash: d.Hash, Backend: r.Backend,
			}
			if c.Fresh {
				out.PeakBytes = memory.Peak() // before the measures take theirs
			}
			if !r.Converged && r.Residuals != nil {
				out.Note = fmt.Sprintf("An eigenpair missed its residual: %.2g is the largest.", slices.Max(r.Residuals))
			}
			if c.FirstRepeat() {
				out.AddSolveResiduals(r)
			}
			return out, assess(ctx, c, list, d, r.Y, out)
		},
	}
}

// configured makes the method of a case and its options.
func configured(c *Case) (engine.Method, engine.Options, error) {
	o := engine.Options{Backend: c.Backend, Threads: c.ThreadCount(), Seed: 1}
	m, err := engine.New(c.Method)
	if err != nil {
		return nil, o, err
	}
	own := map[string]bool{}
	for _, key := range assign.AcceptedKeys(m) {
		own[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(c.Params)) {
		text := fmt.Sprint(c.Params[key])
		switch {
		case key == "neighbors_method":
			o.Neighbors = text
		case own[key]:
			err = engine.Set(m, key, text)
		default:
			err = engine.SetCommon(&o, key, text)
		}
		if err != nil {
			return nil, o, err
		}
	}
	return m, o, nil
}

// Factorization is a case that factorises a data set, X ≈ WH with this many
// components, by a method of the engine; the rest is as in [Embedding]. It measures
// the relative error, "reconstruction", and declares it.
func Factorization(name string, data Source, method string, rank int, params map[string]any) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method), Accuracy: []Accuracy{Reported("reconstruction")},
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			m, o, err := configured(c)
			if err != nil {
				return nil, err
			}
			o.Memory = e.Memory
			r, err := engine.Factorize(ctx, d.X, m, engine.FactorizeOptions{Options: o, Rank: rank})
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features,
				DataHash: d.Hash, Backend: r.Backend,
			}
			if !c.FirstRepeat() {
				return out, nil
			}
			before := CostSoFar()
			v, err := reconstructionOf(ctx, c, d, r.W, r.H)
			out.Quality, out.aside = map[string]float64{"reconstruction": v}, CostSoFar().Sub(before)
			return out, err
		},
	}
}

// Neighbors is a case that finds the k nearest neighbours of every sample,
// exactly. The measures look at the distances, n × k, nearest first.
func Neighbors(name string, data Source, k int, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "neighbors", Params: map[string]any{"neighbors": k}, Needs: data.Needs(),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			kernels, err := blas.Select(c.Backend)
			if err != nil {
				return nil, err
			}
			n, m := d.X.Dims()
			clock := engine.NewClock()
			g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: d.X.RawMatrix().Data}, k, neighbors.Options{Kernels: kernels, Threads: c.ThreadCount()})
			if err != nil {
				return nil, err
			}
			out := &Outcome{Samples: n, Features: m, DataHash: d.Hash, Backend: kernels.Name()}
			out.Seconds, out.CPUSeconds = clock.Seconds()
			if c.Fresh {
				out.PeakBytes = memory.Peak()
			}
			distances := mat.NewDense(n, k, nil)
			for i := range n {
				copy(distances.RawRowView(i), g.Distances(i))
			}
			return out, assess(ctx, c, list, d, distances, out)
		},
	}
}

// MeanDistance is the mean of all distances that a search for neighbours found:
// two exact searches agree on it.
var MeanDistance = quality("mean-distance", func(_ context.Context, _ *Data, y *mat.Dense) (float64, error) {
	n, k := y.Dims()
	if n*k == 0 {
		return 0, fmt.Errorf("no distances")
	}
	return mat.Sum(y) / float64(n*k), nil
})

// NearestNeighbors finds the k nearest neighbors of every row, on one thread.
func NearestNeighbors(ctx context.Context, x *mat.Dense, k int) (*neighbors.Graph, error) {
	n, m := x.Dims()
	return neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, k, neighbors.Options{Threads: 1})
}

// Command is a case like [Embedding] that runs "orthant embed" as a process, so
// that its start, reading and writing count. extension is the format of both
// files: ".npy" or ".csv".
func Command(name string, data Source, extension, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			args, err := e.command()
			if err != nil {
				return nil, err
			}
			args = append(args, "embed", "--method", method, "--threads", strconv.Itoa(c.ThreadCount()), "--quiet", "--json")
			if c.Backend != "" {
				args = append(args, "--backend", c.Backend)
			}
			for _, key := range slices.Sorted(maps.Keys(c.Params)) {
				if key == "neighbors_method" {
					args = append(args, "--neighbors-method", fmt.Sprint(c.Params[key]))
					continue
				}
				args = append(args, "--set", fmt.Sprintf("%s=%v", key, c.Params[key]))
			}
			out, said, err := runWhole(ctx, e, c, data, extension, list, func(in, out string) process {
				return process{args: append(args, "--in", in, "--out", out)}
			})
			if err != nil {
				return nil, err
			}
			return out, out.takeReport(said)
		},
	}
}

// takeReport adds what the command says of itself: its backend, its peak of
// memory, and its phases; the totals stay the totals of the process.
func (out *Outcome) takeReport(object []byte) error {
	var report struct {
		Backend    string         `json:"backend"`
		Seconds    engine.Seconds `json:"seconds"`
		CPUSeconds engine.Seconds `json:"cpu_seconds"`
		Peak       int64          `json:"peak_rss_bytes"`
	}
	if err := json.Unmarshal(object, &report); err != nil {
		return fmt.Errorf("the command printed %q: %w", object, err)
	}
	delete(report.Seconds, "total")
	delete(report.CPUSeconds, "total")
	maps.Copy(out.Seconds, report.Seconds)
	maps.Copy(out.CPUSeconds, report.CPUSeconds)
	out.Backend = report.Backend
	if report.Peak > 0 {
		out.PeakBytes = report.Peak
	}
	return nil
}

// SetEmbedding makes a case that embeds a set of [datasets] and measures what comes out
// from the whole result, where a case of [Embedding] has but the coordinates.
type SetEmbedding struct {
	Name   string
	Data   string // a generator, or a selection of real data
	Load   func(e *Env) (*datasets.Set, error)
	Method string
	Set    map[string]string // its parameters, as for --set
	Seed   uint64            // of its start; 0: 1
	// Measure adds to the outcome, which has the times and sizes already.
	Measure func(ctx context.Context, s *datasets.Set, r *engine.Result, out *Outcome) error
}

// GeneratedSet draws a set.
func GeneratedSet(name string, samples int, seed uint64, set map[string]string) func(*Env) (*datasets.Set, error) {
	return func(*Env) (*datasets.Set, error) { return datasets.Generate(name, samples, seed, set) }
}

// SelectedSet reads a selection of real data.
func SelectedSet(name string) func(*Env) (*datasets.Set, error) {
	return func(e *Env) (*datasets.Set, error) { return datasets.Load(e.Data, name) }
}

// SelectionNeeds lists the files of a selection.
func SelectionNeeds(name string) []string {
	s, err := datasets.FindSelection(name)
	if err != nil {
		return nil // a generator
	}
	var needs []string
	for _, f := range s.Files {
		needs = append(needs, "data:"+f)
	}
	return needs
}

// paperGamma is the γ of the papers' experiments, where the methods' own is auto.
const paperGamma = "0.001"

// NewMethod makes a method as the papers set it up, with parameters given as text: γ of
// barycentric weights is 1e-3 unless it is given.
func NewMethod(name string, set map[string]string) (engine.Method, error) {
	m, err := engine.New(name)
	if err != nil {
		return nil, err
	}
	if engine.Values(m)["gamma"] == "auto" {
		if err := engine.Set(m, "gamma", paperGamma); err != nil {
			return nil, err
		}
	}
	for key, text := range set {
		if err := engine.Set(m, key, text); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// MethodParams returns all parameters of a method, or those given where this build
// does not have it.
func MethodParams(name string, set map[string]string) map[string]any {
	if m, err := NewMethod(name, set); err == nil {
		return engine.Values(m)
	}
	params := map[string]any{}
	for key, text := range set {
		params[key] = text
	}
	return params
}

// Case makes the case, which runs once.
func (x SetEmbedding) Case() Case {
	params := MethodParams(x.Method, x.Set)
	if x.Seed > 0 {
		params["seed"] = x.Seed
	}
	return Case{
		Name: x.Name, Data: x.Data, Method: x.Method, Params: params, Repeats: 1,
		Needs: append(SelectionNeeds(x.Data), "method:"+x.Method),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			s, err := x.Load(e)
			if err != nil {
				return nil, err
			}
			m, err := NewMethod(x.Method, x.Set)
			if err != nil {
				return nil, err
			}
			r, err := engine.Embed(ctx, s.X, m, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend, Seed: x.Seed})
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: HashMatrix(s.X),
				Quality: map[string]float64{}, Note: strings.Join(r.Warnings, "; "),
			}
			out.AddSolveResiduals(r)
			return out, x.Measure(ctx, s, r, out)
		},
	}
}

// DrawEmbedding keeps a picture of an embedding, coloured by a column of the
// parameters or by the classes where column is negative.
func (out *Outcome) DrawEmbedding(s *datasets.Set, y *mat.Dense, column int) {
	p := &Picture{Points: y}
	if column >= 0 {
		p.Color = mat.Col(nil, column, s.Params)
	} else {
		p.Labels = s.Labels
	}
	out.Pictures = map[string]*Picture{"embedding": p}
}

// MeasureDeviation measures both forms of dev against the truth, and draws the
// embedding: a Measure of [SetEmbedding].
func MeasureDeviation(_ context.Context, s *datasets.Set, r *engine.Result, out *Outcome) (err error) {
	out.Quality["dev"], out.Quality["dev-centred"], err = measures.Deviation(s.Params, r.Y)
	_, p := s.Params.Dims()
	out.DrawEmbedding(s, r.Y, p-1)
	return err
}
