package tabletest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/faults"
)

// Faults reads a file as a whole and by rows with every call of that failing once, at
// once or after half of a read: what comes of it is the file's numbers or an error of the
// disk, in one line that names the file.
func Faults(t *testing.T, path string) {
	t.Helper()
	whole := func() (v []float64, err error) {
		m, err := files.ReadMatrix(path, files.Options{})
		if err == nil {
			v = m.RawMatrix().Data
		}
		return v, err
	}
	want, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() ([]float64, error){"whole": whole, "rows": func() ([]float64, error) { return byRows(path) }} {
		for _, how := range []faults.How{faults.Passing, faults.Short} {
			var got []float64
			var err error
			refused := 0
			faults.Every(t, how, func() { got, err = read() }, func(call string) {
				if err != nil {
					refused++
					var e *files.Error
					if !errors.Is(err, syscall.EIO) || !errors.As(err, &e) || e.Op != files.OpRead || e.Path != path || strings.Contains(err.Error(), "\n") {
						t.Errorf("%s: %v", name, err)
					}
				} else if !slices.Equal(got, want) {
					t.Errorf("%s: no error, and %d numbers are not those of the file", name, len(got))
				}
			})
			if err != nil || !slices.Equal(got, want) || refused == 0 {
				t.Errorf("%s: after %d errors it ends with %v", name, refused, err)
			}
		}
	}
}

func byRows(path string) (v []float64, err error) {
	r, err := files.OpenRows(path, files.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	block := make([]float64, 7*r.Cols())
	for {
		n, err := r.Next(block)
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return v, err
		}
		v = append(v, block[:n*r.Cols()]...)
	}
}
