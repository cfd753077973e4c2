package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// Every fuzz target of the module begins from inputs in testdata/fuzz, and every folder there
// is of a target.
func TestFuzzTargetsHaveInputs(t *testing.T) {
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	targets, folders := map[string]bool{}, map[string]int{}
	root := golden.Root(t)
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || path == filepath.Join(root, "out") || path == filepath.Join(root, "bin") {
				return fs.SkipDir
			}
			if strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/testdata/fuzz") {
				list, err := os.ReadDir(path)
				if err != nil {
					return err
				}
				folders[path] = len(list)
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range target.FindAllSubmatch(text, -1) {
			targets[filepath.Join(filepath.Dir(path), "testdata", "fuzz", string(m[1]))] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(targets) < 20 {
		t.Errorf("only %d targets are found", len(targets))
	}
	for folder := range targets {
		if folders[folder] == 0 {
			t.Errorf("%s has no inputs; copy some of those that \"make fuzz\" found (go env GOCACHE, fuzz/)", folder)
		}
	}
	for folder := range folders {
		if !targets[folder] {
			t.Errorf("%s is of no target", folder)
		}
	}
}
