package main

import (
	"os"
	"path/filepath"
)

// source packs the files of the commit, with the modules of others under vendor, so that it is
// built without a network.
func (m *making) source() error {
	name := "orthant-" + m.version + "-source"
	folder := filepath.Join(m.scratch, name)
	packed := folder + ".tar"
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if _, err := output(".", nil, "git", "archive", "--format=tar", "-o", packed, "HEAD"); err != nil {
		return err
	}
	if _, err := output(folder, nil, "tar", "-xf", packed); err != nil {
		return err
	}
	if _, err := output(folder, nil, goCommand(), "mod", "vendor"); err != nil {
		return err
	}
	entries, err := folderEntries(folder, name+"/")
	if err != nil {
		return err
	}
	if err := archive(filepath.Join(m.out, name+".tar.gz"), entries, m.at); err != nil {
		return err
	}
	env := []string{"GOPROXY=off", "GOFLAGS=-mod=vendor -buildvcs=false", "GOMODCACHE=" + filepath.Join(m.scratch, "empty")}
	if _, err := output(folder, env, "make", "-s", "build", "VERSION="+m.version); err != nil {
		return err
	}
	if _, err := output(folder, nil, filepath.Join(folder, "bin", "orthant"), "version"); err != nil {
		return err
	}
	m.tell("%s: built without a network, and run", name)
	return nil
}
