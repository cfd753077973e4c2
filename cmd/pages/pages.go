package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// The lines between which a table stands.
var (
	parametersMark = mark{"<!-- parameters: written by make pages -->", "<!-- /parameters -->"}
	exampleMark    = mark{"<!-- example: written by make pages -->", "<!-- /example -->"}
	methodsMark    = mark{"<!-- methods: written by make pages -->", "<!-- /methods -->"}
)

// page is a file with a table, as it is and as the engine has it.
type page struct {
	path       string
	have, want string
}

// current reports whether the table is what the engine has.
func (f page) current() bool { return f.have == f.want }

// pages reads the page of every method and the README below the root of the
// repository. A page that is missing or has no place for its table is an error, and
// so is a page of no method.
func pages(root string) ([]page, error) {
	entries := engine.Methods()
	var list []page
	var wrong []error
	add := func(path string, parts ...part) {
		f, err := read(filepath.Join(root, path), parts)
		if err != nil {
			wrong = append(wrong, err)
			return
		}
		list = append(list, f)
	}
	methods := map[string]bool{}
	for _, e := range entries {
		methods[e.Name+".md"] = true
		x, err := exampleOf(e.Name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		add(filepath.Join("docs", "methods", e.Name+".md"), part{exampleMark, x.show(e.Name)}, part{parametersMark, parameters(e)})
	}
	if err := checkFamilies(entries); err != nil {
		wrong = append(wrong, err)
	}
	add("README.md", part{methodsMark, rows(entries)})
	folder, err := os.ReadDir(filepath.Join(root, "docs", "methods"))
	if err != nil {
		wrong = append(wrong, err)
	}
	for _, page := range folder {
		if !methods[page.Name()] {
			wrong = append(wrong, fmt.Errorf("docs/methods/%s is the page of no method", page.Name()))
		}
	}
	return list, errors.Join(wrong...)
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

// part is what stands between two lines of a page.
type part struct {
	mark
	text string
}

type mark struct{ begin, end string }

// fill returns the text with the table between the marks.
func (m mark) fill(text, table string) (string, error) {
	before, rest, begun := strings.Cut(text, m.begin+"\n")
	_, after, ended := strings.Cut(rest, m.end+"\n")
	if !begun || !ended || strings.Contains(after, m.begin) {
		return "", fmt.Errorf("there is no one place for what stands between the lines\n%s\n%s", m.begin, m.end)
	}
	return before + m.begin + "\n\n" + table + "\n" + m.end + "\n" + after, nil
}

// parameters is the table of a method's own parameters.
func parameters(e engine.Entry) string {
	var b strings.Builder
	b.WriteString("| key | default | values | meaning |\n| --- | --- | --- | --- |\n")
	for _, p := range e.Parameters {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Key, defaults(p), values(p), prose(p.Meaning))
	}
	return b.String()
}

// defaults are a parameter's default, and that under protocol=paper where that is another.
func defaults(p engine.Parameter) string {
	if p.Paper == nil {
		return number(p.Default)
	}
	return number(p.Default) + "; paper: " + number(p.Paper)
}

// values says what a parameter may be: its choices, or its kind and range.
func values(p engine.Parameter) string {
	if p.Type == "text" && p.Allowed != "" {
		return "`" + strings.ReplaceAll(p.Allowed, "|", "`, `") + "`"
	}
	return strings.TrimSpace(p.Type + " " + p.Allowed)
}

// number writes a default; a number with an exponent as people do, 1e-7.
func number(value any) string {
	x, ok := value.(float64)
	if !ok {
		return fmt.Sprint(value)
	}
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e-0", "e-", 1)
}

// setting is another parameter's value in the meaning of one, such as solver=hals.
var setting = regexp.MustCompile(`[a-z_0-9]+=[a-z-]+`)

// prose writes a meaning for a cell of a table.
func prose(text string) string {
	return setting.ReplaceAllString(strings.ReplaceAll(text, "|", `\|`), "`$0`")
}

// rows are the tables of all methods, folded into families.
func rows(entries []engine.Entry) string {
	var b strings.Builder
	for i, f := range families {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "<details>\n<summary><b>%s</b>: %s (%d)</summary>\n\n", f.title, f.what, len(f.names))
		b.WriteString("| name | method | for | source |\n| --- | --- | --- | --- |\n")
		for _, e := range entries {
			if !slices.Contains(f.names, e.Name) {
				continue
			}
			tasks := "`" + strings.Join(e.Tasks, "`, `") + "`"
			if e.Supervised {
				tasks += " with `--labels`"
			}
			fmt.Fprintf(&b, "| [`%s`](docs/methods/%s.md) | %s | %s | %s |\n", e.Name, e.Name, e.Title, tasks, e.Source)
		}
		b.WriteString("\n</details>\n")
	}
	return b.String()
}
