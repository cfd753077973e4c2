package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// runSuites runs suites into a folder within this process.
func runSuites(t testing.TB, folder string, e *Env, o Options, suites ...Suite) *Summary {
	t.Helper()
	o.Out = folder
	if o.Version == "" {
		o.Version = "test"
	}
	s := must.Get(Run(context.Background(), suites, e, o))(t)
	return s
}

// counting is a suite whose cases add their names to a list.
func counting(ran *[]string, cases ...Case) Suite {
	return Suite{Name: "counting", Cases: func(*Env) []Case {
		list := slices.Clone(cases)
		for i := range list {
			name := list[i].Name
			if list[i].Run == nil {
				list[i].Run = func(context.Context, *Env, *Case) (*Outcome, error) {
					*ran = append(*ran, name)
					return &Outcome{Seconds: map[string]float64{"total": float64(len(*ran))}}, nil
				}
			}
		}
		return list
	}}
}

func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		values         []float64
		median, spread float64
	}{
		{[]float64{3}, 3, 0},
		{[]float64{5, 1, 3}, 3, 1.0 / 3}, // quartiles 2 and 4
		{[]float64{4, 2}, 3, 0.5 / 3},    // 2.5 and 3.5
		{[]float64{1, 2, 3, 4}, 2.5, 0.75 / 2.5},
		{[]float64{-1, -2, -3}, -2, 0.25},
		{[]float64{0, 0, 0, 4}, 0, 0}, // no relative spread about 0
	} {
		s := Summarize(c.values)
		if math.Abs(s.Median-c.median) > 1e-15 || math.Abs(s.Spread-c.spread) > 1e-15 || !slices.Equal(s.Values, c.values) {
			t.Errorf("%v: %+v, want median %v, spread %v", c.values, s, c.median, c.spread)
		}
	}
}

func TestGroupsInterleave(t *testing.T) {
	var ran []string
	suite := counting(&ran, Case{Name: "a", Group: "g"}, Case{Name: "x"}, Case{Name: "b", Group: "g", Repeats: 2}, Case{Name: "y", Repeats: 1})
	runSuites(t, t.TempDir(), &Env{}, Options{}, suite)
	if got := strings.Join(ran, " "); got != "a b a b a x x x y" {
		t.Errorf("ran %s", got)
	}
	ran = nil
	runSuites(t, t.TempDir(), &Env{Quick: true}, Options{}, suite)
	if got := strings.Join(ran, " "); got != "a b b x y" {
		t.Errorf("--quick ran %s", got)
	}
}

// TestWhatIsKept changes one thing at a time and sees what is measured anew.
func TestWhatIsKept(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "x.csv")
	put := func(text string) {
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	}
	put("1\n")
	var ran []string
	base := []Case{{Name: "a", Params: map[string]any{"k": 3}, Repeats: 1}, {Name: "b", Needs: []string{"data:x.csv"}, Repeats: 1}}
	changed := slices.Clone(base)
	changed[0].Params = map[string]any{"k": 4}
	more := slices.Clone(base)
	more[0].Repeats = 3
	folder := t.TempDir()
	for i, c := range []struct {
		cases []Case
		e     Env
		o     Options
		want  string
	}{
		{base, Env{}, Options{}, "a b"},
		{base, Env{}, Options{}, ""},
		{changed, Env{}, Options{}, "a"},
		{base, Env{}, Options{}, ""}, // the journal still has it
		{base, Env{Quick: true}, Options{}, "a b"},
		{base, Env{}, Options{Version: "another"}, "a b"},
		{base, Env{}, Options{Version: "another", Again: true}, "a b"},
		{more, Env{}, Options{Version: "another"}, "a a"},
	} {
		ran = nil
		c.e.Data = data
		runSuites(t, folder, &c.e, c.o, counting(&ran, c.cases...))
		if got := strings.Join(ran, " "); got != c.want {
			t.Errorf("run %d measured %q, want %q", i, got, c.want)
		}
	}
	ran = nil
	put("2\n")
	runSuites(t, folder, &Env{Data: data}, Options{Version: "another"}, counting(&ran, more...))
	if got := strings.Join(ran, " "); got != "b" {
		t.Errorf("after a change of the data %q was measured, want b", got)
	}
	list, err := ReadRecords(filepath.Join(folder, RecordsFile))
	if err != nil || len(list) != 2 || list[0].Params["k"] != 3.0 || list[0].Repeats != 3 {
		t.Errorf("records %+v (%v)", list, err)
	}
}

