package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/faults"
)

// faulty is a command and the outputs that it writes, under fault injection.
type faulty struct {
	args    string
	outputs []string
}

var faultyCommands = map[string]faulty{
	"embed":     {"embed --method pca --in x.npy --out y.npy --plot y.svg --model y.model", []string{"y.npy", "y.svg", "y.model"}},
	"factorize": {"factorize --method nmf --in p.csv --rank 2 --iterations 3 --out-w w.npy --out-h h.npz --model p.model", []string{"w.npy", "h.npz", "p.model"}},
	"transform": {"transform --model m.model --in x.csv --out z.npz", []string{"z.npz"}},       // by way of a file without a name
	"in place":  {"transform --model m.model --in x.csv --out z.npy", []string{"z.npy"}},       // its header is written last
	"packed":    {"transform --model m.model --in x.csv --out z.csv.gz", []string{"z.csv.gz"}}, // by way of a compressor
	"generate":  {"generate swiss-roll --samples 40 --out g.npy --out-params g.mat", []string{"g.npy", "g.mat"}},
	"cluster":   {"cluster --method kmeans --in x.npy --clusters 2 --out l.csv --out-embeddings parts", []string{"l.csv", "parts/index.json", "parts/cluster-000.npy", "parts/cluster-001.npy"}},

	// Every reader.
	"npz":     {"embed --method lda --dim 1 --in x.npz --labels c.npy --out y.npy", []string{"y.npy"}},
	"mat":     {"cluster --method kmeans --in x.mat --clusters 2 --out l.npy", []string{"l.npy"}},
	"mtx":     {"factorize --method nmf --in p.mtx --rank 2 --iterations 3 --out-w w.npy", []string{"w.npy"}},
	"parquet": {"select --method ds3 --count 3 --in x.parquet --out s.parquet", []string{"s.parquet"}},
	"rows":    {"transform --model m.model --in x.parquet --out z.parquet", []string{"z.parquet"}}, // a table, by rows
	"zst":     {"transform --model m.model --in x.csv.zst --out z.npy", []string{"z.npy"}},
	"gz":      {"embed --method pca --in x.mat.gz --out y.mat", []string{"y.mat"}}, // read twice
	"columns": {"transform --model m.model --in f.npy --out z.npy", []string{"z.npy"}},
	"entry":   {"transform --model m.model --in x.npz --out z.npy", []string{"z.npy"}},
}

// prepareFaults makes the inputs of the commands, and the commands' outputs as they
// should be in the folder want.
func prepareFaults(t *testing.T, c faulty) {
	t.Helper()
	inFolder(t, "40")
	for _, extension := range []string{"csv", "csv.zst", "npz", "mat", "mat.gz", "parquet"} {
		must(t, "generate", "swiss-roll", "--samples", "40", "--out", "x."+extension, "-q")
	}
	var columns []float64
	x := matrix(t, "x.npy")
	for j := range 3 {
		columns = append(columns, mat.Col(nil, j, x)...)
	}
	write(t, "f.npy", strings.Replace(npy("(40, 3)", columns...), "False", "True ", 1))
	write(t, "c.npy", npy("(40,)", slices.Repeat([]float64{0, 1}, 20)...))
	write(t, "p.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 2\n2 2 3\n3 3 1\n4 1 5\n4 2 1\n")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--model", "m.model", "-q")
	write(t, "p.csv", positive(20, 4))
	temporary := filepath.Join(t.TempDir(), "rows")
	if err := os.Mkdir(temporary, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	must(t, strings.Fields(c.args)...)
	for _, path := range c.outputs {
		to := filepath.Join("want", path)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, to); err != nil {
			t.Fatal(err)
		}
	}
}

// asBefore has the outputs hold what they did the day before; every other one was not
// there.
func (c faulty) asBefore(t *testing.T) {
	t.Helper()
	for i, path := range c.outputs {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 && filepath.Dir(path) == "." {
			write(t, path, "old")
		}
	}
	_ = os.Remove("parts")
}

// fresh returns which outputs are new. Those that are not must be as before.
func (c faulty) fresh(t *testing.T) (list []string) {
	t.Helper()
	for i, path := range c.outputs {
		text, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(text, read(t, filepath.Join("want", path))):
			list = append(list, path)
		case i%2 == 0 && filepath.Dir(path) == ".":
			if string(text) != "old" {
				t.Errorf("%s holds %d bytes (%v)", path, len(text), err)
			}
		case !os.IsNotExist(err):
			t.Errorf("%s holds %d bytes (%v) and was not there", path, len(text), err)
		}
	}
	return list
}

