package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

var root = filepath.Join("..", "..")

// The kept lists are those of the modules in go.mod, and no licence is unknown or not allowed.
func TestLicences(t *testing.T) {
	table, texts := must.Two(licensed(root))(t)
	for path, want := range map[string]string{licenceTable: table, licenceTexts: texts} {
		if kept, err := os.ReadFile(filepath.Join(root, path)); err != nil || string(kept) != want {
			t.Errorf("%s is not that of go.mod (%v): make licences", path, err)
		}
	}
	for _, module := range []string{"gonum.org/v1/gonum", "codeberg.org/go-fonts/liberation", "Go's standard library"} {
		if !strings.Contains(texts, "\n"+module+" (") {
			t.Errorf("no text of the licence of %s", module)
		}
	}
}

func TestIdentify(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted"
	for text, want := range map[string]string{
		"Permission is hereby granted, free of\ncharge, to any person": "MIT",
		bsd: "BSD-2-Clause",
		bsd + ". Neither the name of the authors": "BSD-3-Clause",
		"Apache License\n   Version 2.0, January": "Apache-2.0",
	} {
		if got, err := identify(text); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%q is %v (%v)", text, got, err)
		}
	}
	if got, err := identify("All rights reserved."); err == nil {
		t.Errorf("no licence at all is %v", got)
	}
	if err := (licence{names: []string{"MPL-2.0"}}).check("a module"); err == nil {
		t.Error("MPL-2.0 is allowed in what is released")
	}
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("All rights reserved."), 0o600))
	if _, err := licenceOf(module{Path: "a", Dir: folder}); err == nil {
		t.Error("a module with an unknown licence passes")
	}
	if _, err := licenceOf(module{Path: "a", Dir: t.TempDir()}); err == nil {
		t.Error("a module without a licence passes")
	}
}

// The statement of provenance has the sum of each file, the commit and the versions.
func TestProvenance(t *testing.T) {
	folder := t.TempDir()
	if list, err := sums(folder); err == nil {
		t.Errorf("an empty folder has %v", list)
	}
	for _, name := range []string{"a.zip", "b.whl", "SHA256SUMS"} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte("text"), 0o600))
	}
	files := must.Get(sums(folder, "SHA256SUMS"))(t)
	text := string(must.Get(json.Marshal(stated(files, "4c1b5ac", files[0], map[string]string{"go": "go1.26"})))(t))
	const sum = `"digest":{"sha256":"982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"}`
	for _, want := range []string{
		`"subject":[{"name":"a.zip",` + sum + `},{"name":"b.whl",` + sum + `}]`, `"digest":{"gitCommit":"4c1b5ac"}`, `"version":{"go":"go1.26"}`,
		`"_type":"https://in-toto.io/Statement/v1"`, `"predicateType":"https://slsa.dev/provenance/v1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the statement lacks %s: %s", want, text)
		}
	}
	if _, err := versionsOf([]string{"syft"}); err == nil {
		t.Error("a tool without a version is taken")
	}
}

// GoReleaser builds for the systems whose modules' licences are listed.
func TestTargets(t *testing.T) {
	text := string(must.Get(os.ReadFile("goreleaser.yaml"))(t))
	systems, processors := map[string]bool{}, map[string]bool{}
	for _, to := range targets {
		systems[to.os], processors[to.arch] = true, true
	}
	for key, names := range map[string]map[string]bool{"goos": systems, "goarch": processors} {
		_, list, _ := strings.Cut(text, "\n    "+key+": [")
		list, _, _ = strings.Cut(list, "]")
		if got := strings.Split(list, ", "); len(got) != len(names) || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(maps.Keys(names))) {
			t.Errorf("%s of goreleaser.yaml are %q, targets %v", key, got, names)
		}
	}
}
