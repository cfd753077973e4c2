package engine

import (
	"strings"

	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
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

// row is all that is known of a method but its name and its parameters: what it is for,
// what it chooses at each step, and what it needs. Its functions are called for
// parameters whose defaults are filled in, but for forTask, which fills some in.
type row struct {
	// The tasks; nil: the method does not serve this one.
	embed     func() pipeline.Steps
	factorize func() factor.Plan
	cluster   func(clusters int) grouping
	choose    func() choose.Rule

	dim       int  // the columns of an embedding
	neighbors *int // k, the nearest neighbours of each sample; nil: the method has no such number

	units units // of an embedding, or of the parameters of a clustering; a factorisation's are its solver's

	perComponent bool                         // components=bridge embeds each component on its own, and places it where its edge leads
	placed       extend.Rule[*solve.Solution] // for new samples, where components were laid out

	sparse bool // samples in compressed rows stay so, in all that it does (a factorisation's plan has its own)
	kernel bool // the weights of its graph are its own kernel: affinities do not replace them

	// graphOnly says that a graph of the samples is enough, but for what needs the samples all
	// the same, by the parameters; empty: nothing does. nil: samples are always needed.
	graphOnly func() string
	// ofDistances takes all steps with given distances, n × n, in place of samples; nil: they
	// serve at most in place of a search.
	ofDistances func(d samples.Samples) pipeline.Joint

	shared        bool            // its patches need nothing of all samples but medians and sums: see [Share]
	lengths       bool            // its coordinates are lengths in the data's unit, so that distances between them have a meaning
	scalesColumns bool            // the scale of a column means nothing to it
	keepsSingle   bool            // a [Single] stays in float32
	inBatches     bool            // it learns batch by batch: see [FactorizeSource]
	missing       *MissingEntries // which entries are missing; nil: it takes neither these nor weights
	labels        bool            // it learns from the labels of the samples
	ownLandmarks  bool            // the alignment looks at landmarks; otherwise they are embedded alone and extended

	check   func(n, m int) error                           // conditions on the parameters beyond each one's range
	forTask func(task string) Method                       // defaults that depend on the task
	memory  func(n, m int64, threads, landmarks int) int64 // bytes beyond the graph, the patches and the alignment matrix; landmarks 0: none
	squares float64                                        // n × n matrices that are held at a time
	cheaper func(n int, landmarks bool) string             // what a way with much less work is, of samples that take minutes: see [Cheaper]
	degree  func(m int) int                                // neighbours that it mostly chooses among the k nearest, in data of m columns
}

// grouping is how a method clusters, and how it embeds a cluster.
type grouping struct {
	cluster.Plan
	embed func(size, dim int) Method // a cluster of that size, in so many dimensions
}

// tabled is a method of this package.
type tabled interface {
	Method
	row() row
}

// rowOf returns the row of a method; that of a method of another package is empty.
func rowOf(m Method) row {
	if t, ok := m.(tabled); ok {
		return t.row()
	}
	return row{}
}

// tasks are what methods are for, by the name of the command that does it.
var tasks = []struct {
	name   string
	serves func(r row) bool
}{
	{"embed", func(r row) bool { return r.embed != nil }},
	{"factorize", func(r row) bool { return r.factorize != nil }},
	{"cluster", func(r row) bool { return r.cluster != nil }},
	{"select", func(r row) bool { return r.choose != nil }},
}

// tasksOf lists the tasks of a method.
func tasksOf(m Method) []string {
	var list []string
	r := rowOf(m)
	for _, t := range tasks {
		if t.serves(r) {
			list = append(list, t.name)
		}
	}
	return list
}

// settledFor is the method with those of its defaults that depend on the task.
func settledFor(task string, m Method) Method {
	if settle := rowOf(m).forTask; settle != nil {
		return settle(task)
	}
	return m
}

// wrongTask refuses a method that does not serve a task.
func wrongTask(m Method, task string) error {
	return wording.Errorf("%s does not %s; it is a method of ‹call=%s›", m.Name(), task, strings.Join(tasksOf(m), "› and ‹call="))
}
