package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// namesFolder tells whether an output is a folder by its name, which ends with a slash.
func namesFolder(path string) bool {
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(os.PathSeparator))
}

// checkFolder refuses a folder for samples that are no images, and one that holds
// something: images that are there already would be samples, too.
func (g *generation) checkFolder() error {
	if !namesFolder(g.out) {
		return nil
	}
	if g.name != "faces" {
		return wrong("--out is the folder %s, and samples of %s are no images; give a file, such as x.npy", g.out, g.name)
	}
	entries, err := disk.Files().ReadDir(g.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &inputError{Err: err}
	case len(entries) > 0:
		return wrong("--out is the folder %s, which holds files already; name another one, or empty it", g.out)
	}
	return nil
}

// writeImages writes a file for each sample.
func (g *generation) writeImages(set *drawn) error {
	n, _ := set.x.Dims()
	names := make([]string, n)
	digits := max(3, len(fmt.Sprint(n)))
	for i := range names {
		names[i] = fmt.Sprintf("%s-%0*d.png", strings.TrimSuffix(g.name, "s"), digits, i+1)
	}
	return files.WriteImages(g.out, names, set.x.(*mat.Dense), set.Height, set.Width)
}
