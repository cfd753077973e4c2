package library

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// The library takes the number of threads from the environment, ignores invalid values there, and
// reports the number and its source.
func TestThreadsOfTheLibrary(t *testing.T) {
	once := limits.Getenv // reads every variable but once
	limits.Getenv = os.Getenv
	defer func() { limits.Getenv = once }()
	for own, from := range map[string]string{"1": `"threads":1,"threads_from":"ORTHANT_NUM_THREADS"`, "abc": `"threads":1,"threads_from":"OMP_NUM_THREADS"`} {
		t.Setenv("ORTHANT_NUM_THREADS", own)
		t.Setenv("OMP_NUM_THREADS", "1,2")
		a := must.Get(about())(t)
		if text, err := toJSON(a); err != nil || !strings.Contains(text, from) || !strings.Contains(text, `"limits":{"threads":[`) {
			t.Errorf("%q: %v, %s", own, err, text)
		}
		p := must.Get(readParameters("pca", nil))(t)
		if n, err := p.threads(); err != nil || n != 1 {
			t.Errorf("%q: %d threads, %v", own, n, err)
		}
	}
	p := must.Get(readParameters("pca", []byte(`{"threads": 1000}`)))(t)
	if n, err := p.threads(); err != nil || n != limits.ForProcess(1000) {
		t.Errorf("asked for 1000: %d threads, %v", n, err)
	}
}

// The available memory bounds the limit of the caller; if it is unknown, nothing does.
func TestMemoryOfTheLibrary(t *testing.T) {
	before := available
	defer func() { available = before }()
	large := given{x: view{rows: 5000, cols: 2}}
	held := memory.Process(8 * 5000 * 2) // the data are the caller's, and the engine counts them
	for _, c := range []struct{ free, asked, want int64 }{{300, 0, held + 300}, {300, held + 1000, held + 300}, {300, 100, 100}, {0, 0, 0}, {0, 1000, 1000}} {
		available = func() int64 { return c.free }
		o := engine.Options{Memory: c.asked}
		if large.limited(&o); o.Memory != c.want {
			t.Errorf("%+v: the limit is %d", c, o.Memory)
		}
	}
}

// The runtime keeps to the limits of the tasks under way, and to its own when all are done.
func TestTasksBoundTheRuntime(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	expect := func(when string, want int64) {
		t.Helper()
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("%s: a limit of %d, want %d", when, got, want)
		}
	}
	const one, two = int64(1) << 30, int64(2) << 30
	first := bounded(one)
	expect("one task", one-memory.Program)
	second := bounded(two)
	expect("two tasks", one+two-memory.Program)
	without := bounded(0)
	expect("one without a limit next to them", before)
	without()
	first()
	expect("the second alone", two-memory.Program)
	second()
	expect("none", before)
	tiny := bounded(1)
	expect("next to nothing", 32<<20)
	tiny()
	expect("none again", before)
}
