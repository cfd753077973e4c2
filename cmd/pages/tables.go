package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/cmd/internal/examples"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/internal/presets"
)

// parameters is the table of a method's own parameters.
func parameters(e engine.Entry) string {
	var b strings.Builder
	b.WriteString("| key | default | values | meaning |\n| --- | --- | --- | --- |\n")
	for _, p := range e.Parameters {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Key, number(p.Default), values(p), prose(p.Meaning))
	}
	if keys := deprecatedKeys(e.Name); keys != "" {
		b.WriteString("\nAccepted only until 1.0, with a warning: " + keys + ".\n")
	}
	return b.String()
}

// deprecatedKeys lists the keys that a method accepts only until 1.0; empty: there are none.
func deprecatedKeys(name string) string {
	m, err := engine.New(name)
	if err != nil {
		return ""
	}
	keys := assign.DeprecatedKeys(m)
	var former, papers []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if now := keys[key]; now != "" {
			former = append(former, fmt.Sprintf("`%s` for `%s`", key, now))
		} else {
			papers = append(papers, "`"+key+"`")
		}
	}
	if len(papers) > 0 {
		former = append(former, strings.Join(papers, ", ")+" (to compare with the paper)")
	}
	return strings.Join(former, "; ")
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

// rows are the tables of all methods, one a family; where has the page of each.
func rows(entries []engine.Entry, where map[string]string) string {
	var b strings.Builder
	for i, f := range examples.Families {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "**%s**: %s (%d)\n\n", f.Title, f.What, len(f.Names))
		b.WriteString("| name | method | for | source |\n| --- | --- | --- | --- |\n")
		for _, e := range entries {
			if !slices.Contains(f.Names, e.Name) {
				continue
			}
			tasks := "`" + strings.Join(e.Tasks, "`, `") + "`"
			if e.Supervised {
				tasks += " with `--labels`"
			}
			fmt.Fprintf(&b, "| [`%s`](%s#%s) | %s | %s | %s |\n", e.Name, where[e.Name], e.Name, e.Title, tasks, e.Source)
		}
	}
	return b.String()
}

// settings are what the papers of the methods set in place of their defaults.
func settings(entries []engine.Entry) string {
	var b strings.Builder
	b.WriteString("| method | values |\n| --- | --- |\n")
	for _, e := range entries {
		preset := presets.OfPaper[e.Name]
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(preset)) {
			pairs = append(pairs, "`"+key+"="+preset[key]+"`")
		}
		if len(pairs) > 0 {
			fmt.Fprintf(&b, "| `%s` | %s |\n", e.Name, strings.Join(pairs, ", "))
		}
	}
	return b.String()
}

// overview names the methods of each family.
func overview() string {
	var b strings.Builder
	b.WriteString("| kind | methods |\n| --- | --- |\n")
	for _, f := range examples.Families {
		fmt.Fprintf(&b, "| **%s**: %s | `%s` |\n", f.Title, f.What, strings.Join(f.Names, "`, `"))
	}
	return b.String()
}
