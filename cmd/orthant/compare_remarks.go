package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// remark tells what there is to say of the runs beside the table.
func (c *comparison) remark(w io.Writer, rows []*comparedRow) {
	for _, text := range common(rows) {
		c.warn("%s", text)
	}
	for _, row := range rows {
		if row.Left > 0 {
			line(w, "left out", "%s: %s without coordinates (components=largest)", row.run.name(), counted(row.Left, "sample"))
		}
	}
	for _, alike := range alikeDoubts(rows) {
		text := alike[0].run.name() + ": " + alike[0].Sentence
		if len(alike) > 1 {
			var names []string
			for _, row := range alike[1:] {
				names = append(names, row.run.name())
			}
			text += fmt.Sprintf("; the same, with other figures, for %s", strings.Join(names, "; "))
		}
		line(w, alike[0].Verdict, "%s", text)
	}
}

// common are the warnings that every run gave, which are of the data.
func common(rows []*comparedRow) []string {
	var list []string
	for _, text := range rows[0].Warnings {
		if !slices.ContainsFunc(rows, func(r *comparedRow) bool { return r.Sentence == text || !slices.Contains(r.Warnings, text) }) {
			list = append(list, text)
		}
	}
	return list
}

var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// alikeDoubts are the rows with a sentence, in groups in which the words differ in numbers alone.
func alikeDoubts(rows []*comparedRow) [][]*comparedRow {
	var groups [][]*comparedRow
	place := map[string]int{}
	for _, row := range rows {
		if row.Sentence == "" {
			continue
		}
		words := row.Verdict + digits.ReplaceAllString(row.Sentence, "#")
		at, known := place[words]
		if !known {
			at = len(groups)
			place[words] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}
