package defaults

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
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
	sample     int // this many samples are drawn, once for all methods; 0: all
	form       form
	quick      bool // --quick runs all methods on it
	quickly    bool // --quick runs the quick methods on it
	few        int  // --quick draws at most this many samples; 0: no fewer
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
		{key: "semeion", title: "Semeion", half: reporting, classes: 10, source: bench.FromFile("semeion.X.npy"), quickly: true, few: 500},
		{key: "mfeat-fac", title: "mfeat-fac", half: reporting, classes: 10, source: bench.FromFile("mfeat-fac.X.npy"), quickly: true, few: 500},
		{key: "coil20", title: "COIL-20", half: reporting, classes: 20, source: coil, quickly: true, few: 500},
		{key: "yaleb-10", title: "Yale B, 10 people", half: reporting, classes: 10, quickly: true,
			source: bench.Source{File: "yaleb32.X.npy", Classes: []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
		{key: "usps", title: "USPS, 2000", half: reporting, classes: 10, source: usps, sample: 2000, quickly: true, few: 150},
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
		if y := "data:" + s.source.PartFile("y"); !slices.Contains(needs, y) {
			needs = append(needs, y)
		}
	}
	return needs
}

// drawnOf is how many samples are drawn; 0: all.
func (s *dataSet) drawnOf(e *bench.Env) int {
	if e.Quick && s.few > 0 {
		return s.few
	}
	return s.sample
}

// drawn reports whether each seed has samples of its own.
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
		d = d.Rows(bench.DrawnRows(n, count))
	}
	return s.form.of(d, seed)
}

// form is a corruption of a set; the zero value is the set as it is. Each seed draws it anew.
type form struct {
	side     int     // of a white square in a fifth of the images
	level    float64 // of salt and pepper in a fifth of the images
	outliers float64 // the share of samples that are added, their entries uniform from 0 to maximum
	maximum  float64
}

// outlier is the class of samples that are added; they do not count in any figure.
const outlier = -1

// String says what is done.
func (f form) String() string {
	switch {
	case f.side > 0:
		return fmt.Sprintf("a white square of %d × %d in a fifth of the images", f.side, f.side)
	case f.level > 0:
		return fmt.Sprintf("salt and pepper in %g %% of the pixels of a fifth of the images", 100*f.level)
	case f.outliers > 0:
		return fmt.Sprintf("%g %% of samples more, uniform noise", 100*f.outliers)
	}
	return "as it is"
}

// of gives the set this form.
func (f form) of(d *bench.Data, seed uint64) (*bench.Data, error) {
	switch {
	case f.side > 0 || f.level > 0:
		x, _, err := datasets.Corrupt(d.X, datasets.Corruption{Side: f.side, Level: f.level, Maximum: f.maximum, Seed: seed})
		return &bench.Data{X: x, Labels: d.Labels}, err
	case f.outliers > 0:
		n, m := d.X.Dims()
		more := int(f.outliers * float64(n))
		x := mat.NewDense(n+more, m, nil)
		x.Slice(0, n, 0, m).(*mat.Dense).Copy(d.X)
		labels := append(make([]int64, 0, n+more), d.Labels...)
		stream := blas.NewStream(seed)
		for i := n; i < n+more; i++ {
			row := x.RawRowView(i)
			stream.Uniforms(row)
			blas.Scale(f.maximum, row)
			labels = append(labels, outlier)
		}
		return &bench.Data{X: x, Labels: labels}, nil
	}
	return d, nil
}

// shown are some images of the set, corrupted ones first.
func (f form) shown(d *bench.Data, seed uint64, count int) *mat.Dense {
	n, m := d.X.Dims()
	var rows []int
	switch {
	case f.side > 0 || f.level > 0:
		rows = datasets.Corrupted(n, seed)
	case f.outliers > 0:
		for i := n - 1; i >= 0; i -= max(1, n/count) {
			rows = append(rows, i)
		}
	}
	rows = rows[:min(count, len(rows))]
	x := mat.NewDense(len(rows), m, nil)
	for at, i := range rows {
		x.SetRow(at, d.X.RawRowView(i))
	}
	return x
}
