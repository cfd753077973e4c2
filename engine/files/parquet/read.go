package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/orthant-go/orthant/engine/files"
)

func init() {
	files.Register(files.Format{Name: "Parquet", Extensions: []string{".parquet"}, Open: open, Create: create})
}

// reader is a file being read: the selected columns side by side, a row group
// after the other.
type reader struct {
	groups  []parquet.RowGroup
	rows    int
	names   []string
	integer bool
	columns []*column
	width   int // of the matrix: a list takes several of its columns
	group   int // the next one
	left    int // rows of the present one
	done    int // rows given out
}

const magic = "PAR1"

// open reads the metadata at the end of the file.
func open(file *io.SectionReader, names []string) (files.Table, error) {
	if err := checkFrame(file); err != nil {
		return nil, err
	}
	if err := checkFooter(file); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	all, described := leaves(f.Root())
	chosen, err := files.ChooseColumns(described, names)
	if err != nil {
		return nil, err
	}
	r := &reader{groups: f.RowGroups(), integer: true}
	for _, g := range r.groups {
		if g.NumRows() < 0 || g.NumRows() > 1<<48 {
			return nil, errors.New("a row group of impossible length: the file is damaged")
		}
		r.rows += int(g.NumRows())
	}
	for _, at := range chosen {
		c := &column{leaf: all[at], offset: r.width, width: 1}
		if c.list {
			if c.width, err = listWidth(r.groups, c); err != nil {
				return nil, err
			}
		}
		for place := range c.width {
			name := c.name
			if c.list {
				name = fmt.Sprintf("%s.%d", name, place+1)
			}
			r.names = append(r.names, name)
		}
		r.width += c.width
		r.integer = r.integer && c.kind != parquet.Float && c.kind != parquet.Double
		r.columns = append(r.columns, c)
	}
	return r, nil
}

// checkFrame looks at both ends of the file before anything in between is trusted.
func checkFrame(file *io.SectionReader) error {
	var start [4]byte
	if _, err := file.ReadAt(start[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(start[:]) == "PARE":
		return errors.New("the file is encrypted")
	case string(start[:]) != magic:
		return errors.New("not a Parquet file")
	case file.Size() < 12:
		return errors.New("the file ends within its header (truncated?)")
	}
	var end [8]byte
	if _, err := file.ReadAt(end[:], file.Size()-8); err != nil {
		return err
	}
	if !bytes.HasSuffix(end[:], []byte(magic)) || int64(binary.LittleEndian.Uint32(end[:])) > file.Size()-12 {
		return errors.New("the file does not end as a Parquet file does (truncated?)")
	}
	return nil
}

// mostPlaces bounds the length of lists.
const mostPlaces = 1 << 20

// listWidth returns the length of the lists of a column, if they have one.
func listWidth(groups []parquet.RowGroup, c *column) (int, error) {
	width := int64(0)
	for _, g := range groups {
		rows := g.NumRows()
		if rows == 0 {
			continue
		}
		values := g.ColumnChunks()[c.Index()].NumValues()
		if width == 0 {
			width = values / rows
		}
		if values != width*rows || width <= 0 || width > mostPlaces {
			return 0, fmt.Errorf("column %q holds lists of different lengths: give all the same", c.name)
		}
	}
	return int(max(width, 1)), nil
}

func (r *reader) Names() []string { return r.names }
func (r *reader) Rows() int       { return r.rows }
func (r *reader) Integer() bool   { return r.integer }

func (r *reader) Close() error {
	var all error
	for _, c := range r.columns {
		all = errors.Join(all, c.close())
	}
	return all
}

func (r *reader) Next(dst []float64) (int, error)       { return next(r, dst) }
func (r *reader) NextIntegers(dst []int64) (int, error) { return next(r, dst) }

// next fills rows of dst within one row group.
func next[D number](r *reader, dst []D) (int, error) {
	for r.left == 0 {
		if r.group == len(r.groups) {
			return 0, nil
		}
		g := r.groups[r.group]
		r.group++
		r.left = int(g.NumRows())
		chunks := g.ColumnChunks()
		for _, c := range r.columns {
			if err := c.begin(chunks[c.Index()]); err != nil {
				return 0, err
			}
		}
	}
	n := min(len(dst)/r.width, r.left)
	for _, c := range r.columns {
		if err := fill(c, dst, n, r.width, r.done); err != nil {
			return 0, err
		}
	}
	r.left -= n
	r.done += n
	return n, nil
}
