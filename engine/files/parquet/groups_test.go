package parquet_test

import (
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	"github.com/orthant-go/orthant/internal/must"
)

// Groups of rows are gone to in any order, again and again.
func TestGroups(t *testing.T) {
	m := tabletest.Matrix(5_000, 400)
	path := filepath.Join(t.TempDir(), "x.parquet")
	tabletest.SaveRows(t, path, m, 833)
	b := must.Get(files.OpenBlocks(path, files.Options{}))(t)
	defer b.Close()
	starts := b.Starts()
	if len(starts) != 2 || starts[0] != 0 || b.Rows() != 5_000 {
		t.Fatalf("%d rows in groups from %v", b.Rows(), starts)
	}
	dst := make([]float64, 100*400)
	for _, from := range []int{starts[1], 0, starts[1], starts[1], 0} {
		must.Do(t, b.Seek(from))
		for at := from; at < from+300; {
			n := must.Get(b.Next(dst))(t)
			if want := m.Slice(at, at+n, 0, 400); !mat.Equal(mat.NewDense(n, 400, dst[:n*400]), want) {
				t.Fatalf("other rows from %d on", at)
			}
			at += n
		}
	}
	if err := b.Seek(1); err == nil || slices.Contains(starts, 1) {
		t.Error("a row within a group is gone to")
	}
}
