// Write brings the tables in docs/methods and in the README up to date with the
// methods of the engine: make pages, from the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/orthant-go/orthant/engine/internal/pages"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes what is not up to date, whatever else is wrong.
func write(root string) error {
	files, wrong := pages.Files(root)
	for _, f := range files {
		if f.Current() {
			continue
		}
		if err := replace(f.Path, f.Want); err != nil {
			return err
		}
		fmt.Println("wrote", f.Path)
	}
	return wrong
}

// replace writes a file beside the old one and takes its place.
func replace(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".page-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if close := f.Close(); err == nil {
		err = close
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