func TestMissingIsRecordedAndMended(t *testing.T) {
	var ran []string
	suite := counting(&ran,
		Case{Name: "data", Repeats: 1, Needs: []string{"data:x.csv"}}, Case{Name: "peer", Needs: []string{"peer:tapkee"}},
		Case{Name: "backend", Needs: []string{"backend:cuda"}}, Case{Name: "memory", Needs: []string{"memory:8EB"}},
		Case{Name: "large", Needs: []string{"memory:900TiB"}}, Case{Name: "method", Needs: []string{"method:no-such-method"}},
		Case{Name: "unknown", Needs: []string{"luck"}})
	folder := t.TempDir()
	s := runSuites(t, folder, &Env{Memory: 1 << 40}, Options{}, suite)
	if len(ran) > 0 || len(s.Missing) != 6 || len(s.Failed) != 1 {
		t.Fatalf("ran %v: %+v", ran, s)
	}
	list, err := ReadRecords(filepath.Join(folder, RecordsFile))
	if err != nil || len(list) != 7 {
		t.Fatalf("%d records (%v)", len(list), err)
	}
	for _, r := range list {
		want := map[string]string{
			"data": "ORTHANT_DATA", "peer": "--tapkee PATH", "backend": "this build has", "memory": "not a size",
			"large": "900.0 TiB", "method": "method no-such-method is not built yet",
		}[r.Case]
		if !strings.Contains(r.Missing, want) || r.Done() || (r.Case == "unknown") != (r.Error != "") {
			t.Errorf("%s: missing %q, error %q, want %q", r.Case, r.Missing, r.Error, want)
		}
	}
	data := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(data, "x.csv"), []byte("1\n"), 0o666))
	if runSuites(t, folder, &Env{Memory: 1 << 40, Data: data}, Options{}, suite); len(ran) != 1 {
		t.Errorf("with its data there, %v was measured", ran)
	}
}

func TestWhatWasMeasuredOutlivesItsData(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	file := filepath.Join(data, "x.csv")
	must.Do(t, os.WriteFile(file, []byte("1\n"), 0o666))
	var ran []string
	suite := counting(&ran, Case{Name: "data", Repeats: 1, Needs: []string{"data:x.csv"}})
	runSuites(t, folder, &Env{Data: data}, Options{}, suite)
	s := runSuites(t, folder, &Env{}, Options{}, suite)
	list, err := ReadRecords(filepath.Join(folder, RecordsFile))
	if err != nil || len(ran) != 1 || len(s.Missing) != 1 || len(list) != 1 || !list[0].Done() {
		t.Errorf("ran %v, %+v, records %+v (%v)", ran, s, list, err)
	}
}

