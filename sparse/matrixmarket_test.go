package sparse

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// marketCase is a file with the dense matrix that it represents.
var marketCases = []struct {
	name, text string
	sparse     bool
	rows, cols int
	want       []float64
}{
	{"coordinates", "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e1\n\n1 2 .25\n",
		true, 2, 3, []float64{1.5, 0.25, 0, 0, 0, -20}},
	{"case, spaces and line endings", "%%matrixmarket MATRIX Coordinate REAL General\r\n 2\t2  1 \r\n 2  1\t3 \r\n",
		true, 2, 2, []float64{0, 0, 3, 0}},
	{"no last newline", "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -7",
		true, 1, 2, []float64{0, -7}},
	{"duplicates are added", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 2 4\n1 1 2\n1 1 0.5\n",
		true, 2, 2, []float64{3.5, 0, 0, 4}},
	{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n",
		true, 2, 2, []float64{0, 1, 1, 0}},
	{"pattern symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
		true, 3, 3, []float64{1, 1, 0, 1, 0, 1, 0, 1, 0}},
	{"lower triangle", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 5\n",
		true, 2, 2, []float64{4, 5, 5, 0}},
	{"upper triangle", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 5\n2 2 6\n",
		true, 2, 2, []float64{0, 5, 5, 6}},
	{"skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n",
		true, 2, 2, []float64{0, -5, 5, 0}},
	{"no entries", "%%MatrixMarket matrix coordinate real general\n2 1 0\n",
		true, 2, 1, []float64{0, 0}},
	{"array goes by columns", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
		false, 2, 3, []float64{1, 3, 5, 2, 4, 6}},
	{"array on one line", "%%MatrixMarket matrix array integer general\n2 2\n1 2 3 4\n",
		false, 2, 2, []float64{1, 3, 2, 4}},
	{"Fortran exponents", "%%MatrixMarket matrix array double general\n1 2\n1.5D+01\n2d-1\n",
		false, 1, 2, []float64{15, 0.2}},
	{"array symmetric", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
		false, 3, 3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}},
	{"array skew-symmetric", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
		false, 3, 3, []float64{0, -1, -2, 1, 0, -3, 2, 3, 0}},
	{"byte order mark", "\xef\xbb\xbf%%MatrixMarket matrix array real general\n1 1\n9\n",
		false, 1, 1, []float64{9}},
}

func TestReadMatrixMarket(t *testing.T) {
	for _, c := range marketCases {
		t.Run(c.name, func(t *testing.T) {
			// One byte at a time: nothing may depend on how the reader delivers.
			m := must.Get(ReadMatrixMarket(iotest.OneByteReader(strings.NewReader(c.text))))(t)
			if (m.Sparse != nil) != c.sparse || (m.Dense != nil) == c.sparse {
				t.Fatalf("sparse %v, dense %v", m.Sparse != nil, m.Dense != nil)
			}
			if r, k := m.Dims(); r != c.rows || k != c.cols {
				t.Fatalf("%d × %d, want %d × %d", r, k, c.rows, c.cols)
			}
			got := m.Dense
			if c.sparse {
				got = m.Sparse.Dense()
			}
			if want := mat.NewDense(c.rows, c.cols, c.want); !mat.Equal(got, want) {
				t.Errorf("got %v, want %v", got.RawMatrix().Data, c.want)
			}
		})
	}
}

func TestReadMatrixMarketNamesKind(t *testing.T) {
	m, err := ReadMatrixMarket(strings.NewReader("%%MatrixMarket matrix coordinate Pattern Symmetric\n1 1 1\n1 1\n"))
	if err != nil || m.Field != "pattern" || m.Symmetry != "symmetric" {
		t.Errorf("field %q, symmetry %q, error %v", m.Field, m.Symmetry, err)
	}
}

