package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/cmd/internal/examples"
	"github.com/orthant-go/orthant/engine"
)

// The lines that enclose a table of the method with that name.
func parametersMark(name string) mark {
	return mark{"<!-- parameters of " + name + ": written by make pages -->", "<!-- /parameters -->"}
}

func exampleMark(name string) mark {
	return mark{"<!-- example of " + name + ": written by make pages -->", "<!-- /example -->"}
}

var (
	methodsMark  = mark{"<!-- methods: written by make pages -->", "<!-- /methods -->"}
	overviewMark = mark{"<!-- overview: written by make pages -->", "<!-- /overview -->"}
	settingsMark = mark{"<!-- settings: written by make pages -->", "<!-- /settings -->"}
)

// page is a file with a table, as it is and as the engine has it.
type page struct {
	path       string
	have, want string
}

// current reports whether the table is what the engine has.
func (f page) current() bool { return f.have == f.want }

// pages reads the pages of the methods, the list of them and the README below the root of the
// repository. A method without a section, or without a place for its tables, is an error, and
// so is a method with two sections and a page of no method.
func pages(root string) ([]page, error) {
	names, texts, err := methodPages(root)
	if err != nil {
		return nil, err
	}
	entries := engine.Methods()
	var wrong []error
	if err := examples.Check(entries); err != nil {
		wrong = append(wrong, err)
	}
	where := map[string]string{} // the page of a method
	for _, name := range names {
		for _, s := range sections(texts[name]) {
			if before, twice := where[s.name]; twice && isMethod(entries, s.name) {
				wrong = append(wrong, fmt.Errorf("%s has a section in %s and one in %s", s.name, before, name))
			}
			where[s.name] = name
		}
	}
	parts := map[string][]part{}
	for _, e := range entries {
		x, err := examples.Of(e.Name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		list := []part{{exampleMark(e.Name), show(x, e.Name)}, {parametersMark(e.Name), parameters(e)}}
		name, found := where[e.Name]
		if !found {
			wrong = append(wrong, fmt.Errorf("%s has no section: write one below \"## %s\" in a page of docs/methods, with places for its tables:\n%s\n%s\n%s\n%s", e.Name, e.Name, list[0].begin, list[0].end, list[1].begin, list[1].end))
			continue
		}
		parts[name] = append(parts[name], list...)
	}
	var list []page
	add := func(path string, parts []part) {
		f, err := read(filepath.Join(root, path), parts)
		if err != nil {
			wrong = append(wrong, err)
			return
		}
		list = append(list, f)
	}
	for _, name := range names {
		if len(parts[name]) == 0 {
			wrong = append(wrong, fmt.Errorf("docs/methods/%s is the page of no method", name))
			continue
		}
		add(filepath.Join("docs", "methods", name), parts[name])
	}
	add(filepath.Join("docs", "methods", indexPage), []part{{methodsMark, rows(entries, where)}})
	add(filepath.Join("docs", "factorisations.md"), []part{{settingsMark, settings(entries)}})
	add("README.md", []part{{overviewMark, overview()}})
	return list, errors.Join(wrong...)
}

func isMethod(entries []engine.Entry, name string) bool {
	return slices.ContainsFunc(entries, func(e engine.Entry) bool { return e.Name == name })
}

func read(path string, parts []part) (page, error) {
	have, err := os.ReadFile(path)
	if err != nil {
		return page{}, fmt.Errorf("%w; write it, with a place for its table:\n%s\n%s", err, parts[0].begin, parts[0].end)
	}
	want := string(have)
	for _, p := range parts {
		if want, err = p.fill(want, p.text); err != nil {
			return page{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return page{path: path, have: string(have), want: want}, nil
}

// show writes the example of a section: its commands, the picture, which make images draws, and what that shows.
func show(x examples.Example, name string) string {
	var b strings.Builder
	for _, line := range x.Shell(name) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "\n![%s](../images/methods/%s.png)\n\n*%s*\n", "What the commands draw: "+name, name, x.Shows)
	return b.String()
}

// part is what stands between two lines of a page.
type part struct {
	mark
	text string
}

type mark struct{ begin, end string }

// fill returns the text with the table between the marks.
func (m mark) fill(text, table string) (string, error) {
	before, rest, begun := strings.Cut(text, m.begin+"\n")
	old, after, ended := strings.Cut(rest, m.end+"\n")
	if !begun || !ended || strings.Contains(old, ": written by make pages -->") || strings.Contains(after, m.begin) {
		return "", fmt.Errorf("there is no one place for what stands between the lines\n%s\n%s", m.begin, m.end)
	}
	return before + m.begin + "\n\n" + table + "\n" + m.end + "\n" + after, nil
}
