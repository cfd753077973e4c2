package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// packages makes a package of the command for Debian, for each of its processors.
func (m *making) packages() error {
	if !have("dpkg-deb") {
		m.leftOut("packages for Debian", "no dpkg-deb; Debian: dpkg")
		return nil
	}
	for _, t := range targets {
		if t.os == "linux" {
			if err := m.debian(t); err != nil {
				return err
			}
		}
	}
	return nil
}

var notDebians = regexp.MustCompile(`[^A-Za-z0-9.+~]`)

func (m *making) debian(t target) error {
	folder := filepath.Join(m.scratch, "deb-"+t.arch)
	binary, err := os.ReadFile(m.binary(t))
	if err != nil {
		return err
	}
	docs, err := m.documents("usr/share/doc/orthant/")
	if err != nil {
		return err
	}
	size := len(binary)
	for i, d := range docs {
		size += len(d.data)
		if strings.HasSuffix(d.name, "/LICENSE") {
			docs[i].name = "usr/share/doc/orthant/copyright"
		}
	}
	version := notDebians.ReplaceAllString(m.version, "+")
	control := fmt.Sprintf(`Package: orthant
Version: %s
Architecture: %s
Maintainer: The orthant authors
Installed-Size: %d
Section: science
Priority: optional
Homepage: https://github.com/orthant-go/orthant
Description: manifold learning and nonnegative embedding
 Embeddings, projections, clusterings and factorisations of data sets, from one
 static command that needs no other package.
`, version, t.arch, (size+1023)/1024)
	entries := append(docs, entry{name: "usr/bin/orthant", data: binary, mode: 0o755}, entry{name: "DEBIAN/control", data: []byte(control), mode: 0o644})
	if err := m.lay(folder, entries); err != nil {
		return err
	}
	path := filepath.Join(m.out, "orthant_"+version+"_"+t.arch+".deb")
	// One thread: how xz splits its work must not depend on the machine.
	env := []string{"DPKG_DEB_THREADS_MAX=1", "SOURCE_DATE_EPOCH=" + strconv.FormatInt(m.at.Unix(), 10)}
	if _, err := output(".", env, "dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", folder, path); err != nil {
		return err
	}
	// What is in it is looked at as dpkg sees it, and run where that can be done.
	again := filepath.Join(m.scratch, "unpacked-"+t.arch)
	if _, err := output(".", nil, "dpkg-deb", "-x", path, again); err != nil {
		return err
	}
	how := "unpacked, not run"
	if t.arch == runtime.GOARCH {
		how = "unpacked and run"
		if _, err := output(".", nil, filepath.Join(again, "usr", "bin", "orthant"), "version"); err != nil {
			return err
		}
	}
	m.log("%s: %s", filepath.Base(path), how)
	return nil
}

// lay writes entries into a folder, of one time.
func (m *making) lay(folder string, entries []entry) error {
	for _, e := range entries {
		path := filepath.Join(folder, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, e.data, e.mode); err != nil {
			return err
		}
		if err := os.Chtimes(path, m.at, m.at); err != nil {
			return err
		}
	}
	return nil
}
