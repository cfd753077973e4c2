//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// measured runs the command as a process within a limit of memory and returns its peak.
func measured(t *testing.T, dir string, limit int64, in io.Reader, args ...string) (outcome, int64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peak")
	cmd := process(t, dir, append(args, "--memory", strconv.FormatInt(limit, 10))...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &stderr
	cmd.Env = append(cmd.Env, peakFile+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := ended(t, cmd, &stderr)
	peak, err := strconv.ParseInt(string(read(t, file)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return o, peak
}

// repeated writes a text over and over, packed as the name says.
func repeated(t *testing.T, path, before, unit string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var w io.WriteCloser = f
	switch filepath.Ext(path) {
	case ".gz":
		w, _ = gzip.NewWriterLevel(f, gzip.BestSpeed)
	case ".zst":
		w, _ = zstd.NewWriter(f)
	}
	_, err = io.WriteString(w, before)
	chunk := strings.Repeat(unit, (1<<20)/len(unit))
	for size -= int64(len(before)); err == nil && size > 0; size -= int64(len(chunk)) {
		_, err = io.WriteString(w, chunk)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// Inputs that unfold without end, and lines that have none, are refused within the
// limit, in a line that names the file and the limit and says what to do.
func TestEndlessInputsStayWithinMemory(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("peaks are read from the kernel of Linux, in a test that is not short")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	const size = 220 << 20
	npy := "\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (300000000, 1), }     \n"
	for _, c := range []struct{ name, before, unit, want string }{
		{"zeros.csv.gz", "", "0,0,0,0\n", "a matrix of"},
		{"zeros.csv.zst", "", "0,0,0,0\n", "a matrix of"},
		{"line.csv.gz", "", "0", "line 1 is longer than"},
		{"line.csv", "", "0", "line 1 is longer than"},
		{"fields.csv.gz", "", "0,", "line 1 is longer than"},
		{"second.csv.gz", "1,2\n", "3,", "line 2 is longer than"},
		{"zeros.npy.gz", npy, "\x00", "the 300000000 × 1 matrix takes"},
		{"zeros.mtx.gz", "%%MatrixMarket matrix array real general\n100000000 2\n", "0\n", "the 100000000 × 2 matrix takes"},
		{"entries.mtx.gz", "%%MatrixMarket matrix coordinate real general\n1 1 100000000\n", "1 1 0\n", "matrix of 100000000 entries takes"},
		{"line.mtx.gz", "%%MatrixMarket matrix array real general\n2 2 ", "0", "line 2, which has more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			repeated(t, c.name, c.before, c.unit, size)
			defer os.Remove(c.name)
			for _, limit := range []int64{64 << 20, 200 << 20} {
				o, peak := measured(t, dir, limit, nil, "embed", "--method", "pca", "--in", c.name, "--out", "y.npy", "-q")
				t.Logf("%s: --memory %d MiB, peak %.1f MiB: %s", c.name, limit>>20, float64(peak)/(1<<20), o.err)
				checkRefused(t, o, peak, limit, "reading "+c.name, c.want, "the memory limit is", "raise it")
			}
		})
	}
}

func checkRefused(t *testing.T, o outcome, peak, limit int64, parts ...string) {
	t.Helper()
	if o.status != exitUsage || strings.Count(o.err, "\n") != 1 {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	for _, part := range parts {
		if !strings.Contains(o.err, part) {
			t.Errorf("%q lacks %q", o.err, part)
		}
	}
	if peak > limit {
		t.Errorf("the peak is %d MiB where the limit is %d MiB", peak>>20, limit>>20)
	}
}

// So are jobs, from a file and from standard input.
func TestEndlessJobsStayWithinMemory(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("peaks are read from the kernel of Linux, in a test that is not short")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	const limit = 64 << 20
	job := `{"command": "embed", "method": "lle", "in": "x.npy", "out": "y.npy"}` + "\n"
	for name, unit := range map[string]string{"jobs.jsonl": job, "line.jsonl": " ", "list.jsonl": `{"set": [1,1,1,1`} {
		repeated(t, name, "", unit, 100<<20)
		o, peak := measured(t, dir, limit, nil, "batch", name, "--out", "o")
		t.Logf("%s: peak %.1f MiB: %s", name, float64(peak)/(1<<20), o.err)
		checkRefused(t, o, peak, limit, name+" takes more than", "raise --memory")
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		o, peak = measured(t, dir, limit, f, "batch", "-", "--out", "o")
		f.Close()
		checkRefused(t, o, peak, limit, "standard input takes more than", "raise --memory")
	}
}

// What is accepted is read within the limit, too, in every format.
func TestReadingStaysWithinMemory(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("peaks are read from the kernel of Linux, in a test that is not short")
	}
	dir := inFolder(t, "")
	must(t, "generate", "gaussians", "--samples", "40000", "--set", "dims=32", "--out", "x.npy")
	write(t, "few.csv", "1\n2\n")
	m := matrix(t, "x.npy") // 9.8 MiB
	m.Apply(func(_, _ int, v float64) float64 { return math.Round(100*v) / 100 }, m)
	for _, name := range inputFormats {
		t.Run(name, func(t *testing.T) {
			save(t, name, m)
			defer os.Remove(name)
			accepted := false
			for _, limit := range []int64{programBytes + 10<<20, programBytes + 22<<20} {
				// Samples and labels that do not go together: everything is read, and nothing done.
				o, peak := measured(t, dir, limit, nil, "embed", "--method", "lda", "--in", name, "--labels", "few.csv", "--out", "y.npy", "-q")
				t.Logf("%s: --memory %d MiB, peak %.1f MiB: %s", name, limit>>20, float64(peak)/(1<<20), o.err)
				if strings.Contains(o.err, "has 2 labels") {
					accepted = true
				} else {
					checkRefused(t, o, peak, limit, "the memory limit is")
				}
				if peak > limit {
					t.Errorf("the peak is %d MiB where the limit is %d MiB", peak>>20, limit>>20)
				}
			}
			if !accepted {
				t.Error("no limit has room for it")
			}
		})
	}
}

// inputFormats are the files that hold a matrix.
var inputFormats = []string{
	"x.npy", "x.npz", "x.csv", "x.tsv", "x.mtx", "x.mat", "x.parquet",
	"x.csv.gz", "x.csv.zst", "x.npy.gz", "x.npy.zst", "x.mtx.gz", "x.mat.gz",
}