// marketFaults are malformed files with the text that the error must have.
var marketFaults = []struct{ name, text, want string }{
	{"empty", "", "not a MatrixMarket file"},
	{"other file", "1,2,3\n", "line 1: the first line does not begin with %%MatrixMarket"},
	{"short banner", "%%MatrixMarket matrix array\n", "needs five words"},
	{"vector", "%%MatrixMarket vector array real general\n1\n", `holds a "vector"`},
	{"layout", "%%MatrixMarket matrix dense real general\n1 1\n1\n", "neither array nor coordinate"},
	{"complex", "%%MatrixMarket matrix array complex general\n1 1\n1 0\n", "complex and Hermitian matrices are not supported"},
	{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "complex and Hermitian"},
	{"field", "%%MatrixMarket matrix array logical general\n1 1\n1\n", `the field "logical"`},
	{"symmetry", "%%MatrixMarket matrix array real diagonal\n1 1\n1\n", `the symmetry "diagonal"`},
	{"array pattern", "%%MatrixMarket matrix array pattern general\n1 1\n", "an array cannot be a pattern"},
	{"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", "no signs"},
	{"no size", "%%MatrixMarket matrix array real general\n% only a comment\n", "ends before the line that gives the size"},
	{"size words", "%%MatrixMarket matrix array real general\n2 2 4\n", "line 2: the line that gives the size has 3 numbers, want 2"},
	{"negative size", "%%MatrixMarket matrix array real general\n-2 2\n", `the size "-2"`},
	{"size too long", "%%MatrixMarket matrix array real general\n99999999999999999999 2\n", "not a whole number that fits"},
	{"size beyond 32 bits", "%%MatrixMarket matrix coordinate real general\n3000000000 2 1\n1 1 1\n", "32-bit indices"},
	{"symmetric not square", "%%MatrixMarket matrix array real symmetric\n2 3\n", "must be square, not 2 × 3"},
	{"empty array", "%%MatrixMarket matrix array real general\n0 3\n", "the matrix is empty"},
	{"array cut", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "ends after 3 of the 4 entries"},
	{"huge array", "%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "ends after 1 of the 4000000000000000000 entries"},
	{"array too long", "%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n", "line 5: more than the 2 entries"},
	{"underscore", "%%MatrixMarket matrix array real general\n1 2\n1\n1_0\n", `line 4: "1_0" is not a number`},
	{"hexadecimal", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0x1p3\n", `line 3: "0x1p3" is not a number`},
	{"array text", "%%MatrixMarket matrix array real general\n1 2\n1\nx\n", `line 4: "x" is not a number`},
	{"integer with fraction", "%%MatrixMarket matrix array integer general\n1 1\n1.5\n", "line 3: 1.5 is not a whole number"},
	{"overflow", "%%MatrixMarket matrix array real general\n1 1\n1e999\n", "outside the range of double precision"},
	{"row 0", "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "line 3: the entry (0, 1) is outside a 2 × 2 matrix"},
	{"row beyond", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "the entry (3, 1) is outside"},
	{"column beyond", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", "the entry (1, 3) is outside"},
	{"negative index", "%%MatrixMarket matrix coordinate real general\n2 2 1\n-1 1 1\n", "the entry (-1, 1) is outside"},
	{"index with fraction", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1.0 1 1\n", "the entry (1.0, 1) is outside"},
	{"entry without value", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "line 3: 2 numbers where an entry of a real matrix has 3"},
	{"pattern with value", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", "3 numbers where an entry of a pattern matrix has 2"},
	{"too few", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n", "ends after 2 of 3 entries"},
	{"too many", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", "line 4: an entry beyond the 1"},
	{"both triangles", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 5\n2 1 5\n", "line 4: a symmetric file gives one triangle"},
	{"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n", "zero diagonal"},
	{"rows without entries", "%%MatrixMarket matrix coordinate real general\n2000000000 2 1\n1 1 1\n", "2000000000 rows for only 1 entries"},
	{"no rows but entries", "%%MatrixMarket matrix coordinate real general\n0 2 1\n1 1 1\n", "outside a 0 × 2 matrix"},
	{"long junk", "%%MatrixMarket matrix array real general\n1 1\n" + strings.Repeat("y", 1<<20) + "\n", `yyy…" is not a number`},
}

func TestReadMatrixMarketFaults(t *testing.T) {
	for _, c := range marketFaults {
		t.Run(c.name, func(t *testing.T) {
			m, err := ReadMatrixMarket(strings.NewReader(c.text))
			if err == nil {
				t.Fatal("no error")
			}
			var fault *MarketError
			if !errors.As(err, &fault) {
				t.Errorf("the error %v is a %T", err, err)
			}
			if text := err.Error(); !strings.HasPrefix(text, "sparse: MatrixMarket: ") ||
				!strings.Contains(text, c.want) || strings.Contains(text, "\n") || len(text) > 300 {
				t.Errorf("error %q, want it to say %q", text, c.want)
			}
			if m.Sparse != nil || m.Dense != nil {
				t.Error("a matrix together with an error")
			}
		})
	}
}

func TestReadMatrixMarketPassesReadError(t *testing.T) {
	broken := errors.New("cable cut")
	for _, text := range []string{"", "%%MatrixMarket matrix coordinate real general\n", marketCases[0].text[:60]} {
		r := &brokenReader{strings.NewReader(text), broken}
		if _, err := ReadMatrixMarket(r); !errors.Is(err, broken) {
			t.Errorf("after %q: error %v", text, err)
		}
	}
}

// brokenReader gives what r holds and then an error in place of the end.
type brokenReader struct {
	r   *strings.Reader
	err error
}

func (f *brokenReader) Read(p []byte) (int, error) {
	if f.r.Len() == 0 {
		return 0, f.err
	}
	return f.r.Read(p)
}

// hardFloats are numbers that a writer with too few digits would change.
var hardFloats = []float64{0.1, 1.0 / 3, math.Pi, -1e-300, 5e-324, math.MaxFloat64, 1 << 53, 123456789.123456789, math.Copysign(0, -1), 1e22, -7}

func TestMatrixMarketRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var entries []Triplet
	for i, v := range hardFloats {
		entries = append(entries, Triplet{i, (3 * i) % 7, v})
	}
	for range 200 {
		entries = append(entries, Triplet{rng.IntN(40), 7 + rng.IntN(30), rng.NormFloat64()})
	}
	a := must.Get(FromTriplets(41, 37, entries))(t)
	var b bytes.Buffer
	must.Do(t, WriteMatrixMarket(&b, a))
	m := must.Get(ReadMatrixMarket(&b))(t)
	if m.Sparse == nil || m.Sparse.NNZ() != a.NNZ() {
		t.Fatalf("came back with other entries than %d", a.NNZ())
	}
	sameMarketBits(t, m.Sparse.Val, a.Val)
	if !mat.Equal(m.Sparse, a) {
		t.Error("entries moved")
	}

	b.Reset()
	d := mat.NewDense(41, 37, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = rng.NormFloat64()
	}
	copy(d.RawMatrix().Data, hardFloats)
	must.Do(t, WriteMatrixMarketArray(&b, d))
	m = must.Get(ReadMatrixMarket(&b))(t)
	sameMarketBits(t, m.Dense.RawMatrix().Data, d.RawMatrix().Data)
}

func sameMarketBits(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestWriteMatrixMarketPassesWriteError(t *testing.T) {
	full := errors.New("disk full")
	a, _ := FromTriplets(1, 1, []Triplet{{0, 0, 1}})
	if err := WriteMatrixMarket(brokenWriter{full}, a); !errors.Is(err, full) {
		t.Errorf("coordinates: %v", err)
	}
	if err := WriteMatrixMarketArray(brokenWriter{full}, mat.NewDense(100, 100, nil)); !errors.Is(err, full) {
		t.Errorf("array: %v", err)
	}
}

type brokenWriter struct{ err error }

func (f brokenWriter) Write([]byte) (int, error) { return 0, f.err }

func FuzzMatrixMarket(f *testing.F) {
	for _, c := range marketCases {
		f.Add([]byte(c.text))
	}
	for _, c := range marketFaults {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadMatrixMarket(bytes.NewReader(text))
		if err != nil {
			return
		}
		// The matrix must survive being written and read again.
		var b bytes.Buffer
		if m.Sparse != nil {
			err = WriteMatrixMarket(&b, m.Sparse)
		} else {
			err = WriteMatrixMarketArray(&b, m.Dense)
		}
		if err != nil {
			t.Fatal(err)
		}
		again := must.Get(ReadMatrixMarket(&b))(t)
		if m.Sparse != nil {
			sameMarketValues(t, again.Sparse.Val, m.Sparse.Val)
		} else {
			sameMarketValues(t, again.Dense.RawMatrix().Data, m.Dense.RawMatrix().Data)
		}
	})
}

// sameMarketValues is sameMarketBits, but that one NaN is as good as another.
func sameMarketValues(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}
