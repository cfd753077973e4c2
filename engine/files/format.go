package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// standard is the path that means standard input or output.
const standard = "-"

// format is how a file lays out its matrix.
type format int

const (
	formatNPY format = iota
	formatNPZ
	formatCSV
	formatTSV
	formatMarket
	formatMAT
	formatTable // one that another package registered
)

// builtIn are the formats of this package, by extension, in the order in which
// messages list them.
var builtIn = []struct {
	extension string
	format    format
}{
	{".npy", formatNPY}, {".npz", formatNPZ}, {".csv", formatCSV}, {".tsv", formatTSV}, {".mtx", formatMarket}, {".mat", formatMAT},
}

// location is a path taken apart.
type location struct {
	path    string // as given
	file    string // without what is selected of it
	array   string // the name after "file.npz:" or "file.mat:", or ""
	columns []string
	packing packing
	format  format
	table   *Format // of formatTable
}

// extension returns the extension that tells the format, in lower case, and the
// packing that one behind it tells.
func extension(file string) (string, packing) {
	ext := strings.ToLower(filepath.Ext(file))
	if p := packingOf(ext); p != unpacked {
		return strings.ToLower(filepath.Ext(file[:len(file)-len(ext)])), p
	}
	return ext, unpacked
}

// locate tells the format of path by its extension, whatever its case.
func locate(path string) (location, error) {
	if path == standard {
		return location{path: path, file: path, format: formatNPY}, nil
	}
	if path == "" {
		return location{}, errors.New("the path is empty")
	}
	loc := location{path: path, file: path}
	selection, selected := loc.split()
	ext, packing := extension(loc.file)
	loc.packing = packing
	if err := loc.formatOf(ext); err != nil {
		return loc, err
	}
	if packing != unpacked && (loc.format == formatNPZ || loc.format == formatTable) {
		return loc, fmt.Errorf("%s files have a compression of their own: leave out %s", ext, filepath.Ext(loc.file))
	}
	if !selected {
		return loc, nil
	}
	if loc.format != formatTable {
		if loc.array = selection; selection == "" {
			return loc, errors.New("no name of an array after the colon")
		}
		return loc, nil
	}
	var err error
	loc.columns, err = parseColumns(selection)
	return loc, err
}

// split cuts off the selection behind the last colon that follows the extension
// of a format with names in it.
func (loc *location) split() (selection string, selected bool) {
	for at := len(loc.path) - 1; at > 0; at-- {
		if loc.path[at] != ':' {
			continue
		}
		ext, _ := extension(loc.path[:at])
		if ext == ".npz" || ext == ".mat" || elsewhere[ext] != "" || registered(ext) != nil {
			loc.file = loc.path[:at]
			return loc.path[at+1:], true
		}
	}
	return "", false
}

// formatOf finds the format of an extension.
func (loc *location) formatOf(ext string) error {
	for _, b := range builtIn {
		if b.extension == ext {
			loc.format = b.format
			return nil
		}
	}
	if loc.table = registered(ext); loc.table != nil {
		loc.format = formatTable
		return nil
	}
	switch {
	case elsewhere[ext] != "":
		return fmt.Errorf("this program lacks %s files (a build that has them imports %s): use one of %s", ext, elsewhere[ext], supported())
	case slices.Contains([]string{".h5", ".hdf5", ".hdf", ".he5"}, ext):
		return fmt.Errorf("HDF5 files are not supported: convert them, as in %s", convertHDF5)
	case ext == "" && loc.packing != unpacked:
		return fmt.Errorf("the path has no extension before %s that tells the format: use one of %s", filepath.Ext(loc.file), supported())
	case ext == "":
		return fmt.Errorf("the path has no extension that tells the format: use one of %s", supported())
	}
	return fmt.Errorf("the extension %q is not one of %s", ext, supported())
}

// convertHDF5 is the remedy for a format that no library in pure Go reads well.
const convertHDF5 = `python3 -c "import h5py, numpy; numpy.save('x.npy', h5py.File('x.h5')['NAME'][()])"`

// supported lists the extensions.
func supported() string {
	var all []string
	for _, b := range builtIn {
		all = append(all, b.extension)
	}
	all = append(all, registeredExtensions()...)
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// parseColumns reads a list of names separated by commas; a name with a comma in
// it goes between double quotes, as in CSV.
func parseColumns(text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	names, err := r.Read()
	if err != nil || slices.Contains(names, "") {
		return nil, fmt.Errorf("%s is no list of columns: give names separated by commas, as in :height,width", excerpt([]byte(text)))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the column %s is listed twice", excerpt([]byte(name)))
		}
	}
	return names, nil
}
