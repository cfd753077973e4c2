package sparse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

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
// An error in the file is a *MarketError; an error of r itself is returned unchanged. Memory stays
// within a constant times the data that r delivers, whatever sizes the file declares, so a file
// with far more rows than entries is refused.
// O(entries · log(entries of a row)).
func ReadMatrixMarket(r io.Reader) (Market, error) { return ReadMatrixMarketWithin(r, 0) }

// ReadMatrixMarketWithin is [ReadMatrixMarket] within a limit of memory in bytes,
// 0 for none: a file that would take more at the peak of reading ([MarketArrayBytes],
// [MarketEntryBytes]) is refused by its declared size, and so is a line of more than an eighth of
// the limit.
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

// MarketSize is the header of a MatrixMarket file.
type MarketSize struct {
	Rows, Cols int
	Entries    int  // that are listed, of a file in coordinates
	Array      bool // every entry is listed
	Triangle   bool // the entries of the other triangle are left out
}

// ReadMatrixMarketSize reads a file up to its entries. The errors are the same as of
// [ReadMatrixMarket].
func ReadMatrixMarketSize(r io.Reader) (MarketSize, error) {
	p := newMarketParser(r)
	p.limit = maxHeader
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

// maxHeader bounds the lines before the entries.
const maxHeader = 16 << 20

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

// MarketEntryBytes is what reading a matrix of the given rows and entries takes at its
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

// byRows sorts the entries, and the mirrored entries that the file leaves out, into
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

// readArray reads the entries of a dense matrix, column by column; of a
// symmetric one the lower triangle, of a skew-symmetric one the strict lower.
func (p *marketParser) readArray() (*mat.Dense, error) {
	rows, cols, _, err := p.sizes(2)
	if err != nil {
		return nil, err
	}
	if rows == 0 || cols == 0 {
		return nil, p.fail("the matrix is empty: %d × %d", rows, cols)
	}
	if err := p.within(fmt.Sprintf("the %d × %d matrix", rows, cols), MarketArrayBytes(rows, cols)); err != nil {
		return nil, err
	}
	want := uint64(rows) * uint64(cols) // both below 2³¹
	switch p.symmetry {
	case "symmetric":
		want = uint64(rows) * (uint64(rows) + 1) / 2
	case "skew-symmetric":
		want = uint64(rows) * (uint64(rows) - 1) / 2
	}
	// With a limit, the memory is allocated at once; without one, as the numbers arrive.
	var vals []float64
	var m *unfolding
	if p.limit > 0 {
		m = newUnfolding(rows, cols, p.symmetry)
	}
	count := uint64(0)
	for {
		text, err := p.data()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for w := range bytes.FieldsSeq(text) {
			if count == want {
				return nil, p.fail("more than the %d entries of a %d × %d %s matrix", want, rows, cols, p.symmetry)
			}
			v, err := p.value(w)
			if err != nil {
				return nil, err
			}
			if count++; m != nil {
				m.put(v)
			} else {
				vals = append(vals, v)
			}
		}
	}
	if count < want {
		return nil, &MarketError{Problem: fmt.Sprintf(
			"the file ends after %d of the %d entries of a %d × %d %s matrix (truncated?)", count, want, rows, cols, p.symmetry)}
	}
	if m == nil {
		// With all entries present the full matrix is at most twice their number,
		// a single skew-symmetric row apart.
		m = newUnfolding(rows, cols, p.symmetry)
		for _, v := range vals {
			m.put(v)
		}
	}
	return m.Dense, nil
}

// MarketArrayBytes is what reading an array within a limit takes at its peak.
func MarketArrayBytes(rows, cols int) float64 { return 8 * float64(rows) * float64(cols) }

// unfolding turns entries listed by columns into a full row-major matrix.
type unfolding struct {
	*mat.Dense
	data       []float64
	rows, cols int
	symmetry   string
	i, j       int // of the next entry
}

func newUnfolding(rows, cols int, symmetry string) *unfolding {
	u := &unfolding{data: make([]float64, rows*cols), rows: rows, cols: cols, symmetry: symmetry}
	u.Dense = mat.NewDense(rows, cols, u.data)
	u.i = u.first()
	return u
}

// first is the first row that a column lists.
func (u *unfolding) first() int {
	switch u.symmetry {
	case "symmetric":
		return u.j
	case "skew-symmetric":
		return u.j + 1
	}
	return 0
}

func (u *unfolding) put(v float64) {
	u.data[u.i*u.cols+u.j] = v
	switch u.symmetry {
	case "symmetric":
		u.data[u.j*u.cols+u.i] = v
	case "skew-symmetric":
		u.data[u.j*u.cols+u.i] = -v
	}
	if u.i++; u.i == u.rows {
		u.j++
		u.i = u.first()
	}
}

// marketParser reads a MatrixMarket file line by line.
type marketParser struct {
	r        *bufio.Reader
	long     []byte // a line that did not fit into the reader's buffer
	words    [][]byte
	line     int
	limit    int64 // of memory, 0: none
	array    bool
	field    string
	symmetry string
	// The side of the diagonal of the first entry of a symmetric matrix in coordinates: +1 below, −1
	// above, 0 none yet.
	side int
}

func newMarketParser(r io.Reader) *marketParser {
	return &marketParser{r: bufio.NewReaderSize(r, 1<<18)}
}

func (p *marketParser) fail(format string, args ...any) error {
	return &MarketError{Line: p.line, Problem: fmt.Sprintf(format, args...)}
}

// next returns the next line, valid until the call after it. The last line may
// come together with io.EOF when it has no newline; io.EOF alone is the end.
func (p *marketParser) next() ([]byte, error) {
	p.line++
	text, err := p.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, err
	}
	p.long = p.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		p.long = append(p.long, text...)
		if p.limit > 0 && int64(len(p.long)) > max(p.limit/8, 1<<20) {
			return nil, p.within(fmt.Sprintf("line %d, which has more than %d bytes,", p.line, len(p.long)), max(8*float64(len(p.long)), float64(p.limit)+1))
		}
		text, err = p.r.ReadSlice('\n')
	}
	p.long = append(p.long, text...)
	return p.long, err
}

