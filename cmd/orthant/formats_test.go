package main

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Labels and columns of one table, as tables of other programs have them.
func TestColumnsOfATable(t *testing.T) {
	inFolder(t, "60")
	x := matrix(t, "x.npy")
	table := mat.NewDense(60, 4, nil)
	for i := range 60 {
		table.SetRow(i, []float64{x.At(i, 2), float64(i % 3), x.At(i, 0), x.At(i, 1)})
	}
	save(t, "t.parquet:c,class,a,b", table)
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "want.npy")
	must(t, "embed", "--method", "pca", "--in", "t.parquet:a,b,c", "--out", "got.parquet:u,v")
	if !mat.Equal(matrix(t, "got.parquet:u,v"), matrix(t, "want.npy")) {
		t.Error("the columns selected give another embedding than the matrix")
	}
	must(t, "embed", "--method", "lda", "--in", "t.parquet:a,b,c", "--labels", "t.parquet:class", "--out", "y.mat.gz:Y")

}
