package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// The tables in the pages of the methods, in the list of them and in the README are what the engine says
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

// sectionOf is the section of a method, which every method has.
func sectionOf(t *testing.T, root, method string) string {
	t.Helper()
	names, texts := must.Two(methodPages(root))(t)
	for _, name := range names {
		for _, s := range sections(texts[name]) {
			if s.name == method {
				return s.text
			}
		}
	}
	t.Fatalf("%s has no section in docs/methods", method)
	return ""
}

// Every method has a section that says what each of its parameters is, and rows in the list
// of methods and in the README that do not leave it to come.
func TestPagesOfEveryMethod(t *testing.T) {
	root := golden.Root(t)
	lists := map[string]string{}
	for _, name := range []string{"README.md", filepath.Join("docs", "methods", indexPage)} {
		text := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
		lists[name] = string(text)
	}
	for _, e := range engine.Methods() {
		t.Run(e.Name, func(t *testing.T) {
			text := sectionOf(t, root, e.Name)
			if !strings.HasPrefix(text, "## "+e.Name+"\n\n**") {
				t.Errorf("the section of %s does not begin with its name, and its title in bold", e.Name)
			}
			for _, p := range e.Parameters {
				if !strings.Contains(text, "`"+p.Key+"`") {
					t.Errorf("the section of %s does not say what %s is", e.Name, p.Key)
				}
			}
			for name, list := range lists {
				done := false
				for _, line := range strings.Split(list, "\n") {
					done = done || strings.HasPrefix(line, "|") && strings.Contains(line, "`"+e.Name+"`") && !strings.Contains(line, "to come")
				}
				if !done {
					t.Errorf("%s has no row of %s, or leaves it to come", name, e.Name)
				}
			}
		})
	}
}

// A page is cut into sections at its headings of the second level.
func TestSections(t *testing.T) {
	list := sections("# Two: a, b\n\nBoth.\n\n## a\n\n**A.**\n\n### Cost\n\n1\n\n## b\n\n**B.**\n")
	if len(list) != 2 || list[0] != (section{"a", "## a\n\n**A.**\n\n### Cost\n\n1\n"}) || list[1] != (section{"b", "## b\n\n**B.**\n"}) {
		t.Errorf("%q", list)
	}
}

// A place for a table ends before the next place begins.
func TestPlacesAreApart(t *testing.T) {
	m := exampleMark("a")
	if _, err := m.fill(m.begin+"\n"+exampleMark("b").begin+"\n"+m.end+"\n", "table"); err == nil {
		t.Error("the place of a reaches into that of b")
	}
	if text, err := m.fill(m.begin+"\n"+m.end+"\n", "table\n"); err != nil || text != m.begin+"\n\ntable\n\n"+m.end+"\n" {
		t.Errorf("%q, %v", text, err)
	}
}