// within refuses what takes more than the limit, if there is one.
func (p *marketParser) within(what string, need float64) error {
	if p.limit == 0 || need <= float64(p.limit) {
		return nil
	}
	return &MarketError{Line: p.line, What: what, Need: need, Problem: fmt.Sprintf("%s takes more than the memory limit of %d bytes", what, p.limit)}
}

// data returns the next line that is neither blank nor a comment, without the space
// around it, and io.EOF after the last. It is valid until the next call.
func (p *marketParser) data() ([]byte, error) {
	for {
		text, err := p.next()
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '%' {
			return text, nil
		}
	}
}

// maxWords is how many words of a line are looked at where it is known how many there
// should be.
const maxWords = 4

// entryWords returns the first words of the next line of data, and the number of all.
func (p *marketParser) entryWords() (words [][]byte, given int, err error) {
	text, err := p.data()
	if err != nil {
		return nil, 0, err
	}
	p.words = p.words[:0]
	for w := range bytes.FieldsSeq(text) {
		if given++; given <= maxWords {
			p.words = append(p.words, w)
		}
	}
	return p.words, given, nil
}

// entry reads one line of a matrix in coordinates.
func (p *marketParser) entry(words [][]byte, given, rows, cols int) (coordinate, error) {
	want := 3
	if p.field == "pattern" {
		want = 2
	}
	if given != want {
		return coordinate{}, p.fail("%d numbers where an entry of a %s matrix has %d", given, p.field, want)
	}
	i, okRow := parseCount(words[0])
	j, okCol := parseCount(words[1])
	if !okRow || !okCol || i < 1 || i > rows || j < 1 || j > cols {
		return coordinate{}, p.fail("the entry (%s, %s) is outside a %d × %d matrix (indices count from 1)",
			clipped(words[0]), clipped(words[1]), rows, cols)
	}
	e := coordinate{row: int32(i - 1), col: int32(j - 1), value: 1} // within 32 bits, as rows and columns are
	if want == 3 {
		v, err := p.value(words[2])
		if err != nil {
			return coordinate{}, err
		}
		e.value = v
	}
	return e, p.oneTriangle(e)
}

