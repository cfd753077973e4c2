package files_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
)

// Whichever call fails while a file of some format is read, that is an error of the disk
// and not one of the file.
func TestReadersWithFaults(t *testing.T) {
	m := tabletest.Matrix(60, 4)
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.tsv", "x.mtx", "x.mat", "x.npy.gz", "x.csv.zst", "x.mat.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			tabletest.Save(t, path, m, files.Options{})
			tabletest.Faults(t, path)
		})
	}
	t.Run("columns", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.npy")
		tabletest.Save(t, path, m, files.Options{})
		tabletest.Put(t, path, bytes.Replace(tabletest.Get(t, path), []byte("False"), []byte("True "), 1))
		tabletest.Faults(t, path)
	})
}
