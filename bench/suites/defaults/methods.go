package defaults

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/presets"
	"github.com/orthant-go/orthant/solvers/kmeans"
)

// method is a row of the tables.
type method struct {
	key, name string            // in the names of cases, and the engine's
	title     string            // in the tables; "": key
	unit      bool              // features are scaled to [0, 1] before
	paper     bool              // the defaults of its paper
	set       map[string]string // parameters in place of defaults, where the method has them
	embeds    bool              // its coordinates are clustered by k-means
	fixed     bool              // the seed changes nothing
	quick     bool
}

// titled is what the tables call the method.
func (m method) titled() string { return cmp.Or(m.title, m.key) }

const (
	kmeansKey   = "kmeans"
	spectralKey = "spectral"
	nmfKey      = "nmf-kmeans"
	lppKey      = "lpp-kmeans"
	// scaledEnd marks the form of a method with scaled features.
	scaledEnd   = "-scaled"
	sevenEnd    = "-scaled-7"
	scaledWords = ", features to [0, 1]"
	// paperEnd marks a method with the defaults of its paper.
	paperEnd   = "-paper"
	paperWords = ", protocol=paper"
)

// references are what methods are compared with.
var references = []string{kmeansKey, spectralKey, nmfKey, lppKey}

// binding are the methods that must not lose to k-means by more than a little.
var binding = []string{"rmnmf", "f-smrmf", "smrmf", "gnmf", "lp-rna", "nmf"}

// fixed are the methods whose result does not depend on the seed.
var fixed = []string{"ds3", "rmnmf-paper", "smrmf-paper", "f-smrmf-paper", "smrmf-ns-paper", "smrmf-euc-paper", "amrmf-paper"}

// methods lists those that the engine clusters by, in its order, behind the references that
// it does not list. A method whose paper has other defaults is there with these too.
func methods() []method {
	list := []method{
		{key: kmeansKey, name: "kmeans", quick: true},
		{key: kmeansKey + scaledEnd, name: "kmeans", title: kmeansKey + scaledWords, unit: true, quick: true},
		{key: spectralKey, name: "spectral", quick: true},
		{key: spectralKey + scaledEnd, name: "spectral", title: spectralKey + scaledWords, unit: true},
		// About where rmnmf and the methods like it, and what is read by the graph of its rows, begin or end: comparing
		// with them shows what a factorisation adds.
		{key: spectralKey + sevenEnd, name: "spectral", title: spectralKey + scaledWords + ", 7 neighbours", unit: true, set: map[string]string{"neighbors": "7"}, quick: true},
		{key: nmfKey, name: "nmf", title: "nmf + kmeans", set: map[string]string{"labels": "kmeans", "rows": "codes"}, quick: true},
		{key: lppKey, name: "lpp", title: "lpp + kmeans", embeds: true, quick: true},
	}
	for _, e := range engine.Methods() {
		if slices.Contains(e.Tasks, "cluster") && e.Name != kmeansKey && e.Name != spectralKey {
			list = append(list, method{key: e.Name, name: e.Name, fixed: slices.Contains(fixed, e.Name), quick: slices.Contains(binding, e.Name)})
			if presets.OfPaper[e.Name] != nil {
				key := e.Name + paperEnd
				list = append(list, method{key: key, name: e.Name, title: e.Name + paperWords, paper: true, fixed: slices.Contains(fixed, key)})
			}
		}
	}
	return list
}

// on reports whether the method is run on a set: with the defaults of its paper on the reporting ones alone.
func (m method) on(s *dataSet) bool { return !m.paper || s.half == reporting }

// methodsOn are those that are run on all of some sets.
func methodsOn(sets []*dataSet) []method {
	return slices.DeleteFunc(methods(), func(m method) bool {
		return slices.ContainsFunc(sets, func(s *dataSet) bool { return !m.on(s) })
	})
}

// found is what a method makes of samples.
type found struct {
	labels       []int64
	seconds, cpu engine.Seconds
	backend      string
	warnings     []string
	details      map[string]any
}

// cluster runs the method at its defaults.
func (m method) cluster(ctx context.Context, d *bench.Data, clusters int, o engine.Options) (*found, error) {
	x := d.X
	if m.unit {
		x = scaled(x)
	}
	if m.embeds {
		return m.byCoordinates(ctx, x, clusters, o)
	}
	made, err := m.made(x)
	if err != nil {
		return nil, err
	}
	if engine.FindsClusters(made) {
		clusters = 0
	}
	r, err := engine.Cluster(ctx, x, made, engine.ClusterOptions{Options: o, Clusters: clusters})
	if err != nil {
		return nil, err
	}
	return &found{r.Labels, r.Seconds, r.CPUSeconds, r.Backend, r.Warnings, r.Details}, nil
}

// made is the method at its defaults, but for a shift where entries are negative and it would
// refuse them.
func (m method) made(x *mat.Dense) (engine.Method, error) {
	made, err := engine.NewFor("cluster", m.name)
	if err != nil {
		return nil, err
	}
	if m.paper {
		if err := engine.Set(made, "protocol", "paper"); err != nil {
			return nil, err
		}
	}
	values := engine.Values(made)
	for _, key := range slices.Sorted(maps.Keys(m.set)) {
		if _, known := values[key]; known {
			if err := engine.Set(made, key, m.set[key]); err != nil {
				return nil, err
			}
		}
	}
	if values["shift"] == "none" && slices.Min(x.RawMatrix().Data) < 0 {
		return made, engine.Set(made, "shift", "columns")
	}
	return made, nil
}

// byCoordinates clusters the coordinates of an embedding by k-means, at its defaults too.
func (m method) byCoordinates(ctx context.Context, x *mat.Dense, clusters int, o engine.Options) (*found, error) {
	made, err := engine.NewFor("embed", m.name)
	if err != nil {
		return nil, err
	}
	_, columns := x.Dims()
	if err := setDim(made, min(clusters, columns-1)); err != nil {
		return nil, err
	}
	before := bench.CostSoFar()
	o.Components = "joint"
	r, err := engine.Embed(ctx, x, made, o)
	if err != nil {
		return nil, err
	}
	n, dim := r.Y.Dims()
	p, err := kmeans.KMeans(ctx, mat.DenseCopyOf(r.Y).RawMatrix().Data, n, dim, clusters, kmeans.KMeansOptions{Tolerance: 1e-6, Threads: o.Threads, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	cost := bench.CostSoFar().Sub(before)
	labels := make([]int64, n)
	for i, c := range p.Labels {
		labels[i] = int64(c)
	}
	return &found{labels, engine.Seconds{"total": cost.Wall}, engine.Seconds{"total": cost.CPU}, r.Backend, r.Warnings, r.Details}, nil
}

// scaled has every feature from 0 to 1; constant ones are 0.
func scaled(x *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	y := mat.NewDense(n, m, nil)
	for j := range m {
		column := mat.Col(nil, j, x)
		low, span := slices.Min(column), 1.0
		if high := slices.Max(column); high > low {
			span = high - low
		}
		for i, v := range column {
			y.Set(i, j, (v-low)/span)
		}
	}
	return y
}
