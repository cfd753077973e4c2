package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// The counts that the papers print of the sets they select.
func TestSelectionsOfRealData(t *testing.T) {
	dir := golden.Data(t)
	for _, c := range []struct {
		name    string
		n, m    int
		classes []int // samples of class 0, 1, …
		params  int
		largest float64
	}{
		{"20newsgroups", 9060, 100, []int{2804, 1790, 1684, 2782}, 0, 1},
		{"usps6000", 6000, 256, slices.Repeat([]int{600}, 10), 0, 1},
		{"wdbc", 569, 30, []int{357, 212}, 0, 4254},
		{"faces", 698, 1024, nil, 3, 1},
		{"coil20-duck", 72, 1024, []int{72}, 1, 0.9963235259056091},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(Load(dir, c.name))(t)
			if n, m := s.X.Dims(); n != c.n || m != c.m {
				t.Errorf("%d × %d, want %d × %d", n, m, c.n, c.m)
			}
			if got := mat.Max(s.X); got != c.largest {
				t.Errorf("the largest entry is %v, want %v", got, c.largest)
			}
			if len(s.Labels) > 0 {
				got := make([]int, slices.Max(s.Labels)+1)
				for _, l := range s.Labels {
					got[l]++
				}
				if !slices.Equal(got, c.classes) {
					t.Errorf("classes of %v, want %v", got, c.classes)
				}
			} else if c.classes != nil {
				t.Error("no labels")
			}
			if s.Params == nil && c.params > 0 {
				t.Fatal("no parameters")
			}
			if s.Params != nil {
				if n, p := s.Params.Dims(); n != c.n || p != c.params {
					t.Errorf("parameters %d × %d, want %d × %d", n, p, c.n, c.params)
				}
			}
		})
	}
}

func TestSelectionRules(t *testing.T) {
	x := mat.NewDense(7, 2, []float64{1, 0, 0, 1, 1, 0, 1, 0, 3, 0, 0, 1, 0, 0})
	labels := []int64{4, 4, 4, 5, 4, 5, 5}
	if got, want := OccurringOnce(x, labels), []int{1, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("occurring once: %v, want %v", got, want)
	}
	binarise(x) // row 4 becomes a third (1, 0) of class 4
	if got, want := OccurringOnce(x, labels), []int{1, 3, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("binarised: %v, want %v", got, want)
	}
	if got, want := FirstOfEach(labels, 2), []int{0, 1, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("first of each: %v, want %v", got, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	must.Refuse(t, `did you mean "wdbc"`)(Load(dir, "wdbk"))
	must.Refuse(t, "wdbc.X.npy")(Load(dir, "wdbc"))
	const header = "\x93NUMPY\x01\x00\x46\x00"
	array := func(name, shape string, bytes int) {
		text := "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }"
		text += strings.Repeat(" ", 0x46-len(text)-1) + "\n" + strings.Repeat("\x01", bytes)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(header+text), 0o666))
	}
	array("wdbc.X.npy", "(3, 2)", 6)
	array("wdbc.y.npy", "(2,)", 2)
	must.Refuse(t, "has 3 rows and wdbc.y.npy 2")(Load(dir, "wdbc"))
}
