package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

func TestSelectIsTheEnginesSelection(t *testing.T) {
	trefoils(t)
	for _, method := range methodNames("select") {
		var first []byte
		for _, threads := range []string{"1", "3"} {
			o := must(t, "select", "--method", method, "--in", "x.npy", "--count", "12", "--out", "i.npy", "--threads", threads, "--seed", "4", "--iterations", "300", "--json", "-q")
			v := o.object(t)
			for _, key := range strings.Fields("method params samples features count objective iterations converged backend threads seconds cpu_seconds peak_rss_bytes warnings duplicates details out seed cpu isa") {
				if _, ok := v[key]; !ok {
					t.Errorf("%s: no key %q", method, key)
				}
			}
			seconds := v["seconds"].(map[string]any)
			for _, phase := range []string{"read", "solve", "write", "total"} {
				if _, ok := seconds[phase].(float64); !ok {
					t.Errorf("%s: no seconds.%s", method, phase)
				}
			}
			if v["method"] != method || v["count"] != 12.0 || v["samples"] != 200.0 || v["features"] != 100.0 {
				t.Errorf("%s: %v", method, v)
			}
			objective := v["objective"].(map[string]any)
			if !(objective["last"].(float64) <= objective["first"].(float64)) {
				t.Errorf("%s: objective %v", method, objective)
			}
			if first == nil {
				first = read(t, "i.npy")
			} else if !bytes.Equal(first, read(t, "i.npy")) {
				t.Errorf("%s: threads change the indices", method)
			}
		}
		m, err := engine.New(method)
		if err != nil {
			t.Fatal(err)
		}
		if method == "ds3" {
			m = engine.DS3{Iterations: 300}
		}
		s, err := engine.Select(t.Context(), matrix(t, "x.npy"), m, engine.SelectOptions{Count: 12, Options: engine.Options{Seed: 4}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.ReadLabels("i.npy", files.Options{})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(s.Indices) {
			t.Errorf("%s: the file has %v (%v), engine.Select returns %v", method, got, err, s.Indices)
		}
	}
}

func TestSelectReports(t *testing.T) {
	trefoils(t)
	o := must(t, "select", "--method", "dpp", "--in", "x.npy", "--count", "20", "--out", "i.csv", "--neighbors", "9", "--set", "sample=exact", "--explain")
	for _, word := range []string{"neighbors=9", "sample=exact", "200 samples × 100 features", "exemplars  20: [", " …]", "objective", "written    i.csv", "before the solve about"} {
		if !strings.Contains(o.err, word) {
			t.Errorf("the report lacks %q:\n%s", word, o.err)
		}
	}
	if lines := strings.Count(string(read(t, "i.csv")), "\n"); lines != 20 {
		t.Errorf("%d lines of 20 indices", lines)
	}
	// To standard output, and nothing else there.
	o = must(t, "select", "--method", "ipm", "--in", "x.npy", "--count", "3", "--out", "-")
	if !strings.HasPrefix(o.out, "\x93NUMPY") {
		t.Errorf("standard output begins with %q", o.out[:min(len(o.out), 8)])
	}
	write(t, "flat.csv", "1,0\n2,0\n0,3\n4,4\n1,0\n")
	o = must(t, "select", "--method", "ipm", "--in", "flat.csv", "--count", "4", "--out", "i.npy")
	if !strings.Contains(o.err, "2 of the 4 exemplars are the samples farthest from the others: 2 span all samples") || !strings.Contains(o.err, "1 samples equal an earlier one") {
		t.Errorf("what is filled up is not told: %q", o.err)
	}
	o = must(t, "select", "--method", "ipm", "--in", "x.npy", "--count", "2", "--out", "i.npy", "--neighbors", "3", "--iterations", "5", "--set", "landmarks=7")
	for _, word := range []string{"ipm has no neighbourhoods", "ipm is not iterative", "landmarks does nothing to a selection"} {
		if !strings.Contains(o.err, word) {
			t.Errorf("the warnings lack %q: %q", word, o.err)
		}
	}
	o = must(t, "select", "--method", "esc-ffs", "--in", "x.npy", "--count", "2", "--out", "i.npy", "--set", "t=4")
	if !strings.Contains(o.err, "t is about clusterings") {
		t.Errorf("t is taken without a word: %q", o.err)
	}
}

func TestSelectRefuses(t *testing.T) {
	trefoils(t)
	write(t, "one.csv", "1,2\n")
	write(t, "gap.csv", "1,2\n3,nan\n5,6\n")
	write(t, "zeros.csv", "0,0\n0,0\n0,0\n")
	for line, want := range map[string]string{
		"--method dpp --in x.npy --out i.npy":                                             "--count is missing",
		"--method dpp --in x.npy --out i.npy --count 0":                                   "--count is 0; give a whole number ≥ 1",
		"--method dpp --in x.npy --out i.npy --count few":                                 "--count is \"few\"; give a whole number",
		"--method dpp --in x.npy --out i.npy --count 201":                                 "201 exemplars asked of 200 samples; give a number from 1 to 200",
		"--method dpp --in x.npy --count 2":                                               "--out is missing",
		"--method dpp --out i.npy --count 2":                                              "--in is missing",
		"--in x.npy --out i.npy --count 2":                                                "--method is missing; the methods are ds3, dpp, ipm, esc-ffs",
		"--method pca --in x.npy --out i.npy --count 2":                                   `pca does not select; it is a method of "orthant embed"`,
		"--method esc-fss --in x.npy --out i.npy --count 2":                               `did you mean "esc-ffs"?`,
		"--method esc-ffs --in x.npy --out i.npy --count 2 --set misfit_cost=1":           "misfit_cost is 1; give a number > 1",
		"--method esc-ffs --in zeros.csv --out i.npy --count 2":                           "all samples are zeros",
		"--method dpp --in x.npy --out i.npy --count 2 --neighbors 200":                   "200 neighbours asked of 200 samples; give a number from 1 to 199",
		"--method dpp --in x.npy --out i.npy --count 2 --set sample=exact negative=keep":  "unexpected argument",
		"--method dpp --in x.npy --out i.npy --count 2 --set sampel=exact":                `did you mean "sample"?`,
		"--method ipm --in one.csv --out i.npy --count 1":                                 "give at least 2 samples",
		"--method ipm --in gap.csv --out i.npy --count 1":                                 "row 2, column 2 (counting from 1) is NaN",
		"--method ds3 --in x.npy --out i.npy --count 2 --memory 180000":                   "the program alone takes",
		"--method ds3 --in x.npy --out - --count 2 --json":                                "give the output a file",
		"--method ds3 --in x.npy --out i.npy --count 2 --iterations 5 --set iterations=6": "contradict each other",
	} {
		o := orthant(t, append([]string{"select"}, strings.Fields(line)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want %q", line, o.status, o.err, want)
		}
		if _, err := os.Stat("i.npy"); err == nil {
			t.Fatalf("%s: a refused run leaves an output", line)
		}
	}
}

func TestSelectStatusOfLimits(t *testing.T) {
	inFolder(t, "60")
	// A tolerance that this form does not reach before the default limit.
	o := orthant(t, "select", "--method", "ds3", "--in", "x.npy", "--count", "5", "--out", "i.npy", "--set", "form=regularised", "--tolerance", "1e-300", "-q")
	if o.status != exitNotConverged || !strings.Contains(o.err, "no convergence in 3000 iterations") {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	if got, err := files.ReadLabels("i.npy", files.Options{}); err != nil || len(got) != 5 {
		t.Errorf("the best exemplars are not written: %v (%v)", got, err)
	}
	v := must(t, "select", "--method", "ds3", "--in", "x.npy", "--count", "5", "--out", "i.npy", "--iterations", "7", "--json", "-q").object(t)
	if v["converged"] != false || v["iterations"] != 7.0 {
		t.Errorf("converged %v after %v iterations", v["converged"], v["iterations"])
	}
}
