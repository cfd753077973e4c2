package golden

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// recorder is a testing.TB that remembers how a test would have ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                      {}
func (r *recorder) Skipf(f string, args ...any)  { r.skipped = fmt.Sprintf(f, args...) }
func (r *recorder) Fatalf(f string, args ...any) { r.failed = fmt.Sprintf(f, args...) }

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"good.json": `{"cases": [1, 2]}`, "bad.json": `{"cases": [`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		file                  string
		set                   bool
		loaded, skips, failed bool
	}{
		{file: "good.json", set: true, loaded: true},
		{file: "missing.json", set: true, skips: true},
		{file: "bad.json", set: true, failed: true},
		{file: "missing.json", failed: true},
		{file: "local-metrics.json", loaded: true},
	} {
		value := ""
		if c.set {
			value = dir
		}
		t.Setenv(Variable, value)
		var into struct{ Cases []any }
		r := &recorder{TB: t}
		loaded := Load(r, c.file, &into)
		if loaded != c.loaded || (r.skipped != "") != c.skips || (r.failed != "") != c.failed {
			t.Errorf("%+v: loaded %v, skip %q, failure %q", c, loaded, r.skipped, r.failed)
		}
		if c.loaded && len(into.Cases) == 0 {
			t.Errorf("%+v: no cases read", c)
		}
	}
}

func TestClose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want, tol float64
		close          bool
	}{
		{1e-13, 0, 1e-12, true}, // absolute below 1
		{2e-12, 0, 1e-12, false},
		{1e6 + 1e-7, 1e6, 1e-12, true}, // relative above
		{1e6 + 1e-5, 1e6, 1e-12, false},
		{3, 3, 0, true},
		{inf, inf, 1, true},
		{-inf, inf, 1, false},
		{5, inf, 1, false},
		{inf, 5, 1, false},
		{nan, nan, 1, false},
		{nan, 0, 1, false},
	} {
		if got := Close(c.got, c.want, c.tol); got != c.close {
			t.Errorf("Close(%v, %v, %v) = %v", c.got, c.want, c.tol, got)
		}
	}
}
