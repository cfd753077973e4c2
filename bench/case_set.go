package bench

import (
	"context"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

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
			out.TakeSolve(r)
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
