package sparse

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// coordinates draws entries with repeats, and rows and columns without any.
func coordinates(rows, cols, nnz int) (i, j []int, v []float64) {
	s := blas.NewStream(3)
	for range nnz {
		i, j, v = append(i, 2*s.Below(rows/2)), append(j, 2*s.Below(cols/2)), append(v, s.Uniform()-0.5)
	}
	return i, j, v
}

// summed is the definition: entries at one place are added, in the order given.
func summed(rows, cols int, i, j []int, v []float64) *mat.Dense {
	d := mat.NewDense(rows, cols, nil)
	for p := range v {
		d.Set(i[p], j[p], d.At(i[p], j[p])+v[p])
	}
	return d
}

func mustBe(t *testing.T, x mat.Matrix, want *mat.Dense) *CSR {
	t.Helper()
	a, isSparse, err := Of(x)
	if err != nil || !isSparse {
		t.Fatalf("%T: sparse %v, %v", x, isSparse, err)
	}
	for i := range a.Rows {
		if cols, _ := a.Row(i); !slices.IsSorted(cols) || len(slices.Compact(slices.Clone(cols))) != len(cols) {
			t.Fatalf("%T: row %d has the columns %v", x, i, cols)
		}
	}
	if !mat.Equal(a.Dense(), want) {
		t.Fatalf("%T: %v, want %v", x, mat.Formatted(a.Dense()), mat.Formatted(want))
	}
	return a
}

// Every type and its transpose are the sum of their entries, to the bit.
func TestOfEveryStorage(t *testing.T) {
	const rows, cols = 40, 30
	i, j, v := coordinates(rows, cols, 500)
	want := summed(rows, cols, i, j, v)
	transposed := mat.DenseCopyOf(want.T())
	own := mustBe(t, storage.NewCOO(rows, cols, i, j, v), want)
	for name, x := range map[string]mat.Matrix{
		"own": own, "coo": storage.NewCOO(rows, cols, i, j, v), "csr": own.Storage(),
		"csc": own.Storage().ToCSC(), "dok": own.Storage().ToDOK(), "sparser": anySparser{own},
	} {
		t.Run(name, func(t *testing.T) {
			mustBe(t, x, want)
			mustBe(t, x.T(), transposed)
			mustBe(t, mat.Transpose{Matrix: x}, transposed)
			mustBe(t, mat.Transpose{Matrix: mat.Transpose{Matrix: x}}, want)
		})
	}
	if d := storage.NewDIA(2, 3, []float64{1, 2}); !mat.Equal(mustBe(t, d, mat.DenseCopyOf(d)), d) {
		t.Error("a diagonal is another")
	}
}

// anySparser is a type of another package.
type anySparser struct{ storage.Sparser }

// Conversions by the other package leave what repeats the first column of a row apart.
func TestOfAddsWhatConversionsLeaveApart(t *testing.T) {
	i, j, v := []int{0, 0, 0, 1}, []int{2, 0, 2, 1}, []float64{1, 2, 3, 4}
	coo := storage.NewCOO(2, 3, i, j, v)
	want := mat.NewDense(2, 3, []float64{2, 0, 4, 0, 4, 0})
	if got := coo.ToCSR(); mat.Equal(got, want) {
		t.Log("COO.ToCSR adds all repeats: its issue 21 is mended")
	}
	for _, x := range []mat.Matrix{
		coo, coo.ToCSR(), coo.ToCSC(),
		storage.NewCSR(2, 3, []int{0, 3, 4}, j, v),
		storage.NewCOO(2, 3, slices.Clone(i), slices.Clone(j), slices.Clone(v)).ToCSRReuseMem(),
		storage.NewCOO(2, 3, slices.Clone(i), slices.Clone(j), slices.Clone(v)).ToCSCReuseMem(),
	} {
		if a := mustBe(t, x, want); a.NNZ() != 3 {
			t.Errorf("%T: %d entries", x, a.NNZ())
		}
	}
}

