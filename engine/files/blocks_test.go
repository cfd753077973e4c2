package files

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// collected reads pieces of this many rows at most, each from a start to the next.
func collected(t *testing.T, b *Blocks, order []int, starts []int, rows int) *mat.Dense {
	t.Helper()
	m := b.Cols()
	all := mat.NewDense(rows, m, nil)
	for _, p := range order {
		must.Do(t, b.Seek(starts[p]))
		stop := rows
		if p+1 < len(starts) {
			stop = starts[p+1]
		}
		for at := starts[p]; at < stop; {
			room := min(7, stop-at)
			var n int
			var err error
			if b.Sparse() {
				part := &sparse.CSR{Cols: m, Ptr: []int{0}}
				if n, err = b.Append(part, room); err == nil {
					all.Slice(at, at+n, 0, m).(*mat.Dense).Copy(part.Dense())
				}
			} else {
				dst := make([]float64, room*m)
				if n, err = b.Next(dst); err == nil {
					all.Slice(at, at+n, 0, m).(*mat.Dense).Copy(mat.NewDense(n, m, dst[:n*m]))
				}
			}
			if err != nil || n < 1 || n > room {
				t.Fatalf("%d rows at row %d: %v", n, at, err)
			}
			at += n
		}
	}
	return all
}

// Every format gives its rows again and again, from the places that it names and in any
// order of them.
func TestBlocksAreReadAgain(t *testing.T) {
	const rows, cols = 61, 5
	x := randomMatrix(rows, cols)
	thin := mat.DenseCopyOf(x)
	thin.Apply(func(i, j int, v float64) float64 {
		if (i*cols+j)%3 != 0 {
			return 0
		}
		return v
	}, thin)
	compressed := must.Get(dropZeros(thin))(t)
	deflated := filepath.Join(t.TempDir(), "deflated.npz")
	rewriteArchive(t, written(t, compressed, "s.npz", Options{}), deflated, func(_ string, data []byte) []byte { return data })
	for name, path := range map[string]string{
		"npy":      written(t, x, "x.npy", Options{}),
		"float32":  written(t, x, "x.npy", Options{Float32: true}),
		"packed":   written(t, x, "x.npy.gz", Options{}),
		"npz":      written(t, x, "x.npz", Options{}),
		"csv":      written(t, x, "x.csv", Options{}),
		"market":   written(t, x, "x.mtx", Options{}),
		"sparse":   written(t, compressed, "x.mtx", Options{}),
		"csr":      written(t, compressed, "x.npz", Options{}),
		"deflated": deflated,
	} {
		t.Run(name, func(t *testing.T) {
			b := must.Get(OpenBlocks(path, Options{}))(t)
			defer b.Close()
			want := x
			if name == "sparse" || name == "csr" || name == "deflated" {
				want = thin
				if b.Entries() != compressed.NNZ() || !b.Sparse() {
					t.Errorf("%d entries", b.Entries())
				}
			}
			if n := b.Rows(); n != rows && !(n == -1 && name == "csv") || b.Cols() != cols {
				t.Fatalf("%d × %d", n, b.Cols())
			}
			starts := b.Starts()
			if starts == nil {
				starts = []int{0, 20, 23, 60}
			}
			order := make([]int, len(starts))
			for p := range order {
				order[p] = (p + 2) % len(order)
			}
			for range 2 {
				if got := collected(t, b, order, starts, rows); !mat.Equal(got, want) {
					t.Fatal("other rows")
				}
			}
			if held := name == "market" || name == "sparse"; (b.Whole() != "") != held {
				t.Errorf("read as a whole: %q", b.Whole())
			}
			// The end.
			must.Do(t, b.Seek(0))
			for n := 0; ; {
				k, err := 0, error(nil)
				if b.Sparse() {
					k, err = b.Append(&sparse.CSR{Cols: cols, Ptr: []int{0}}, 100)
				} else {
					k, err = b.Next(make([]float64, 100*cols))
				}
				if n += k; err == io.EOF && n == rows {
					break
				}
				if err != nil {
					t.Fatalf("after %d rows: %v", n, err)
				}
			}
		})
	}
}

// rewriteArchive copies an archive with other arrays, deflated.
func rewriteArchive(t *testing.T, from, to string, change func(name string, data []byte) []byte) {
	t.Helper()
	in := must.Get(zip.OpenReader(from))(t)
	defer in.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		r := must.Get(f.Open())(t)
		data := must.Get(io.ReadAll(r))(t)
		w, err := out.Create(f.Name)
		if err == nil {
			_, err = w.Write(change(f.Name, data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, errors.Join(out.Close(), os.WriteFile(to, b.Bytes(), 0o600)))
}

// Errors name the row of the file; standard input is refused.
func TestBlocksRefuse(t *testing.T) {
	must.Refuse(t, "give one")(OpenBlocks("-", Options{Stdin: strings.NewReader("")}))
	a := must.Get(sparse.FromTriplets(40, 6, []sparse.Triplet{{Row: 0, Col: 1, Val: 1}, {Row: 30, Col: 2, Val: 1}, {Row: 33, Col: 4, Val: 2}}))(t)
	whole := written(t, a, "a.npz", Options{})
	for name, c := range map[string]struct {
		change func(name string, data []byte) []byte
		want   string
	}{
		"column beyond": {func(name string, data []byte) []byte {
			if name == "indices.npy" {
				data[len(data)-8] = 9
			}
			return data
		}, "row 31 (counting from 1) has an entry in column 9 of 6"},
		"falling": {func(name string, data []byte) []byte {
			if name == "indptr.npy" {
				data[len(data)-4*10] = 0
			}
			return data
		}, "does not ascend at row 31 "},
		"short": {func(name string, data []byte) []byte {
			if name == "data.npy" {
				data = data[:len(data)-4]
			}
			return data
		}, "truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "b.npz")
			rewriteArchive(t, whole, path, c.change)
			b, err := OpenBlocks(path, Options{})
			if err == nil {
				defer b.Close()
				to := &sparse.CSR{Cols: 6, Ptr: []int{0}}
				for err == nil {
					_, err = b.Append(to, 4)
				}
			}
			var reported *Error
			if !errors.As(err, &reported) || reported.Op != OpRead || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	bad := written(t, mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), "x.csv", Options{})
	b := must.Get(OpenBlocks(bad, Options{}))(t)
	defer b.Close()
	if err := b.Seek(1); err == nil || !slices.Equal(b.Starts(), []int{0}) {
		t.Errorf("a row in the midst of a text is gone to: %v", err)
	}
}
