package eigen

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// The pairs have the same bits whatever the matrix is stored in, repeats of COO added, and
// the copy counts as memory of the solver.
func TestSmallestOfAnyStorage(t *testing.T) {
	a, _ := torus(t, 25, 2)
	var rows, cols []int
	var vals []float64
	a.DoNonZero(func(i, j int, v float64) {
		rows, cols, vals = append(rows, i, i), append(cols, j, j), append(vals, v/2, v/2)
	})
	coo := storage.NewCOO(a.Rows, a.Cols, rows, cols, vals)
	null := [][]float64{ones(a.Rows)}
	want := must.Get(Smallest(t.Context(), a, null, 4, Options{}))(t)
	own := want.Plan.Bytes
	for name, x := range map[string]mat.Matrix{
		"csr": a.Storage(), "csc": a.Storage().ToCSC(), "coo": coo, "dok": a.Storage().ToDOK(), "unmerged": coo.ToCSR(), "transpose": a.T(),
	} {
		t.Run(name, func(t *testing.T) {
			_, copied, _ := sparse.OfBytes(x)
			e := must.Get(Smallest(t.Context(), x, null, 4, Options{}))(t)
			if e.Plan.Bytes != own+copied {
				t.Errorf("%d bytes, want %d and %d of the copy", e.Plan.Bytes, own, copied)
			}
			if e.Plan.Bytes = own; !reflect.DeepEqual(e, want) {
				t.Error("other pairs")
			}
			if _, err := Smallest(t.Context(), x, null, 4, Options{Memory: own + copied}); err != nil {
				t.Errorf("within its own memory: %v", err)
			}
			for _, limit := range []int64{own + copied - 1, copied} {
				_, err := Smallest(t.Context(), x, null, 4, Options{Memory: limit})
				if e, is := errors.AsType[*MemoryError](err); !is || e.Limit != limit || e.Need < limit {
					t.Errorf("a limit of %d: %v", limit, err)
				}
			}
		})
	}
}

func TestSmallestRefusesStorage(t *testing.T) {
	for want, x := range map[string]mat.Matrix{
		"solvers: the matrix is not sparse; give a sparse.CSR":                           mat.NewSymDense(3, nil),
		"solvers: the matrix is 2 × 3":                                                   storage.NewDOK(2, 3),
		"solvers: sparse matrix: row 1, column 4 (counting from 1) has an entry outside": storage.NewCSR(2, 2, []int{0, 1, 1}, []int{3}, []float64{1}),
	} {
		if _, err := Smallest(t.Context(), x, nil, 1, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that begins with %q", err, want)
		}
	}
}
