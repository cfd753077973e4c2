package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
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

func TestTransformReport(t *testing.T) {
	withModels(t, "neml")
	v := must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "z.npy", "--json", "--threads", "1").object(t)
	for key, want := range map[string]any{"method": "neml", "rule": "barycentric", "samples": 700.0, "features": 3.0, "dim": 2.0, "fitted_samples": 400.0,
		"model": "m.model", "out": "z.npy", "threads": 1.0} {
		if v[key] != want {
			t.Errorf("%s is %v, want %v", key, v[key], want)
		}
	}
	for _, phase := range []string{"total", "load", "read", "transform", "write"} {
		if s, ok := v["seconds"].(map[string]any)[phase].(float64); !ok || s < 0 {
			t.Errorf("seconds: %v", v["seconds"])
		}
	}
	if v["rows_per_second"].(float64) <= 0 || v["peak_rss_bytes"].(float64) <= 0 || v["cpu_seconds"].(map[string]any)["total"].(float64) <= 0 || v["backend"] == "" ||
		v["params"].(map[string]any)["neighbors"] != 12.0 || len(v["warnings"].([]any)) != 0 {
		t.Errorf("%v", v)
	}
	if v := must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--model", "p.model", "--json").object(t); v["model"] != "p.model" {
		t.Errorf("embed says of the model %v", v["model"])
	}
	o := must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "z.npy")
	for _, want := range []string{"fitted to 400 samples by orthant ", "rule barycentric", "700 samples × 3 features → 2 dimensions", "written    z.npy"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("the report does not say %q: %s", want, o.err)
		}
	}
	if o.out != "" || must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "z.npy", "-q").err != "" {
		t.Error("something was said where nothing should be")
	}
}

