package main

import (
	"os"
	"path/filepath"
	"strings"
)

// indexPage lists all methods.
const indexPage = "README.md"

// section is what a page says of one method: from the heading that is the method's name, which
// is also the anchor of links to it, to the next heading of that level.
type section struct{ name, text string }

// sections are the parts of a page below its headings of the second level.
func sections(page string) (list []section) {
	for _, part := range strings.Split("\n"+page, "\n## ")[1:] {
		name, _, _ := strings.Cut(part, "\n")
		list = append(list, section{name, "## " + part})
	}
	return list
}

// methodPages are the names and the texts of the pages in docs/methods, without the list of all.
func methodPages(root string) (names []string, texts map[string]string, err error) {
	paths, err := filepath.Glob(filepath.Join(root, "docs", "methods", "*.md"))
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if name == indexPage {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		names, texts[name] = append(names, name), string(text)
	}
	return names, texts, nil
}
