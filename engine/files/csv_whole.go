package files

import (
	"errors"
	"runtime/debug"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
)

// readText reads comma- or tab-separated numbers. A first row that is not
// numeric is a header, and only its width counts. Blocks of whole lines are
// parsed side by side; the place of every number is given by the text alone.
//
// The rows of a plain file are counted before, so that the matrix gets its memory
// once. Those of another come in parts which are put together at the end, so that it
// is there twice; where memory has no room for that, a file is counted after all.
func readText(loc location, o Options) (*mat.Dense, error) {
	b := o.budget()
	form, err := loc.textForm(o)
	if err != nil {
		return nil, err
	}
	read := func(rows int) (*mat.Dense, error) {
		return fromContent(loc, o, func(s source, b budget) (*mat.Dense, error) { return readCSV(s, form, b, rows) })
	}
	regular := func() bool {
		info, err := disk.Files().Stat(loc.file)
		return err == nil && info.Mode().IsRegular()
	}
	count := func() (int, error) {
		return fromContent(loc, o, func(s source, b budget) (int, error) { return countRows(s, form, b) })
	}
	rows := uncounted
	if info, err := disk.Files().Stat(loc.file); loc.packing == unpacked && err == nil && info.Mode().IsRegular() && info.Size() > textBlock {
		if rows, err = count(); err != nil {
			return nil, err
		}
	}
	m, err := read(rows)
	twice, is := errors.AsType[*twiceTooLarge](err)
	if !is {
		return m, err
	}
	if !b.fits(twice.once, 0) || !regular() {
		return nil, twice.error
	}
	debug.FreeOSMemory() // of the parts, for which there is no room any more
	if rows, err = count(); err != nil {
		return nil, err
	}
	return read(rows)
}

// twiceTooLarge is the error of numbers that do not fit a second time, where they
// would be put together.
type twiceTooLarge struct {
	error
	once float64 // bytes of those read so far
}
