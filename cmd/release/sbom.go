package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// component is a part in CycloneDX.
type component struct {
	Type       string        `json:"type"`
	Ref        string        `json:"bom-ref"`
	Name       string        `json:"name"`
	Version    string        `json:"version"`
	Licences   []licenceItem `json:"licenses"`
	Package    string        `json:"purl"`
	Properties []property    `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type licenceItem struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

func licenceItems(names ...string) (list []licenceItem) {
	for _, name := range names {
		var item licenceItem
		item.Licence.ID = name
		list = append(list, item)
	}
	return list
}

// bill is a bill of materials, CycloneDX 1.6.
type bill struct {
	Schema     string      `json:"$schema"`
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
	Depends    []depends   `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// builtOf reads from binaries which modules they were built of, as Go's linker recorded them, and
// by which Go.
func builtOf(binaries [][]byte) (modules map[string]module, goVersion string, err error) {
	modules = map[string]module{}
	for _, b := range binaries {
		info, err := buildinfo.Read(bytes.NewReader(b))
		if err != nil {
			return nil, "", err
		}
		goVersion = strings.TrimPrefix(info.GoVersion, "go")
		for _, m := range info.Deps {
			if m.Replace != nil {
				return nil, "", fmt.Errorf("%s is replaced by %s: what is released is built of published modules alone", m.Path, m.Replace.Path)
			}
			modules[m.Path] = module{Path: m.Path, Version: m.Version, Sum: m.Sum}
		}
	}
	return modules, goVersion, nil
}

// billOf lists what the binaries were built of, with licences. known are the modules with their
// folders.
func billOf(version string, at time.Time, binaries [][]byte, known map[string]module) (*bill, error) {
	modules, goVersion, err := builtOf(binaries)
	if err != nil {
		return nil, err
	}
	own := component{Type: "application", Ref: packageURL("github.com/orthant-go/orthant", "v"+version), Name: "orthant", Version: version,
		Licences: licenceItems("Apache-2.0"), Package: packageURL("github.com/orthant-go/orthant", "v"+version)}
	b := &bill{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{at.UTC().Format(time.RFC3339), own}}
	add := func(c component) {
		c.Ref = c.Package
		b.Components = append(b.Components, c)
	}
	add(component{Type: "library", Name: "std", Version: goVersion, Licences: licenceItems("BSD-3-Clause"), Package: packageURL("std", goVersion)})
	for _, m := range inOrder(modules) {
		of, have := known[m.Path]
		if !have || of.Version != m.Version {
			return nil, fmt.Errorf("%s %s is in a binary, and go list reports %q", m.Path, m.Version, of.Version)
		}
		l, err := licenceOf(of)
		if err != nil {
			return nil, err
		}
		add(component{Type: "library", Name: m.Path, Version: m.Version, Licences: licenceItems(l.names...), Package: packageURL(m.Path, m.Version),
			Properties: []property{{"go:sum", m.Sum}}})
	}
	all := depends{Ref: own.Ref}
	for _, c := range b.Components {
		all.On = append(all.On, c.Ref)
	}
	slices.Sort(all.On)
	b.Depends = []depends{all}
	return b, nil
}

// packageURL names a module as a package URL.
func packageURL(path, version string) string {
	return "pkg:golang/" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") + "@" + url.QueryEscape(version)
}

func (b *bill) write(path string) error {
	return whole(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(b)
	})
}

// readAll reads files.
func readAll(paths []string) (all [][]byte, err error) {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}
