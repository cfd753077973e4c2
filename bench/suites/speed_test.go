package suites

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/internal/must"
)

// timed are the suites whose figures are seconds.
var timed = []string{"timing", "scaling", "complexity", "backends", "peers", "card", "solvers", "restarts", "maps", "groups", "neighbours"}

// TestSecondsDeclareTheirError holds every case of such a suite to an error next to its
// seconds, and a comparison to an error of both sides.
func TestSecondsDeclareTheirError(t *testing.T) {
	for _, s := range All() {
		if s.Speed != slices.Contains(timed, s.Name) {
			t.Errorf("suite %s: Speed is %v", s.Name, s.Speed)
		}
		if !s.Speed {
			continue
		}
		cases := s.Cases(&bench.Env{})
		for _, c := range cases {
			if len(c.Accuracy) == 0 {
				t.Errorf("%s/%s declares no error for its seconds", s.Name, c.Name)
			}
			for _, a := range c.Accuracy {
				at := slices.IndexFunc(cases, func(other bench.Case) bool { return other.Name == a.Other })
				if a.Other == "" {
					continue
				}
				if at < 0 || !(a.Factor >= 1) || !slices.ContainsFunc(cases[at].Accuracy, func(b bench.Accuracy) bool { return b.Quality == a.Quality }) {
					t.Errorf("%s/%s is held to the %s of %q, which has none", s.Name, c.Name, a.Quality, a.Other)
				}
			}
		}
	}
}

// madeUp is a folder of records of all cases of a suite, in which ours are the faster
// ones; quality gives each declared error, NaN for none.
func madeUp(t *testing.T, s bench.Suite, quality func(c *bench.Case, a bench.Accuracy) (value float64, measured bool)) *bench.Report {
	t.Helper()
	var lines []byte
	for _, c := range s.Cases(&bench.Env{}) {
		seconds := 1e-6 * float64(max(c.N, 1000))
		ours := strings.HasSuffix(c.Name, "/native") || strings.HasSuffix(c.Name, "/orthant") || strings.HasSuffix(c.Name, "/command") || s.Name == "scaling"
		if !ours {
			seconds *= 1000
		}
		one := bench.Statistics{Median: seconds, Values: []float64{seconds}}
		r := bench.Record{
			Suite: s.Name, Case: c.Name, Method: c.Method, Data: c.Data, Samples: c.N, Accuracy: c.Accuracy, Repeats: 1, PeakBytes: 1 << 20,
			Seconds: map[string]bench.Statistics{"total": one}, CPUSeconds: map[string]bench.Statistics{"total": one},
			Series: map[string][]float64{"neighbors": {2}, "cpu": {seconds}}, Quality: map[string]bench.Statistics{"gflops": {Median: 1 / seconds, Values: []float64{1 / seconds}}},
		}
		for _, a := range c.Accuracy {
			if v, measured := quality(&c, a); measured {
				r.Quality[a.Quality] = bench.Statistics{Median: v, Values: []float64{v}}
			}
		}
		line := must.Get(json.Marshal(r))(t)
		lines = append(append(lines, line...), '\n')
	}
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "records.jsonl"), lines, 0o600))
	folder := must.Get(bench.ReadFolder(dir, bench.Suites{s}, files.Options{}))(t)
	return bench.NewReport(folder)
}

var holds = []bench.Verdict{bench.Reproduces, bench.TargetReached, bench.PartlyHolds}

// about are the claims of these suites that are not about speed.
var about = []string{"agreement", "isomap-memory", "readme/roll", "readme/nmf-error"}

// aboutMaps is the suite whose claims are all about what maps keep, and their memory.
const aboutMaps = "maps"

// TestNoSecondsWithoutTheirError gives each suite records without errors: no figure of
// them is shown, and no claim rests on them.
func TestNoSecondsWithoutTheirError(t *testing.T) {
	for _, s := range All() {
		if !s.Speed {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			report := madeUp(t, s, func(*bench.Case, bench.Accuracy) (float64, bool) { return 0, false })
			for _, j := range report.Judged {
				if slices.Contains(holds, j.Finding.Verdict) {
					t.Errorf("%s: %s without an error: %+v", j.Claim.Name, j.Finding.Verdict, j.Finding)
				}
			}
			for _, section := range s.Sections(report.Folder.Of(s.Name)) {
				for _, row := range tableRows(section) {
					for _, cell := range row {
						if cell.Case != "" && cell.Mark != bench.Absent {
							t.Errorf("%s: %q of %s", section.Title, cell.Text, cell.Case)
						}
					}
				}
				if section.Plot != nil && len(section.Plot.Curves) > 0 {
					t.Errorf("%s has curves", section.Title)
				}
			}
			var page strings.Builder
			must.Do(t, report.WriteMarkdown(&page))
		})
	}
}

// TestSpeedRestsOnQuality holds that each claim of speed stands where the errors are
// small, shows them, and falls where they are not, however fast the cases were.
func TestSpeedRestsOnQuality(t *testing.T) {
	value := func(a bench.Accuracy, err float64) (float64, bool) {
		if a.Share {
			return 1 - err, true
		}
		return err, true
	}
	for _, s := range All() {
		if !s.Speed {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			good := madeUp(t, s, func(_ *bench.Case, a bench.Accuracy) (float64, bool) {
				if a.Limit != nil {
					return value(a, min(*a.Limit/2, 1e-7))
				}
				return value(a, 1e-7)
			})
			bad := madeUp(t, s, func(c *bench.Case, a bench.Accuracy) (float64, bool) {
				if a.Limit == nil && a.Other == "" && c.Method != "lnp" {
					return value(a, 1e-7)
				}
				return value(a, 0.5)
			})
			for i, j := range good.Judged {
				if slices.Contains(about, j.Claim.Name) || s.Name == aboutMaps {
					continue
				}
				if !slices.Contains(holds, j.Finding.Verdict) {
					t.Errorf("%s of fast and exact cases: %+v", j.Claim.Name, j.Finding)
				}
				if f := bad.Judged[i].Finding; f.Verdict != bench.TargetMissed && f.Verdict != bench.DoesNot || f.Why == "" {
					t.Errorf("%s of fast and wrong cases: %+v", j.Claim.Name, f)
				}
			}
			for _, section := range s.Sections(good.Folder.Of(s.Name)) {
				for _, row := range tableRows(section) {
					shows := false
					for _, cell := range row {
						shows = shows || cell.Case != "" && (cell.Error != "" || strings.Contains(cell.Text, ", "))
					}
					if !shows {
						t.Errorf("%s: no error in the row %v", section.Title, row)
					}
				}
			}
		})
	}
}

func tableRows(s bench.Section) [][]bench.Cell {
	if s.Table == nil {
		return nil
	}
	return s.Table.Rows
}
