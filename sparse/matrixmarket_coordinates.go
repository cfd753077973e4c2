package sparse

import (
	"errors"
	"fmt"
	"io"
)

// Rows without entries cost memory that no byte of the file has paid for: a
// matrix may have freeRows of them, and beyond that rowsPerEntry for each entry.
const (
	freeRows     = 1 << 20
	rowsPerEntry = 64
)

// coordinate is an entry as it is read: 16 bytes.
type coordinate struct {
	row, col int32
	value    float64
}

// MarketEntryBytes is what reading a matrix of so many rows and entries takes at its
// peak: the entries as they come, then by rows, and where the rows begin. A file that
// gives one triangle is read from half the entries.
func MarketEntryBytes(rows, entries int, triangle bool) float64 {
	all := float64(entries)
	if triangle {
		all *= 2
	}
	return 16*float64(entries) + 12*all + 16*float64(rows)
}

// readCoordinates reads the entries of a sparse matrix and fills in the
// triangle that a symmetric file leaves out.
func (p *marketParser) readCoordinates() (*CSR, error) {
	rows, cols, count, err := p.sizes(3)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("the %d × %d matrix of %d entries", rows, cols, count)
	if err := p.within(what, MarketEntryBytes(rows, count, p.symmetry != "general")); err != nil {
		return nil, err
	}
	room := count
	if p.limit == 0 {
		room = min(count, 1<<12)
	}
	entries := make([]coordinate, 0, room)
	for n := 0; ; n++ {
		words, given, err := p.entryWords()
		if errors.Is(err, io.EOF) {
			if n < count {
				return nil, &MarketError{Problem: fmt.Sprintf("the file ends after %d of %d entries (truncated?)", n, count)}
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if n == count {
			return nil, p.fail("an entry beyond the %d that the file declares", count)
		}
		e, err := p.entry(words, given, rows, cols)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if rows > freeRows && rows/rowsPerEntry > len(entries) {
		return nil, &MarketError{Problem: fmt.Sprintf("%d rows for only %d entries: leave the empty rows out", rows, len(entries))}
	}
	return p.byRows(rows, cols, entries)
}

// byRows sorts the entries, and those of the triangle that the file leaves out, into
// rows. Entries of one place are added in the order in which they come.
func (p *marketParser) byRows(rows, cols int, entries []coordinate) (*CSR, error) {
	sign := 1.0
	if p.symmetry == "skew-symmetric" {
		sign = -1
	}
	a, err := gathered(rows, cols, func(put func(i, j int, v float64)) {
		for _, e := range entries {
			put(int(e.row), int(e.col), e.value)
		}
		if p.symmetry == "general" {
			return
		}
		for _, e := range entries {
			if e.row != e.col {
				put(int(e.col), int(e.row), sign*e.value)
			}
		}
	})
	if err != nil {
		return nil, p.fail("%v", err)
	}
	return a, nil
}
