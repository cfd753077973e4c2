package disk_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

// Whether two names that differ by case are one file is what the file system of their folder says of others.
func TestSameName(t *testing.T) {
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, name := range []string{"folds/full", "folds/1", "folds/full/Sub"} {
		must.Do(t, os.MkdirAll(filepath.Join(root, name), 0o777))
	}
	must.Do(t, os.WriteFile(filepath.Join(root, "folds", "full", "Here.csv"), nil, 0o666))
	usually := runtime.GOOS == "windows" || runtime.GOOS == "darwin" || runtime.GOOS == "ios"
	join := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	for _, folds := range []bool{false, true} {
		if folds {
			defer disk.Swap(faults.IgnoringCase(join("folds")))()
		} else if disk.IgnoresCase(root) {
			continue
		}
		for _, c := range []struct {
			a, b string
			want bool
		}{
			{join("folds", "full", "x.csv"), join("folds", "full", "x.csv"), true},
			{join("folds", "full", "x.csv"), join("folds", "full", "y.csv"), false},
			{join("folds", "full", "x.csv"), join("folds", "full", "X.CSV"), folds},
			{join("folds", "full", "ä.csv"), join("folds", "full", "Ä.csv"), folds},
			{join("folds", "full", "sub", "x.csv"), join("folds", "FULL", "SUB", "x.csv"), folds},
			{join("folds", "full", "new", "x.csv"), join("folds", "full", "New", "x.csv"), folds},
			{join("folds", "1", "x.csv"), join("folds", "1", "X.csv"), usually}, // nothing there can be asked
			{join("x.csv"), join("X.csv"), disk.IgnoresCase(root)},
		} {
			if got := disk.SameName(c.a, c.b); got != c.want {
				t.Errorf("folding %t: %s and %s are one file: %t", folds, c.a, c.b, got)
			}
		}
	}
}
