package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/faults"
)

// Whichever call fails, a batch says so, its journal is right, and --resume ends
// with all outputs as they should be.
func TestBatchWithFaults(t *testing.T) {
	for name, how := range map[string]faults.How{"passing": faults.Passing, "short": faults.Short, "lasting": faults.Lasting} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && how != faults.Passing {
				t.Skip("takes half a minute")
			}
			inFolder(t, "40")
			write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.*", "out": "sub/y.npy", "model": "m.model"}
{"command": "transform", "model": "{out}/m.model", "in": "x.npy", "out": "z.npy"}
{"command": "generate", "name": "helix", "samples": 20, "out": "h.csv"}
`)
			outputs := []string{"sub/y.npy", "m.model", "z.npy", "h.csv"}
			must(t, "batch", "jobs.jsonl", "--out", "want", "-q")
			same := func(path string) bool {
				text, err := os.ReadFile(filepath.Join("o", path))
				return err == nil && bytes.Equal(text, read(t, filepath.Join("want", path)))
			}
			var o outcome
			failed := 0
			// First a batch from the beginning, then one that has to make an output anew.
			for _, beginning := range []bool{true, false} {
				attempts := 0
				row := faultsOf("batch → " + strings.Join(outputs, " "))
				if !beginning {
					row = faultsOf("batch --resume → m.model z.npy")
				}
				args := []string{"batch", "jobs.jsonl", "--out", "o", "--workers", "1", "--threads", "1", "-q"}
				emptied, journal := "", ""
				if !beginning {
					args, emptied, journal = append(args, "--resume"), "m.model", string(read(t, "o/"+batchJournal))
				}
				calls := faults.Every(t, how, func() {
					if beginning {
						if err := os.RemoveAll("o"); err != nil {
							t.Fatal(err)
						}
					} else {
						write(t, filepath.Join("o", emptied), "")
						write(t, filepath.Join("o", batchJournal), journal) // else it grows with every attempt
					}
					o = orthant(t, args...)
				}, func(call string) {
					row.ended(how, o.status)
					if o.status != exitDone {
						failed++
						last := o.err[strings.LastIndex(strings.TrimSuffix(o.err, "\n"), "\n")+1:]
						if o.status != exitFailed && o.status != exitUsage || !strings.HasPrefix(last, "orthant batch: ") {
							t.Errorf("status %d: %s", o.status, o.err)
						}
					}
					checkJournal(t, emptied, same)
					resumed := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t)
					if resumed["failed"] != 0.0 || resumed["skipped"].(float64)+resumed["ok"].(float64) != 3 {
						t.Errorf("%v", resumed)
					}
					for _, path := range outputs {
						if !same(path) {
							t.Errorf("%s differs", path)
						}
					}
					if left, _ := filepath.Glob("o/.*"); len(left) > 0 {
						t.Errorf("left %v", left)
					}
					if left, _ := filepath.Glob("o/sub/.*"); len(left) > 0 {
						t.Errorf("left %v", left)
					}
					if attempts++; attempts%8 > 0 {
						return
					}
					if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["skipped"] != 3.0 {
						t.Errorf("once more: %v", v)
					}
				})
				row.untouched(calls)
			}
			if failed == 0 {
				t.Error("nothing failed")
			}
		})
	}
}

// checkJournal sees that every job that the journal calls done has its outputs, but for
// one that was emptied since.
func checkJournal(t *testing.T, emptied string, same func(path string) bool) {
	t.Helper()
	if _, err := os.Stat("o/" + batchJournal); err != nil {
		return
	}
	files.JournalLines(read(t, "o/"+batchJournal), func(line []byte) error {
		r, err := readRecord(line)
		if err != nil {
			return err
		}
		for _, w := range r.Written {
			if !same(filepath.FromSlash(w.Path)) && w.Path != emptied {
				t.Errorf("job %d is done, and %s is not", r.Index, w.Path)
			}
		}
		return nil
	})
}