// Rows in order share their values; nothing else does, and nobody's entries are moved.
func TestOfSharesWhatIsInOrder(t *testing.T) {
	ptr, ind, data := []int{0, 2, 2, 4}, []int{0, 3, 1, 2}, []float64{1, 2, 3, 4}
	raw := storage.NewCSR(3, 4, ptr, ind, data)
	a := mustBe(t, raw, mat.DenseCopyOf(raw))
	if &a.Val[0] != &data[0] || &a.Ptr[0] != &ptr[0] {
		t.Error("a matrix in order is copied")
	}
	// A transpose of a CSC in order is a CSR in order.
	csc := storage.NewCSC(4, 3, ptr, ind, data)
	if a = mustBe(t, csc.T(), mat.DenseCopyOf(raw)); &a.Val[0] != &data[0] {
		t.Error("the transpose of a CSC is copied")
	}
	back := a.Storage()
	if &back.RawMatrix().Data[0] != &data[0] {
		t.Error("values are copied back")
	}
	back.Set(1, 1, 9)
	if a.NNZ() != 4 || a.At(1, 1) != 0 || back.At(1, 1) != 9 || a.At(2, 2) != 4 || back.At(2, 2) != 4 {
		t.Error("a new entry of the storage changed the matrix")
	}
	unsorted := storage.NewCSR(3, 4, ptr, []int{3, 0, 1, 2}, data)
	mustBe(t, unsorted, mat.DenseCopyOf(unsorted))
	if !slices.Equal(unsorted.RawMatrix().Ind, []int{3, 0, 1, 2}) || !slices.Equal(data, []float64{1, 2, 3, 4}) {
		t.Error("the matrix given was changed")
	}
	if same, _, _ := Of(a); same != a {
		t.Error("a matrix of this package is copied")
	}
}

// Matrices without entries, and matrices of size zero.
func TestOfEmptyStorage(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {2, 3}} {
		r, c := shape[0], shape[1]
		for _, x := range []mat.Matrix{
			storage.NewCOO(r, c, nil, nil, nil), storage.NewDOK(r, c), storage.NewCSR(r, c, make([]int, r+1), nil, nil),
			storage.NewCSC(r, c, make([]int, c+1), nil, nil), storage.NewCOO(r, c, nil, nil, nil).ToCSR(),
		} {
			a, isSparse, err := Of(x)
			if err != nil || !isSparse || a.Rows != r || a.Cols != c || a.NNZ() != 0 || len(a.Ptr) != r+1 {
				t.Errorf("%T of %d × %d: %+v, %v", x, r, c, a, err)
			}
		}
	}
	if a, isSparse, err := Of(&storage.CSR{}); err != nil || !isSparse || a.Rows != 0 {
		t.Errorf("the zero value: %+v, %v", a, err)
	}
	// Stored zeros stay, as readers keep them.
	if a := mustBe(t, storage.NewCSR(1, 2, []int{0, 2}, []int{0, 1}, []float64{0, 1}), mat.NewDense(1, 2, []float64{0, 1})); a.NNZ() != 2 {
		t.Errorf("%d entries", a.NNZ())
	}
	a, _, err := Of(storage.NewCOO(1, 1, []int{0, 0}, []int{0, 0}, []float64{math.Inf(1), math.Inf(-1)}))
	if err != nil || !math.IsNaN(a.At(0, 0)) {
		t.Errorf("∞ − ∞: %v, %v", a, err)
	}
}

