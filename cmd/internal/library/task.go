package library

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/density"
	"github.com/orthant-go/orthant/sparse"
)

// preparation is a task by its name.
type preparation struct {
	name    string
	prepare func(g given) (work, error)
}

// tasks prepare the work of each function of the header: they check its arguments and read its
// parameters, so that errors are found before any work begins. To add a task, add a row, and its function in calls.go.
var tasks = []preparation{
	{"embed", given.embed},
	{"factorize", given.factorize},
	{"cluster", given.cluster},
	{"neighbors", given.neighbors},
	{"transform", given.transform},
	{"select", given.selecting},
	{"denoise", given.denoise},
	{"learn", given.learn},
}

// taskNumber is the row of a task.
func taskNumber(name string) int {
	return slices.IndexFunc(tasks, func(t preparation) bool { return t.name == name })
}

// prepare checks the inputs that all tasks take.
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

// limited bounds the memory limit by the available memory, if that is known. Asking the kernel
// costs as much as a small task, and a task with few samples takes little memory.
func (g given) limited(o *engine.Options) {
	const few = 2000
	if rows, cols := g.dims(); rows < few && cols < few {
		return
	}
	free := available()
	if free <= 0 {
		return
	}
	// The memory that the engine counts but the process already holds.
	free += memory.Process(g.bytes())
	if o.Memory == 0 || o.Memory > free {
		o.Memory = free
	}
}

// available is the available memory; 0 if unknown.
var available = memory.Available

// chosen makes the method of a task from its parameters and options.
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
	if o.Weights, err = g.weightsOf(); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", method.Name(), err)
	}
	g.limited(o)
	if err = g.near.enter(o); err == nil {
		err = g.read(o.Memory)
	}
	if err != nil && statusOf(err) == statusInvalid {
		err = fmt.Errorf("%s: %w", method.Name(), err)
	}
	return method, warnings, &gave, err
}

// wish reads whether to make a model: no, yes, or only if the method has a rule for new samples.
func wish(p *parameters, o *engine.Options, keep *string) (err error) {
	*keep, err = p.word("model", "false", "true", "try")
	o.Model = *keep == "true"
	return err
}

// truthOf reads true or false.
func (p *parameters) truthOf(key string) (bool, error) {
	text, err := p.word(key, "false", "true")
	return text == "true", err
}

// weightsOf reads the weights of the samples; nil: there are none.
func (g given) weightsOf() ([]float64, error) {
	w, err := g.matrix(g.weights, "the weights")
	if w == nil || err != nil {
		return nil, err
	}
	if _, cols := w.Dims(); cols != 1 {
		return nil, fmt.Errorf("the weights have %d columns; give a single one, with a weight for each sample", cols)
	}
	return mat.Col(nil, 0, w), nil
}

// limitChosen reports whether the caller asked to stop without convergence.
func limitChosen(m engine.Method, gave *parameters) bool {
	return gave.values["iterations"] != "" || engine.Values(m)["tolerance"] == 0.0
}

// attach keeps the model of a result; it copies arrays that would share the caller's samples.
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

// project adds the mean and the projection of a linear model.
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
	if o.Targets, err = g.matrix(g.targets, "the targets"); err != nil {
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
		if err := readRankSearch(p, &o.RankSearch); err != nil {
			return err
		}
		if err := readCollection(p, &o.Collection); err != nil {
			return err
		}
		return wish(p, &o.Options, &keep)
	})
	if err != nil {
		return nil, err
	}
	if g.count == autoRank {
		o.Rank = engine.Auto
	} else if o.Rank, err = small(g.count, method.Name()+": rank"); err != nil {
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

// autoRank is ORTHANT_AUTO.
const autoRank = -1

// readRankSearch reads how a rank is found.
func readRankSearch(p *parameters, s *engine.RankSearch) (err error) {
	for _, of := range []struct {
		key string
		to  *int
	}{{"least_rank", &s.Least}, {"most_rank", &s.Most}, {"masks", &s.Masks}} {
		v, err := p.whole(of.key, math.MaxInt32)
		if err != nil {
			return err
		}
		*of.to = int(v)
	}
	s.HeldOut, err = p.real("held_out")
	return err
}

// readCollection reads of which matrices the samples are put together: labels are whole numbers, separated by commas.
func readCollection(p *parameters, c *engine.Collection) (err error) {
	for _, of := range []struct {
		key    string
		labels *[]int64
	}{{"blocks", &c.Blocks}, {"datasets", &c.Datasets}} {
		text, given := p.take(of.key)
		if !given {
			continue
		}
		for part := range strings.SplitSeq(text, ",") {
			label, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %s has %q; give whole numbers, separated by commas", p.owner, of.key, part)
			}
			*of.labels = append(*of.labels, label)
		}
	}
	c.BlockWeights, _ = p.take("block_weights")
	c.DatasetWeights, _ = p.take("dataset_weights")
	c.OwnPenalty, err = p.real("own_penalty")
	return err
}

