package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Market is a matrix read from the MatrixMarket exchange format: of Sparse and
// Dense exactly one is set, Sparse for a file in coordinates and Dense for one
// that lists every entry of an array. A triangle that the file leaves out has
// been filled in.
type Market struct {
	Sparse   *CSR
	Dense    *mat.Dense
	Field    string // "real", "integer" or "pattern", as the file says
	Symmetry string // "general", "symmetric" or "skew-symmetric", as the file says
}

// Dims returns the number of rows and columns.
func (m Market) Dims() (rows, cols int) {
	if m.Sparse != nil {
		return m.Sparse.Dims()
	}
	return m.Dense.Dims()
}

// MarketError says what in a MatrixMarket file is not as the format wants it.
type MarketError struct {
	Line    int // counted from 1; 0 where the fault is in no one line
	Problem string
	// Where a limit of memory is exceeded: what takes how many bytes.
	What string
	Need float64
}

func (e *MarketError) Error() string { return "sparse: MatrixMarket: " + e.Detail() }

// Detail is the message without the name of the package, for a caller that
// puts the name of the file in front of it.
func (e *MarketError) Detail() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
}

// ReadMatrixMarket reads one matrix in the MatrixMarket exchange format
// (Boisvert, Pozo, Remington 1996): arrays and coordinates; real, integer and
// pattern (every entry 1); general, symmetric and skew-symmetric. Entries given
// twice in coordinates are added. Complex and Hermitian matrices are refused.
//
// What the file gets wrong is a *MarketError; an error of r itself is returned
// as it is. Memory stays within a constant times what r delivers, whatever sizes
// the file declares, so a file with far more rows than entries is refused.
// O(entries · log(entries of a row)).
func ReadMatrixMarket(r io.Reader) (Market, error) { return ReadMatrixMarketWithin(r, 0) }

// ReadMatrixMarketWithin is [ReadMatrixMarket] within a limit of memory in bytes,
// 0 for none: what would take more at the peak of reading ([MarketArrayBytes],
// [MarketEntryBytes]) is refused by what the file declares, and so is a line of more
// than an eighth of the limit.
func ReadMatrixMarketWithin(r io.Reader, limit int64) (Market, error) {
	p := newMarketParser(r)
	p.limit = limit
	if err := p.banner(); err != nil {
		return Market{}, err
	}
	m := Market{Field: p.field, Symmetry: p.symmetry}
	var err error
	if p.array {
		m.Dense, err = p.readArray()
	} else {
		m.Sparse, err = p.readCoordinates()
	}
	if err != nil {
		return Market{}, err
	}
	return m, nil
}

// MarketSize is what a MatrixMarket file says before its entries.
type MarketSize struct {
	Rows, Cols int
	Entries    int  // that are listed, of a file in coordinates
	Array      bool // every entry is listed
	Triangle   bool // the entries of the other triangle are left out
}

// ReadMatrixMarketSize reads a file up to its entries. The errors are those of
// [ReadMatrixMarket].
func ReadMatrixMarketSize(r io.Reader) (MarketSize, error) {
	p := newMarketParser(r)
	p.limit = mostHeader
	if err := p.banner(); err != nil {
		return MarketSize{}, err
	}
	want := 3
	if p.array {
		want = 2
	}
	rows, cols, entries, err := p.sizes(want)
	return MarketSize{rows, cols, entries, p.array, p.symmetry != "general"}, err
}

// mostHeader bounds the lines before the entries.
const mostHeader = 16 << 20

// banner reads the first line, which names the kind of matrix.
func (p *marketParser) banner() error {
	text, err := p.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	words := bytes.Fields(bytes.ToLower(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	if len(words) == 0 || string(words[0]) != "%%matrixmarket" {
		return p.fail("the first line does not begin with %%%%MatrixMarket: not a MatrixMarket file")
	}
	if len(words) != 5 {
		return p.fail(`the first line needs five words, such as "%%%%MatrixMarket matrix coordinate real general"`)
	}
	object, layout, field, symmetry := string(words[1]), string(words[2]), string(words[3]), string(words[4])
	switch {
	case object != "matrix":
		return p.fail("holds a %s: only a matrix can be read", quoted(words[1]))
	case layout != "array" && layout != "coordinate":
		return p.fail("the layout %s is neither array nor coordinate", quoted(words[2]))
	case field == "complex" || symmetry == "hermitian":
		return p.fail("complex and Hermitian matrices are not supported: write the real part or the magnitudes")
	case field != "real" && field != "double" && field != "integer" && field != "pattern":
		return p.fail("the field %s is none of real, integer, pattern", quoted(words[3]))
	case symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric":
		return p.fail("the symmetry %s is none of general, symmetric, skew-symmetric", quoted(words[4]))
	case field == "pattern" && layout == "array":
		return p.fail("an array cannot be a pattern: it would have no numbers")
	case field == "pattern" && symmetry == "skew-symmetric":
		return p.fail("a pattern cannot be skew-symmetric: it has no signs")
	}
	if field == "double" { // an old synonym
		field = "real"
	}
	p.array, p.field, p.symmetry = layout == "array", field, symmetry
	return nil
}

// sizes reads the line that follows the comments: rows, columns and, in
// coordinates, the number of entries.
func (p *marketParser) sizes(want int) (rows, cols, count int, err error) {
	words, given, err := p.entryWords()
	if errors.Is(err, io.EOF) {
		return 0, 0, 0, &MarketError{Problem: "the file ends before the line that gives the size of the matrix"}
	}
	if err != nil {
		return 0, 0, 0, err
	}
	var v [3]int
	if given != want {
		return 0, 0, 0, p.fail("the line that gives the size has %d numbers, want %d", given, want)
	}
	for i, w := range words {
		n, ok := parseCount(w)
		if !ok {
			return 0, 0, 0, p.fail("the size %s is not a whole number that fits", quoted(w))
		}
		v[i] = n
	}
	if v[0] > math.MaxInt32 || v[1] > math.MaxInt32 {
		return 0, 0, 0, p.fail("a %d × %d matrix is outside what 32-bit indices hold", v[0], v[1])
	}
	if p.symmetry != "general" && v[0] != v[1] {
		return 0, 0, 0, p.fail("a %s matrix must be square, not %d × %d", p.symmetry, v[0], v[1])
	}
	return v[0], v[1], v[2], nil
}
