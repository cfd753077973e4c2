// Pages writes what the documentation says of every method and the engine knows: the example
// and the table of parameters in its section of a page below docs/methods, its row in the list
// of all methods there, and its name in the README. The text around them is written by hand. Run it from the root of
// the repository: make pages. With the command's file and the names of methods it draws their
// pictures by the commands of their sections: make images.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	var err error
	if len(os.Args) > 1 {
		err = draw(".", os.Args[1], os.Args[2:])
	} else {
		err = write(".")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes what is not up to date, whatever else is wrong.
func write(root string) error {
	files, wrong := pages(root)
	for _, f := range files {
		if f.current() {
			continue
		}
		if err := replace(f.path, f.want); err != nil {
			return err
		}
		fmt.Println("wrote", f.path)
	}
	return wrong
}

// replace writes a file next to the old one and takes its place.
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
