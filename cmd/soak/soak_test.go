package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Each of what is watched is seen to grow where it does, and not where it moves about.
func TestGrowthIsSeen(t *testing.T) {
	steady := func(i int) sample {
		return sample{resident: float64(80+20*(i%7)) * (1 << 20), descriptors: float64(10 + i%5), goroutines: float64(15 + i%11)}
	}
	var calm []sample
	for i := range 200 {
		calm = append(calm, steady(i))
	}
	if failures := grown(calm); len(failures) > 0 {
		t.Errorf("of steady samples: %q", failures)
	}
	for name, leak := range map[string]func(*sample, float64){
		"resident bytes": func(s *sample, i float64) { s.resident += i * (1 << 20) },
		"descriptors":    func(s *sample, i float64) { s.descriptors += i / 8 },
		"goroutines":     func(s *sample, i float64) { s.goroutines += i / 2 },
	} {
		list := []sample{}
		for i := range 200 {
			s := steady(i)
			leak(&s, float64(i))
			list = append(list, s)
		}
		if failures := grown(list); len(failures) != 1 || !strings.Contains(failures[0], name) {
			t.Errorf("%s that leak: %q", name, failures)
		}
	}
}

// The runtime's trace lists goroutines that have ended, and marks those that are scanned.
func TestLivingGoroutinesAreCounted(t *testing.T) {
	g, rest := &goroutines{}, &strings.Builder{}
	g.rest = rest
	g.read(strings.NewReader(`SCHED 0ms: gomaxprocs=2 idleprocs=0
  P0: status=1 schedtick=0
  M0: p=0 curg=1
  G1: status=4(chan receive) m=nil lockedm=0
  G2: status=6() m=nil lockedm=nil
  G3: status=4098() m=1 lockedm=nil
  G4: status=0() m=nil lockedm=nil
line 3 (x.npy) failed
SCHED 1000ms: gomaxprocs=2 idleprocs=0
`))
	if g.count.Load() != 2 || rest.String() != "line 3 (x.npy) failed\n" {
		t.Errorf("%d goroutines, and as the rest %q", g.count.Load(), rest)
	}
}

// A journal in which something is wrong is found to be so, each time by its own words.
func TestJournalsAreJudged(t *testing.T) {
	jobs := []job{{kind: "a"}, {kind: "a"}, {kind: "b", broken: true}, {kind: "c", after: true}}
	// The SHA-256 sum of "y".
	const sum = "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa"
	ok := func(i int, sum string) string {
		return fmt.Sprintf(`{"index": %d, "status": "ok", "written": [{"path": "%d.npy", "sha256": %q}]}`+"\n", i, i, sum)
	}
	refused := `{"index": 2, "status": "failed", "exit_code": 2, "error": "no"}` + "\n"
	for name, c := range map[string]struct{ journal, want string }{
		"all is well":        {ok(0, sum) + ok(1, sum) + refused, ""},
		"other bits":         {ok(0, sum) + strings.Replace(ok(1, sum), "ok", "not_converged", 1), "otherwise than others of its kind"},
		"another sum":        {ok(0, strings.Replace(sum, "a", "b", 1)), "not there as it was written"},
		"a status 1":         {`{"index": 0, "status": "failed", "exit_code": 1, "error": "no"}` + "\n", "ended with status 1"},
		"a panic":            {`{"index": 0, "status": "failed", "exit_code": 2, "error": "a\nb"}` + "\n", "no one line"},
		"broken, and well":   {ok(2, sum), "on a broken input"},
		"no job of the file": {ok(9, sum), "is not in the file"},
	} {
		folder := t.TempDir()
		write := func(name, text string) {
			must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
		}
		for i := range jobs {
			write(fmt.Sprintf("%d.npy", i), "y")
		}
		write("journal.jsonl", c.journal+`{"index": 3, "st`)
		j := must.Get(judge(folder, jobs))(t)
		if text := strings.Join(j.failures, "\n"); (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "journal.jsonl"), []byte(ok(0, sum)+`{"index": 0, "sta`+"\n"+ok(0, sum)), 0o666))
	j, err := judge(folder, jobs)
	if err != nil || j.finished[0] != 2 || j.torn != 1 {
		t.Errorf("a job that was done twice: %d times, %d lines cut short, %v", j.finished[0], j.torn, err)
	}
}

func TestOtherEndsAreSeen(t *testing.T) {
	if f := differences(map[int]string{0: "a", 1: "b"}, map[int]string{0: "a", 1: "c", 2: "d"}); len(f) != 1 || !strings.HasPrefix(f[0], "job 1 ") {
		t.Errorf("%q", f)
	}
}
