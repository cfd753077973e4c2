package neighbours

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
)

// A file is read back as it was written, also by this project's own reader.
func TestArray(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	x := mat.NewDense(3, 2, []float64{1, 2.5, -3, 4, 5, 6})
	if err := writeArray(name, 3, 2, func(lo, hi int, dst []float64) { copy(dst, x.RawMatrix().Data[2*lo:2*hi]) }); err != nil {
		t.Fatal(err)
	}
	if got, err := files.ReadMatrix(name, files.Options{}); err != nil || !mat.Equal(got, x) {
		t.Errorf("%v, %v", got, err)
	}
	a, err := openArray(name)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	row := make([]float64, 2)
	if err := a.read(row, 2); err != nil || a.rows != 3 || a.cols != 2 || !slices.Equal(row, []float64{5, 6}) {
		t.Errorf("%v, %v", row, err)
	}
	if err := a.read(row, 3); err == nil {
		t.Error("a row that is not there is read")
	}
	for _, text := range []string{"", "no header of numpy", header("<f8", "(3, 2)"), header("<f4", "(3,)")} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openArray(name); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}

// A row depends only on its number, not on the rows before and after it.
func TestClustered(t *testing.T) {
	g := newClustered(7, 3, 1)
	whole, part := make([]float64, 1000*7), make([]float64, 10*7)
	g.rows(0, 1000, whole)
	newClustered(7, 3, 1).rows(700, 710, part)
	if !slices.Equal(part, whole[700*7:710*7]) {
		t.Error("rows differ by the rows that are drawn with them")
	}
	newClustered(7, 3, 2).rows(700, 710, part)
	if slices.Equal(part, whole[700*7:710*7]) {
		t.Error("seeds give the same rows")
	}
	// The mean square of an entry is that of A t/√d, 1 + 0.7², plus at most ½² from the sine.
	sum := 0.0
	for _, v := range whole {
		sum += v * v / float64(len(whole))
	}
	if !(sum > 0.7 && sum < 3) {
		t.Errorf("the mean square is %g", sum)
	}
}

func TestDrawRows(t *testing.T) {
	rows := drawRows(5000, 1000)
	if len(rows) != 1000 || !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != 1000 || rows[999] >= 5000 {
		t.Errorf("%v", rows)
	}
	if rows := drawRows(3, 1000); !slices.Equal(rows, []int{0, 1, 2}) {
		t.Errorf("%v", rows)
	}
}

// Any of several neighbours at equal distances is right, and one that is listed twice counts once.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	const n = 40 // on a line; each has two neighbours at every distance but the ends
	if err := writeArray(samplesIn(dir), n, 1, func(lo, hi int, dst []float64) {
		for i := lo; i < hi; i++ {
			dst[i-lo] = float64(i)
		}
	}); err != nil {
		t.Fatal(err)
	}
	p := &prepared{dir: dir, rows: []int{20}}
	var err error
	if p.far, err = farthest(t.Context(), samplesIn(dir), p.rows, nearest); err != nil || p.far[0] != 64 {
		t.Fatalf("%v, %v", p.far, err)
	}
	near := []float64{13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27}
	for _, c := range []struct {
		last float64
		want float64
	}{{12, 1}, {28, 1}, {29, 14.0 / 15}, {20, 14.0 / 15}, {27, 14.0 / 15}, {-1, 14.0 / 15}} {
		if got, err := p.recall(func(int) []float64 { return append(slices.Clone(near), c.last) }); err != nil || got != c.want {
			t.Errorf("with %g: recall %g, want %g (%v)", c.last, got, c.want, err)
		}
	}
	if _, err := p.recall(func(int) []float64 { return []float64{n} }); err == nil {
		t.Error("a row that is not there passes")
	}
	if _, err := farthest(t.Context(), samplesIn(dir), p.rows, n); err == nil {
		t.Error("more neighbours than samples pass")
	}
}

// Files are concatenated in their order, and a set stays on disk while its cases run.
func TestPrepare(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	e := &bench.Env{Data: t.TempDir()}
	for i, name := range []string{"a.npy", "b.npy"} {
		x := mat.NewDense(30, 2, nil)
		for j := range 30 {
			x.SetRow(j, []float64{float64(i), float64(j)})
		}
		if err := bench.SaveMatrix(filepath.Join(e.Data, name), x); err != nil {
			t.Fatal(err)
		}
	}
	s := &dataSet{name: "stacked", n: 60, m: 2, files: []string{"a.npy", "b.npy"}}
	p, err := prepare(t.Context(), e, s)
	if err != nil {
		t.Fatal(err)
	}
	x, err := files.ReadMatrix(samplesIn(p.dir), files.Options{})
	if err != nil || x.At(29, 1) != 29 || x.At(30, 0) != 1 || x.At(59, 1) != 29 {
		t.Errorf("%v, %v", x, err)
	}
	if again, err := prepare(t.Context(), e, s); err != nil || again != p {
		t.Errorf("it is written twice (%v)", err)
	}
	for _, wrong := range []*dataSet{{name: "columns", n: 60, m: 3, files: s.files}, {name: "rows", n: 61, m: 2, files: s.files}} {
		if _, err := prepare(t.Context(), e, wrong); err == nil {
			t.Errorf("%s pass", wrong.name)
		}
	}
	if _, err := os.Stat(p.dir); err == nil {
		t.Error("the set before stays on disk")
	}
}

func TestReported(t *testing.T) {
	out, err := reported(bench.Spent{Cost: bench.Cost{Wall: 9, CPU: 8}, Out: []byte(`{"backend":"native","recall":0.97,"seconds":{"read":1,"neighbors":4},"cpu_seconds":{"neighbors":7},"peak_rss_bytes":77}`)})
	if err != nil || out.Seconds["total"] != 9 || out.Seconds["search"] != 4 || out.CPUSeconds["search"] != 7 || out.Quality[reportedKey] != 0.97 || out.PeakBytes != 77 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, text := range []string{"", "{}", `{"peak_rss_bytes":77}`, `{"recall":1}`} {
		if _, err := reported(bench.Spent{Out: []byte(text)}); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}
