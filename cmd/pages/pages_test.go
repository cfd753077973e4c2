package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
)

// The tables in the pages of the methods and in the README are what the engine says
// of the methods.
func TestPagesAreUpToDate(t *testing.T) {
	root := golden.Root(t)
	files, err := pages(root)
	if err != nil {
		t.Error(err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f.path), ".md"), func(t *testing.T) {
			if !f.current() {
				t.Errorf("%s is out of date: run make pages", f.path)
			}
		})
	}
}

// Every method has a page that says what each of its parameters is, and a row in
// the README that does not leave it to come.
func TestPagesOfEveryMethod(t *testing.T) {
	root := golden.Root(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engine.Methods() {
		t.Run(e.Name, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(root, "docs", "methods", e.Name+".md"))
			if err != nil {
				t.Fatalf("%s has no page: %v", e.Name, err)
			}
			text := string(page)
			if !strings.HasPrefix(text, "# "+e.Name+": ") {
				t.Errorf("%s.md does not begin with the method's name", e.Name)
			}
			for _, p := range e.Parameters {
				if !strings.Contains(text, "`"+p.Key+"`") {
					t.Errorf("%s.md does not say what %s is", e.Name, p.Key)
				}
			}
			done := false
			for _, line := range strings.Split(string(readme), "\n") {
				done = done || strings.HasPrefix(line, "|") && strings.Contains(line, "`"+e.Name+"`") && !strings.Contains(line, "to come")
			}
			if !done {
				t.Errorf("the README has no row of %s, or leaves it to come", e.Name)
			}
		})
	}
}
