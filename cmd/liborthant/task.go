package main

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
)

// tasks prepare the work of each function of the header: they check its arguments and
// read its parameters, so that what is wrong there is known before anything begins.
// Another task is another row, its function in orthant.h and shim.c, and its name in
// liborthant.map.
var tasks = []struct {
	name    string
	prepare func(g given) (work, error)
}{
	{"embed", given.embed},
	{"factorize", given.factorize},
	{"cluster", given.cluster},
	{"neighbors", given.neighbors},
	{"transform", given.transform},
	{"select", given.selecting},
	{"denoise", given.denoise},
	{"learn", given.learn},
}

// prepare checks what all tasks take.
func prepare(task int, g given) (work, error) {
	if err := g.check(tasks[task].name); err != nil {
		return nil, err
	}
	return tasks[task].prepare(g)
}

// The parameters that the methods of a task share, which never change.
var (
	ofEmbeddings     = sync.OnceValue(engine.CommonParameters)
	ofFactorizations = sync.OnceValue(engine.FactorizeParameters)
	ofClusterings    = sync.OnceValue(engine.ClusterParameters)
	ofSelections     = sync.OnceValue(engine.SelectParameters)
)

// limited bounds the limit of memory by what there is, where that is known. Asking the
// kernel costs as much as a small task, and a task of few samples takes little.
func (g given) limited(o *engine.Options) {
	const few = 2000
	if rows, cols := g.dims(); rows < few && cols < few {
		return
	}
	free := available()
	if free <= 0 {
		return
	}
	// What the engine counts and the process has taken already.
	free += memory.Process(g.bytes())
	if o.Memory == 0 || o.Memory > free {
		o.Memory = free
	}
}

// available is what there is of memory; 0: not known.
var available = memory.Available

// chosen makes the method of a task with its parameters and options.
func (g *given) chosen(task string, shared []engine.Parameter, o *engine.Options, more func(p *parameters) error) (engine.Method, []string, *parameters, error) {
	method, err := engine.NewFor(task, g.method)
	if err != nil {
		return nil, nil, nil, err
	}
	p, err := readParameters(method.Name(), g.parameters)
	if err != nil {
		return nil, nil, nil, err
	}
	gave := *p
	gave.values = map[string]string{"iterations": p.values["iterations"]}
	if err := p.running(o); err != nil {
		return nil, nil, nil, err
	}
	if err := more(p); err != nil {
		return nil, nil, nil, err
	}
	warnings, err := p.method(task, method, o, shared)
	if err != nil {
		return nil, nil, nil, err
	}
	o.Labels = g.labels
	g.limited(o)
	if err = g.near.enter(o); err == nil {
		err = g.read(o.Memory)
	}
	if err != nil && statusOf(err) == statusInvalid {
		err = fmt.Errorf("%s: %w", method.Name(), err)
	}
	return method, warnings, &gave, err
}

// wishes for a model: none, one, or one where there is a rule for new samples.
func wish(p *parameters, o *engine.Options, keep *string) (err error) {
	*keep, err = p.word("model", "false", "true", "try")
	o.Model = *keep == "true"
	return err
}

// truthOf takes true or false.
func (p *parameters) truthOf(key string) (bool, error) {
	text, err := p.word(key, "false", "true")
	return text == "true", err
}

// limitChosen tells whether ending without convergence was asked for.
func limitChosen(m engine.Method, gave *parameters) bool {
	return gave.values["iterations"] != "" || engine.Values(m)["tolerance"] == 0.0
}

// attach keeps the model of a result, with arrays of its own where it would share the
// caller's samples.
func (m *made) attach(keep string, shared bool, model func() (*engine.Model, error)) {
	if keep == "false" {
		m.noModel = `it was not asked for; give the parameter "model": true`
		return
	}
	got, err := model()
	if err != nil {
		m.noModel = wording.Error(err, wording.Arguments)
		return
	}
	if shared {
		got = got.Clone()
	}
	m.model = got
}

// project names what a linear model maps by.
func (m *made) project() {
	if m.model == nil {
		return
	}
	if mean, projection := m.model.Projection(); projection != nil {
		m.arrays["mean"], m.arrays["projection"] = column(mean), arrayOf(projection)
	}
}

func (g given) embed() (work, error) {
	var o engine.Options
	var keep string
	method, warnings, gave, err := g.chosen("embed", ofEmbeddings(), &o, func(p *parameters) (err error) {
		if o.Certified, err = p.truthOf("certified"); err != nil {
			return err
		}
		return wish(p, &o, &keep)
	})
	if err != nil {
		return nil, err
	}
	if o.Init, err = g.matrix(g.start, "the start"); err != nil {
		return nil, err
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Embed(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfEmbedding(r, append(warnings, r.Warnings...))
		m.attach(keep, shared, r.Model)
		m.project()
		if !r.Converged && !(r.Objective != nil && limited) {
			m.missed = &failure{statusNotConverged, r.Method + ": the result did not converge; it is the best found"}
		}
		return m, nil
	}, nil
}

func (g given) factorize() (work, error) {
	var o engine.FactorizeOptions
	var keep string
	method, warnings, gave, err := g.chosen("factorize", ofFactorizations(), &o.Options, func(p *parameters) error {
		every, err := p.whole("trace_every", math.MaxInt32)
		if o.TraceEvery = int(every); err != nil {
			return err
		}
		return wish(p, &o.Options, &keep)
	})
	if err != nil {
		return nil, err
	}
	if o.Rank, err = small(g.count, method.Name()+": rank"); err != nil {
		return nil, err
	}
	if o.InitW, err = g.matrix(g.start, "the start of W"); err != nil {
		return nil, err
	}
	if o.InitH, err = g.matrix(g.startH, "the start of H"); err != nil {
		return nil, err
	}
	g.single = engine.KeepsSingle(method)
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Factorize(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfFactors(r, append(warnings, r.Warnings...))
		m.attach(keep, shared, r.Model)
		if !r.Converged && !limited {
			m.missed = &failure{statusNotConverged, fmt.Sprintf("%s: %d iterations, the default limit, did not reach the tolerance; the factors are the best found", r.Method, r.Iterations)}
		}
		return m, nil
	}, nil
}

// matrix reads a start, of the given name.
func (g given) matrix(v *view, what string) (*mat.Dense, error) {
	if v == nil {
		return nil, nil
	}
	if err := v.check(what, typeFloat64, typeFloat32, typeUint8); err != nil {
		return nil, err
	}
	m, _ := v.dense()
	return m, nil
}

// small is a count that a slice can have.
func small(count int64, what string) (int, error) {
	if count < 1 {
		return 0, fmt.Errorf("%s is %d; give a whole number ≥ 1", what, count)
	}
	if count > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %d; give a whole number ≥ 1, below 2³¹", what, count)
	}
	return int(count), nil
}