// leftovers lists temporary files, and files for rows.
func leftovers(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{".*.tmp-*", "*/.*.tmp-*", os.TempDir() + "/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	return list
}

// inputs are the files that the command reads.
func (c faulty) inputs() (list []string) {
	words := strings.Fields(c.args)
	for i, word := range words[1:] {
		if word == "--in" || word == "--labels" || word == "--model" && words[0] == "transform" {
			list = append(list, words[i+2])
		}
	}
	return list
}

// checkLine sees that an error is one line with the status that belongs to it, and
// names the file: an input where that was being read, else an output.
func (c faulty) checkLine(t *testing.T, o outcome) {
	t.Helper()
	want, about := exitUsage, append([]string{"parts", " mkdir .: "}, c.outputs...) // a folder above may be what fails
	switch {
	case strings.Contains(o.err, ": writing "):
		want = exitFailed
	case strings.Contains(o.err, ": reading "):
		about = c.inputs()
	case !strings.Contains(o.err, ": creating ") && !strings.Contains(o.err, "--out-embeddings: mkdir ") && !strings.Contains(o.err, "--out-embeddings: stat "):
		t.Errorf("what was being done is not said: %s", o.err)
	}
	named := slices.ContainsFunc(about, func(path string) bool { return strings.Contains(o.err, path) })
	if !strings.Contains(o.err, ": input/output error") && !strings.Contains(o.err, ": no space left on device") {
		t.Errorf("the cause is not said: %s", o.err)
	}
	if o.status != want || strings.Count(o.err, "\n") != 1 || !named || o.out != "" {
		t.Errorf("status %d, want %d: %q, %q", o.status, want, o.err, o.out)
	}
}

// Whichever call to the system fails, the outputs of a command are all as before or all
// new; but between two renames, which the line says.
func TestCommandsWithFaults(t *testing.T) {
	for name, c := range faultyCommands {
		t.Run(name, func(t *testing.T) {
			prepareFaults(t, c)
			c.withFaults(t, faults.Passing)
			c.withFaults(t, faults.Short)
		})
	}
}

// harmless reports whether a run may end well without a call: what it learns from it only
// serves to do better.
func harmless(call string) bool {
	_, call, _ = strings.Cut(call, ", ")
	what, name, _ := strings.Cut(call, " ")
	switch what {
	case "lock", "readdir", "stat", "seek":
		return true // no locks; leftovers are looked for; lengths are not known beforehand
	case "read":
		return strings.HasSuffix(name, ".gz") // whether another stream follows the whole array
	}
	return what == "remove" && strings.HasPrefix(name, "orthant-rows-")
}

// withFaults fails every call of a command once.
func (c faulty) withFaults(t *testing.T, how faults.How) {
	t.Helper()
	var o outcome
	row, apart := faultsOf(c.said()), 0
	calls := faults.Every(t, how, func() {
		c.asBefore(t)
		o = orthant(t, append(strings.Fields(c.args), "-q")...)
	}, func(call string) {
		row.ended(how, o.status)
		fresh := c.fresh(t)
		if left := leftovers(t); len(left) > 0 {
			row.left += len(left)
			t.Errorf("left %v", left)
		}
		if o.status == exitDone {
			if len(fresh) != len(c.outputs) || !harmless(call) && how == faults.Passing {
				t.Errorf("status 0, new are %v", fresh)
			}
			return
		}
		c.checkLine(t, o)
		switch {
		case len(fresh) == len(c.outputs):
			if !strings.Contains(o.err, "it is in its place, but a power failure may undo that") {
				t.Errorf("all are new: %s", o.err)
			}
		case len(fresh) > 0:
			apart++
			for _, path := range fresh {
				said, _, _ := strings.Cut(o.err, "; not: ")
				if _, said, _ = strings.Cut(said, "; already replaced: "); !strings.Contains(said, path) {
					t.Errorf("%s is new, and not said to be: %s", path, o.err)
				}
			}
		}
	})
	if fresh := c.fresh(t); o.status != exitDone || len(fresh) != len(c.outputs) || how == faults.Passing && apart != len(c.outputs)-1 {
		t.Errorf("in the end status %d, %d apart, new are %v", o.status, apart, fresh)
	}
	row.untouched(calls)
	row.apart += apart
}

// said is the command with its inputs and outputs, for the table.
func (c faulty) said() string {
	return strings.Join(slices.Concat(strings.Fields(c.args)[:1], c.inputs(), []string{"→"}, c.outputs), " ")
}

// A command that can do nothing any more from some call on leaves what a killed one
// leaves. The next one removes that.
func TestCommandsAfterAnEnd(t *testing.T) {
	for name, c := range faultyCommands {
		t.Run(name, func(t *testing.T) {
			prepareFaults(t, c)
			var o outcome
			left := 0
			faults.Every(t, faults.Lasting, func() {
				c.asBefore(t)
				o = orthant(t, append(strings.Fields(c.args), "-q")...)
			}, func(string) {
				faultsOf(c.said()).ended(faults.Lasting, o.status)
				if o.status != exitDone { // else it was the last call that failed
					c.checkLine(t, o)
				}
				left += len(leftovers(t))
				c.fresh(t)
				must(t, append(strings.Fields(c.args), "-q")...)
				if fresh := c.fresh(t); len(fresh) != len(c.outputs) {
					t.Errorf("new are %v", fresh)
				}
				found := slices.DeleteFunc(leftovers(t), func(path string) bool { return strings.Contains(path, "orthant-rows-") })
				if len(found) > 0 {
					t.Errorf("still there are %v", found)
				}
			})
			if left == 0 {
				t.Error("nothing was ever left")
			}
		})
	}
}