// oneTriangle checks that a symmetric file gives one triangle only; with both,
// every pair would count twice. The format asks for the lower one, but files
// with the upper one alone are common and just as clear.
func (p *marketParser) oneTriangle(e coordinate) error {
	if p.symmetry == "general" {
		return nil
	}
	side := 0
	switch {
	case e.row > e.col:
		side = 1
	case e.row < e.col:
		side = -1
	case p.symmetry == "skew-symmetric" && e.value != 0:
		return p.fail("a skew-symmetric matrix has a zero diagonal")
	}
	if p.side == 0 {
		p.side = side
	}
	if side != 0 && side != p.side {
		return p.fail("a %s file gives one triangle, and this one has entries on both sides of the diagonal: call it general", p.symmetry)
	}
	return nil
}

// value reads one number; NaN and infinities are numbers here.
func (p *marketParser) value(w []byte) (float64, error) {
	if bytes.ContainsAny(w, "_xX") { // strconv takes 1_0 and 0x1p3, the literals of a program
		return 0, p.fail("%s is not a number", quoted(w))
	}
	v, err := strconv.ParseFloat(string(w), 64)
	if errors.Is(err, strconv.ErrSyntax) { // Fortran writes 1.0D+02
		v, err = strconv.ParseFloat(string(bytes.Map(fortranExponent, w)), 64)
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, p.fail("%s is outside the range of double precision", clipped(w))
	}
	if err != nil {
		return 0, p.fail("%s is not a number", quoted(w))
	}
	if p.field == "integer" && v != math.Trunc(v) {
		return 0, p.fail("%s is not a whole number, and the first line says integer", clipped(w))
	}
	return v, nil
}

func fortranExponent(r rune) rune {
	if r == 'd' || r == 'D' {
		return 'e'
	}
	return r
}

// parseCount reads a number without sign that fits an int.
func parseCount(w []byte) (int, bool) {
	if len(w) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range w {
		d := int(c) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt-d)/10 {
			return 0, false
		}
		n = 10*n + d
	}
	return n, true
}

// clipped and quoted render text of a file for a message of one line.
func clipped(w []byte) string {
	q := quoted(w)
	return q[1 : len(q)-1]
}

func quoted(w []byte) string {
	if len(w) > 40 {
		return strconv.Quote(string(w[:40]) + "…")
	}
	return strconv.Quote(string(w))
}

// WriteMatrixMarket writes a in coordinates (real, general), row by row, with
// as many digits as give the same bits back. Stored zeros are written too.
func WriteMatrixMarket(w io.Writer, a *CSR) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a.Rows, a.Cols, a.NNZ())
	var line []byte
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			line = strconv.AppendInt(line[:0], int64(i)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, vals[p], 'g', -1, 64)
			if _, err := b.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// WriteMatrixMarketArray writes a dense matrix as an array (real, general):
// every entry on a line of its own, column by column, with as many digits as
// give the same bits back.
func WriteMatrixMarketArray(w io.Writer, m mat.Matrix) error {
	rows, cols := m.Dims()
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix array real general\n%d %d\n", rows, cols)
	var line []byte
	for j := range cols {
		for i := range rows {
			line = strconv.AppendFloat(line[:0], m.At(i, j), 'g', -1, 64)
			if _, err := b.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}
