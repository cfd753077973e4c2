// Package method defines the methods, each a plain struct of parameters, and their table. A zero
// field means the default documented in its tag. The row of a method has its choice for each of the four
// steps, and its requirements (see [Row]); package engine runs it.
//
// Methods are made by name with [New] and set by text with [Set], or written as structs:
//
//	method.NEML{Neighbors: 15, Dim: 2}
package method

import (
	"context"
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
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// Method is a method with its parameters. The methods are the structs of this
// package; each may be passed by value or by pointer. The tasks that a method can do
// are in its row.
type Method interface {
	// Name is the lower-case name by which the method is addressed.
	Name() string
}

// Row describes a method: its tasks, its choice for each step, and its requirements. The functions
// are called on a method whose defaults are filled in, except forTask, which fills in those that
// depend on the task.
type Row struct {
	// The tasks; nil: the method does not do this task.
	Embed     func() pipeline.Steps
	Factorize func() factor.Plan
	Cluster   func(clusters int) Grouping
	Choose    func() choose.Rule

	Dim       int  // number of columns of an embedding
	Neighbors *int // k, the nearest neighbours of each sample; nil: the method has no such number

	Units Units // units of an embedding or of the parameters of a clustering; the units of a factorisation come from its solver

	Layout           bool                         // components=auto makes one map of several components, because the forces of the layout place each
	Map              trust.Settings               // of a map: what its verdict advises if few neighbours or steps are the cause of a doubt
	PerComponent     bool                         // components=bridge embeds each component separately and places it by its edge
	ExtendComponents extend.Rule[*solve.Solution] // rule for new samples if components were laid out

	sparse bool // all steps keep samples in compressed rows (a factorisation's plan has a flag of its own)
	kernel bool // the weights of the graph are the method's kernel, and so are affinities, with their diagonal

	// GraphOnly returns the parameter for which samples are needed in addition to a graph, and what to give or
	// take instead of them; empty: a graph is enough. nil: samples are always needed.
	GraphOnly func() (parameter, remedy string)
	// Inputs are what the method takes in addition to complete samples, or in place of them.
	Inputs Inputs
	// Given returns the steps for given distances, pairs and targets, those among Inputs; without them they are those of Embed. nil: Inputs has
	// none of these, and given distances only replace a search.
	Given func(given pipeline.Given) pipeline.Steps
	// Blocks returns the coordinates of dense samples that are read block by block; nil: all must be in memory.
	Blocks func(job *run.Run, x samples.Blocks) (*pipeline.Solved, error)
	// Weighted returns the method for samples with these weights, one for each of all samples; nil: it takes no weights.
	Weighted func(weights []float64) Method
	// Components finds the number of coordinates in place of the dimension of the samples; nil: that is taken.
	Components func(ctx context.Context, x neighbors.Points, s scale.Settings) (scale.Components, error)

	FindsClusters bool            // a clustering finds the number of clusters, and leaves samples out of them: label −1
	Shared        bool            // its patches need nothing of all samples but medians and sums: see engine.Share
	lengths       bool            // its coordinates are lengths in the data's unit, so that distances between them have a meaning
	ScalesColumns bool            // the scale of a column means nothing to it
	KeepsSingle   bool            // a engine.Single stays in float32
	InBatches     bool            // it learns batch by batch: see engine.FactorizeSource
	Missing       *MissingEntries // which entries are missing; nil: it takes neither these nor weights
	Labels        bool            // it learns from the labels of the samples
	Places        bool            // without neighbourhoods, its rule for new samples places those that are not landmarks
	OwnLandmarks  bool            // the alignment looks at landmarks; otherwise they are embedded alone and extended

	Check   func(n, m int) error                           // conditions on the parameters beyond their ranges
	forTask func(task string) Method                       // defaults that depend on the task
	Memory  func(n, m int64, threads, landmarks int) int64 // bytes in addition to the graph, the patches and the alignment matrix; landmarks 0: none
	Reduce  int                                            // default number of principal components of Options.Reduce; 0: none
	Squares float64                                        // number of n × n matrices held at a time
	Cheaper func(n int, landmarks bool) string             // describes a much cheaper way for data that take minutes: see engine.Cheaper
	Degree  func(m int) int                                // typical number of neighbours chosen among the k nearest, in data of m columns
}

// Inputs is a set of what an embedding takes in addition to complete samples, or in place of them.
type Inputs uint8

const (
	AllDistances Inputs = 1 << iota // all n × n distances, in place of samples
	AllPairs                        // in place of samples distances of which some may be NaN, or a graph of the known ones; weights of the pairs
	Targets                         // numbers that it learns from
	Gaps                            // entries that are NaN
)

// Takes reports whether an embedding takes an input.
func (r Row) Takes(in Inputs) bool { return r.Inputs&in != 0 }

// Grouping describes how a method clusters and how it embeds a cluster.
type Grouping struct {
	cluster.Plan
	Embed func(size, dim int) Method // the method for a cluster of the given size, in dim dimensions
}

// tabled is a method of this package.
type tabled interface {
	Method
	row() Row
}

// RowOf returns the row of a method; for a method of another package it is empty.
func RowOf(m Method) Row {
	if t, ok := m.(tabled); ok {
		return t.row()
	}
	return Row{}
}

// tasks are the tasks of methods, named after their commands.
var tasks = []struct {
	name   string
	serves func(r Row) bool
}{
	{"embed", func(r Row) bool { return r.Embed != nil }},
	{"factorize", func(r Row) bool { return r.Factorize != nil }},
	{"cluster", func(r Row) bool { return r.Cluster != nil }},
	{"select", func(r Row) bool { return r.Choose != nil }},
}

// TasksOf returns the tasks of a method.
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

// WithTaskDefaults returns the method with the defaults that depend on the task.
func WithTaskDefaults(task string, m Method) Method {
	if settle := RowOf(m).forTask; settle != nil {
		return settle(task)
	}
	return m
}

// WrongTask returns the error of a method that does not do a task.
func WrongTask(m Method, task string) error {
	return wording.Errorf("%s does not %s; it is a method of ‹call=%s›", m.Name(), task, strings.Join(TasksOf(m), "› and ‹call="))
}

// Auto, as the number of neighbours of an embedding method (the field Neighbors, or the text "auto"
// under the key neighbors), chooses the number from the samples: the default of the
// method, or fewer if neighbourhoods would reach other sheets. Noise is first removed from the
// samples, unless Options.Denoise says otherwise: see docs/noise.md.
//
// As the number of coordinates (Dim, dim) it chooses the intrinsic dimension of the samples: see
// docs/choosing.md. Result.Details has the number and the reason under dim_found, dim_estimate,
// dim_gaps and dim_reason.
const Auto = param.Auto

// Parameter describes one parameter of a method. It is read from the tags of the
// field, so that help, command line, JSON and Go agree.
type Parameter = param.Parameter

// Parameters describes the parameters of a method.
func Parameters(m Method) []Parameter { return param.Listed(m) }

// Values returns the parameters of a method by key, with defaults for those left at
// zero.
func Values(m Method) map[string]any { return param.Values(m) }

// Set sets one parameter of a method from text. The method must be a pointer, as returned by
// [New]. An error names the parameter, the value and the allowed values; for an unknown key it
// suggests the closest one.
func Set(m Method, key, text string) error {
	if param.Absent(m) {
		return ErrNoMethod
	}
	return param.Set(m.Name()+": ", m, key, text)
}

// SetJSON sets the parameters of a method from a JSON object, by the rules of [Set]. A repeated
// key is an error.
func SetJSON(m Method, object []byte) error {
	if param.Absent(m) {
		return ErrNoMethod
	}
	return param.SetJSON(m.Name(), m, object)
}

// ErrNoMethod is the error of a run without a method.
var ErrNoMethod = errors.New("engine: no method given; give one of this package, such as engine.LLE{}")

// AnySize is the number of samples used to describe a method without data.
const AnySize = math.MaxInt

// Searches returns the neighbour search of a method for a task, which a given graph can replace;
// nil: none, or the method chooses its neighbours in its own way.
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

// structure lists what may be given in place of the samples, and what with them.
func (r Row) structure() (instead, with []string) {
	instead, with = []string{}, []string{}
	for _, t := range tasks {
		if t.serves(r) && r.Searches(t.name) != nil {
			with = []string{"graph"}
			if r.Affine(t.name) {
				with = append(with, "affinities")
			}
			with = append(with, "distances")
			if r.GraphOnly != nil {
				instead = with
			}
		}
	}
	if r.Takes(AllDistances) {
		instead = []string{"distances"}
	}
	if r.Takes(AllPairs) {
		instead, with = []string{"graph", "distances"}, []string{"affinities"}
	}
	return instead, with
}

// ChoosesAmongLists reports whether the lists of neighbours, searched or given, are longer than the number of
// neighbours of the method, which chooses that number from each.
func (r Row) ChoosesAmongLists(task string) bool {
	length, plain := neighborhood.Plain(r.Searches(task), AnySize)
	return plain && r.Neighbors != nil && length > *r.Neighbors
}

// Measures reports whether a method uses the distances of its neighbours.
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

// Kernel reports whether given affinities are the kernel of the method, whose diagonal counts.
func (r Row) Kernel() bool { return r.kernel }

// Affine reports whether given affinities can replace a method's own edges for a task: the method
// makes a Laplacian of weighted edges, or a kernel.
func (r Row) Affine(task string) bool {
	if r.Searches(task) == nil {
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

// NotAffine says why a method with a search takes no affinities.
func (r Row) NotAffine() string {
	if r.lengths || r.FindsClusters {
		return "it compares lengths, which weights are not"
	}
	return "its weights are not edges of a Laplacian"
}

// onlyGraph is GraphOnly for a method that uses only the graph.
func onlyGraph() (parameter, remedy string) { return "", "" }

// edgesOnly returns GraphOnly for a method whose edges have these weights.
func edgesOnly(weights string) func() (parameter, remedy string) {
	if weights != "cosine" && weights != "adaptive" {
		return onlyGraph
	}
	return func() (parameter, remedy string) {
		return "‹weights=" + weights + "›", "take ‹weights=heat› or ‹weights=binary›"
	}
}

// SolvesForSmallest reports whether a method with these steps solves for the smallest eigenpairs of a
// sparse alignment matrix. Iterative methods solve for no eigenpairs.
func SolvesForSmallest(m Method, s pipeline.Steps) bool {
	_, iterative := Values(m)["iterations"]
	return s.Neighbors != nil && s.Joint.Sum != nil && !iterative
}

// Protocol selects the defaults of a method's paper, where they differ from those recommended for
// general data. They are in package presets; the value "paper" is accepted until 1.0.
type Protocol struct {
	Protocol string `json:"protocol" default:"general" deprecated:"all" allowed:"general|paper" doc:"the defaults of all other parameters: general, for data of any kind, or those of the method's paper"`
}

// needMoreThanDim returns an error unless neighbors > dim, for methods whose patches span dim directions.
func needMoreThanDim(name string, neighbors, dim int) error {
	if neighbors <= dim {
		return fmt.Errorf("%s: %d neighbours for %d dimensions; give at least %d neighbours or a smaller dim", name, neighbors, dim, dim+1)
	}
	return nil
}

// fewerThanColumns returns an error unless dim + skip ≤ m, for linear methods on data with m columns.
func fewerThanColumns(name string, dim, skip, m int) error {
	switch {
	case dim+skip <= m:
		return nil
	case skip > 0:
		return fmt.Errorf("%s: dim %d after skip %d of data with %d columns; both together are at most %d", name, dim, skip, m, m)
	}
	return fmt.Errorf("%s: dim %d of data with %d columns; give at most %d", name, dim, m, m)
}

// soundGap is the ratio of the eigenvalues after and before the gap below which LTSA and NEML
// warn. Sound sheets have 37 or more.
const soundGap = 5
