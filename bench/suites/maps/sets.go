package maps

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
)

// dataSet is a set of samples to map: from a generator, or from files whose rows are concatenated.
type dataSet struct {
	name      string
	generated bench.Source
	files     []string
	classes   bool // each sample has a class

	full    bool     // left out by --quick
	quickly int      // samples of each class that --quick takes; 0: all
	large   bool     // maps with approximate neighbours are computed too
	drawn   bool     // the report shows the maps
	versus  bool     // the report begins with the times of this set
	without []string // programs that are left out because they would take hours
	memory  string   // memory that a case needs; empty: little
}

// sets are in the order in which they run: the longest comes last.
var sets = []dataSet{
	{name: "mnist10k", files: []string{"mnist10k.X.npy"}, classes: true, full: true, large: true, drawn: true, versus: true},
	{name: "usps", files: []string{"usps.X.npy"}, classes: true, full: true},
	{name: "20news-w100", files: []string{"20news-w100.X.mtx"}, classes: true, full: true},
	{name: "swiss-roll-5000", generated: bench.Generated("swiss-roll", 5000), full: true},
	{name: "coil20", files: []string{"coil20.X.npy"}, classes: true, quickly: 18, drawn: true},
	{name: "isomap-faces32", files: []string{"isomap-faces32.X.npy"}, full: true},
	{name: "mnist70k", files: []string{"mnist60k.X.npy.gz", "mnist10k.X.npy"}, classes: true, full: true, large: true, versus: true,
		without: []string{"rtsne", "scikit-learn"}, memory: "4GiB"},
}

// takes reports whether a program is run on the set.
func (s *dataSet) takes(p program) bool {
	return !slices.Contains(s.without, p.name) && (s.large || !p.approximate)
}

// sources returns the files with their classes, or the generator.
func (s *dataSet) sources(e *bench.Env) []bench.Source {
	if len(s.files) == 0 {
		return []bench.Source{s.generated}
	}
	var list []bench.Source
	for _, name := range s.files {
		source := bench.FromFile(name)
		if e.Quick {
			source.PerClass = s.quickly
		}
		list = append(list, source)
	}
	return list
}

// title describes the samples in a record.
func (s *dataSet) title(e *bench.Env) string {
	var names []string
	for _, source := range s.sources(e) {
		names = append(names, source.Name())
	}
	return strings.Join(names, " and ")
}

func (s *dataSet) needs(e *bench.Env) []string {
	var list []string
	for _, source := range s.sources(e) {
		list = append(list, source.Needs()...)
		if s.classes {
			list = append(list, "data:"+source.PartFile("y"))
		}
	}
	if s.memory != "" {
		list = append(list, "memory:"+s.memory)
	}
	return list
}

func (s *dataSet) load(e *bench.Env) (*bench.Data, error) {
	list := s.sources(e)
	if len(list) == 1 {
		return list[0].Load(e)
	}
	return bench.Cached(s.name+" "+e.Data, func() (*bench.Data, error) {
		var parts []*bench.Data
		for _, source := range list {
			d, err := source.Load(e)
			if err != nil {
				return nil, err
			}
			parts = append(parts, d)
		}
		return stacked(parts)
	})
}

// stacked concatenates the rows of sets with classes.
func stacked(parts []*bench.Data) (*bench.Data, error) {
	_, cols := parts[0].X.Dims()
	whole := &bench.Data{}
	var data []float64
	for _, d := range parts {
		n, m := d.X.Dims()
		if m != cols || len(d.Labels) != n {
			return nil, fmt.Errorf("%d × %d samples with %d classes do not go with %d columns", n, m, len(d.Labels), cols)
		}
		for i := range n {
			data = append(data, d.X.RawRowView(i)...)
		}
		whole.Labels = append(whole.Labels, d.Labels...)
	}
	whole.X = mat.NewDense(len(whole.Labels), cols, data)
	whole.Hash = bench.HashMatrix(whole.X)
	return whole, nil
}

// save writes samples for all programs, in single precision if that is exact.
func save(path string, x *mat.Dense) error {
	o := files.Options{Float32: !slices.ContainsFunc(x.RawMatrix().Data, func(v float64) bool { return float64(float32(v)) != v })}
	out, err := files.Create(path, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.WriteMatrix(x, o); err != nil {
		return err
	}
	return out.Commit()
}