// matrix reads the start of the given name.
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

// small checks a count that must fit a slice.
func small(count int64, what string) (int, error) {
	if count < 1 {
		return 0, fmt.Errorf("%s is %d; give a whole number ≥ 1", what, count)
	}
	if count > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %d; give a whole number ≥ 1, below 2³¹", what, count)
	}
	return int(count), nil
}

// cluster prepares a partition of the samples.
func (g given) cluster() (work, error) {
	var o engine.ClusterOptions
	var keep string
	method, warnings, gave, err := g.chosen("cluster", ofClusterings(), &o.Options, func(p *parameters) error {
		affinities, err := p.word("keep_affinities", "false", "true")
		if o.KeepAffinities = affinities == "true"; err != nil {
			return err
		}
		return wish(p, &o.Options, &keep)
	})
	if err != nil {
		return nil, err
	}
	if g.count != 0 || !engine.FindsClusters(method) {
		if o.Clusters, err = small(g.count, method.Name()+": clusters"); err != nil {
			return nil, err
		}
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Cluster(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfClusters(r, append(warnings, r.Warnings...))
		m.attach(keep, shared, r.Model)
		if !r.Converged && !limited {
			m.missed = &failure{statusNotConverged, r.Method + ": no convergence; the clusters are the best found"}
		}
		return m, nil
	}, nil
}

// madeOfClusters reports a clustering with the command's names.
func madeOfClusters(r *engine.Clustering, warnings []string) *made {
	inertia := math.NaN()
	arrays := map[string]array{
		"labels":      {rows: len(r.Labels), cols: 1, integers: r.Labels},
		"eigenvalues": column(r.Values), "residuals": column(r.Residuals),
	}
	if r.Centers != nil {
		arrays["centers"], inertia = arrayOf(r.Centers), r.Cost
	}
	if r.Selection != nil {
		arrays["exemplars"] = columnOf(r.Selection.Exemplars)
	}
	if r.Exemplars != nil {
		arrays["exemplars"] = columnOf(r.Exemplars)
	}
	if h := r.Hierarchy; h != nil {
		arrays["probabilities"], arrays["outliers"] = column(h.Probabilities), column(h.Outliers)
		table := h.Tree.Table()
		t := h.Spanning
		arrays["spanning_from"], arrays["spanning_to"], arrays["spanning_distances"], arrays["core_distances"] = columnOf(t.From), columnOf(t.To), column(t.Weight), column(t.Core)
		arrays["tree"] = array{rows: len(table) / 4, cols: 4, numbers: table}
		if h.Memberships != nil {
			arrays["memberships"] = arrayOf(h.Memberships)
		}
		maps.Copy(arrays, layersOf(h.Layers, len(r.Labels)))
	}
	if w := r.Affinities; w != nil {
		maps.Copy(arrays, rowsOf("affinities", w))
	}
	return &made{
		arrays: standardized(arrays, r.Standard),
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "sound": sound(r.Quality.Verdict), "warnings": float64(len(warnings)), "components": float64(r.Components),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"], "inertia": inertia, "next_eigenvalue": r.Next},
		report: func() map[string]any {
			return map[string]any{
				"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "sparse": r.Sparse,
				"clusters": r.Clusters, "cluster_sizes": listed(r.Sizes), "noise": r.Noise,
				"objective": map[string]number{"first": number(r.FirstCost), "last": number(r.Cost)}, "inertia": number(inertia), "iterations": r.Iterations, "converged": r.Converged,
				"eigenvalues": numbersOf(r.Values), "residuals": numbersOf(r.Residuals), "next_eigenvalue": number(r.Next), "components": r.Components,
				"component_sizes": listed(r.ComponentSizes), "duplicates": r.Duplicates, "details": finite(r.Details), "quality": r.Quality,
				"backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
		},
	}
}

// layersOf makes the arrays of the layers, a column each; none without layers.
func layersOf(list []density.Layer, n int) map[string]array {
	if len(list) == 0 {
		return nil
	}
	labels, sizes, persistence := make([]int64, n*len(list)), make([]int64, len(list)), make([]int64, len(list))
	for q, l := range list {
		sizes[q], persistence[q] = int64(l.MinSize), l.Persistence
		for i, c := range l.Labels {
			labels[i*len(list)+q] = int64(c)
		}
	}
	return map[string]array{"layers": {rows: n, cols: len(list), integers: labels},
		"layer_sizes": {rows: len(list), cols: 1, integers: sizes}, "layer_persistences": {rows: len(list), cols: 1, integers: persistence}}
}

// rowsOf makes the arrays of a matrix in compressed rows.
func rowsOf(name string, a *sparse.CSR) map[string]array {
	return map[string]array{name + "_indptr": columnOf(a.Ptr), name + "_indices": columnOf(a.Col), name + "_data": column(a.Val)}
}

// columnOf makes an array of integers.
func columnOf[T int | int32](list []T) array {
	a := array{rows: len(list), cols: 1, integers: make([]int64, len(list))}
	for at, v := range list {
		a.integers[at] = int64(v)
	}
	return a
}

// selecting prepares the choice of exemplars.
func (g given) selecting() (work, error) {
	var o engine.SelectOptions
	method, warnings, gave, err := g.chosen("select", ofSelections(), &o.Options, func(*parameters) error { return nil })
	if err != nil {
		return nil, err
	}
	if o.Count, err = small(g.count, method.Name()+": count"); err != nil {
		return nil, err
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, _ := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Select(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfExemplars(r, append(warnings, r.Warnings...))
		if !r.Converged && !limited {
			m.missed = &failure{statusNotConverged, r.Method + ": no convergence; the exemplars are the best found"}
		}
		return m, nil
	}, nil
}

func madeOfExemplars(r *engine.Selection, warnings []string) *made {
	return &made{
		arrays: map[string]array{"indices": columnOf(r.Indices)},
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "warnings": float64(len(warnings)),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"]},
		report: func() map[string]any {
			return map[string]any{
				"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "count": r.Count,
				"objective": map[string]number{"first": number(r.FirstObjective), "last": number(r.Objective)}, "iterations": r.Iterations,
				"converged": r.Converged, "duplicates": r.Duplicates, "details": finite(r.Details),
				"backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
		},
	}
}

// denoise prepares to move samples onto the surface that they lie near.
func (g given) denoise() (work, error) {
	p, err := readParameters("denoise", g.parameters)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Denoise: "auto"}
	if text, set := p.take("neighbors"); set {
		if text == "off" {
			return nil, fmt.Errorf("denoise: neighbors is \"off\"; give auto or a whole number")
		}
		o.Denoise = text
	}
	if err := p.running(&o); err != nil {
		return nil, err
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	dim, err := small(g.count, "denoise: dim")
	if err != nil {
		return nil, err
	}
	g.limited(&o)
	if err := g.read(o.Memory); err != nil {
		return nil, fmt.Errorf("denoise: %w", err)
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, _ := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		d, err := engine.Denoise(ctx, x, dim, o)
		if err != nil {
			return nil, err
		}
		return madeOfDenoised(d), nil
	}, nil
}

func madeOfDenoised(d *engine.Denoised) *made {
	x := d.X.RawMatrix()
	entries := x.Data
	if !d.Moved { // the caller's
		entries = slices.Clone(entries)
	}
	return &made{
		arrays: map[string]array{"samples": {rows: x.Rows, cols: x.Cols, numbers: entries}},
		numbers: map[string]float64{
			"denoised": truth(d.Moved), "noise": d.Noise, "neighbors": float64(d.Neighbors), "warnings": float64(len(d.Warnings)), "seconds": d.Seconds["total"]},
		report: func() map[string]any {
			return map[string]any{
				"samples": d.Samples, "features": d.Features, "dim": d.Dim, "denoised": d.Moved, "noise": number(d.Noise), "neighbors": d.Neighbors, "reason": d.Reason,
				"levels": append([]engine.ScaleLevel{}, d.Levels...), "backend": d.Backend, "threads": d.Threads, "seconds": d.Seconds, "cpu_seconds": d.CPUSeconds, "warnings": listed(d.Warnings)}
		},
	}
}

// learn learns components from some samples; options.start holds the state after earlier ones.
func (g given) learn() (work, error) {
	var o engine.FactorizeOptions
	var keep string
	method, warnings, _, err := g.chosen("factorize", ofFactorizations(), &o.Options, func(p *parameters) error { return wish(p, &o.Options, &keep) })
	if err != nil {
		return nil, err
	}
	if o.Rank, err = small(g.count, method.Name()+": rank"); err != nil {
		return nil, err
	}
	known, err := g.matrix(g.start, "the start, which is what was learnt before")
	if err != nil {
		return nil, err
	}
	var before engine.Learning
	if known != nil {
		before = append(before, arrayOf(known).numbers...)
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, after, err := engine.Learn(ctx, x, method, o, before)
		if err != nil {
			return nil, err
		}
		m := madeOfFactors(r, append(warnings, r.Warnings...))
		m.arrays["learned"] = column(after)
		m.attach(keep, shared, r.Model)
		return m, nil
	}, nil
}
