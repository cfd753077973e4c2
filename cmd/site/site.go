package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed page
var parts embed.FS

// site is all that is written.
type site struct {
	root  string
	pages []*page
	by    map[string]*page // by their Markdown files
	files map[string]bool  // further files that pages show, such as pictures

	sections map[string]string // the address of each method's section
}

// page is a Markdown file and what becomes of it.
type page struct {
	entry
	chapter string
	to      string // the file of HTML, from the root of the site
	source  string // Markdown
	text    string // the same with marks in place of examples
	title   string
	body    string
	parts   []part
}

// part is what stands below one heading: the search finds it.
type part struct {
	level        int
	anchor, head string
	text         string
}

// read renders the pages of the contents.
func read(root string) (*site, error) {
	s := &site{root: root, by: map[string]*page{}, files: map[string]bool{}}
	for _, c := range contents {
		for _, e := range c.pages {
			p := &page{entry: e, chapter: c.title, to: addressOf(e.file)}
			s.pages = append(s.pages, p)
			s.by[e.file] = p
		}
	}
	for _, p := range s.pages {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
		if err != nil {
			return nil, err
		}
		p.source = string(text)
	}
	var wrong []error
	for _, p := range s.pages {
		if err := s.render(p); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", p.file, err))
		}
	}
	return s, errors.Join(wrong...)
}

// addressOf is the file of HTML of a Markdown file.
func addressOf(file string) string {
	file = strings.TrimPrefix(file, "docs/")
	if file == "README.md" {
		return "index.html"
	}
	if path.Base(file) == "README.md" {
		return path.Join(path.Dir(file), "index.html")
	}
	return strings.ToLower(strings.TrimSuffix(file, ".md")) + ".html"
}

// layout is what a page is put into.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(parts, "page/page.html"))
})

// view is what the layout is given.
type view struct {
	Title, Base string
	Body        template.HTML
	Chapters    []chapterView
	Before      *linkView
	After       *linkView
}

type chapterView struct {
	Title string
	Open  bool
	Links []linkView
}

type linkView struct {
	Name, To string
	Here     bool
	Parts    []linkView
}

// view makes the layout's data of page i.
func (s *site) view(i int) view {
	p := s.pages[i]
	v := view{Title: p.title, Base: strings.Repeat("../", strings.Count(p.to, "/")), Body: template.HTML(p.body)}
	for _, q := range s.pages {
		if n := len(v.Chapters); n == 0 || v.Chapters[n-1].Title != q.chapter {
			v.Chapters = append(v.Chapters, chapterView{Title: q.chapter, Open: q.chapter == p.chapter})
		}
		link := linkView{Name: q.name, To: v.Base + q.to, Here: p == q}
		if link.Here {
			for _, one := range q.parts {
				if one.level == 2 {
					link.Parts = append(link.Parts, linkView{Name: one.head, To: "#" + one.anchor})
				}
			}
		}
		c := &v.Chapters[len(v.Chapters)-1]
		c.Links = append(c.Links, link)
	}
	if i > 0 {
		v.Before = &linkView{Name: s.pages[i-1].name, To: v.Base + s.pages[i-1].to}
	}
	if i+1 < len(s.pages) {
		v.After = &linkView{Name: s.pages[i+1].name, To: v.Base + s.pages[i+1].to}
	}
	return v
}

// html is page i as a file.
func (s *site) html(i int) ([]byte, error) {
	var b bytes.Buffer
	err := layout().Execute(&b, s.view(i))
	return b.Bytes(), err
}

// write writes the pages, their pictures, the style, the script and the index of the search.
func (s *site) write(folder string) error {
	put := func(name string, text []byte) error {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	}
	for i, p := range s.pages {
		text, err := s.html(i)
		if err != nil {
			return err
		}
		if err := put(p.to, text); err != nil {
			return err
		}
	}
	for name := range s.files {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := put(fileTo(name), text); err != nil {
			return err
		}
	}
	for _, name := range []string{"site.css", "site.js"} {
		text, err := parts.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		if err := put(name, text); err != nil {
			return err
		}
	}
	index, err := s.index()
	if err != nil {
		return err
	}
	return put("search.js", index)
}

// fileTo is where a file that pages show is put.
func fileTo(name string) string { return strings.TrimPrefix(name, "docs/") }
