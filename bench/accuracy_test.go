package bench

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

func recordWith(name, quality string, value float64, a ...Accuracy) *Record {
	return &Record{Case: name, Accuracy: a, CPUSeconds: map[string]Statistics{"total": {Median: 2, Values: []float64{2}}},
		Quality: map[string]Statistics{quality: {Median: value, Values: []float64{value}}}}
}

func TestAccuracyLimits(t *testing.T) {
	for _, c := range []struct {
		what  string
		a     Accuracy
		value float64
		short string // part of what is said; "": within the limit
	}{
		{"within", AtMost("dev", 1e-3), 1e-3, ""},
		{"beyond", AtMost("dev", 1e-3), 2e-3, "ours has dev 0.002, want at most 0.001"},
		{"not a number", AtMost("dev", 1e-3), math.NaN(), "want at most"},
		{"shown only", Reported("dev"), 1, ""},
		{"a share", AtLeast("recall", 1), 1, ""},
		{"too small a share", AtLeast("recall", 1), 0.99, "want at least 1"},
		{"as good as theirs", Reported("dev").Against("theirs", 1.2), 0.12, ""},
		{"worse than theirs", Reported("dev").Against("theirs", 1.2), 0.13, "want at most 1.2 times the error of theirs, which has dev 0.1"},
		{"worse and small", AtMost("dev", 0.2).Against("theirs", 1.2), 0.13, ""},
	} {
		r := &Records{List: []*Record{recordWith("ours", c.a.Quality, c.value, c.a), recordWith("theirs", "dev", 0.1, Reported("dev"))}}
		got := strings.Join(r.Shortfalls("ours"), "; ")
		if (got == "") != (c.short == "") || !strings.Contains(got, c.short) {
			t.Errorf("%s: %q, want %q", c.what, got, c.short)
		}
		f := r.SpeedFinding(true, "fast", []string{"ours"})
		if (f.Verdict == TargetReached) != (c.short == "") || f.Why != got {
			t.Errorf("%s: %+v", c.what, f)
		}
		if cell := r.TimedCell("ours", "total"); cell.Text != "2 s" || !strings.HasPrefix(cell.Error, c.a.Quality+" ") || (cell.Mark == Worse) != (c.short != "") {
			t.Errorf("%s: the cell %+v", c.what, cell)
		}
	}
	bare := &Records{List: []*Record{recordWith("bare", "dev", 1)}}
	if cell := bare.TimedCell("bare", "total"); cell.Mark != Absent {
		t.Errorf("seconds without an error are shown: %+v", cell)
	}
	if f := bare.SpeedFinding(true, "fast", []string{"bare"}); f.Verdict != CannotCheck || f.Why == "" {
		t.Errorf("a claim on seconds without an error: %+v", f)
	}
}

// TestNothingIsLostToAPeerThatIsNotHere holds that seconds whose error can be held to nothing are not marked as
// worse, and that a speed which would do is neither reached nor missed.
func TestNothingIsLostToAPeerThatIsNotHere(t *testing.T) {
	remedy := peerTitles["sklearn"] + ": there is no python3; install it"
	for _, c := range []struct {
		what  string
		a     Accuracy
		other *Record
		why   string
	}{
		{"not run", Reported("dev").Against("theirs", 1.2), nil, "theirs has no dev to compare with"},
		{"not installed", Reported("dev").Against("theirs", 1.2), &Record{Case: "theirs", Missing: remedy}, "theirs has no dev to compare with: " + remedy},
		{"beyond its own limit alone", AtMost("dev", 0.1).Against("theirs", 1.2), &Record{Case: "theirs", Missing: remedy}, remedy},
		{"failed", Reported("dev").Against("theirs", 1.2), &Record{Case: "theirs", Error: "out of memory"}, "out of memory"},
		{"another error", Reported("dev").Against("theirs", 1.2), recordWith("theirs", "trust", 0.9), "theirs has no dev to compare with"},
	} {
		r := &Records{List: []*Record{recordWith("ours", "dev", 0.5, c.a)}}
		if c.other != nil {
			r.List = append(r.List, c.other)
		}
		if short := r.Shortfalls("ours"); len(short) > 0 {
			t.Errorf("%s: falls short: %q", c.what, short)
		}
		for _, cell := range []Cell{r.TimedCell("ours", "total"), r.AccuracyCell("ours")} {
			if cell.Mark != Plain {
				t.Errorf("%s: the cell %+v is marked", c.what, cell)
			}
		}
		if f := r.SpeedFinding(true, "fast", []string{"ours"}); f.Verdict != CannotCheck || !strings.Contains(f.Why, c.why) {
			t.Errorf("%s: fast, and %+v", c.what, f)
		}
		if f := r.SpeedFinding(false, "slow", []string{"ours"}); f.Verdict != TargetMissed {
			t.Errorf("%s: slow, and %+v", c.what, f)
		}
	}
}

