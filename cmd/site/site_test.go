package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// Every page of docs is in the contents, and what is there is a page.
func TestContentsHaveEveryPage(t *testing.T) {
	root := golden.Root(t)
	var listed, found []string
	for _, c := range contents {
		for _, e := range c.pages {
			listed = append(listed, e.file)
		}
	}
	must.Do(t, fs.WalkDir(os.DirFS(root), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			found = append(found, name)
		}
		return err
	}))
	for _, name := range found {
		if !slices.Contains(listed, name) {
			t.Errorf("%s is not in the contents: add it to cmd/site/contents.go", name)
		}
	}
	slices.Sort(listed)
	if n := len(listed); len(slices.Compact(listed)) != n {
		t.Error("a page is in the contents twice")
	}
}

var (
	address   = regexp.MustCompile(`\b(?:href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]*)"`)
	elsewhere = regexp.MustCompile(`(?i)(<script|<link|<img|<iframe|@import|url\()[^>]*(https?:)?//`)
)

// Links lead to pages, headings and pictures that are there, and no page reads anything from the network.
func TestLinksOfTheSiteHold(t *testing.T) {
	s := must.Get(read(golden.Root(t)))(t)
	folder := t.TempDir()
	must.Do(t, s.write(folder))
	site := os.DirFS(folder)
	texts, anchors, checked := map[string]string{}, map[string][]string{}, 0
	for _, p := range s.pages {
		text := string(must.Get(fs.ReadFile(site, p.to))(t))
		texts[p.to] = text
		for _, found := range anchor.FindAllStringSubmatch(text, -1) {
			anchors[p.to] = append(anchors[p.to], found[1])
		}
		if strings.Contains(text, "data-insert") || strings.Contains(text, "written by make pages") {
			t.Errorf("%s: a part is not filled in", p.to)
		}
		if found := elsewhere.FindString(text); found != "" {
			t.Errorf("%s reads from the network: %s", p.to, found)
		}
	}
	for from, text := range texts {
		for _, found := range address.FindAllStringSubmatch(text, -1) {
			to, at, _ := strings.Cut(must.Get(url.PathUnescape(found[1]))(t), "#")
			if strings.Contains(to, ":") {
				continue
			}
			if to = path.Join(path.Dir(from), to); found[1][:1] == "#" {
				to = from
			}
			checked++
			if _, err := fs.Stat(site, to); err != nil {
				t.Errorf("%s leads to %s, which is not there", from, found[1])
			} else if at != "" && !slices.Contains(anchors[to], at) {
				t.Errorf("%s leads to %s, a heading that is not there", from, found[1])
			}
		}
	}
	if checked < 3000 {
		t.Errorf("%d links: the test does not see them", checked)
	}
	if index := string(must.Get(fs.ReadFile(site, "search.js"))(t)); !strings.Contains(index, `"a":"methods/maps.html#umap"`) {
		t.Error("the search does not find umap")
	}
	for _, e := range engine.Methods() {
		to := must.Get(s.sectionOf(e.Name))(t)
		file, _, _ := strings.Cut(to, "#")
		for _, part := range []string{fmt.Sprintf(`id="%s"`, e.Name), "images/methods/" + e.Name + ".png", `aria-label="The example of ` + e.Name + ` in"`} {
			if !strings.Contains(texts[file], part) {
				t.Errorf("the section of %s has no %s", e.Name, part)
			}
		}
		for _, p := range e.Parameters {
			if !strings.Contains(texts[file], "<code>"+p.Key+"</code>") {
				t.Errorf("the section of %s does not describe %s", e.Name, p.Key)
			}
		}
	}
}

// The digits of a number stay together, and code stays as it is.
func TestNumbersAreNotBroken(t *testing.T) {
	const text = `<p title="70 000 rows">70 000 × 784 in 12 s, 1 200 000 rows, in 2010 123 of <code>--n 70 000</code></p>`
	const want = `<p title="70 000 rows">70·000 × 784 in 12 s, 1·200·000 rows, in 2010 123 of <code>--n 70 000</code></p>`
	if got := strings.ReplaceAll(unbroken(text), "\u00a0", "·"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
