//go:build bench

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
)

// benchRecords reads what a run recorded.
func benchRecords(t *testing.T, folder string) []*bench.Record {
	t.Helper()
	list, err := bench.ReadRecords(filepath.Join(folder, bench.RecordsFile))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBenchList(t *testing.T) {
	withoutData(t)
	text := must(t, "bench", "list", "--cases").out
	listed := must(t, "bench", "list", "--json").object(t)["suites"].([]any)
	if len(listed) != len(suites.All()) || len(listed) == 0 {
		t.Fatalf("%d suites, there are %d", len(listed), len(suites.All()))
	}
	for _, one := range listed {
		s := one.(map[string]any)
		for _, c := range s["cases"].([]any) {
			if name := s["name"].(string) + "/" + c.(map[string]any)["name"].(string); !strings.Contains(text, name) {
				t.Errorf("bench list --cases lacks %s", name)
			}
		}
	}
}

// TestBenchData lists the sets with and without a folder of them.
func TestBenchData(t *testing.T) {
	withoutData(t)
	o := must(t, "bench", "data").out
	if !strings.Contains(o, "data folder: there is none") || strings.Count(o, "not found: ") != len(bench.UserSets())-1 { // WDBC comes with the program
		t.Errorf("without a folder: %s", o)
	}
	must(t, "generate", "gaussians", "--samples", "40", "--set", "dims=1024", "--out", "extended-yale-b.X.npy", "--out-labels", "extended-yale-b.y.npy")
	must(t, "generate", "gaussians", "--samples", "476", "--set", "dims=166", "--set", "clusters=2", "--out", "musk1.X.npy", "--out-labels", "musk1.y.npy")
	for _, one := range must(t, "bench", "data", "--data", ".", "--json").object(t)["sets"].([]any) {
		s := one.(map[string]any)
		if want := s["name"] == "yaleb32" || s["name"] == "musk1" || s["name"] == "wdbc"; s["found"] != want || s["licence"] == "" || s["source"] == "" || len(s["suites"].([]any)) == 0 {
			t.Errorf("%v", s)
		}
	}
}

// TestBenchRun measures cases in this process, in a fresh one and as a whole
// command, keeps them, and leaves out what is not there.
func TestBenchRun(t *testing.T) {
	withoutData(t)
	t.Setenv(runAsCommand, "1") // for the processes of the cases
	cases := []string{"timing/neml/swiss-roll-hole/lle", "peers/swiss-roll-2000/pca/orthant", "peers/swiss-roll-2000/pca/command", "timing/neml/faces/lle"}
	args := append([]string{"bench", "run", "--quick", "--out", "r", "--json"}, cases...)
	o := must(t, args...)
	if v := o.object(t); v["cases"] != 4.0 || v["measured"] != 3.0 || len(v["missing"].([]any)) != 1 || !strings.Contains(o.err, "swiss-roll-hole/lle  5/5") {
		t.Errorf("%v\n%s", v, o.err)
	}
	list := benchRecords(t, "r")
	if len(list) != 4 {
		t.Fatalf("%d records", len(list))
	}
	for _, r := range list {
		if want := r.Suite + "/" + r.Case; !slices.Contains(cases, want) || !strings.HasPrefix(r.Command, "orthant-bench run "+want+" ") {
			t.Errorf("%s is measured by %s", want, r.Command)
		}
		switch {
		case r.Case == "neml/faces/lle":
			if !strings.Contains(r.Missing, "isomap-faces32.X.npy") || !strings.Contains(r.Missing, "--data") {
				t.Errorf("missing %q", r.Missing)
			}
		case r.CPUSeconds["total"].Median <= 0 || r.Version == "" || r.ISA == "" || r.Samples == 0:
			t.Errorf("%+v", r)
		case r.Suite == "peers" && (r.Quality["dev"].Median <= 0 || r.PeakBytes < 1<<20):
			t.Errorf("%s: quality %v, peak %d", r.Case, r.Quality, r.PeakBytes)
		}
	}
	if v := must(t, args...).object(t); v["kept"] != 3.0 || v["measured"] != 0.0 {
		t.Errorf("the second time %v", v)
	}
	if v := must(t, append(args, "--again")...).object(t); v["kept"] != 0.0 || v["measured"] != 3.0 {
		t.Errorf("--again: %v", v)
	}
}

func TestDataFolderOfBench(t *testing.T) {
	dir := withoutData(t)
	for _, folder := range []string{"repo/sub", "shared/data", "given"} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "repo/go.mod", "module x\n")
	inv := newInvocation(streams{err: os.Stderr})
	inv.quiet = true
	folder := func(s environment) string {
		t.Helper()
		e, err := s.env(inv)
		if err != nil {
			t.Fatal(err)
		}
		return e.Data
	}
	given := environment{data: filepath.Join(dir, "given")}
	t.Chdir("repo/sub")
	if got := folder(environment{}); got != filepath.Join(dir, "shared", "data") {
		t.Errorf("next to the repository: %q", got)
	}
	if got := folder(given); got != given.data {
		t.Errorf("--data: %q", got)
	}
	t.Setenv("ORTHANT_DATA", filepath.Join(dir, "shared", "data"))
	if got := folder(given); got == given.data || len(inv.warnings) != 1 {
		t.Errorf("ORTHANT_DATA and --data: %q, warnings %v", got, inv.warnings)
	}
}

