package files

import (
	"errors"
	"fmt"
	"path/filepath"
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
)

const supported = ".npy, .npz, .csv, .tsv and .mtx"

// location is a path taken apart.
type location struct {
	path   string // as given
	file   string // without the name of an array
	array  string // the name after "file.npz:", or ""
	format format
}

// locate tells the format of path by its extension, whatever its case.
func locate(path string) (location, error) {
	if path == standard {
		return location{path: path, file: path, format: formatNPY}, nil
	}
	loc := location{path: path, file: path}
	lower := strings.ToLower(path)
	for _, container := range []string{".npz:", ".mat:"} {
		if i := strings.LastIndex(lower, container); i >= 0 {
			loc.file, loc.array = path[:i+4], path[i+5:]
			if loc.array == "" {
				return loc, fmt.Errorf("no name of an array after the colon")
			}
		}
	}
	ext := strings.ToLower(filepath.Ext(loc.file))
	switch ext {
	case ".npy":
		loc.format = formatNPY
	case ".npz":
		loc.format = formatNPZ
	case ".csv":
		loc.format = formatCSV
	case ".tsv":
		loc.format = formatTSV
	case ".mtx":
		loc.format = formatMarket
	case ".parquet", ".mat":
		return loc, fmt.Errorf("%s files are not supported by this version: use one of %s", ext, supported)
	case "":
		if path == "" {
			return loc, errors.New("the path is empty")
		}
		return loc, fmt.Errorf("the path has no extension that tells the format: use one of %s", supported)
	default:
		return loc, fmt.Errorf("the extension %q is not one of %s", ext, supported)
	}
	return loc, nil
}
