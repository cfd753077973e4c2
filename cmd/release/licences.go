package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// recognised are the licences that a text may hold, by words that it alone has. BSD's two are
// distinguished by the clause about names.
var recognised = []struct {
	name  string
	words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`(?i)Apache License,?\s+Version 2\.0`)},
	{"MIT", regexp.MustCompile(`(?i)Permission is hereby granted, free of charge`)},
	{"BSD-3-Clause", regexp.MustCompile(`(?is)Redistribution and use in source and binary forms.*Neither the name`)},
	{"BSD-2-Clause", regexp.MustCompile(`(?i)Redistribution and use in source and binary forms`)},
	{"OFL-1.1", regexp.MustCompile(`(?i)SIL OPEN FONT LICENSE Version 1\.1`)},
	{"CC-BY-4.0", regexp.MustCompile(`(?i)Creative Commons Attribution 4\.0`)},
	{"MPL-2.0", regexp.MustCompile(`(?i)Mozilla Public License Version 2\.0`)},
	{"FTL", regexp.MustCompile(`(?i)FreeType Project LICENSE`)},
}

// allowed are the licences under which a module may be part of what is released.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "MIT", "OFL-1.1"}

// identify names the licences whose texts there are, or fails.
func identify(text string) ([]string, error) {
	plain := strings.Join(strings.Fields(text), " ")
	var names []string
	for _, l := range recognised {
		if l.words.MatchString(plain) && !(l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause")) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("a licence that is not known: %.80q", plain)
	}
	return names, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([-.].*)?$`)

// licence is what a module is licensed under.
type licence struct {
	names []string // by SPDX; all of them hold
	texts []string
}

// licenceOf reads the files of a module that say how it is licensed. Where a choice is left it is made here.
func licenceOf(m module) (l licence, err error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return l, fmt.Errorf("%s: %w (go mod download)", m.Path, err)
	}
	var paths []string
	for _, e := range entries {
		if licenceFile.MatchString(e.Name()) && !e.IsDir() {
			paths = append(paths, filepath.Join(m.Dir, e.Name()))
		}
	}
	var more []string
	switch m.Path {
	case "github.com/golang/freetype": // its LICENSE leaves the choice between this and the GPL
		paths = []string{filepath.Join(m.Dir, "LICENSE"), filepath.Join(m.Dir, "licenses", "ftl.txt")}
	case "gonum.org/v1/gonum": // of what it was made of
		more, err = filepath.Glob(filepath.Join(m.Dir, "THIRD_PARTY_LICENSES", "*"))
	}
	if err != nil {
		return l, err
	}
	found := map[string]bool{}
	for _, path := range slices.Concat(paths, more) {
		text, err := os.ReadFile(path)
		if err != nil {
			return l, fmt.Errorf("%s: %w", m.Path, err)
		}
		l.texts = append(l.texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		names, err := identify(string(text))
		if err != nil && !slices.Contains(more, path) && len(paths) == 1 {
			return l, fmt.Errorf("%s: %w", m.Path, err)
		}
		for _, name := range names {
			found[name] = true
		}
	}
	if len(found) == 0 {
		return l, fmt.Errorf("%s has no licence that is known among its files", m.Path)
	}
	l.names = slices.Sorted(maps.Keys(found))
	return l, nil
}

// check refuses a module of what is released whose licence is not one of those allowed there.
func (l licence) check(path string) error {
	for _, name := range l.names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s is licensed under %s, which is not one of %v", path, name, allowed)
		}
	}
	return nil
}

// uses are what modules are used for, in the order in which a module is assigned to one.
var uses = []struct {
	name string
	all  bool // on every system
	cgo  string
	args []string
}{
	{"command", true, "0", []string{"./cmd/orthant"}},
	{"library", false, "1", []string{"./cmd/liborthant"}},
	{"command with OpenBLAS", false, "1", []string{"-tags", "openblas", "./cmd/orthant"}},
	{"command with `TAGS=arrow`", false, "0", []string{"-tags", "arrow", "./cmd/orthant"}},
	{"tests", false, "0", []string{"-test", "./..."}},
	{"tools", false, "0", []string{"tool"}},
}

// licensed returns the table of licences and, of those modules that are part of what is released,
// the texts.
func licensed(root string) (table, texts string, err error) {
	where, modules := map[string][]string{}, map[string]module{}
	for _, use := range uses {
		list, err := modulesOf(root, use.all, "CGO_ENABLED="+use.cgo, use.args...)
		if err != nil {
			return "", "", err
		}
		for path, m := range list {
			if _, known := modules[path]; known && (use.name != "library") {
				continue
			}
			where[path], modules[path] = append(where[path], use.name), m
		}
	}
	var rows, all strings.Builder
	rows.WriteString("# Licences of what orthant is made of\n\nOrthant itself is Apache-2.0 ([LICENSE](../LICENSE)); what it links of Go's own library is under BSD-3-Clause. These are the modules of others, as `make licences`\n" +
		"found them (a test compares); the texts are in [third-party-licences.txt](third-party-licences.txt), which goes with every file of a release.\n" +
		"Modules of tests and tools are in no file of a release but the source archive, under `vendor`.\n\n| module | licence | in |\n| --- | --- | --- |\n")
	all.WriteString("The command, the library and the packages of orthant hold code of these modules and of Go's standard library.\n")
	goroot, err := output(root, nil, goCommand(), "env", "GOROOT")
	if err != nil {
		return "", "", err
	}
	add := func(title string, l licence) {
		fmt.Fprintf(&all, "\n%s\n%s (%s)\n%s\n\n%s\n", strings.Repeat("=", 80), title, strings.Join(l.names, " AND "), strings.Repeat("=", 80), strings.Join(l.texts, "\n\n"+strings.Repeat("-", 80)+"\n\n"))
	}
	own, err := licenceOf(module{Path: "Go", Dir: strings.TrimSpace(goroot)})
	if err != nil {
		return "", "", err
	}
	add("Go's standard library", own)
	for _, m := range inOrder(modules) {
		l, err := licenceOf(m)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", m.Path, strings.Join(l.names, ", "), strings.Join(where[m.Path], ", "))
		if !slices.Contains([]string{"tests", "tools"}, where[m.Path][0]) {
			if err := l.check(m.Path); err != nil {
				return "", "", err
			}
			add(m.Path, l)
		}
	}
	return rows.String(), all.String(), nil
}
