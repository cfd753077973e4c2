package main

import (
	"bytes"
	"compress/gzip"
	"strings"
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
	convert(t, table, "t.parquet:c,class,a,b")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "want.npy")
	must(t, "embed", "--method", "pca", "--in", "t.parquet:a,b,c", "--out", "got.parquet:u,v")
	if !mat.Equal(matrix(t, "got.parquet:u,v"), matrix(t, "want.npy")) {
		t.Error("the columns selected give another embedding than the matrix")
	}
	must(t, "embed", "--method", "lda", "--in", "t.parquet:a,b,c", "--labels", "t.parquet:class", "--out", "y.mat.gz:Y")
	for _, c := range []struct{ in, want string }{
		{"t.parquet:a,d", `the table has no column "d"; it has c, class, a, b`},
		{"x.h5", "HDF5 files are not supported: convert them"},
		{"x.npy.gz", "no such file"},
		{"t.parquet.gz", "leave out .gz"},
	} {
		o := orthant(t, "embed", "--method", "pca", "--in", c.in, "--out", "y.npy")
		if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s", c.in, o.status, o.err)
		}
	}
}

// Standard input may be compressed, and what it unfolds to counts against the
// limit.
func TestCompressedStandardInput(t *testing.T) {
	inFolder(t, "60")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(read(t, "x.npy")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "want.npy")
	if o := orthantReading(t, bytes.NewReader(packed.Bytes()), "embed", "--method", "pca", "--in", "-", "--out", "got.npy"); o.status != exitDone {
		t.Fatal(o.err)
	}
	if !mat.Equal(matrix(t, "got.npy"), matrix(t, "want.npy")) {
		t.Error("compressed input gives another embedding")
	}
	o := orthantReading(t, bytes.NewReader(packed.Bytes()), "embed", "--method", "pca", "--in", "-", "--out", "got.npy", "--memory", "1KiB")
	if o.status != exitUsage || !strings.Contains(o.err, "the limit is 1.0 KiB") {
		t.Errorf("status %d, %s", o.status, o.err)
	}
	o = orthantReading(t, bytes.NewReader(packed.Bytes()[:packed.Len()-9]), "embed", "--method", "pca", "--in", "-", "--out", "got.npy")
	if o.status != exitUsage || !strings.Contains(o.err, "reading standard input: the gzip data end early (truncated?)") {
		t.Errorf("status %d, %s", o.status, o.err)
	}
}