// Whatever the formats, the coordinates are the same.
func TestTransformOfEveryFormat(t *testing.T) {
	for _, method := range []string{"ltsa", "le", "pca"} {
		withModels(t, method)
		must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "want.npy")
		want := matrix(t, "want.npy")
		x := matrix(t, "new.npy")
		for _, path := range []string{"x.csv", "x.tsv", "x.npz:a", "x.mtx", "x.mat:X", "x.parquet", "x.csv.gz", "x.npy.zst"} {
			convert(t, x, path)
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

// convert writes a matrix in another format.
func convert(t *testing.T, x *mat.Dense, path string) {
	t.Helper()
	inv := newInvocation(streams{})
	out, err := inv.create(path)
	if err == nil {
		err = out.WriteMatrix(x, inv.writing())
	}
	if err == nil {
		err = inv.commit()
	}
	if err != nil {
		t.Fatal(err)
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

func TestTransformIsTheSameOnAnyThreads(t *testing.T) {
	withModels(t, "lle")
	must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "one.npy", "--threads", "1")
	must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "three.npy", "--threads", "3")
	if !bytes.Equal(read(t, "one.npy"), read(t, "three.npy")) {
		t.Error("threads change bits")
	}
	// A pipe gives what a file gives.
	o := orthantReading(t, bytes.NewReader(read(t, "new.npy")), "transform", "--model", "m.model", "--in", "-", "--out", "-", "-q")
	if o.status != exitDone || o.out != string(read(t, "one.npy")) {
		t.Errorf("status %d, %q, %d bytes on standard output", o.status, o.err, len(o.out))
	}
	// The model may come from a pipe as well.
	o = orthantReading(t, bytes.NewReader(read(t, "m.model")), "transform", "--model", "-", "--in", "new.npy", "--out", "-", "-q")
	if o.status != exitDone || o.out != string(read(t, "one.npy")) {
		t.Errorf("model from a pipe: status %d, %q", o.status, o.err)
	}
}

// A model alone is an output, too, and needs no coordinates.
func TestModelWithoutCoordinates(t *testing.T) {
	dir := inFolder(t, "100")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--model", "m.model")
	if got := strings.Join(names(t, dir), " "); got != "m.model t.npy x.npy" {
		t.Errorf("left %s", got)
	}
}

func TestTransformRefusesInOneLine(t *testing.T) {
	dir := withModels(t, "ltsa")
	good := read(t, "m.model")
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	other := slices.Clone(good)
	other[8] = 7
	write(t, "flipped.model", string(flipped))
	write(t, "version.model", string(other))
	write(t, "cut.model", string(good[:len(good)-1]))
	write(t, "empty.model", "")
	write(t, "two.csv", "1,2\n3,4\n")
	write(t, "nan.csv", strings.Repeat("1,2,3\n", 6000)+"1,nan,3\n")
	write(t, "far.csv", strings.Repeat("1,2,3\n", 6000)+"1,2,1e180\n")
	write(t, "word.csv", strings.Repeat("1,2,3\n", 6000)+"1,two,3\n")
	x := read(t, "new.npy")
	write(t, "truncated.npy", string(x[:len(x)-1]))
	before := strings.Join(names(t, dir), " ")
	for _, c := range []struct{ line, words string }{
		{"--in new.npy --out z.npy", "--model is missing"},
		{"--model m.model --out z.npy", "--in is missing"},
		{"--model m.model --in new.npy", "--out is missing"},
		{"--model nowhere.model --in new.npy --out z.npy", "reading nowhere.model: no such file"},
		{"--model new.npy --in new.npy --out z.npy", "reading new.npy: it is not a model of orthant"},
		{"--model flipped.model --in new.npy --out z.npy", "reading flipped.model: |checksum|damaged"},
		{"--model version.model --in new.npy --out z.npy", "version 7 of the format, written by orthant |reads versions up to 6"},
		{"--model cut.model --in new.npy --out z.npy", "truncated"},
		{"--model empty.model --in new.npy --out z.npy", "empty.model|truncated"},
		{"--model m.model --in two.csv --out z.npy", "two.csv has 2 columns where m.model was fitted to 3"},
		{"--model m.model --in nan.csv --out z.npy", "nan.csv: row 6001, column 2 (counting from 1) is NaN"},
		{"--model m.model --in far.csv --out z.npy", "ltsa: row 6001 (counting from 1) has 1e+180 in column 3"},
		{"--model m.model --in word.csv --out z.npy", `word.csv: line 6001, column 2: "two" is not a number`},
		{"--model m.model --in truncated.npy --out z.npy", "truncated.npy: the file ends after"},
		{"--model m.model --in nowhere.npy --out z.npy", "nowhere.npy"},
		{"--model m.model --in new.npy --out nowhere/z.npy", "no folder nowhere"},
		{"--model m.model --in new.npy --out z.xyz", ".xyz"},
		{"--model m.model --in new.npy --out - --json", "standard output"},
		{"--model - --in - --out z.npy", "--model and --in would both read standard input"},
		{"--model m.model --in - --out z.npy", "no standard input"},
		{"--model m.model --in new.npy --out z.npy --memory 1KiB", "the limit is 1.0 KiB"},
		{"--model m.model --in new.npy --out z.npy --memory 1MiB", "the limit is 1.0 MiB"},
		{"--modle m.model", `did you mean "--model"?`},
	} {
		o := orthant(t, append([]string{"transform"}, strings.Fields(c.line)...)...)
		if o.status != exitUsage || o.out != "" || strings.Count(o.err, "\n") != 1 {
			t.Errorf("transform %s: status %d, %q", c.line, o.status, o.err)
		}
		for _, word := range strings.Split(c.words, "|") {
			if !strings.Contains(o.err, word) {
				t.Errorf("transform %s: %q does not say %q", c.line, o.err, word)
			}
		}
		if after := strings.Join(names(t, dir), " "); after != before {
			t.Fatalf("transform %s: left %s", c.line, after)
		}
	}
}

func TestEmbedRefusesAModelItCannotWrite(t *testing.T) {
	dir := inFolder(t, "60")
	write(t, "far.csv", "0,0\n0,1\n1,0\n1,1\n50,50\n50,51\n51,50\n51,51\n")
	before := strings.Join(names(t, dir), " ")
	for _, c := range []struct{ line, words string }{
		{"--method pca --in x.npy --out y.npy --model nowhere/m.model", "creating nowhere/m.model"},
		{"--method pca --in x.npy --out m.npy --model m.npy", "same file"},
		{"--method le --in far.csv --neighbors 2 --dim 1 --set components=each --out y.npy --model m.model", "no rule for new samples with --set components=each"},
	} {
		o := orthant(t, append([]string{"embed"}, strings.Fields(c.line)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.words) {
			t.Errorf("embed %s: status %d, %q", c.line, o.status, o.err)
		}
		if after := strings.Join(names(t, dir), " "); after != before {
			t.Fatalf("embed %s: left %s", c.line, after)
		}
	}
}