func TestRecordsSayWhatWasMeasured(t *testing.T) {
	t.Setenv(runAsRunner, "1") // for the fresh cases
	folder := t.TempDir()
	var said []string
	s := runSuites(t, folder, &Env{}, Options{Say: func(text string) { said = append(said, text) }}, selfTest)
	if s.Cases != 9 || s.Measured != 6 || len(s.Missing) != 1 || len(s.Failed) != 2 || len(said) < 12 {
		t.Errorf("%+v\n%s", s, strings.Join(said, "\n"))
	}
	list := must.Get(ReadRecords(filepath.Join(folder, RecordsFile)))(t)
	records := &Records{Suite: "selftest", List: list}
	for _, name := range []string{"a", "b", "fresh", "last"} {
		r := records.Get(name)
		if r == nil {
			t.Fatalf("%s is not recorded", name)
		}
		least := r.Params["ms"].(float64) / 1000
		if cpu, _ := records.CPU(name); cpu < least || r.Seconds["total"].Median <= 0 {
			t.Errorf("%s: processor time %v, below the %v that it spins", name, cpu, least)
		}
		if q, found := records.Quality(name, "ms"); !found || q != 1000*least {
			t.Errorf("%s: quality %v", name, q)
		}
		if r.Machine.Cores < 1 || r.Machine.CPU == "" || r.Version != "test" || r.Started == "" || r.Threads != 1 || r.ISA == "" ||
			r.DataHash != "none" || r.Samples != 3 || !strings.HasPrefix(r.Command, "orthant-bench run selftest/"+name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// The whole process takes more than what the case takes in it.
	fresh := records.Get("fresh")
	if p := fresh.CPUSeconds["process"].Median; p < fresh.CPUSeconds["total"].Median || fresh.PeakBytes < 1<<20 || fresh.Repeats != 2 {
		t.Errorf("fresh: %+v", fresh)
	}
	picture := records.Get("picture")
	x, err := files.ReadMatrix(filepath.Join(folder, picture.Pictures["y"]), files.Options{})
	if err != nil || !slices.Equal(x.RawMatrix().Data, []float64{1, 2, 0, 3, 4, 1, 5, 6, 1}) || !slices.Equal(picture.Series["error"], []float64{3, 2, 1}) {
		t.Errorf("picture: %v (%v), series %v", x, err, picture.Series)
	}
	for _, r := range list {
		if r.Case == "failing" && r.Error != "as it should" || r.Case == "panicking" && !strings.HasPrefix(r.Error, "panic: as it should at main_test.go:") {
			t.Errorf("%s: %q", r.Case, r.Error)
		}
	}
}

func TestPeakOfAFreshProcessIsItsOwn(t *testing.T) {
	if memory.Peak() == 0 {
		t.Skip("peaks of memory are not known here")
	}
	t.Setenv(runAsRunner, "1")
	ballast := make([]byte, 128<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	suite, folder := selfTest, t.TempDir()
	suite.Cases = func(e *Env) []Case { return selfTest.Cases(e)[1:2] }
	runSuites(t, folder, &Env{}, Options{}, suite)
	list, err := ReadRecords(filepath.Join(folder, RecordsFile))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if peak := list[0].PeakBytes; peak > int64(len(ballast)) || peak < 1<<20 {
		t.Errorf("the child's peak is %d bytes, its parent holds %d", peak, len(ballast))
	}
}

func TestCancelKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var ran []string
	suite := counting(&ran, Case{Name: "a"}, Case{Name: "stop", Run: func(ctx context.Context, _ *Env, _ *Case) (*Outcome, error) {
		cancel()
		return nil, fmt.Errorf("interrupted: %w", ctx.Err())
	}}, Case{Name: "b"})
	folder := t.TempDir()
	if _, err := Run(ctx, []Suite{suite}, &Env{}, Options{Out: folder}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	list, err := ReadRecords(filepath.Join(folder, RecordsFile))
	if err != nil || len(list) != 1 || list[0].Case != "a" {
		t.Errorf("records %v (%v)", list, err)
	}
}

func TestTwoRunsInOneFolder(t *testing.T) {
	folder := t.TempDir()
	var ran []string
	inner := counting(&ran, Case{Name: "inner"})
	outer := counting(&ran, Case{Name: "outer", Repeats: 1, Run: func(ctx context.Context, e *Env, _ *Case) (*Outcome, error) {
		_, err := Run(ctx, []Suite{inner}, e, Options{Out: folder})
		return nil, err
	}})
	s := runSuites(t, folder, &Env{}, Options{}, outer)
	if len(ran) > 0 || len(s.Failed) != 1 || !strings.Contains(s.Failed[0], "in use by another run") {
		t.Errorf("ran %v: %+v", ran, s)
	}
}

func TestNoiseIsSaid(t *testing.T) {
	r := &Record{Threads: 1, Seconds: map[string]Statistics{"total": Summarize([]float64{1, 1.2, 1.6})}, CPUSeconds: map[string]Statistics{"total": Summarize([]float64{1, 1, 1})}}
	said := noiseIn(r, []repeat{{Signs: signs{Wall: 2, Others: 1}}, {Signs: signs{Wall: 2, Others: 0.6, Steal: 0.2}}})
	for _, want := range []string{"Other processes took 40 % of a core", "kept 5 % of a core", "waited for 17 % of its time", "spread by ±12 %"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	calm := &Record{Threads: 1, Seconds: map[string]Statistics{"total": Summarize([]float64{1, 1.01})}, CPUSeconds: map[string]Statistics{"total": Summarize([]float64{1, 1})}}
	if said := noiseIn(calm, []repeat{{Signs: signs{Wall: 2, Others: 0.1}}}); said != "" {
		t.Errorf("a calm machine: %q", said)
	}
}
