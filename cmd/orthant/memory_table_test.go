//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
)

// MemoryTable asks for the table of make memory: every method at a size at which it takes
// more than 200 MiB. Without it the sizes are a tenth of that.
const memoryTable = "ORTHANT_MEMORY_TABLE"

// memoryCase is a run of a method on generated data of n samples.
type memoryCase struct {
	method, set string
	n, m        int // m = 3: a swiss roll
	more        string
}

// memoryCases are all methods; the data are made for the table.
var memoryCases = []memoryCase{
	{"pca", "", 60000, 300, ""}, {"mds", "", 60000, 300, ""}, {"lda", "", 60000, 300, "--labels {labels}"},
	{"lle", "", 60000, 3, "--neighbors 16"}, {"mlle", "", 60000, 3, "--neighbors 16"}, {"ltsa", "", 60000, 3, "--neighbors 16"},
	{"ltsa-curvature", "", 60000, 3, "--neighbors 16"}, {"hlle", "", 60000, 3, "--neighbors 16"}, {"neml", "", 60000, 3, "--neighbors 16"},
	{"le", "", 110000, 3, "--neighbors 20"}, {"diffusion-maps", "", 110000, 3, "--neighbors 20"}, {"spectral", "", 150000, 3, "--clusters 4"},
	{"lnp", "", 240000, 3, ""}, {"smce", "", 220000, 3, "--neighbors 30"}, {"umap", "epochs=3,init=pca", 200000, 3, ""}, {"tsne", "iterations=3", 60000, 3, ""}, {"pacmap", "iterations=9", 90000, 3, ""}, {"isomap", "", 8500, 3, ""},
	{"npp", "", 60000, 60, ""}, {"onpp", "", 60000, 60, ""}, {"lpp", "", 90000, 60, ""}, {"olpp", "", 90000, 60, ""}, {"olpp-cai", "", 90000, 60, ""},
	{"nmms", "iterations=3", 5500, 3, ""}, {"nlle", "iterations=3", 80000, 3, "--neighbors 16"}, {"nle", "iterations=3", 110000, 3, "--neighbors 20"},
	{"npca", "iterations=3", 60000, 300, ""}, {"nonpp", "iterations=3", 60000, 60, ""}, {"nolpp", "iterations=3", 90000, 60, ""},
	{"kmeans", "iterations=3", 60000, 500, "--clusters 8"},
	{"nmf", "iterations=3", 30000, 1000, ""}, {"nmf-kl", "iterations=3", 30000, 1000, ""},
	{"nmf-beta", "iterations=3", 30000, 1000, ""},
	{"nmf", "iterations=1,solver=minibatch,batch=9000", 30000, 1000, ""}, {"nmf-kl", "iterations=1,solver=minibatch,batch=9000", 12000, 1000, ""}, {"l21-nmf", "iterations=3", 30000, 1000, ""},
	{"gnmf", "iterations=3", 12000, 1000, ""}, {"cim-nmf", "iterations=3", 14000, 1000, ""}, {"cim-gnmf", "iterations=3", 12000, 1000, ""},
	{"gs-gnmf", "iterations=3", 8000, 800, "--neighbors 60"}, {"dsmf", "iterations=3", 12000, 1000, ""}, {"npaf", "iterations=3", 12000, 1000, ""},
	{"lp-rna", "iterations=2,p=30", 9000, 800, ""}, {"ndla", "iterations=3", 2600, 400, "--labels {labels}"}, {"sp-rna", "iterations=3", 2600, 400, "--labels {labels}"},
	{"rmnmf", "iterations=3", 11000, 600, ""}, {"amrmf", "iterations=3", 4500, 500, ""}, {"apmf", "iterations=3", 9000, 600, ""},
	{"smrmf", "iterations=3,start_steps=3", 5600, 500, ""}, {"smrmf-euc", "iterations=3,start_steps=3", 5600, 500, ""},
	{"f-smrmf", "iterations=3", 5600, 500, ""}, {"smrmf-ns", "iterations=3", 5600, 500, ""},
	{"ds3", "iterations=3", 3400, 100, ""}, {"dpp", "", 2600, 60, ""}, {"ipm", "", 11000, 1000, ""}, {"esc-ffs", "", 14000, 1000, ""},
	{"smacof", "iterations=3", 6000, 3, ""}, {"hdbscan", "", 400000, 3, ""}, {"leiden", "runs=1", 150000, 3, ""},
}

