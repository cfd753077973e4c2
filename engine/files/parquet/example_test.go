package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	_ "github.com/orthant-go/orthant/engine/files/parquet"
)

// The import makes the format known to package files; a path selects columns, and
// names those of a file to be written.
func Example() {
	folder, err := os.MkdirTemp("", "parquet")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "x.parquet")
	out, err := files.Create(path+":height,width,depth", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer out.Discard()
	if err := out.WriteMatrix(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), files.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	if err := out.Commit(); err != nil {
		fmt.Println(err)
		return
	}

	x, err := files.ReadMatrix(path+":depth,height", files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(x))
	// Output:
	// ⎡3  1⎤
	// ⎣6  4⎦
}
