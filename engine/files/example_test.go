package files_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// A table of text becomes an .npy file.
func Example() {
	folder, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	table := filepath.Join(folder, "x.csv")
	if err := os.WriteFile(table, []byte("height,width\n1,2\n3,4.5\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}

	x, err := files.ReadMatrix(table, files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(x))

	out, err := files.Create(filepath.Join(folder, "x.npy"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer out.Discard()
	if err := out.WriteMatrix(x, files.Options{Float32: true}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Commit())

	_, err = files.ReadMatrix("y.xlsx", files.Options{})
	fmt.Println(err)
	// Output:
	// ⎡  1    2⎤
	// ⎣  3  4.5⎦
	// <nil>
	// reading y.xlsx: the extension ".xlsx" is not one of .npy, .npz, .csv, .tsv, .txt, .dat, .asc, .mtx, .mat, .h5, .h5ad, .hdf5, .hdf and .he5
}

// Rows are read and written block after block, for files larger than memory.
func ExampleOpenRows() {
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(path, []byte("height,width\n1,2\n3,4\n5,6\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	rows, err := files.OpenRows(path, files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rows.Close()
	block := make([]float64, 2*rows.Cols())
	for {
		n, err := rows.Next(block)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(n, block[:n*rows.Cols()])
	}
	// Output:
	// 2 [1 2 3 4]
	// 1 [5 6]
}

// A list of edges becomes a matrix of weights, and one of lengths.
func ExampleReadEdges() {
	folder, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "edges.csv")
	if err := os.WriteFile(path, []byte("from,to,weight\nAnn,Bob,2\nBob,Cy,3\nCy,Bob,1\nZed,Zed,1\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	if is, err := files.IsEdges(path, files.Options{}); err != nil || !is {
		fmt.Println(is, err)
		return
	}
	e, err := files.ReadEdges(path, files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	weights, repeated := e.Adjacency()
	lengths, differing := e.Lengths(false)
	fmt.Println(e.IDs, e.Loops(), "loop")
	fmt.Println("Bob and Cy:", weights.At(1, 2), "of", repeated+1, "lines;", lengths.At(1, 2), "is the shortest,", differing, "longer")
	// Output:
	// [Ann Bob Cy Zed] 1 loop
	// Bob and Cy: 4 of 2 lines; 1 is the shortest, 1 longer
}