func TestOfRefusals(t *testing.T) {
	for want, x := range map[string]mat.Matrix{
		"row 1, column 4 (counting from 1) has an entry outside the 2 × 3": storage.NewCSR(2, 3, []int{0, 1, 1}, []int{3}, []float64{1}),
		"row 2, column 0 (counting from 1) has an entry outside the 2 × 3": storage.NewCOO(2, 3, []int{1}, []int{-1}, []float64{1}),
		"row 3, column 1 (counting from 1) has an entry outside the 2 × 3": storage.NewCSC(2, 3, []int{0, 1, 1, 1}, []int{2}, []float64{1}),
		"row 4, column 1 (counting from 1) has an entry outside the 3 × 2": storage.NewCSR(2, 3, []int{0, 1, 1}, []int{3}, []float64{1}).T(),
		"2 pointers for 2 compressed rows":                                 storage.NewCSR(2, 3, []int{0, 1}, []int{0}, []float64{1}),
		"pointer 2 (counting from 1) is 1, behind one of 2":                storage.NewCSR(2, 3, []int{2, 1, 2}, []int{0, 1}, []float64{1, 2}),
		"pointer 1 (counting from 1) is -1":                                storage.NewCSR(1, 3, []int{-1, 1}, []int{0}, []float64{1}),
		"pointers to 5 entries where there are 1 indices and 1 values":     storage.NewCSC(3, 2, []int{0, 1, 5}, []int{0}, []float64{1}),
		"pointers to 1 entries where there are 1 indices and 2 values":     mat.Transpose{Matrix: storage.NewCSR(1, 3, []int{0, 1}, []int{0}, []float64{1, 2})},
		"fewer rows or columns than values":                                storage.NewCOO(2, 3, []int{0}, []int{0}, []float64{1, 2}),
		"3000000000 × 1 is outside what 32-bit indices hold":               storage.NewDOK(3_000_000_000, 1),
		"-1 × 3 is outside what 32-bit indices hold":                       storage.NewCOO(-1, 3, nil, nil, nil),
	} {
		a, isSparse, err := Of(x)
		if a != nil || !isSparse || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, sparse %v, error %v, want one with %q", x, a, isSparse, err, want)
		}
		OfBytes(x) // whatever it returns, it does not panic
	}
	for _, x := range []mat.Matrix{mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil).T(), mat.NewDiagDense(2, nil), mat.NewTriDense(2, mat.Upper, nil)} {
		if a, isSparse, err := Of(x); a != nil || isSparse || err != nil {
			t.Errorf("%T: %v, sparse %v, %v", x, a, isSparse, err)
		}
		if held, copied, isSparse := OfBytes(x); held != 0 || copied != 0 || isSparse {
			t.Errorf("%T: %d and %d bytes", x, held, copied)
		}
	}
	defer func() {
		if recover() != "its own" {
			t.Error("a panic of another kind did not come up")
		}
	}()
	Of(panicking{})
}

// panicking is a matrix with a fault of its own.
type panicking struct{ storage.Sparser }

func (panicking) Dims() (int, int)                    { return 1, 1 }
func (panicking) DoNonZero(func(i, j int, v float64)) { panic("its own") }

// The reported bytes equal the allocated bytes: by the matrix, and by the copy.
func TestOfBytes(t *testing.T) {
	const rows, cols, nnz = 3000, 2000, 200_000
	i, j, v := coordinates(rows, cols, nnz)
	ordered, _, err := Of(storage.NewCOO(rows, cols, i, j, v))
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(f func()) int64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	for name, build := range map[string]func() mat.Matrix{
		"coo": func() mat.Matrix {
			return storage.NewCOO(rows, cols, slices.Clone(i), slices.Clone(j), slices.Clone(v))
		},
		"csr":           func() mat.Matrix { return ordered.Storage() },
		"csr unordered": func() mat.Matrix { return storage.NewCOO(rows, cols, i, j, v).ToCSR() },
		"csc":           func() mat.Matrix { return ordered.Storage().ToCSC() },
		"csc transpose": func() mat.Matrix { return ordered.Storage().ToCSC().T() },
		"dok":           func() mat.Matrix { return ordered.Storage().ToDOK() },
		"dok transpose": func() mat.Matrix { return ordered.Storage().ToDOK().T() },
		"own":           func() mat.Matrix { return ordered },
		"own transpose": func() mat.Matrix { return ordered.T() },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			x := build()
			runtime.GC()
			runtime.ReadMemStats(&after)
			held, copied, _ := OfBytes(x)
			if live := int64(after.HeapAlloc) - int64(before.HeapAlloc); name != "csr" && live > held+1<<16 {
				t.Errorf("%d bytes live where %d are reported", live, held)
			}
			var a *CSR
			made := allocated(func() { a, _, err = Of(x) })
			if err != nil {
				t.Fatal(err)
			}
			if made > copied+1<<16 || copied > made+1<<16 {
				t.Errorf("%d bytes made where %d are reported", made, copied)
			}
			if name == "csr" && made > 5*int64(a.NNZ()) {
				t.Errorf("%d bytes for %d entries that could be shared", made, a.NNZ())
			}
			runtime.KeepAlive(x)
		})
	}
}
