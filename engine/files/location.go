package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// standard is the path of standard input or output.
const standard = "-"

// location is a parsed path.
type location struct {
	path    string   // as given
	file    string   // without the selection
	array   string   // the name after "file.npz:" or "file.mat:", or ""
	columns []string // after "file.parquet:"; nil: none
	labeling
	packing packing
	format  *Format   // nil: none, the caller writes the bytes
	written bool      // it is an output
	added   *addition // of a copy of an .h5ad file
}

// extension returns the extension that names the format, in lower case, and the
// compression named by a second extension.
func extension(file string) (string, packing) {
	ext := strings.ToLower(filepath.Ext(file))
	if p := packingOf(ext); p != unpacked {
		return strings.ToLower(filepath.Ext(file[:len(file)-len(ext)])), p
	}
	return ext, unpacked
}

// locate finds the format of path by its extension, whatever its case.
func locate(path string) (location, error) { return locateFor(path, false) }

// locateOutput is locate for an output.
func locateOutput(path string) (location, error) { return locateFor(path, true) }

func locateFor(path string, written bool) (location, error) {
	if path == standard {
		return location{path: path, file: path, format: standardFormat()}, nil
	}
	if path == "" {
		return location{}, errors.New("the path is empty")
	}
	loc := location{path: path, file: path, written: written}
	selection, selected := loc.split()
	ext, packing := extension(loc.file)
	loc.packing = packing
	if err := loc.setFormat(ext); err != nil {
		return loc, err
	}
	if packing != unpacked && loc.format.compressed {
		return loc, fmt.Errorf("%s files have a compression of their own: leave out %s", ext, filepath.Ext(loc.file))
	}
	if !selected {
		return loc, nil
	}
	return loc, loc.choose(selection)
}

// split removes the selection after the last colon that follows the extension
// of a format with names.
func (loc *location) split() (selection string, selected bool) {
	for at := len(loc.path) - 1; at > 0; at-- {
		if loc.path[at] != ':' {
			continue
		}
		ext, _ := extension(loc.path[:at])
		if f := registered(ext); f != nil && f.holds != oneArray || linkable[ext] != "" {
			loc.file = loc.path[:at]
			return loc.path[at+1:], true
		}
	}
	return "", false
}

// setFormat finds the format of an extension.
func (loc *location) setFormat(ext string) error {
	if loc.format = registered(ext); loc.format != nil {
		return nil
	}
	if isTenx(loc.path) {
		loc.file, loc.packing, loc.format = loc.path, unpacked, tenxFormat
		return nil
	}
	switch {
	case ext != "":
		return unregistered(ext, loc.written)
	case loc.packing != unpacked:
		return fmt.Errorf("the path has no extension before %s that names the format: use one of %s", filepath.Ext(loc.file), supported(loc.written))
	}
	return fmt.Errorf("the path has no extension that names the format: use one of %s", supported(loc.written))
}

// choose sets the selection of a file with named content.
func (loc *location) choose(selection string) (err error) {
	if loc.format.holds == namedColumns {
		loc.columns, err = parseColumns(selection)
		return err
	}
	if loc.array = filepath.ToSlash(selection); selection == "" { // package filepath writes \ into it on Windows
		return errors.New("no name of an array after the colon")
	}
	return nil
}

// nameArray sets the name of the array to be written, where it has one.
func (loc *location) nameArray() error {
	if loc.format.holds != namedArrays {
		return nil
	}
	if loc.array == "" {
		loc.array = unnamed
	}
	return loc.format.checkName(loc.array)
}

// parseColumns reads a list of names separated by commas; a name that contains a comma
// is quoted with double quotes, as in CSV.
func parseColumns(text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	names, err := r.Read()
	if err != nil || slices.Contains(names, "") {
		return nil, fmt.Errorf("%s is not a list of columns: give names separated by commas, as in :height,width", excerpt([]byte(text)))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the column %s is listed twice", excerpt([]byte(name)))
		}
	}
	return names, nil
}

// FileOf returns the file that a path names, without the name of an array after
// it ("file.npz:name").
func FileOf(path string) string {
	loc, _ := locate(path)
	return loc.file
}

// unnamed is the name that NumPy gives an array without one.
const unnamed = "arr_0"
