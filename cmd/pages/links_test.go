package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

const (
	maxPages   = 45    // of docs
	maxOfFirst = 12000 // bytes of the README
)

// Documents stay few and short enough to be found: pages that repeat each other are merged.
func TestPagesAreFew(t *testing.T) {
	root := golden.Root(t)
	found := 0
	for _, name := range sources(t, root, ".md") {
		if strings.HasPrefix(name, "docs/") {
			found++
		}
	}
	if found > maxPages || found < maxPages/2 {
		t.Errorf("%d pages in docs, at most %d", found, maxPages)
	}
	info, err := os.Stat(filepath.Join(root, "README.md"))
	if err != nil || info.Size() > maxOfFirst {
		t.Errorf("the README has more than %d bytes (%v)", maxOfFirst, err)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	named   = regexp.MustCompile(`(?:^|[^\w/.-])(docs/[a-z0-9/-]+\.md)\b`)
)

// Links within the repository lead to files and headings that are there.
func TestLinksHold(t *testing.T) {
	root := golden.Root(t)
	pages := sources(t, root, ".md")
	anchors, checked := map[string][]string{}, 0
	for _, page := range pages {
		anchors[page] = anchorsOf(textOf(t, root, page))
	}
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(textOf(t, root, page), -1) {
			if strings.Contains(found[1], ":") {
				continue // elsewhere
			}
			address, anchor, _ := strings.Cut(found[1], "#")
			to := page
			if address != "" {
				to = path.Join(path.Dir(page), address)
			}
			checked++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which is not there", page, found[1])
			} else if anchor != "" && !slices.Contains(anchors[to], anchor) {
				t.Errorf("%s links to %s, a heading that is not there", page, found[1])
			}
		}
	}
	if checked < 300 {
		t.Errorf("%d links: the test does not see them", checked)
	}
}

// Code, help and messages name pages that are there.
func TestNamedPagesAreThere(t *testing.T) {
	root := golden.Root(t)
	checked := 0
	for _, file := range sources(t, root, ".go", ".py", ".R", ".Rd", ".h", ".hpp", ".md", "Makefile") {
		for _, found := range named.FindAllStringSubmatch(textOf(t, root, file), -1) {
			checked++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(found[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", file, found[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d names of pages: the test does not see them", checked)
	}
}

// sources are the files of the repository whose names end so, by their paths from its root.
func sources(t *testing.T, root string, ends ...string) (list []string) {
	t.Helper()
	must.Do(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "out", "vendor", "dist", "build"}, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
			list = append(list, name)
		}
		return nil
	}))
	return list
}

func textOf(t *testing.T, root, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))(t)
	return string(text)
}

// anchorsOf are the anchors that GitHub gives the headings of a page.
func anchorsOf(page string) (list []string) {
	times := map[string]int{}
	for _, found := range heading.FindAllStringSubmatch(page, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(strings.TrimSpace(found[1])) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		name := b.String()
		if n := times[name]; n > 0 {
			list = append(list, fmt.Sprintf("%s-%d", name, n))
		} else {
			list = append(list, name)
		}
		times[name]++
	}
	return list
}

func TestAnchorsOf(t *testing.T) {
	got := anchorsOf("# A `b=c`, d\n\n## Cost\n\ntext # no\n\n## Cost\n")
	if want := []string{"a-bc-d", "cost", "cost-1"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
