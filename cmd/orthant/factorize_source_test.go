package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// countsOf is a table of small whole numbers, of three kinds of rows.
func countsOf(rows, cols int) *mat.Dense {
	x := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			if v := math.Sin(float64(3*i*j+i+7*j)) + 0.2; v > 0 || j%3 == i%3 {
				x.Set(i, j, math.Round(4*math.Abs(v)+float64(3-(i+j)%3)))
			}
		}
	}
	return x
}

// The files that can be read in any order give the same bits, and all give W and H of the
// samples, which "transform" finds again.
func TestFactorizeInBatches(t *testing.T) {
	inFolder(t, "")
	x := countsOf(300, 24)
	save(t, "x.npy", x, files.Options{})
	save(t, "x32.npy", x, files.Options{Float32: true})
	for _, path := range []string{"x.npz", "x.csv", "x.parquet", "x.mtx"} {
		save(t, path, x, files.Options{})
	}
	var first [2]*mat.Dense
	for _, method := range []string{"nmf", "nmf-kl"} {
		first = [2]*mat.Dense{}
		for _, in := range []string{"x.npy", "x32.npy", "x.npz", "x.csv", "x.parquet", "x.mtx", "-"} {
			args := []string{"factorize", "--method", method, "--set", "solver=minibatch", "--set", "batch=64", "--iterations", "8", "--rank", "4", "--in", in, "--out-w", "w.npy", "--out-h", "h.npy", "--model", "m.model", "--json"}
			stdin, err := os.Open("x.npy")
			if err != nil {
				t.Fatal(err)
			}
			o := orthantReading(t, stdin, args...)
			stdin.Close()
			if o.status != exitDone {
				t.Fatalf("%s: %v", in, o)
			}
			report := o.object(t)
			w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
			var rest mat.Dense
			rest.Mul(w, h)
			rest.Sub(x, &rest)
			if told, is := report["relative_error"].(float64), mat.Norm(&rest, 2)/mat.Norm(x, 2); math.Abs(told-is) > 1e-9 || is > 0.6 {
				t.Errorf("%s of %s: an error of %v is told to be %v", method, in, is, told)
			}
			if report["samples"] != 300.0 || report["features"] != 24.0 {
				t.Errorf("%v × %v", report["samples"], report["features"])
			}
			must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "z.npy")
			if in != "-" && !mat.Equal(matrix(t, "z.npy"), w) {
				t.Errorf("%s of %s: W is not what transform gives", method, in)
			}
			if first[0] == nil {
				first = [2]*mat.Dense{w, h}
			}
			if same := mat.Equal(first[0], w) && mat.Equal(first[1], h); !same && slices.Contains([]string{"x.npy", "x32.npy", "x.mtx", "-"}, in) {
				t.Errorf("%s of %s has other bits than of x.npy", method, in)
			}
		}
	}
}

// Compressed rows of SciPy come block after block and are never dense.
func TestFactorizeSparseInBatches(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "programmes", "--samples", "400", "--set", "dims=60", "--out", "x.npz")
	a, err := files.ReadSparse("x.npz", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	save(t, "dense.npy", a.Dense(), files.Options{})
	for _, method := range []string{"nmf", "nmf-kl"} {
		line := []string{"factorize", "--method", method, "--set", "solver=minibatch", "--set", "batch=400", "--iterations", "3", "--rank", "5", "--json"}
		sparse := must(t, append(line, "--in", "x.npz", "--out-w", "w.npy", "--out-h", "h.npy")...).object(t)
		if sparse["sparse"] != true {
			t.Error("they are not told to be sparse")
		}
		w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
		var rest mat.Dense
		rest.Mul(w, h)
		rest.Sub(a.Dense(), &rest)
		if told, is := sparse["relative_error"].(float64), mat.Norm(&rest, 2)/mat.Norm(a.Dense(), 2); math.Abs(told-is) > 1e-7 {
			t.Errorf("%s: an error of %v is told to be %v", method, is, told)
		}
	}
}

// Entries that are refused, however late, are told by row and column, and nothing is left.
func TestFactorizeInBatchesRefuses(t *testing.T) {
	dir := inFolder(t, "")
	x := countsOf(500, 10)
	for what, v := range map[string]float64{"-3": -3, "NaN": math.NaN()} {
		bad := mat.DenseCopyOf(x)
		bad.Set(417, 6, v)
		save(t, "x.npy", bad, files.Options{AllowNonFinite: true})
		for _, in := range []string{"x.npy"} {
			o := orthant(t, "factorize", "--method", "nmf", "--set", "solver=minibatch", "--set", "batch=64", "--rank", "3", "--in", in, "--out-w", "w.npy", "--out-h", "h.npy")
			if o.status != exitUsage || !strings.Contains(o.err, "row 418, column 7 (counting from 1)") || !strings.Contains(o.err, what) {
				t.Errorf("%s: %+v", what, o)
			}
		}
		if left := names(t, dir); !slices.Equal(left, []string{"x.npy"}) {
			t.Errorf("left are %v", left)
		}
	}
}
