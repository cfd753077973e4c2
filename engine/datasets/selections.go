package datasets

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Selection is a set of real samples as a paper uses it: which rows of which
// files, and in which units. The files are not part of the project; see [Load].
type Selection struct {
	Name  string
	About string
	Files []string // samples, and then labels or parameters where there are any

	shape func(x *mat.Dense)  // changes the entries, before rows are picked; may be nil
	scale float64             // entries are divided by it; 0: they are not
	pick  func(s *Set) []int  // the rows that are kept, of the whole; nil: all
	adorn func(s *Set, n int) // adds what the files do not say; may be nil
}

// selections in the order in which the papers come.
var selections = []Selection{
	{Name: "20newsgroups", Files: []string{"20news-w100.X.mtx", "20news-w100.y.npy"},
		About: "9060 postings by which of 100 words occur in them, in 4 groups: those whose words and group together occur exactly once (Wang and Zhang 2010, section 7.4)",
		shape: binarise, pick: func(s *Set) []int { return OccurringOnce(s.X, s.Labels) }},
	{Name: "usps6000", Files: []string{"usps.X.npy", "usps.y.npy"}, scale: 255,
		About: "6000 digits of 16 × 16 pixels from 0 to 1, the first 600 of each (Wang and Zhang 2010, section 7.4, which does not say which 600)",
		pick:  func(s *Set) []int { return FirstOfEach(s.Labels, 600) }},
	{Name: "wdbc", Files: []string{"wdbc.X.npy", "wdbc.y.npy"},
		About: "569 tumours by 30 measurements as they are, 1 = malignant (Wang and Zhang 2010, section 7.5)"},
	{Name: "faces", Files: []string{"isomap-faces32.X.npy", "isomap-faces32.params.npy"},
		About: "698 rendered faces of 32 × 32 pixels with light, left-right and up-down pose, these standardised (Tenenbaum, de Silva, Langford 2000; the papers use 64 × 64)"},
	{Name: "coil20-duck", Files: []string{"coil20.X.npy", "coil20.y.npy"},
		About: "72 views of object 0 of COIL-20, 5 degrees apart on a turntable, 32 × 32 pixels; the parameter is the angle in degrees (Chen, Lv and Yi 2014)",
		pick:  func(s *Set) []int { return rowsOf(s.Labels, 0) }, adorn: turntable},
}

// Selections lists them.
func Selections() []Selection { return append([]Selection(nil), selections...) }

// FindSelection returns the selection of that name; the error suggests one.
func FindSelection(name string) (*Selection, error) {
	known := make([]string, len(selections))
	for i := range selections {
		if selections[i].Name == name {
			return &selections[i], nil
		}
		known[i] = selections[i].Name
	}
	return nil, fmt.Errorf("datasets: unknown selection %q%s; there are %s", name, suggest.Hint(name, known), strings.Join(known, ", "))
}

// Load reads a selection from the folder that holds its files. Errors are those
// of reading, an unknown name, and files that do not belong together.
func Load(folder, name string) (*Set, error) {
	c, err := FindSelection(name)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	if s.X, err = files.ReadMatrix(filepath.Join(folder, c.Files[0]), files.Options{}); err != nil {
		return nil, err
	}
	n, _ := s.X.Dims()
	rows := n
	if path := filepath.Join(folder, c.Files[1]); strings.Contains(path, ".params.") {
		if s.Params, err = files.ReadMatrix(path, files.Options{}); err == nil {
			rows, _ = s.Params.Dims()
		}
	} else if s.Labels, err = files.ReadLabels(path, files.Options{}); err == nil {
		rows = len(s.Labels)
	}
	if err != nil {
		return nil, err
	}
	if rows != n {
		return nil, fmt.Errorf("datasets: %s: %s has %d rows and %s %d; they must be of the same samples", name, c.Files[0], n, c.Files[1], rows)
	}
	if c.shape != nil {
		c.shape(s.X)
	}
	if c.scale != 0 {
		data := s.X.RawMatrix().Data
		for i := range data {
			data[i] /= c.scale
		}
	}
	if c.pick != nil {
		s = s.rows(c.pick(s))
	}
	if c.adorn != nil {
		n, _ = s.X.Dims()
		c.adorn(s, n)
	}
	return s, nil
}

// rows returns some of the samples. There is at least one.
func (s *Set) rows(which []int) *Set {
	_, m := s.X.Dims()
	r := &Set{X: mat.NewDense(len(which), m, nil)}
	for at, i := range which {
		r.X.SetRow(at, s.X.RawRowView(i))
		r.Labels = append(r.Labels, s.Labels[i])
	}
	return r
}

// binarise makes every entry 1 that is not 0.
func binarise(x *mat.Dense) {
	data := x.RawMatrix().Data
	for i, v := range data {
		if v != 0 {
			data[i] = 1
		}
	}
}

// OccurringOnce lists the rows that no other row of the same class equals.
func OccurringOnce(x *mat.Dense, labels []int64) []int {
	n, m := x.Dims()
	type key struct {
		row   string
		label int64
	}
	keys, count := make([]key, n), map[key]int{}
	for i := range n {
		b := make([]byte, 0, 8*m)
		for _, v := range x.RawRowView(i) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) // −0 becomes 0
		}
		keys[i] = key{string(b), labels[i]}
		count[keys[i]]++
	}
	var once []int
	for i, k := range keys {
		if count[k] == 1 {
			once = append(once, i)
		}
	}
	return once
}

// FirstOfEach lists the first count samples of every class, in their order.
func FirstOfEach(labels []int64, count int) []int {
	var first []int
	seen := map[int64]int{}
	for i, l := range labels {
		if seen[l]++; seen[l] <= count {
			first = append(first, i)
		}
	}
	return first
}

func rowsOf(labels []int64, label int64) []int {
	var rows []int
	for i, l := range labels {
		if l == label {
			rows = append(rows, i)
		}
	}
	return rows
}

// turntable adds the angle of each view.
func turntable(s *Set, n int) {
	s.Params = mat.NewDense(n, 1, nil)
	for i := range n {
		s.Params.Set(i, 0, 360*float64(i)/float64(n))
	}
}