func init() {
	madeData["results"] = func(t *testing.T, a []string) { recordsOf(t, a[0], floats(a[1:])...) } // FOLDER SECONDS…
}

// recordsOf fills a folder as a run of the suite backends would, with a case that
// took this many seconds.
func recordsOf(t *testing.T, dir string, seconds ...float64) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s := map[string]bench.Statistics{"total": {Median: seconds[len(seconds)/2], Values: seconds}}
	var text []byte
	for _, r := range []bench.Record{
		{Suite: "backends", Case: "gemm/n=64/native", Command: "orthant-bench run backends/gemm/n=64/native", Threads: 1, CPUSeconds: s, Seconds: s,
			Quality: map[string]bench.Statistics{"gflops": {Median: 12.5}, "residual": {Median: 1e-15}}, Accuracy: []bench.Accuracy{bench.Reported("residual")}},
		{Suite: "backends", Case: "gemm/n=64/openblas", Missing: "backend openblas: it is not in this build"},
	} {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	write(t, filepath.Join(dir, "records.jsonl"), string(text))
}

// What the suites add to the tables of what is printed and kept.
func init() {
	printedBy = append(printedBy, []printed{
		{"bench-list", "bench list", "the suites", reflect.TypeFor[suitesReport]()},
		{"bench-data", "bench data", "the real data sets", reflect.TypeFor[setsReport]()},
		{"bench-run", "bench run", "a run of cases", reflect.TypeFor[casesReport]()},
		{"bench-report", "bench report", "claims and their verdicts", reflect.TypeFor[claimsReport]()},
		{"bench-compare", "bench compare", "two runs side by side", reflect.TypeFor[bench.Comparison]()},
	}...)
	printing = append(printing, []string{
		"bench-list: bench list",
		"bench-data: bench data",
		"bench-run: bench run --quick --out r timing/neml/triple-peak/lle",
		"bench-run: bench run --quick --out s timing/neml/triple-peak/lle",
		"bench-compare: bench compare r s",
		"bench-report: bench report r",
	}...)
	journaled = append(journaled, journal{"bench", "bench run --quick --out bench timing/neml/triple-peak/lle", `"kept":1`})
}

// typedFor returns what is typed for this build, of which "bench" names the program itself and
// any other command is one that users have. What this program types to itself stays.
func typedFor(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "bench":
		return args[1:]
	case len(args) > 0 && slices.Contains([]string{bench.UsersCommand, "case"}, args[0]):
		return args
	}
	return append([]string{bench.UsersCommand}, args...)
}

// withSuites: the suites are in this build.
const withSuites = true
