package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/cmd/internal/values"
	"github.com/orthant-go/orthant/internal/picture"
)

// Whatever the journal of a batch holds, the batch goes on with --resume and does its job,
// once, or refuses the folder in one line.
func FuzzBatchJournal(f *testing.F) {
	folder := f.TempDir()
	write := func(t testing.TB, path, text string) {
		if err := os.WriteFile(filepath.Join(folder, path), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(f, "jobs.jsonl", `{"command": "generate", "name": "helix", "samples": 3, "out": "h.npy"}`+"\n")
	run := func(t testing.TB, name string, shard string) error {
		b := &batch{invocation: newInvocation(streams{out: new(strings.Builder), err: new(strings.Builder)}), out: filepath.Join(folder, name), resume: true, workers: 1}
		b.quiet, b.progress, b.threads, b.memory = true, "never", 1, fuzzedLimit
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		b.parts.define(flags)
		if shard != "" {
			if err := flags.Set("shard", shard); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.begin(); err != nil {
			t.Fatal(err)
		}
		return b.run(t.Context(), filepath.Join(folder, "jobs.jsonl"), flags)
	}
	for name, shard := range map[string]string{"o": "", "s": "1/1"} {
		if err := run(f, name, shard); err != nil {
			f.Fatal(err)
		}
		list, err := filepath.Glob(filepath.Join(folder, name, "journal*.jsonl"))
		if err != nil || len(list) != 1 {
			f.Fatal(list, err)
		}
		text, err := os.ReadFile(list[0])
		if err != nil {
			f.Fatal(err)
		}
		for _, seed := range []string{string(text), string(text) + string(text), string(text[:len(text)/2]), string(text[:len(text)/2]) + "\n" + string(text),
			strings.ReplaceAll(string(text), `"index":0`, `"index":7`), strings.ReplaceAll(string(text), "helix", "swiss-roll"), strings.ReplaceAll(string(text), `"ok"`, `"failed"`)} {
			f.Add(seed)
		}
	}
	for _, seed := range []string{"", "\n", "{}\n", "null\n", `{"index": -1, "job": {}, "status": "ok"}` + "\n", `{"kind": "batch-shard", "shard": 1, "of": 1, "own": ["x"], "index": [99]}` + "\n"} {
		f.Add(seed)
	}
	within := heldToLimit(f)
	f.Fuzz(func(t *testing.T, text string) {
		for name, shard := range map[string]string{"o": "", "s": "1/1"} {
			journal := filepath.Join(name, batchJournal)
			if shard != "" {
				journal = filepath.Join(name, "journal.1-of-1.jsonl")
			}
			write(t, journal, text)
			_ = os.Remove(filepath.Join(folder, name, "h.npy"))
			var err error
			within(t, func() { err = run(t, name, shard) })
			if err != nil {
				if status(err) != exitUsage || strings.Contains(err.Error(), "\n") {
					t.Fatalf("status %d: %v", status(err), err)
				}
				continue
			}
			if _, err := os.Stat(filepath.Join(folder, name, "h.npy")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Lines of the journal of many runs are read or refused, and what a run has written is
// looked for, whatever it says.
func FuzzRunsJournal(f *testing.F) {
	for _, text := range []string{`{"kind": "factorize", "method": "nmf", "params": {"tolerance": 0}, "samples": 9, "features": 3, "data_sha256": "00", "seed": 1}`,
		`{"rank": 2, "run": 0, "seed": 1, "iterations": 9, "objective": null, "relative_error": 0.5, "written": [{"path": "runs/h.npy", "bytes": 3, "sha256": "0"}]}`,
		`{"rank": -1, "written": [{}]}`, `null`, `[]`, `{"written": [{"path": "/\u0000"}], "rank": 1}`} {
		f.Add([]byte(text))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, line []byte) {
		first, r := new(runsOf), new(runRecord)
		_ = readLine(line, first, func() bool { return first.Kind == "factorize" })
		if readLine(line, r, func() bool { return r.Rank > 0 && len(r.Written) > 0 }) == nil && r.stands(folder) {
			for _, w := range r.Written {
				if w.Bytes < 0 {
					t.Errorf("a file of %d bytes stands", w.Bytes)
				}
			}
		}
		var of expectations
		if json.Unmarshal(line, &of) == nil {
			for _, v := range of.Params {
				_, _ = asText(v)
			}
		}
	})
}

// Whatever a report holds, verify reads it, or refuses it in one line.
func FuzzReport(f *testing.F) {
	for _, text := range []string{"", "{}", "null", "[]", `{"method": "lle", "params": {"neighbors": 5}, "eigenvalues": [1e-9, null], "next_eigenvalue": null, "seed": 3}`, `{"method": 1}`, `{"method": "pca", "params": null}`} {
		f.Add([]byte(text))
	}
	path, within := filepath.Join(f.TempDir(), "r.json"), heldToLimit(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		v := &verification{invocation: newInvocation(streams{out: new(strings.Builder), err: new(strings.Builder)}), report: path}
		v.memory = fuzzedLimit
		var of expectations
		var err error
		within(t, func() { of, err = v.readReport() })
		if err != nil && (status(err) != exitUsage || strings.Contains(err.Error(), "\n")) || err == nil && of.Method == "" {
			t.Fatalf("%+v, %v", of, err)
		}
	})
}

// A flag prints an accepted value in a form that it accepts again as the same value; what it refuses it refuses
// in one line.
func FuzzFlags(f *testing.F) {
	for _, text := range []string{"", "auto", "5", "-1", "2:5", "5:2", "1,3:4,3", "1:9999999", ",", "4GiB", "1e30", "0.5k", "inf GB", "nan", "32x32", "0x5", "32x32,columns", "tab", ";", "\\t", "a,b,3-7", "1-", "k=v", "=v", "k="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refused := func(err error) bool {
			if err != nil && (strings.Contains(err.Error(), "\n") || err.Error() == "") {
				t.Errorf("%q: the refusal is %q", text, err)
			}
			return err != nil
		}
		for _, make := range []func() pflag.Value{
			func() pflag.Value { return new(rankRange) }, func() pflag.Value { return new(autoCount) },
			func() pflag.Value { return new(imageSize) }, func() pflag.Value { return new(character) },
			func() pflag.Value { return new(columnList) }, func() pflag.Value { return new(values.ByteSize) },
		} {
			v := make()
			if refused(v.Set(text)) {
				continue
			}
			if size, is := v.(*values.ByteSize); is && *size < 1 {
				t.Errorf("%q is %d bytes", text, *size)
			}
			again := make()
			if _, list := v.(*columnList); v.String() == "" || list {
				continue // printed nowhere
			}
			if err := again.Set(v.String()); err != nil || again.String() != v.String() {
				t.Errorf("%T: %q is printed as %q, and that as %q (%v)", v, text, v.String(), again.String(), err)
			}
		}
		var set values.Settings
		if !refused(set.Set(text)) && len(set) != 1 {
			t.Errorf("%q makes %v", text, set)
		}
		if shape, err := picture.ParseImages(text); !refused(err) && (shape.Height < 1 || shape.Width < 1) {
			t.Errorf("%q is %d × %d", text, shape.Height, shape.Width)
		}
	})
}
