package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// repository has the files that the pages name and the site does not have.
const repository = "https://github.com/orthant-go/orthant/blob/main/"

// markdown reads what GitHub reads. The texts are our own, so that tags in them stay.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()))

// render fills in the title, the body and the parts of a page.
func (s *site) render(p *page) error {
	source, inserts, err := s.replaceParts(p, p.source)
	if err != nil {
		return err
	}
	p.text = source
	src := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{taken: map[string]int{}}))))
	if err := s.relink(p, doc); err != nil {
		return err
	}
	p.collect(doc, src)
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, src, doc); err != nil {
		return err
	}
	body := strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>").Replace(b.String())
	for mark, insert := range inserts {
		if strings.Count(body, mark) != 1 {
			return fmt.Errorf("the place %s is not in the page once", mark)
		}
		body = strings.Replace(body, mark, insert, 1)
	}
	p.body = unbroken(body)
	return nil
}

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	thousands = regexp.MustCompile(`\b\d{1,3}( \d{3})+\b`)
)

// unbroken keeps the digits of a number such as 70 000 in one line, except in code, which is copied.
func unbroken(body string) string {
	var b strings.Builder
	code, from := 0, 0
	words := func(to int) {
		text := body[from:to]
		if code == 0 {
			text = thousands.ReplaceAllStringFunc(text, func(n string) string { return strings.ReplaceAll(n, " ", "\u00a0") })
		}
		b.WriteString(text)
	}
	for _, at := range tag.FindAllStringIndex(body, -1) {
		words(at[0])
		name := body[at[0]:at[1]]
		switch {
		case strings.HasPrefix(name, "<code"), strings.HasPrefix(name, "<script"), strings.HasPrefix(name, "<style"):
			code++
		case strings.HasPrefix(name, "</code"), strings.HasPrefix(name, "</script"), strings.HasPrefix(name, "</style"):
			code--
		}
		b.WriteString(name)
		from = at[1]
	}
	words(len(body))
	return b.String()
}

// relink makes links lead to the pages of the site, and notes the files that they show.
func (s *site) relink(p *page, doc ast.Node) error {
	return ast.Walk(doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			var to string
			to, err = s.linkFrom(p, string(n.Destination))
			s.name(p, n)
			n.Destination = []byte(to)
		case *ast.Image:
			var to string
			to, err = s.linkFrom(p, string(n.Destination))
			n.Destination = []byte(to)
			n.SetAttributeString("loading", []byte("lazy"))
		}
		return ast.WalkContinue, err
	})
}

// name gives a link to a page, of which the text is the name of its file, the name of the page.
func (s *site) name(p *page, link *ast.Link) {
	file, anchor, _ := strings.Cut(string(link.Destination), "#")
	only, is := link.FirstChild().(*ast.Text)
	if !is || link.ChildCount() != 1 || anchor != "" || !strings.HasSuffix(string(only.Segment.Value([]byte(p.text))), ".md") {
		return
	}
	if q := s.by[path.Join(path.Dir(p.file), file)]; q != nil {
		link.ReplaceChild(link, only, ast.NewString([]byte(q.entry.name)))
	}
}

// linkFrom is where a link of a Markdown file leads in the site. A file that is no page is shown where it is a picture, and else
// looked at in the repository.
func (s *site) linkFrom(p *page, to string) (string, error) {
	if strings.Contains(to, ":") || strings.HasPrefix(to, "#") {
		return to, nil
	}
	file, anchor, _ := strings.Cut(to, "#")
	file = path.Join(path.Dir(p.file), file)
	if anchor != "" {
		anchor = "#" + anchor
	}
	if s.by[file] == nil && s.by[path.Join(file, "README.md")] != nil {
		file = path.Join(file, "README.md")
	}
	if q := s.by[file]; q != nil {
		return between(p.to, q.to) + anchor, nil
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file))); err != nil {
		return "", fmt.Errorf("the link to %s: %w", to, err)
	}
	if strings.HasSuffix(file, ".png") {
		s.files[file] = true
		return between(p.to, fileTo(file)), nil
	}
	return repository + file + anchor, nil
}

// between is the address of one file of the site in another.
func between(from, to string) string { return strings.Repeat("../", strings.Count(from, "/")) + to }

// collect takes the title and the parts, with their words, from the headings.
func (p *page) collect(doc ast.Node, src []byte) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			one := part{level: h.Level, anchor: string(anchor), head: words(h, src)}
			if p.title == "" {
				p.title = one.head
			}
			p.parts = append(p.parts, one)
			continue
		}
		if len(p.parts) > 0 {
			last := &p.parts[len(p.parts)-1]
			last.text = strings.TrimSpace(last.text + " " + words(n, src))
		}
	}
}

// words are those of a node, without its marks.
func words(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeBlock:
			b.Write(n.Lines().Value(src))
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(src))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// anchors gives headings the anchors that GitHub gives them.
type anchors struct{ taken map[string]int }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	name := b.String()
	n := a.taken[name]
	if a.taken[name]++; n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

func (a *anchors) Put([]byte) {}
