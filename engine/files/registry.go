package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// builtIn are the formats of this package, in the order in which messages list
// them.
var builtIn = []Format{npyFormat, npzFormat, csvFormat, tsvFormat, marketFormat, matFormat}

func init() {
	for _, f := range builtIn {
		Register(f)
	}
}

// formats are all formats of the program, those of this package first.
var formats = struct {
	sync.RWMutex
	all []*Format
}{}

// Register adds a format. Packages call it when they are initialized; an
// extension that is taken is a mistake of the programmer and panics.
func Register(f Format) {
	for _, ext := range f.Extensions {
		if registered(ext) != nil {
			panic("files: a format for " + ext + " is registered already")
		}
	}
	f.derive()
	formats.Lock()
	defer formats.Unlock()
	formats.all = append(formats.all, &f)
}

// registered returns the format of an extension, nil where there is none.
func registered(ext string) *Format {
	return findFormat(func(f *Format) bool { return slices.Contains(f.Extensions, ext) })
}

// standardFormat is the format of standard input and output.
func standardFormat() *Format { return findFormat(func(f *Format) bool { return f.standard }) }

func findFormat(is func(*Format) bool) *Format {
	formats.RLock()
	defer formats.RUnlock()
	if at := slices.IndexFunc(formats.all, is); at >= 0 {
		return formats.all[at]
	}
	return nil
}

// supported lists the extensions: those of this package in the order of its
// formats, the others by the alphabet.
func supported() string {
	formats.RLock()
	defer formats.RUnlock()
	var all, added []string
	for at, f := range formats.all {
		if at < len(builtIn) {
			all = append(all, f.Extensions...)
		} else {
			added = append(added, f.Extensions...)
		}
	}
	slices.Sort(added)
	all = append(all, added...)
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// linkable are the packages of formats that a program may lack.
var linkable = map[string]string{
	".parquet": "github.com/orthant-go/orthant/engine/files/parquet",
	".arrow":   "github.com/orthant-go/orthant/engine/files/arrow",
	".feather": "github.com/orthant-go/orthant/engine/files/arrow",
}

// foreign are the extensions of formats that no library in pure Go reads well,
// with what to do about them.
var foreign = map[string]string{".h5": noHDF5, ".hdf5": noHDF5, ".hdf": noHDF5, ".he5": noHDF5}

const noHDF5 = `HDF5 files are not supported: convert them, as in ` +
	`python3 -c "import h5py, numpy; numpy.save('x.npy', h5py.File('x.h5')['NAME'][()])"`

// unregistered says why there is no format of an extension that is not empty.
func unregistered(ext string) error {
	switch {
	case linkable[ext] != "":
		return fmt.Errorf("this program lacks %s files (a build that has them imports %s): use one of %s", ext, linkable[ext], supported())
	case foreign[ext] != "":
		return errors.New(foreign[ext])
	}
	return fmt.Errorf("the extension %q is not one of %s", ext, supported())
}
