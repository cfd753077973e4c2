package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// writeRelease makes the files of this version.
func writeRelease(t *testing.T, folder string) {
	if _, err := os.Stat(folder); err == nil {
		t.Fatalf("%s is there: what a release wrote is never written anew", folder)
	}
	t.Chdir(t.TempDir())
	for line := range strings.Lines(`generate swiss-roll --samples 60 --set params=isometric --out x.csv --out-params params.csv
generate swiss-roll --samples 6 --seed 2 --out more.csv
generate gaussians --samples 40 --set dims=4 --set clusters=2 --out counts.npy --out-labels labels.csv
`) {
		must(t, append(strings.Fields(line), "--quiet")...)
	}
	counts := matrix(t, "counts.npy")
	counts.Apply(func(_, _ int, v float64) float64 { return math.Round(8 * math.Abs(v)) }, counts)
	var sparse strings.Builder
	sparse.WriteString("%%MatrixMarket matrix coordinate real general\n40 40 80\n")
	for i := range 40 {
		for _, j := range []int{i, (i + 1) % 40} {
			sparse.WriteString(plainly(t, i+1) + " " + plainly(t, j+1) + " " + plainly(t, 1+i%3) + "\n")
		}
	}
	write(t, "sparse.mtx", sparse.String())
	for name, m := range map[string]mat.Matrix{"counts.csv": counts, "counts-more.csv": counts.Slice(0, 6, 0, 4)} {
		var text strings.Builder
		n, d := m.Dims()
		for i := range n {
			for j := range d {
				text.WriteString(plainly(t, m.At(i, j)) + map[bool]string{true: "\n", false: ","}[j == d-1])
			}
		}
		write(t, name, text.String())
	}
	large := regexp.MustCompile(`(?m)(,|$)`).ReplaceAllString(strings.TrimSpace(string(read(t, "x.csv"))), "e120$1")
	write(t, "large.csv", large+"\n")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.csv", "out": "pca.csv"}
{"command": "embed", "method": "lle", "neighbors": 8, "in": "x.csv", "out": "lle.npy"}
{"command": "factorize", "method": "nmf", "rank": 2, "in": "counts.csv", "out-w": "w.npy", "out-h": "h.npy"}
`)
	must(t, "embed", "--method", "pca", "--in", "x.csv", "--out", "y.csv", "--quiet")
	sameTime(t, ".")
	data := []string{"x.csv", "y.csv", "more.csv", "counts.csv", "counts-more.csv", "large.csv", "sparse.mtx", "jobs.jsonl", "params.csv"}
	keep := func(part string, names ...string) {
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(folder, part, name)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if info.IsDir() {
				err = os.CopyFS(to, os.DirFS(name))
			} else {
				err = os.WriteFile(to, read(t, name), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	keep("data", data...)
	for _, f := range fits {
		args := append(strings.Fields(f.fit), "--model", f.name+".model", "--quiet")
		switch args[0] {
		case "embed":
			args = append(args, "--out", "fitted.npy")
		case "cluster":
			args = append(args, "--out", "found.npy")
		case "factorize":
			args = append(args, "--out-w", "w.npy")
		}
		if o := orthant(t, args...); o.status != exitDone && o.status != exitNotConverged {
			t.Fatalf("%s: %s", f.name, o.err)
		}
		must(t, "transform", "--model", f.name+".model", "--in", f.more, "--out", f.name+".csv", "--quiet")
		keep("models", f.name+".model", f.name+".csv")
	}
	kept := map[string]bool{}
	for _, j := range journaled {
		must(t, append(strings.Fields(j.command), "--quiet")...)
		kept[j.folder] = true
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	modified := regexp.MustCompile(`"modified":"[^"]*"`)
	inJournals(t, func(text string) string {
		return modified.ReplaceAllString(strings.ReplaceAll(text, jsonOf(t, here), anyFolder), `"modified":"`+releaseTime.Format(time.RFC3339Nano)+`"`)
	})
	for name := range kept {
		keep("journals", name)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(filepath.Join(folder, "data"))); err != nil {
		t.Fatal(err)
	}
	prepared(t)
	for _, line := range printing {
		name, command, _ := strings.Cut(line, ": ")
		o := orthant(t, append(strings.Fields(command), "--json", "--quiet")...)
		if name == "embed" { // that which is verified
			o = must(t, "embed", "--method", "pca", "--in", "x.csv", "--out", "y.csv", "--json", "--quiet")
		}
		if name == "bench-list" { // which is long
			o.out = regexp.MustCompile(`(?s)^(\{"suites":\[\{.*?"cases":\[\{.*?\}),\{.*?(\],"claims":\[.*?\]\}).*$`).ReplaceAllString(o.out, "$1$2]}\n")
		}
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := io.WriteString(z, o.out); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		write(t, name+".json.gz", packed.String())
		keep("json", name+".json.gz")
	}
}

func plainly(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
