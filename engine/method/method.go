package method

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/wording"
)

// Method is a method with its parameters. The methods are the structs of this
// package; each may be passed by value or by pointer. What a method can be used
// for, its tasks, is in its row.
type Method interface {
	// Name is the lower-case name by which the method is addressed.
	Name() string
}

// Row is all that is known of a method but its name and its parameters: what it is for,
// what it chooses at each step, and what it needs. Its functions are called for
// parameters whose defaults are filled in, but for forTask, which fills some in.
type Row struct {
	// The tasks; nil: the method does not serve this one.
	Embed     func() pipeline.Steps
	Factorize func() factor.Plan
	Cluster   func(clusters int) Grouping
	Choose    func() choose.Rule

	Dim       int  // the columns of an embedding
	Neighbors *int // k, the nearest neighbours of each sample; nil: the method has no such number

	Units Units // of an embedding, or of the parameters of a clustering; a factorisation's are its solver's

	Layout       bool                         // components=auto makes one map of several components, as its forces find a place for each
	PerComponent bool                         // components=bridge embeds each component on its own, and places it where its edge leads
	Placed       extend.Rule[*solve.Solution] // for new samples, where components were laid out

	sparse bool // samples in compressed rows stay so, in all that it does (a factorisation's plan has its own)
	kernel bool // the weights of its graph are its own kernel: affinities do not replace them

	// GraphOnly says that a graph of the samples is enough, but for what needs the samples all
	// the same, by the parameters; empty: nothing does. nil: samples are always needed.
	GraphOnly func() string
	// OfDistances takes all steps with given distances, n × n, in place of samples; nil: they
	// serve at most in place of a search.
	OfDistances func(d samples.Samples) pipeline.Joint

	Shared        bool            // its patches need nothing of all samples but medians and sums: see engine.Share
	lengths       bool            // its coordinates are lengths in the data's unit, so that distances between them have a meaning
	ScalesColumns bool            // the scale of a column means nothing to it
	KeepsSingle   bool            // a engine.Single stays in float32
	InBatches     bool            // it learns batch by batch: see engine.FactorizeSource
	Missing       *MissingEntries // which entries are missing; nil: it takes neither these nor weights
	Labels        bool            // it learns from the labels of the samples
	Targets       bool            // it learns from the targets of the samples
	OwnLandmarks  bool            // the alignment looks at landmarks; otherwise they are embedded alone and extended

	Check   func(n, m int) error                           // conditions on the parameters beyond each one's range
	forTask func(task string) Method                       // defaults that depend on the task
	Memory  func(n, m int64, threads, landmarks int) int64 // bytes beyond the graph, the patches and the alignment matrix; landmarks 0: none
	Reduce  int                                            // principal components that Options.Reduce takes by default; 0: none
	Squares float64                                        // n × n matrices that are held at a time
	Cheaper func(n int, landmarks bool) string             // what a way with much less work is, of samples that take minutes: see engine.Cheaper
	Degree  func(m int) int                                // neighbours that it mostly chooses among the k nearest, in data of m columns
}

// Grouping is how a method clusters, and how it embeds a cluster.
type Grouping struct {
	cluster.Plan
	Embed func(size, dim int) Method // a cluster of that size, in dim dimensions
}

// tabled is a method of this package.
type tabled interface {
	Method
	row() Row
}

// RowOf returns the row of a method; that of a method of another package is empty.
func RowOf(m Method) Row {
	if t, ok := m.(tabled); ok {
		return t.row()
	}
	return Row{}
}

// tasks are what methods are for, by the name of the command that does it.
var tasks = []struct {
	name   string
	serves func(r Row) bool
}{
	{"embed", func(r Row) bool { return r.Embed != nil }},
	{"factorize", func(r Row) bool { return r.Factorize != nil }},
	{"cluster", func(r Row) bool { return r.Cluster != nil }},
	{"select", func(r Row) bool { return r.Choose != nil }},
}

// TasksOf lists the tasks of a method.
func TasksOf(m Method) []string {
	var list []string
	r := RowOf(m)
	for _, t := range tasks {
		if t.serves(r) {
			list = append(list, t.name)
		}
	}
	return list
}

// SettledFor is the method with those of its defaults that depend on the task.
func SettledFor(task string, m Method) Method {
	if settle := RowOf(m).forTask; settle != nil {
		return settle(task)
	}
	return m
}

// WrongTask refuses a method that does not serve a task.
func WrongTask(m Method, task string) error {
	return wording.Errorf("%s does not %s; it is a method of ‹call=%s›", m.Name(), task, strings.Join(TasksOf(m), "› and ‹call="))
}

// Auto, as the number of neighbours of an embedding method (its field Neighbors, or the text "auto"
// under the key neighbors), means that the number is found from the samples: the default of the
// method, or fewer if neighbourhoods would reach other sheets. Noise is first removed from the
// samples, unless Options.Denoise says otherwise: see docs/noise.md.
//
// As the number of coordinates (Dim, dim) it means the intrinsic dimension of the samples: see
// docs/choosing.md. Result.Details gives the number and the reason under dim_found, dim_estimate,
// dim_gaps and dim_reason.
const Auto = param.Auto

// Parameter describes one parameter of a method. It is read from the field's
// tags, so that help, command line, JSON and Go cannot disagree.
type Parameter = param.Parameter

// Parameters describes the parameters of a method.
func Parameters(m Method) []Parameter { return param.Offered(m) }