// TestStripAngle compares with functions that are known: cosines along a strip with
// samples at equal distances, and turned by an angle against another function.
func TestStripAngle(t *testing.T) {
	const n, length = 4000, 9.0
	truth, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	const turned = 0.1
	for i := range n {
		a := length * (float64(i) + 0.5) / n
		truth.SetRow(i, []float64{math.Mod(float64(i)*0.618, 1), a})
		x := math.Pi * a / length
		y.SetRow(i, []float64{3 + 5*math.Cos(x), math.Cos(x) + math.Cos(turned)*math.Cos(2*x) + math.Sin(turned)*math.Cos(3*x)})
	}
	got, err := stripAngle(truth, y)
	if err != nil || math.Abs(got-math.Sin(turned)) > 1e-3 {
		t.Errorf("the sine is %v, want %v (%v)", got, math.Sin(turned), err)
	}
	for i := range n {
		x := math.Pi * truth.At(i, 1) / length
		y.SetRow(i, []float64{math.Cos(2 * x), math.Cos(x) - math.Cos(2*x)})
	}
	if got, err = stripAngle(truth, y); err != nil || got > 1e-3 {
		t.Errorf("the sine is %v of the functions themselves (%v)", got, err)
	}
	truth.Scale(1, truth)
	for i := range n {
		truth.Set(i, 0, 10*truth.At(i, 0))
	}
	must.Refuse(t, "too wide")(stripAngle(truth, y))
	if _, err := stripAngle(truth, mat.NewDense(n, 2, nil)); err == nil {
		t.Error("coordinates that are all zero have an angle")
	}
}

// TestStripAngleOfLaplacianEigenmaps holds that it falls with more samples, though they
// lie unevenly along the roll.
func TestStripAngleOfLaplacianEigenmaps(t *testing.T) {
	for _, c := range []struct {
		n     int
		limit float64
	}{{2000, 0.1}, {16000, 0.03}} {
		e := Embedding("le", Generated("swiss-roll", c.n, "params", "isometric"), "le", map[string]any{"neighbors": 12}, StripAngle)
		out := must.Get(e.Run(context.Background(), &Env{}, &e))(t)
		if got := out.Quality["angle"]; !(got < c.limit) {
			t.Errorf("%d samples: the sine is %v, want below %v", c.n, got, c.limit)
		}
	}
}

func TestRecallOfDistances(t *testing.T) {
	c := Neighbors("n", Generated("gaussians", 300), 5, Recall)
	out, err := c.Run(context.Background(), &Env{}, &c)
	if err != nil || out.Quality["recall"] != 1 {
		t.Fatalf("an exact search: %v, %v", out, err)
	}
	d := must.Get(Generated("gaussians", 300).Load(&Env{}))(t)
	g := must.Get(NearestNeighbors(context.Background(), d.X, 10))(t)
	y := mat.NewDense(300, 5, nil) // every second neighbour is passed over
	for i := range 300 {
		for j := range 5 {
			y.Set(i, j, g.Distances(i)[2*j])
		}
	}
	var o Outcome
	if err := Recall(context.Background(), d, y, &o); err != nil || o.Quality["recall"] != 0.2 {
		t.Errorf("one of five neighbours is right: %v, %v", o.Quality, err)
	}
}

func TestSolveErrors(t *testing.T) {
	var out Outcome
	out.AddSolveResiduals(&engine.Result{Residuals: []float64{1e-12, 3e-12}, KKT: math.NaN()})
	if _, there := out.Quality["kkt"]; there || out.Quality["residual"] != 3e-12 {
		t.Errorf("%v", out.Quality)
	}
	out.AddSolveResiduals(&engine.Result{KKT: 4e-4})
	if out.Quality["kkt"] != 4e-4 {
		t.Errorf("%v", out.Quality)
	}
}

// TestCaseWithoutItsErrorFails runs a case that declares an error and measures none.
func TestCaseWithoutItsErrorFails(t *testing.T) {
	var ran []string
	dir := t.TempDir()
	suite := counting(&ran, Case{Name: "bare", Accuracy: []Accuracy{Reported("dev")}})
	s := runSuites(t, dir, &Env{}, Options{}, suite)
	if len(s.Failed) != 1 || !strings.Contains(s.Failed[0], "it measured no dev, without which its seconds say nothing") {
		t.Errorf("%+v", s)
	}
	// Records of older versions declare nothing: a suite of running times does not count them.
	suite = counting(&ran, Case{Name: "old"})
	runSuites(t, dir, &Env{}, Options{}, suite)
	for _, speed := range []bool{false, true} {
		suite.Speed = speed
		f := must.Get(ReadFolder(dir, Suites{suite}, files.Options{}))(t)
		if one := f.Of("counting").Get("old"); (one == nil) != speed {
			t.Errorf("Speed %v: the record is %+v", speed, one)
		}
		if reported := strings.Join(f.Warnings, ""); strings.Contains(reported, "1 records of the suite counting have seconds without an error") != speed {
			t.Errorf("Speed %v: warnings %q", speed, reported)
		}
	}
}
