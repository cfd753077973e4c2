package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
)

// input is a file of samples.
type input struct {
	path, labels string
	n, m         int
	broken       bool // it cannot be read, or is not there
}

// Odd numbers of samples and columns: the least there can be, and around the sizes of blocks.
var (
	sampleCounts = []int{2, 3, 5, 8, 13, 17, 31, 33, 47, 64, 65, 97, 129, 181}
	columnCounts = []int{1, 2, 3, 5, 9, 17, 33}
	formats      = []string{".npy", ".npz", ".csv", ".tsv", ".mtx", ".mat", ".npy.gz", ".csv.zst"}
)

// wholeInputs writes a nonnegative bent sheet with labels of three classes for every number
// of samples and columns, in formats by turns.
func wholeInputs(folder string, s *blas.Stream) (list []input, err error) {
	for _, n := range sampleCounts {
		for _, m := range columnCounts {
			path := filepath.Join(folder, fmt.Sprintf("x-%d-%d%s", n, m, formats[len(list)%len(formats)]))
			in := input{path: path, labels: filepath.Join(folder, fmt.Sprintf("labels-%d.npy", n)), n: n, m: m}
			x, labels := mat.NewDense(n, m, nil), make([]int64, n)
			for i := range n {
				u, v := s.Uniform(), s.Uniform()
				labels[i] = int64(i % 3)
				for j := range m {
					bend := math.Sin(3*u+float64(j)) + v*math.Cos(float64(j))
					x.Set(i, j, 2.5+bend+0.1*s.Uniform()+0.3*float64(labels[i])*float64(j%2))
				}
			}
			if err := write(path, func(o *files.Output) error { return o.WriteMatrix(x, files.Options{}) }); err != nil {
				return nil, err
			}
			if err := write(in.labels, func(o *files.Output) error { return o.WriteLabels(labels) }); err != nil {
				return nil, err
			}
			list = append(list, in)
		}
	}
	return list, nil
}

func write(path string, fill func(*files.Output) error) error {
	out, err := files.Create(path, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := fill(out); err != nil {
		return err
	}
	return out.Commit()
}

// brokenInputs writes files that are wrong, each in its own way, and names one that is not there.
func brokenInputs(folder string, whole []input) ([]input, error) {
	npy, err := os.ReadFile(whole[0].path)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{
		"cut.npy":      string(npy[:len(npy)-3]),
		"text.npy":     "these are not numbers\n",
		"empty.npy":    "",
		"words.csv":    "1,2\n3,four\n",
		"ragged.csv":   "1,2\n3\n5,6\n",
		"gaps.csv":     "1,2\n3,nan\n5,6\n",
		"cut.npz":      "PK\x03\x04 and no more",
		"cut.mat":      "MATLAB 5.0 MAT-file",
		"wrong.mtx":    "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n4 1 1\n",
		"wrong.csv.gz": "\x1f\x8b\x08 no stream",
	}
	list := []input{{path: filepath.Join(folder, "absent.npy"), n: 2, m: 2, broken: true, labels: whole[0].labels}}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return nil, err
		}
		list = append(list, input{path: path, n: 2, m: 2, broken: true, labels: whole[0].labels})
	}
	return list, nil
}
