//go:build unix

package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// TestKilledAtAnyMoment kills a run over and over, until one is left to end, and
// compares its records with those of a run that nobody disturbed.
func TestKilledAtAnyMoment(t *testing.T) {
	undisturbed := t.TempDir()
	start := time.Now()
	if text, err := runner(t, undisturbed).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	whole := time.Since(start)
	random := blas.NewStream(7)
	for round := range 8 {
		folder := t.TempDir()
		kills, measured := 0, 0
		for ended := false; !ended; {
			cmd := runner(t, folder)
			must.Do(t, cmd.Start())
			// A moment of the run; were it killed so for ever it would still end, as
			// every repeat that ended is kept.
			moment := time.AfterFunc(time.Duration(random.Uniform()*0.6*float64(whole)), func() { cmd.Process.Kill() })
			ended = cmd.Wait() == nil
			moment.Stop()
			if ended {
				break
			}
			kills++
			lines := wholeLines(t, filepath.Join(folder, journalFile))
			if len(lines) < measured {
				t.Fatalf("round %d: %d repeats in the journal where there were %d", round, len(lines), measured)
			}
			measured = len(lines)
			// What a kill in the middle of a write would leave.
			appendTo(t, filepath.Join(folder, journalFile), `{"key":"torn`)
			appendTo(t, filepath.Join(folder, RecordsFile), `{"key":"to`)
		}
		t.Logf("round %d: killed %d times", round, kills)
		compareRuns(t, folder, undisturbed)
	}
}

// wholeLines returns the lines of a file that end in a newline; each must be JSON.
func wholeLines(t *testing.T, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		if !json.Valid(line) {
			t.Fatalf("%s: %q is no JSON", path, line)
		}
		lines = append(lines, line)
	}
	return lines
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666))(t)
	defer f.Close()
	must.Get(f.WriteString(text))(t)
}

// compareRuns sees that two folders hold the same records, times apart.
func compareRuns(t *testing.T, folder, undisturbed string) {
	t.Helper()
	got, want := recordsOf(t, folder), recordsOf(t, undisturbed)
	if len(got) != len(want) {
		t.Fatalf("%d records, undisturbed %d", len(got), len(want))
	}
	for name, r := range got {
		u := want[name]
		if u == nil || r.Key != u.Key || r.Missing != u.Missing || r.Error != u.Error || r.Repeats != u.Repeats {
			t.Errorf("%s: %+v, undisturbed %+v", name, r, u)
			continue
		}
		if len(r.Seconds["total"].Values) != len(u.Seconds["total"].Values) || len(r.Pictures) != len(u.Pictures) {
			t.Errorf("%s: %d times and %d pictures, undisturbed %d and %d", name,
				len(r.Seconds["total"].Values), len(r.Pictures), len(u.Seconds["total"].Values), len(u.Pictures))
		}
	}
	// No repeat was measured twice, and none is missing.
	seen := map[string]bool{}
	for _, line := range wholeLines(t, filepath.Join(folder, journalFile)) {
		var one repeat
		must.Do(t, json.Unmarshal(line, &one))
		id := one.Case + string(rune('0'+one.Number))
		if seen[id] {
			t.Errorf("repeat %d of %s is there twice", one.Number, one.Case)
		}
		seen[id] = true
	}
	if n := len(wholeLines(t, filepath.Join(undisturbed, journalFile))); len(seen) != n {
		t.Errorf("%d repeats, undisturbed %d", len(seen), n)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, picturesPart, ".*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// recordsOf returns the records by case. Of those that can be done, none may be
// recorded twice.
func recordsOf(t *testing.T, folder string) map[string]*Record {
	t.Helper()
	byCase := map[string]*Record{}
	for _, line := range wholeLines(t, filepath.Join(folder, RecordsFile)) {
		r := new(Record)
		must.Do(t, json.Unmarshal(line, r))
		if byCase[r.Case] != nil && r.Error == "" {
			t.Errorf("%s is recorded twice", r.Case)
		}
		byCase[r.Case] = r
	}
	return byCase
}
