package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// Every method has a page that says what each of its parameters is, and a row in
// the README that does not leave it to come.
func TestEveryMethodHasItsPage(t *testing.T) {
	root := golden.Root(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(root, "docs", "methods", e.Name+".md"))
			if err != nil {
				t.Errorf("%s has no page: %v", e.Name, err)
				return
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