// Values returns the parameters of a method under their keys, those left at
// zero with their defaults.
func Values(m Method) map[string]any { return param.Values(m) }

// Set gives one parameter of a method, which must be a pointer as [New] returns
// it, a value written as text. The error names the parameter, the value and
// what is allowed; an unknown key suggests the nearest one.
func Set(m Method, key, text string) error {
	if param.Absent(m) {
		return ErrNoMethod
	}
	return param.Set(m.Name()+": ", m, key, text)
}

// SetJSON gives a method the parameters of a JSON object, by the same rules. A key that
// is there twice is an error.
func SetJSON(m Method, object []byte) error {
	if param.Absent(m) {
		return ErrNoMethod
	}
	return param.SetJSON(m.Name(), m, object)
}

// ErrNoMethod refuses a run without a method.
var ErrNoMethod = errors.New("engine: no method given; give one of this package, such as engine.LLE{}")

// AnySize stands for the number of samples where a method is looked at without data.
const AnySize = math.MaxInt

// Searches is the neighbour search of a method for a task, in place of which a graph can
// be given; nil: it has none, or chooses its neighbours in a way of its own.
func (r Row) Searches(task string) neighborhood.Rule {
	var rule neighborhood.Rule
	switch {
	case task == "embed" && r.Embed != nil:
		rule = r.Embed().Neighbors
	case task == "factorize" && r.Factorize != nil:
		rule = r.Factorize().Neighbors
	case task == "cluster" && r.Cluster != nil:
		plan := r.Cluster(2).Plan
		if rule = plan.Neighbors; plan.Factors != nil {
			rule = plan.Factors.Neighbors
		}
	}
	if _, plain := neighborhood.Plain(rule, AnySize); plain {
		return rule
	}
	return nil
}

// structure names what may be given in place of the samples, or with them.
func (r Row) structure() (instead, beside []string) {
	instead, beside = []string{}, []string{}
	for _, t := range tasks {
		if t.serves(r) && r.Searches(t.name) != nil {
			beside = []string{"graph"}
			if r.Affine(t.name) {
				beside = append(beside, "affinities")
			}
			beside = append(beside, "distances")
			if r.GraphOnly != nil {
				instead = beside
			}
		}
	}
	if r.OfDistances != nil {
		instead = append(instead, "distances")
	}
	return instead, beside
}

// Measures reports whether what a method makes of its neighbours depends on their distances.
func (r Row) Measures(task string) bool {
	if r.Searches(task) == nil {
		return false
	}
	switch task {
	case "embed":
		return !r.Embed().Patch.NoDistances
	case "factorize":
		return !r.Factorize().Patch.NoDistances
	}
	plan := r.Cluster(2).Plan
	if plan.Factors != nil {
		return !plan.Factors.Patch.NoDistances
	}
	return !plan.Edges.NoDistances
}

// Affine reports whether affinities can be given in place of a method's own edges for a task:
// it makes a Laplacian of weighted edges, and no kernel of its own.
func (r Row) Affine(task string) bool {
	if r.Searches(task) == nil || r.kernel {
		return false
	}
	switch task {
	case "embed":
		return r.Embed().Patch.AnyLists
	case "factorize":
		return r.Factorize().Patch.AnyLists
	}
	plan := r.Cluster(2).Plan
	if plan.Factors != nil {
		return plan.Factors.Patch.AnyLists
	}
	return plan.Edges.AnyLists
}

// nothingElse is the graphOnly of a method that looks at no sample beyond its graph.
func nothingElse() string { return "" }

// edgesOnly is graphOnly of a method of edges with these weights.
func edgesOnly(weights string) func() string {
	return func() string {
		if weights == "cosine" || weights == "adaptive" {
			return "‹weights=" + weights + "›"
		}
		return ""
	}
}

// SolvesForSmallest reports whether a method with these steps solves for the smallest eigenpairs of a sparse
// alignment matrix. One that iterates solves for no eigenpairs.
func SolvesForSmallest(m Method, s pipeline.Steps) bool {
	_, iterative := Values(m)["iterations"]
	return s.Neighbors != nil && s.Joint.Sum != nil && !iterative
}

// Protocol says which defaults hold, for methods whose paper sets other defaults than an expert would
// choose for general data: those are in the package presets, and are taken by this word until 1.0.
type Protocol struct {
	Protocol string `json:"protocol" default:"general" leaves:"all" allowed:"general|paper" doc:"the defaults of all other parameters: general, for data of any kind, or those of the method's paper"`
}

// needMoreThanDim is the condition of methods whose patches span d directions.
func needMoreThanDim(name string, neighbors, dim int) error {
	if neighbors <= dim {
		return fmt.Errorf("%s: %d neighbours for %d dimensions; give at least %d neighbours or a smaller dim", name, neighbors, dim, dim+1)
	}
	return nil
}

// fewerThanColumns is the condition of linear methods on data with m columns.
func fewerThanColumns(name string, dim, skip, m int) error {
	switch {
	case dim+skip <= m:
		return nil
	case skip > 0:
		return fmt.Errorf("%s: dim %d after skip %d of data with %d columns; both together are at most %d", name, dim, skip, m, m)
	}
	return fmt.Errorf("%s: dim %d of data with %d columns; give at most %d", name, dim, m, m)
}

// soundGap is the ratio of the eigenvalues behind and before the gap under
// which LTSA and NEML are warned of: sound sheets have 37 and more.
const soundGap = 5
