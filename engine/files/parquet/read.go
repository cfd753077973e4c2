package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/orthant-go/orthant/engine/files"
)

func init() {
	files.Register(files.Format{Name: "Parquet", Extensions: []string{".parquet"}, Open: open, Create: create, Writing: writing})
}

// reader is a file being read: the selected columns side by side, a row group
// after the other.
type reader struct {
	groups  []format.RowGroup
	rows    int
	names   []string
	integer bool
	columns []*column
	width   int // of the matrix: a list takes several of its columns
	group   int // the next one
	left    int // rows of the present one
	spare   *buffers
	done    int // rows given out
}

const magic = "PAR1"

// open reads the metadata at the end of the file.
func open(file *io.SectionReader, columns files.Choice, m *files.Memory) (files.Table, error) {
	if err := checkFrame(file); err != nil {
		return nil, err
	}
	if err := checkFooter(file, m); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	metadata := f.Metadata()
	all, described := leaves(f.Root(), metadata.Schema)
	chosen, err := files.ChooseColumns(described, columns)
	if err != nil {
		return nil, err
	}
	scratch, unfold := new([]byte), new(decoders)
	r := &reader{groups: metadata.RowGroups, integer: true, spare: new(buffers)}
	for i := range r.groups {
		rows := r.groups[i].NumRows
		if rows < 0 || rows > 1<<48 {
			return nil, errors.New("a row group of impossible length: the file is damaged")
		}
		r.rows += int(rows)
	}
	for _, at := range chosen {
		c := &column{leaf: all[at], offset: r.width, width: 1, pages: pages{file: file, scratch: scratch, memory: m, decoders: unfold, buffers: new(buffers)}}
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

// maxPlaces bounds the length of lists.
const maxPlaces = 1 << 20

// listWidth returns the length of the lists of a column, if they have one.
func listWidth(groups []format.RowGroup, c *column) (int, error) {
	width := int64(0)
	for i := range groups {
		rows := groups[i].NumRows
		if rows == 0 {
			continue
		}
		values := groups[i].Columns[c.Index()].MetaData.NumValues
		if width == 0 {
			width = values / rows
		}
		if values != width*rows || width <= 0 || width > maxPlaces {
			return 0, fmt.Errorf("column %q holds lists of different lengths: give all the same", c.name)
		}
	}
	return int(max(width, 1)), nil
}

func (r *reader) Names() []string { return r.names }
func (r *reader) Rows() int       { return r.rows }
func (r *reader) Integer() bool   { return r.integer }
func (r *reader) Close() error    { return nil }

// Groups are the first rows of the row groups that have some.
func (r *reader) Groups() []int {
	var starts []int
	row := 0
	for i := range r.groups {
		if rows := int(r.groups[i].NumRows); rows > 0 {
			starts = append(starts, row)
			row += rows
		}
	}
	return starts
}

// SeekGroup goes to the beginning of a row group, counted among those with rows.
func (r *reader) SeekGroup(i int) error {
	r.group, r.left, r.done = 0, 0, 0
	for {
		rows := int(r.groups[r.group].NumRows)
		if rows > 0 {
			if i == 0 {
				return nil
			}
			i--
		}
		r.done += rows
		r.group++
	}
}

func (r *reader) Next(dst []float64) (int, error)       { return next(r, dst) }
func (r *reader) NextIntegers(dst []int64) (int, error) { return next(r, dst) }

// next fills rows of dst within one row group.
func next[D number](r *reader, dst []D) (int, error) {
	for r.left == 0 {
		if r.group == len(r.groups) {
			return 0, nil
		}
		g := &r.groups[r.group]
		r.group++
		r.left = int(g.NumRows)
		for _, c := range r.columns {
			if err := c.begin(&g.Columns[c.Index()], r.left); err != nil {
				return 0, err
			}
		}
	}
	n := min(len(dst)/r.width, r.left)
	for _, c := range r.columns {
		if n < r.left {
			if err := fill(c, dst, n, r.width, r.done); err != nil {
				return 0, err
			}
			continue
		}
		// A column that comes to its end leaves its memory to the next one.
		if c.pages.buffers.empty() {
			c.pages.buffers, r.spare = r.spare, c.pages.buffers
		}
		if err := fill(c, dst, n, r.width, r.done); err != nil {
			return 0, err
		}
		if r.spare.empty() {
			c.pages.buffers, r.spare = r.spare, c.pages.buffers
		}
	}
	r.left -= n
	r.done += n
	return n, nil
}
