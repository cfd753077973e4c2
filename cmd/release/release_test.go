package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// Archives have the same bytes whatever the order of the entries, with modes and links.
func TestArchives(t *testing.T) {
	at := time.Unix(1700000000, 0).UTC()
	entries := []entry{{name: "a/tool", data: []byte("tool"), mode: 0o755}, {name: "a/LICENSE", data: []byte("text"), mode: 0o644}}
	folder := t.TempDir()
	for _, extension := range []string{".tar.gz", ".zip"} {
		list := slices.Clone(entries)
		if extension == ".tar.gz" {
			list = append(list, entry{name: "a/link", link: "tool"})
		}
		var made [][]byte
		for _, name := range []string{"one", "two"} {
			path := filepath.Join(folder, name+extension)
			must.Do(t, archive(path, list, at))
			data := must.Get(os.ReadFile(path))(t)
			made = append(made, data)
			slices.Reverse(list)
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("%s: two archives of the same are not the same", extension)
		}
		got := listed(t, extension, made[0])
		want := []string{"a/LICENSE text -rw-r--r--", "a/tool tool -rwxr-xr-x"}
		if extension == ".tar.gz" {
			want = []string{want[0], "a/link  Lrwxrwxrwx", want[1]}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s holds %q", extension, got)
		}
	}
	must.Do(t, checksums(folder))
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil || strings.Count(string(sums), "\n") != 4 || !strings.Contains(string(sums), "  one.zip\n") {
		t.Errorf("checksums %s (%v)", sums, err)
	}
}

// listed lists what an archive holds.
func listed(t *testing.T, extension string, data []byte) (list []string) {
	t.Helper()
	if extension == ".zip" {
		z := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
		for _, f := range z.File {
			r := must.Get(f.Open())(t)
			text, _ := io.ReadAll(r)
			list = append(list, f.Name+" "+string(text)+" "+f.Mode().String())
		}
		return list
	}
	z := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		list = append(list, h.Name+" "+string(text)+" "+h.FileInfo().Mode().String())
	}
}

// The bill names all that a binary was built of.
func TestBillOfMaterials(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "orthant")
	build := exec.Command(goCommand(), "build", "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/orthant")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	data := must.Get(os.ReadFile(binary))(t)
	known := must.Get(modulesOf(root, false, "CGO_ENABLED=0", "./cmd/orthant"))(t)
	b := must.Get(billOf("1.2.3+abc", time.Unix(1700000000, 0), [][]byte{data}, known))(t)
	text := must.Get(json.Marshal(b))(t)
	for _, want := range []string{`"bomFormat":"CycloneDX"`, `"purl":"pkg:golang/gonum.org/v1/gonum@v`, `"purl":"pkg:golang/std@1.`, `"bom-ref":"pkg:golang/github.com/orthant-go/orthant@v1.2.3%2Babc"`, `"timestamp":"2023-11-14T22:13:20Z"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the bill lacks %s", want)
		}
	}
	if len(b.Components) != len(known)+1 || len(b.Depends[0].On) != len(b.Components) {
		t.Errorf("%d components of %d modules and Go", len(b.Components), len(known))
	}
	delete(known, "gonum.org/v1/gonum")
	if _, err := billOf("1.2.3", time.Unix(0, 0), [][]byte{data}, known); err == nil {
		t.Error("a module that is in the binary alone goes unnoticed")
	}
}
