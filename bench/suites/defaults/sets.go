package defaults

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
)

// half says what a set is for.
type half int

const (
	choosing  half = iota // the defaults were chosen by it
	reporting             // it chose nothing
	corrupted             // a corrupted form of a set that chose nothing
)

// dataSet is a column of the tables.
type dataSet struct {
	key, title string
	half       half
	classes    int
	source     bench.Source
	sample     int // so many samples are drawn, once for all methods; 0: all
	form       form
	quick      bool // --quick runs all methods on it
	quickly    bool // --quick runs the quick methods on it
}

var (
	coil = bench.FromFile("coil20.X.npy")
	usps = bench.FromFile("usps.X.npy")
	sets = []dataSet{
		{key: "sonar", title: "Sonar", classes: 2, source: bench.FromFile("sonar.X.npy"), quick: true},
		{key: "ionosphere", title: "Ionosphere", classes: 2, source: bench.FromFile("ionosphere.X.npy"), quick: true},
		{key: "wave", title: "Wave", classes: 3, source: bench.Generated("waveform", 600), quick: true},
		{key: "wdbc", title: "WDBC", classes: 2, source: bench.FromFile("wdbc.X.npy"), quickly: true},
		{key: "orl", title: "ORL", classes: 40, source: bench.FromFile("orl32.X.npy")},
		{key: "semeion", title: "Semeion", half: reporting, classes: 10, source: bench.FromFile("semeion.X.npy"), quickly: true},
		{key: "mfeat-fac", title: "mfeat-fac", half: reporting, classes: 10, source: bench.FromFile("mfeat-fac.X.npy"), quickly: true},
		{key: "coil20", title: "COIL-20", half: reporting, classes: 20, source: coil, quickly: true},
		{key: "yaleb-10", title: "Yale B, 10 people", half: reporting, classes: 10, quickly: true,
			source: bench.Source{File: "yaleb32.X.npy", Classes: []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
		{key: "usps", title: "USPS, 2000", half: reporting, classes: 10, source: usps, sample: 2000, quickly: true},
		{key: "coil20-square", title: "COIL-20, squares", half: corrupted, classes: 20, source: coil, sample: 720, form: form{side: 10, maximum: 1}},
		{key: "coil20-salt", title: "COIL-20, salt", half: corrupted, classes: 20, source: coil, sample: 720, form: form{level: 0.2, maximum: 1}},
		{key: "coil20-outliers", title: "COIL-20, outliers", half: corrupted, classes: 20, source: coil, sample: 720, form: form{outliers: 0.1, maximum: 1}},
		{key: "usps-salt", title: "USPS, salt", half: corrupted, classes: 10, source: usps, sample: 1000, form: form{level: 0.2, maximum: 255}},
		{key: "usps-outliers", title: "USPS, outliers", half: corrupted, classes: 10, source: usps, sample: 1000, form: form{outliers: 0.1, maximum: 255}},
	}
)

// of lists the sets of a half.
func of(h half) []*dataSet {
	var list []*dataSet
	for i := range sets {
		if sets[i].half == h {
			list = append(list, &sets[i])
		}
	}
	return list
}

// needs are the files of the set.
func (s *dataSet) needs() []string {
	needs := s.source.Needs()
	if s.source.File != "" {
		if y := "data:" + s.source.Beside("y"); !slices.Contains(needs, y) {
			needs = append(needs, y)
		}
	}
	return needs
}

// quickSample is how many samples are drawn with --quick of a set that is drawn from.
const quickSample = 150

// drawnOf is how many samples are drawn; 0: all.
func (s *dataSet) drawnOf(e *bench.Env) int {
	if e.Quick && s.half != corrupted {
		return min(s.sample, quickSample)
	}
	return s.sample
}

// drawn tells whether each seed has samples of its own.
func (s *dataSet) drawn() bool { return s.source.Generator != "" || s.form != form{} }

// load reads or draws the set for a seed.
func (s *dataSet) load(e *bench.Env, seed uint64) (*bench.Data, error) {
	source := s.source
	if source.Generator != "" {
		source.Seed = seed
	}
	d, err := source.Load(e)
	if err != nil {
		return nil, err
	}
	n, _ := d.X.Dims()
	if len(d.Labels) != n {
		return nil, fmt.Errorf("%s: %d labels for %d samples", s.title, len(d.Labels), n)
	}
	if count := s.drawnOf(e); count > 0 {
		if count > n {
			return nil, fmt.Errorf("%s: %d samples, and %d are to be drawn of them", s.title, n, count)
		}
		d = d.Rows(drawnRows(n, count))
	}
	return s.form.of(d, seed)
}

// sampleSeed is that of the samples that stand for a large set.
const sampleSeed = 1

// drawnRows draws some of n rows, ascending, always the same.
func drawnRows(n, count int) []int {
	stream := blas.NewStream(sampleSeed)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range count {
		j := i + stream.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	slices.Sort(order[:count])
	return order[:count]
}
