package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// embedded is a case that embeds a set and measures what comes out.
type embedded struct {
	name   string
	data   string // a generator, or a selection of real data
	load   func(e *Env) (*datasets.Set, error)
	method string
	set    map[string]string // its parameters, as for --set
	seed   uint64            // of its start; 0: 1
	// measure adds to the outcome, which has the times and sizes already.
	measure func(ctx context.Context, s *datasets.Set, r *engine.Result, out *Outcome) error
}

// generated draws a set.
func generated(name string, samples int, seed uint64, set map[string]string) func(*Env) (*datasets.Set, error) {
	return func(*Env) (*datasets.Set, error) { return datasets.Generate(name, samples, seed, set) }
}

// selected reads a selection of real data.
func selected(name string) func(*Env) (*datasets.Set, error) {
	return func(e *Env) (*datasets.Set, error) { return datasets.Load(e.Data, name) }
}

// dataNeeds lists the files of a selection.
func dataNeeds(name string) []string {
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

// methodWith makes a method with parameters given as text.
func methodWith(name string, set map[string]string) (engine.Method, error) {
	m, err := engine.New(name)
	if err != nil {
		return nil, err
	}
	for key, text := range set {
		if err := engine.Set(m, key, text); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// paramsOf returns all parameters of a method, or those given where this build
// does not have it.
func paramsOf(name string, set map[string]string) map[string]any {
	if m, err := methodWith(name, set); err == nil {
		return engine.Values(m)
	}
	params := map[string]any{}
	for key, text := range set {
		params[key] = text
	}
	return params
}

func (x embedded) asCase() Case {
	params := paramsOf(x.method, x.set)
	if x.seed > 0 {
		params["seed"] = x.seed
	}
	return Case{
		Name: x.name, Data: x.data, Method: x.method, Params: params, Repeats: 1,
		Needs: append(dataNeeds(x.data), "method:"+x.method),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			s, err := x.load(e)
			if err != nil {
				return nil, err
			}
			m, err := methodWith(x.method, x.set)
			if err != nil {
				return nil, err
			}
			r, err := engine.Embed(ctx, s.X, m, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend, Seed: x.seed})
			if err != nil {
				return nil, err
			}
			out := &Outcome{
				Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: HashMatrix(s.X),
				Quality: map[string]float64{}, Note: strings.Join(r.Warnings, "; "),
			}
			return out, x.measure(ctx, s, r, out)
		},
	}
}

// drawn keeps a picture of an embedding, coloured by a column of the parameters
// or by the classes where column is negative.
func (out *Outcome) drawn(s *datasets.Set, y *mat.Dense, column int) {
	p := &Picture{Points: y}
	if column >= 0 {
		p.Color = mat.Col(nil, column, s.Params)
	} else {
		p.Labels = s.Labels
	}
	out.Pictures = map[string]*Picture{"embedding": p}
}

// figure is a cell with a measured quality.
func (r *Records) figure(name, key, format string) Cell {
	v, found := r.Quality(name, key)
	if !found {
		return Cell{Text: "–", Case: name, Mark: Absent}
	}
	return Cell{Text: fmt.Sprintf(format, v), Case: name}
}

// printed is a cell with what a paper prints.
func printed(text string) Cell { return Cell{Text: text, Mark: Paper} }

// plain is a cell of a heading.
func plain(text string) Cell { return Cell{Text: text} }

// have returns a quality of several cases, in their order, those that did not
// run left out.
func (r *Records) have(key string, names ...string) (values []float64, found []string) {
	for _, name := range names {
		if v, ok := r.Quality(name, key); ok {
			values, found = append(values, v), append(found, name)
		}
	}
	return values, found
}

// absent is the finding of a claim whose cases did not run: it cannot be checked
// where one of them lacked something or failed, and is not run otherwise.
func (r *Records) absent(names ...string) Finding {
	for _, one := range r.List {
		if slices.Contains(names, one.Case) && !one.Done() {
			return Finding{Verdict: CannotCheck, Why: one.Missing + one.Error, Cases: names}
		}
	}
	return Finding{Verdict: NotRun, Why: "the cases it needs have not been run", Cases: names}
}

// verdict is Reproduces or DoesNot.
func verdict(holds bool) Verdict {
	if holds {
		return Reproduces
	}
	return DoesNot
}

// powerOfTen writes a γ.
func powerOfTen(v float64) string { return fmt.Sprintf("1e%d", int(math.Round(math.Log10(v)))) }