// What --memory accepts, the process keeps within: at its own estimate every method is
// accepted, takes no more, and not much less. Without "make memory" a third of the methods is tried.
func TestMemoryIsAPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every method as a process")
	}
	whole := os.Getenv(memoryTable) != ""
	inFolder(t, "")
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tsamples\tcolumns\testimate MiB\tpeak MiB\testimate/peak\t")
	tried := map[string]bool{}
	for i, c := range memoryCases {
		tried[c.method] = true
		if !whole && i%3 > 0 {
			continue // what is live of every method is measured in package engine
		}
		t.Run(c.method, func(t *testing.T) {
			if !whole {
				c.n = max(c.n/10, min(c.n, 600))
			}
			line := c.line(t)
			free := peakAndEstimate(t, line)
			within := peakAndEstimate(t, append(line, "--memory", strconv.FormatInt(free.Estimate, 10)))
			fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%.1f\t%.2f\t\n", c.method, c.n, c.m, mebi(free.Estimate), mebi(within.Peak), float64(free.Estimate)/float64(within.Peak))
			if within.Peak > free.Estimate || free.Estimate > 3*within.Peak/2+20<<20 {
				t.Errorf("a peak of %.1f MiB where %.1f were estimated", mebi(within.Peak), mebi(free.Estimate))
			}
			if whole && within.Peak < 200<<20 {
				t.Errorf("a peak of %.1f MiB says little", mebi(within.Peak))
			}
		})
	}
	for _, e := range engine.Methods() {
		if !tried[e.Name] {
			t.Errorf("%s is not tried", e.Name)
		}
	}
	w.Flush()
	t.Logf("\n%s", &table)
}

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// line makes the data and returns the command's arguments.
func (c memoryCase) line(t *testing.T) []string {
	t.Helper()
	x, labels := fmt.Sprintf("x%d.npy", c.m), fmt.Sprintf("l%d.csv", c.m)
	name, set := "gaussians", map[string]string{"dims": strconv.Itoa(c.m), "clusters": "8"}
	if c.m == 3 {
		name, set = "swiss-roll", nil
	}
	d, err := datasets.Generate(name, c.n, 1, set)
	if err != nil {
		t.Fatal(err)
	}
	raw := d.X.RawMatrix().Data
	if name == "gaussians" { // nonnegative
		for i, v := range raw {
			raw[i] = max(v, -v)
		}
	}
	save(t, x, d.X)
	var of strings.Builder
	for i := range c.n {
		fmt.Fprintln(&of, i%8)
	}
	write(t, labels, of.String())
	var e engine.Entry
	for _, known := range engine.Methods() {
		if known.Name == c.method {
			e = known
		}
	}
	line := []string{e.Tasks[len(e.Tasks)-1], "--method", c.method, "--in", x, "--json", "--threads", "2"}
	switch line[0] {
	case "embed":
		if line = append(line, "--out", "y.npy"); c.m == 3 {
			line = append(line, "--set", "components=largest")
		} else {
			line = append(line, "--set", "components=joint")
		}
	case "factorize":
		line = append(line, "--rank", "10", "--out-w", "w.npy", "--out-h", "h.npy")
	case "cluster":
		line = append(line, "--out", "y.npy")
		if m, err := engine.New(c.method); err != nil {
			t.Fatal(err)
		} else if !strings.Contains(c.more, "--clusters") && !engine.FindsClusters(m) {
			line = append(line, "--clusters", "8")
		}
	case "select":
		line = append(line, "--count", "10", "--out", "i.npy")
	}
	for _, s := range strings.FieldsFunc(c.set, func(r rune) bool { return r == ',' }) {
		line = append(line, "--set", s)
	}
	return append(line, strings.Fields(strings.ReplaceAll(c.more, "{labels}", labels))...)
}

// reckoning is what --json reports of memory.
type reckoning struct {
	Peak     int64 `json:"peak_rss_bytes"`
	Estimate int64 `json:"memory_estimate_bytes"`
}

// peakAndEstimate runs the command as a process.
func peakAndEstimate(t *testing.T, line []string) reckoning {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd := process(t, dir, line...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if binary := os.Getenv("ORTHANT_MEMORY_BINARY"); binary != "" { // as it is shipped
		cmd = exec.Command(binary, line...)
		cmd.Dir, cmd.Stderr = dir, &stderr
	}
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != exitNotConverged {
		t.Fatalf("orthant %s: %v, %s", strings.Join(line, " "), err, &stderr)
	}
	var r reckoning
	if err := json.Unmarshal(out, &r); err != nil || r.Peak == 0 || r.Estimate == 0 {
		t.Fatalf("orthant %s: %v in %s", filepath.Base(cmd.Path), err, out)
	}
	return r
}

// A process keeps within its limit, which is a part of its data.
func TestFactorizeInBatchesWithinMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes")
	}
	inFolder(t, "")
	const rows, cols = 60_000, 400 // 183 MiB
	out, err := files.Create("x.npy", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := out.Rows(rows, cols, files.Options{})
	part := countsOf(600, cols)
	for at := 0; at < rows && err == nil; at += 600 {
		err = w.Write(part)
	}
	if err == nil {
		if err = w.Close(); err == nil {
			err = out.Commit()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	line := []string{"factorize", "--method", "nmf", "--set", "solver=minibatch", "--iterations", "1", "--rank", "10", "--in", "x.npy", "--out-w", "w.npy", "--out-h", "h.npy", "--json", "--quiet"}
	free := peakAndEstimate(t, line)
	within := peakAndEstimate(t, append(line, "--memory", strconv.FormatInt(free.Estimate, 10)))
	if within.Peak > free.Estimate || free.Estimate > 8*rows*cols/2 {
		t.Errorf("a peak of %.1f MiB where %.1f were estimated, of data of %.1f", mebi(within.Peak), mebi(free.Estimate), mebi(8*rows*cols))
	}
}
