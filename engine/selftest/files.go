package selftest

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

var fileChecks = []check{
	{name: "files written and read again", kind: "file", formula: "wrong entries", threshold: 0, sameBits: true, run: filesAgain},
}

// builtIn has one file of each built-in format, and two that are compressed.
var builtIn = []string{".npy", ".npz", ".csv", ".tsv", ".mtx", ".mat", ".npy.gz", ".csv.zst"}

func filesAgain(t *trial) error {
	const n, m = 31, 7
	x := t.uniform(n*m, -1)
	copy(x, []float64{0, 1, -1, math.Pi, 1e-310, -math.MaxFloat64, 0x1p-1074, 1.0 / 3, 1e22, math.Nextafter(1, 2)})
	for i := n; i < len(x); i++ {
		x[i] *= math.Exp2(float64(t.random.Below(600) - 300))
	}
	for _, format := range slices.Concat(builtIn, t.options.Formats) {
		path := filepath.Join(t.options.Folder, "x"+format)
		if err := write(path, mat.NewDense(n, m, x)); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		back, err := t.readAgain(path, files.Options{})
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		if r, c := back.Dims(); r != n || c != m {
			return fmt.Errorf("%s: %d × %d in place of %d × %d", format, r, c, n, m)
		}
		for i := range n {
			row := back.RawRowView(i)
			for j, v := range row {
				t.exactly(math.Float64bits(v) == math.Float64bits(x[i*m+j]))
			}
			t.seen(row)
		}
	}
	return nil
}

func write(path string, m mat.Matrix) error {
	out, err := files.Create(path, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.WriteMatrix(m, files.Options{}); err != nil {
		return err
	}
	return out.Commit()
}
