package bench

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/testdata"
)

// shippedName is the set that comes with the program, so that its cases count where there is
// no data folder.
const shippedName = "wdbc"

// shipped is the folder of the set that comes with the program, as its cases read it. It is
// written once, to the user's cache or the system's temporary files; empty: neither takes it.
var shipped = sync.OnceValue(func() string {
	places := []string{os.TempDir()}
	if cache, err := os.UserCacheDir(); err == nil {
		places = []string{cache, os.TempDir()}
	}
	for _, place := range places {
		folder := filepath.Join(place, "orthant", "data")
		if writeShipped(folder) == nil {
			return folder
		}
	}
	return ""
})

// writeShipped writes the files of the set where they are not there yet.
func writeShipped(folder string) error {
	matrix, classes := filepath.Join(folder, shippedName+".X.npy"), filepath.Join(folder, shippedName+".y.npy")
	if exists(matrix) && exists(classes) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	table, labels := filepath.Join(folder, shippedName+".csv"), filepath.Join(folder, shippedName+".labels.csv")
	for file, text := range map[string][]byte{table: testdata.WDBC, labels: testdata.WDBCLabels} {
		if err := written(files.CreateRaw, file, func(out *files.Output) error {
			_, err := out.Write(text)
			return err
		}); err != nil {
			return err
		}
	}
	x, err := files.ReadMatrix(table, files.Options{})
	if err != nil {
		return err
	}
	y, err := files.ReadLabels(labels, files.Options{})
	if err != nil {
		return err
	}
	// The samples come last: where they are, all is there.
	if err := written(files.Create, classes, func(out *files.Output) error { return out.WriteLabels(y) }); err != nil {
		return err
	}
	return written(files.Create, matrix, func(out *files.Output) error { return out.WriteMatrix(x, files.Options{}) })
}

// written makes one file, whole or not at all.
func written(create func(string, io.Writer) (*files.Output, error), file string, write func(*files.Output) error) error {
	out, err := create(file, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := write(out); err != nil {
		return err
	}
	return out.Commit()
}

// shippedFile is the path of a file of the set that comes with the program; empty: it is not
// one of it.
func shippedFile(name string) string {
	if rest, of := strings.CutPrefix(name, shippedName+"."); !of || rest != "X.npy" && rest != "y.npy" {
		return ""
	}
	if folder := shipped(); folder != "" {
		return filepath.Join(folder, name)
	}
	return ""
}
