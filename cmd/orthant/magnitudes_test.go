package main

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// sized writes FILE, the samples of x.npy times 2^e.
func sized(t *testing.T, file string, e int) {
	t.Helper()
	x := matrix(t, "x.npy")
	var values []float64
	for _, v := range mat.DenseCopyOf(x).RawMatrix().Data {
		values = append(values, math.Ldexp(v, e))
	}
	write(t, file, npy("(60, 3)", values...))
}

// Entries of any size are embedded, or refused with status 2 by the entry.
func TestSizesOfEntries(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "generate", "gaussians", "--samples", "60", "--set", "dims=3", "--out", "x.npy", "--out-labels", "l.npy")
	sized(t, "small.npy", -1000)
	sized(t, "low.npy", -400)
	sized(t, "high.npy", 400)
	sized(t, "large.npy", 900)
	for _, method := range []string{"pca", "lle"} {
		must(t, "embed", "--method", method, "--in", "x.npy", "--out", "y.npy", "--model", "m.model")
		want := matrix(t, "y.npy")
		power := map[string]int{"pca": 1}[method]
		for file, e := range map[string]int{"small.npy": -1000, "low.npy": -400, "high.npy": 400, "large.npy": 900} {
			o := orthant(t, "embed", "--method", method, "--in", file, "--out", "z.npy", "--model", "z.model", "--json")
			if method == "pca" && (e == -1000 || e == 900) {
				remedy := map[int]string{-1000: "; multiply the data by 1e", 900: "; divide the data by 1e27"}[e]
				if o.status != 2 || !strings.Contains(o.err, ", the largest entry, where eigenvalues would be beyond the range of numbers"+remedy) || strings.Count(o.err, "\n") != 1 {
					t.Errorf("%s of %s: status %d, %s", method, file, o.status, o.err)
				}
				continue
			}
			if o.status != 0 {
				t.Fatalf("%s of %s: status %d, %s", method, file, o.status, o.err)
			}
			must(t, "transform", "--model", "z.model", "--in", file, "--out", "again.npy")
			must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "mapped.npy")
			got, again, mapped := matrix(t, "z.npy"), matrix(t, "again.npy"), matrix(t, "mapped.npy")
			for i := range 60 {
				for j := range 2 {
					if got.At(i, j) != math.Ldexp(want.At(i, j), power*e) || again.At(i, j) != math.Ldexp(mapped.At(i, j), power*e) {
						t.Fatalf("%s of %s: row %d differs", method, file, i)
					}
				}
			}
		}
	}
	// Distances and measures.
	must(t, "neighbors", "--in", "x.npy", "-k", "5", "--out-indices", "i.npy", "--out-distances", "d.npy")
	for _, metric := range []string{"intrinsic-dimension --in ", "bad-neighbors --labels l.npy --in ", "trustworthiness --embedding x.npy --in ", "mrre --embedding x.npy --in ", "lcmc --embedding x.npy --in ", "nalac --embedding x.npy --in ", "nn-error --labels l.npy --embedding "} {
		want := must(t, strings.Fields("evaluate --metric "+metric+"x.npy")...).out
		for file, e := range map[string]int{"small.npy": -1000, "large.npy": 900} {
			if got := must(t, strings.Fields("evaluate --metric "+metric+file)...).out; got != want {
				t.Errorf("%s of %s is %q, not %q", metric, file, got, want)
			}
			must(t, "neighbors", "--in", file, "-k", "5", "--out-indices", "ii.npy", "--out-distances", "dd.npy")
			d, dd := matrix(t, "d.npy"), matrix(t, "dd.npy")
			if string(read(t, "i.npy")) != string(read(t, "ii.npy")) || dd.At(7, 3) != math.Ldexp(d.At(7, 3), e) {
				t.Errorf("%s has other neighbours", file)
			}
		}
	}
	// Distances that no number holds.
	write(t, "far.csv", "1.7e308,0\n-1.7e308,0\n")
	if o := orthant(t, "neighbors", "--in", "far.csv", "-k", "1", "--out-distances", "d.npy"); o.status != 2 || !strings.Contains(o.err, "row 1, column 1 (counting from 1) is 1.7e+308, the largest entry") {
		t.Errorf("status %d, %s", o.status, o.err)
	}
}
