package main

import (
	"encoding/json"
	"path"
)

// found is a part of a page as the search has it.
type found struct {
	Page string `json:"p"` // the page's name
	Head string `json:"h"`
	To   string `json:"a"`
	Text string `json:"t"`
}

// manyWords is the page whose tables would be half of the index: of it the headings are enough.
const manyWords = "reproduction.md"

// index is the script that has the words of all pages. It is read when someone searches: a page in a file may read a script,
// and nothing else.
func (s *site) index() ([]byte, error) {
	var list []found
	for _, p := range s.pages {
		for _, one := range p.parts {
			f := found{p.name, one.head, p.to + "#" + one.anchor, one.text}
			if path.Base(p.file) == manyWords {
				f.Text = ""
			}
			list = append(list, f)
		}
	}
	text, err := json.Marshal(list)
	return append(append([]byte("var searched = "), text...), ";\n"...), err
}
