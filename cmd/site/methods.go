package main

import (
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/cmd/internal/examples"
	"github.com/orthant-go/orthant/engine"
)

// These enclose what make pages writes of the engine: the site shows the same in its own form.
var (
	exampleBlock = regexp.MustCompile(`(?s)<!-- example of (\S+): written by make pages -->\n.*?<!-- /example -->\n`)
	methodsBlock = regexp.MustCompile(`(?s)<!-- methods: written by make pages -->\n.*?<!-- /methods -->\n`)
	otherMark    = regexp.MustCompile(`<!-- [^>]*(: written by make pages|^/\w+) -->\n|<!-- /\w+ -->\n`)
)

// replaceParts puts marks into a text where examples and the list of methods stand, and returns what takes their place.
func (s *site) replaceParts(p *page, source string) (string, map[string]string, error) {
	inserts := map[string]string{}
	var wrong error
	put := func(insert string, err error) string {
		if err != nil && wrong == nil {
			wrong = err
		}
		mark := fmt.Sprintf(`<div data-insert="%d"></div>`, len(inserts))
		inserts[mark] = insert
		return "\n" + mark + "\n\n"
	}
	source = exampleBlock.ReplaceAllStringFunc(source, func(block string) string {
		return put(s.example(p, exampleBlock.FindStringSubmatch(block)[1]))
	})
	if methodsBlock.MatchString(source) {
		source = methodsBlock.ReplaceAllString(source, put(s.gallery(p)))
	}
	return otherMark.ReplaceAllString(source, ""), inserts, wrong
}

var blocks = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(parts, "page/blocks.html"))
})

// tab is an example in one language.
type tab struct{ Key, Name, Text, Note string }

// example is the example of a method in all languages, side by side, and its picture.
func (s *site) example(p *page, name string) (string, error) {
	x, err := examples.Of(name)
	if err != nil {
		return "", err
	}
	inGo, err := x.Go(name)
	if err != nil {
		return "", err
	}
	lines := x.Shell(name)
	tabs := []tab{{"shell", "Shell", strings.Join(lines, "\n") + "\n", ""}}
	note := ""
	if len(lines) > 1 {
		note = "x.csv is the file that the first command of the shell makes."
		if x.Labels {
			note = "x.csv and y.csv are the files that the first command of the shell makes."
		}
	}
	inR, noteR := x.R(name), note
	if inR == "" {
		inR, noteR = strings.Join(lines[len(lines)-1:], "")+"\n", "The R package does not select samples. Use the command, whose file R reads."
	}
	tabs = append(tabs, tab{"python", "Python", x.Python(name), note}, tab{"r", "R", inR, noteR}, tab{"go", "Go", inGo, note})
	picture := "docs/images/methods/" + name + ".png"
	s.files[picture] = true
	return execute("example", map[string]any{"Name": name, "Tabs": tabs, "Picture": between(p.to, fileTo(picture)), "Shows": inline(x.Shows)})
}

// gallery lists the methods of each family with their pictures.
func (s *site) gallery(p *page) (string, error) {
	type card struct{ Name, Title, Source, Tasks, To, Picture string }
	type family struct {
		Title, What string
		Cards       []card
	}
	entries := map[string]engine.Entry{}
	for _, e := range engine.Methods() {
		entries[e.Name] = e
	}
	var list []family
	for _, f := range examples.Families {
		one := family{Title: f.Title, What: strings.ToUpper(f.What[:1]) + f.What[1:] + "."}
		for _, name := range f.Names {
			to, err := s.sectionOf(name)
			if err != nil {
				return "", err
			}
			e := entries[name]
			picture := "docs/images/methods/" + name + ".png"
			s.files[picture] = true
			one.Cards = append(one.Cards, card{name, e.Title, e.Source, strings.Join(e.Tasks, ", "), between(p.to, to), between(p.to, fileTo(picture))})
		}
		list = append(list, one)
	}
	return execute("gallery", list)
}

// sectionOf is the address of the section of a method.
func (s *site) sectionOf(name string) (string, error) {
	if s.sections == nil {
		s.sections = map[string]string{}
		for _, q := range s.pages {
			if path.Dir(q.file) != "docs/methods" {
				continue
			}
			for _, found := range exampleBlock.FindAllStringSubmatch(q.source, -1) {
				s.sections[found[1]] = q.to + "#" + found[1]
			}
		}
	}
	if to := s.sections[name]; to != "" {
		return to, nil
	}
	return "", fmt.Errorf("%s has no section in docs/methods", name)
}

func execute(name string, data any) (string, error) {
	var b strings.Builder
	err := blocks().ExecuteTemplate(&b, name, data)
	return b.String(), err
}

var code = regexp.MustCompile("`([^`]+)`")

// inline is a line of Markdown that has no marks but code.
func inline(line string) template.HTML {
	return template.HTML(code.ReplaceAllString(html.EscapeString(line), "<code>$1</code>"))
}
