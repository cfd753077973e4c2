package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/powerloss"
)

// Whenever the power goes, a job that the journal calls done has its outputs, and
// --resume ends with all of them as they should be.
func TestBatchThroughLossOfPower(t *testing.T) {
	inFolder(t, "40")
	jobs := filepath.Join(t.TempDir(), "jobs.jsonl")
	write(t, jobs, `{"command": "embed", "method": "pca", "in": "x.npy", "out": "sub/y.npy", "model": "m.model"}
{"command": "transform", "model": "{out}/m.model", "in": "x.npy", "out": "z.npy"}
{"command": "generate", "name": "helix", "samples": 20, "out": "h.csv"}
`)
	outputs := []string{"sub/y.npy", "m.model", "z.npy", "h.csv"}
	want := t.TempDir()
	must(t, "batch", jobs, "--out", want, "-q")
	same := func(path string) bool {
		text, err := os.ReadFile(filepath.Join("o", path))
		return err == nil && bytes.Equal(text, read(t, filepath.Join(want, path)))
	}
	args := []string{"batch", jobs, "--out", "o", "--workers", "1", "--threads", "1", "-q"}
	for _, beginning := range []bool{true, false} {
		if !beginning { // a batch that has to make an output anew
			if err := os.RemoveAll("o"); err != nil {
				t.Fatal(err)
			}
			must(t, args...)
			write(t, "o/m.model", "")
			args = append(args, "--resume")
		}
		r := powerloss.Record(t, ".", func(mark func(string)) {
			must(t, args...)
			mark("done")
		})
		states, redone, kept := 0, 0, 0
		for s := range r.States() {
			s.Put(t)
			if states++; testing.Short() && states%10 > 0 {
				continue
			}
			emptied := ""
			if !beginning && len(s.Marks) == 0 {
				emptied = "m.model"
			}
			checkJournal(t, emptied, same)
			for _, path := range outputs {
				if _, err := os.Stat(filepath.Join("o", path)); !same(path) && (err == nil && path != emptied || len(s.Marks) > 0) {
					t.Errorf("%s is not as it should be (%v)", path, err)
				}
			}
			o := orthant(t, "batch", jobs, "--out", "o", "--resume", "--json")
			if o.status != exitDone {
				t.Fatalf("%s: status %d, %s", s.Name, o.status, o.err)
			}
			v := o.object(t)
			if v["failed"] != 0.0 || v["skipped"].(float64)+v["ok"].(float64) != 3 {
				t.Errorf("%v", v)
			}
			skipped := v["skipped"].(float64)
			if skipped < 3 {
				redone++
			}
			if skipped > 0 {
				kept++
			}
			// The times of files that are put there again are others, and one job reads such a file.
			if len(s.Marks) > 0 && skipped < 2 {
				t.Errorf("only %v jobs are known to be done", skipped)
			}
			for _, path := range outputs {
				if !same(path) {
					t.Errorf("%s differs after --resume", path)
				}
			}
			for _, pattern := range []string{"o/.*", "o/sub/.*"} {
				if left, _ := filepath.Glob(pattern); len(left) > 0 {
					t.Errorf("left %v", left)
				}
			}
			if t.Failed() {
				t.Fatal(s.Name)
			}
		}
		if redone == 0 || kept == 0 {
			t.Errorf("something was lost in %d of %d states and something kept in %d", redone, states, kept)
		}
		row := faultsOf("batch → " + strings.Join(outputs, " "))
		if !beginning {
			row = faultsOf("batch --resume → m.model z.npy")
		}
		row.states = states
	}
}

// Whenever the power goes, each output of a command is as it was or new and whole, and all
// are new once the command has said so.
func TestCommandsThroughLossOfPower(t *testing.T) {
	for _, name := range []string{"embed", "factorize", "generate", "cluster", "in place"} {
		t.Run(name, func(t *testing.T) {
			c := faultyCommands[name]
			prepareFaults(t, c)
			c.asBefore(t)
			r := powerloss.Record(t, ".", func(mark func(string)) {
				must(t, append(strings.Fields(c.args), "-q")...)
				mark("done")
			})
			states, apart := 0, 0
			for s := range r.States() {
				s.Put(t)
				states++
				fresh := c.fresh(t)
				if n := len(fresh); n < len(c.outputs) && len(s.Marks) > 0 {
					t.Errorf("new are only %v", fresh)
				} else if n > 0 && n < len(c.outputs) {
					apart++
				}
				if t.Failed() {
					t.Fatal(s.Name)
				}
			}
			if apart == 0 && len(c.outputs) > 1 || states < 5 {
				t.Errorf("%d states, %d between two renames", states, apart)
			}
			faultsOf(c.said()).states = states
		})
	}
}
