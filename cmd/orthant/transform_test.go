package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// withModels makes a folder with the model of a roll, m.model, and 700 new
// samples of it, new.npy.
func withModels(t *testing.T, method string) string {
	t.Helper()
	dir := inFolder(t, "400")
	must(t, "embed", "--method", method, "--in", "x.npy", "--out", "y.npy", "--model", "m.model")
	must(t, "generate", "swiss-roll", "--samples", "700", "--seed", "2", "--out", "new.npy")
	return dir
}

// Whatever the formats, the coordinates are the same.
func TestTransformOfEveryFormat(t *testing.T) {
	for _, method := range []string{"ltsa", "le", "pca"} {
		withModels(t, method)
		must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "want.npy")
		want := matrix(t, "want.npy")
		x := matrix(t, "new.npy")
		for _, path := range []string{"x.csv", "x.tsv", "x.npz:a", "x.mtx", "x.mat:X", "x.parquet", "x.csv.gz", "x.npy.zst"} {
			save(t, path, x)
			for _, out := range []string{"z.npy", "z.npz", "z.csv", "z.tsv", "z.mtx", "z.mat:Y", "z.parquet", "z.npy.gz", "-"} {
				o := must(t, "transform", "--model", "m.model", "--in", path, "--out", out)
				if out == "-" {
					out = "z.npy"
					write(t, out, o.out)
				}
				if got := matrix(t, out); !mat.Equal(got, want) {
					t.Errorf("%s: from %s to %s: other coordinates", method, path, out)
				}
				if said := strings.Contains(o.err, "warning: x.mtx is read as a whole"); said != (path == "x.mtx") {
					t.Errorf("%s: %q", path, o.err)
				}
			}
		}
		must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "s.npy", "--float32")
		single := matrix(t, "s.npy")
		for p, v := range want.RawMatrix().Data {
			if single.RawMatrix().Data[p] != float64(float32(v)) {
				t.Fatalf("--float32 gives %v for %v", single.RawMatrix().Data[p], v)
			}
		}
		if a, b := read(t, "s.npy"), read(t, "want.npy"); len(a) >= len(b) {
			t.Errorf("--float32 takes %d bytes, float64 %d", len(a), len(b))
		}
	}
}

// Integers and single precision are taken as they come.
func TestTransformOfNarrowNumbers(t *testing.T) {
	inFolder(t, "")
	var rows strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rows, "%d,%d,%d\n", i%7, (i*i)%11, i/3)
	}
	write(t, "x.csv", rows.String())
	must(t, "embed", "--method", "pca", "--in", "x.csv", "--out", "y.npy", "--model", "m.model")
	x := matrix(t, "x.csv")
	raw := x.RawMatrix().Data
	header := func(descr string) string {
		text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (60, 3), }"
		text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
	}
	bytes := []byte(header("|u1"))
	single := []byte(header("<f4"))
	for _, v := range raw {
		bytes = append(bytes, byte(v))
		bits := math.Float32bits(float32(v))
		single = append(single, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	write(t, "u1.npy", string(bytes))
	write(t, "f4.npy", string(single))
	must(t, "transform", "--model", "m.model", "--in", "x.csv", "--out", "want.npy")
	for _, in := range []string{"u1.npy", "f4.npy"} {
		must(t, "transform", "--model", "m.model", "--in", in, "--out", "z.npy")
		if !mat.Equal(matrix(t, "z.npy"), matrix(t, "want.npy")) {
			t.Errorf("%s is mapped elsewhere", in)
		}
	}
}
